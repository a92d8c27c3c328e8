"""Checking the tags of transcripts against the vocabulary of the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from ib.errors import Finding
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.conversation.transcript import Transcript
from ib.models.conversation.vocabulary import nearest, vocabulary
from ib.store.benchmark.scenarios import load_contract, load_played
from ib.store.files.wording import shown

LONGEST = 80
"""How many characters of a tag are compared with the vocabulary."""
MOST_NAMED = 5
"""How many unknown tags a notice names."""


class TagCheck:
    """Finds tags outside the vocabulary, one transcript at a time.

    A misspelled tag makes fewer checks due and nothing shows it. So it is an error, unless
    `eligible_checks` decides alone; then it changes nothing and is only counted.
    """

    def __init__(self, benchmark: Benchmark, root: Path) -> None:
        self._root, self._checks = root, tuple(benchmark.checks.values())
        self._of_checks = vocabulary(self._checks, None)
        self._near: dict[str, str] = {}
        self._harmless: Counter[str] = Counter()
        self._transcripts = 0
        self._without_effect = 0

    def findings(self, transcript: Transcript) -> Iterator[Finding]:
        """An error for each unknown tag of a transcript. The file and the line are left empty."""
        unknown = [(key, tag) for key, tag in _tags(transcript) if not self._knows(tag)]
        if transcript.eligible_checks is not None:
            self._transcripts += bool(unknown)
            self._harmless.update({tag for _, tag in unknown})
            return
        tags = {tag for _, tag in _tags(transcript)}
        self._without_effect += bool(tags) and tags.isdisjoint(self._of_checks)
        for key, tag in unknown:
            hint = f"the nearest tags are {self._nearest(tag)}; docs/tags.md lists all tags"
            yield Finding.at("", None, key, f"unknown tag {shown(tag)}", hint)

    def notices(self) -> Iterator[str]:
        """Sentences about tags that change nothing."""
        if self._without_effect:
            yield (
                f"transcripts with only tags that no check names: {self._without_effect:,}. Only the checks "
                "for all conversations are due there; docs/tags.md says what each tag does"
            )
        if self._harmless:
            named = [shown(tag) for tag in sorted(self._harmless)]
            more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
            yield (
                f"transcripts with tags outside the vocabulary: {self._transcripts:,} "
                f"({', '.join(named[:MOST_NAMED])}{more}). The tags change nothing there, because "
                "eligible_checks decides alone; docs/tags.md lists all tags"
            )

    def _nearest(self, tag: str) -> str:
        """The nearest tags as text. Found once a tag, because a file may repeat one on each line."""
        if tag not in self._near:
            self._near[tag] = ", ".join(nearest(tag[:LONGEST], self.vocabulary))
        return self._near[tag]

    def _knows(self, tag: str) -> bool:
        return tag in self._of_checks or tag in self.vocabulary

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every tag of the benchmark. Read only when a tag is not one of a check, because it takes time."""
        return load_vocabulary(self._root, self._checks)


def load_vocabulary(root: Path, checks: Iterable[Check]) -> frozenset[str]:
    """The vocabulary of the benchmark in a folder. `checks` are its checks."""
    return vocabulary(checks, load_contract(root), load_played(root).values())


def _tags(transcript: Transcript) -> Iterator[tuple[str, str]]:
    """The tags and the cues of risk triggers, each with its key."""
    yield from ((f"tags.{index}", tag) for index, tag in enumerate(transcript.tags))
    cues = enumerate(trigger.cue for trigger in transcript.risk_triggers)
    yield from ((f"risk_triggers.{index}.cue", cue) for index, cue in cues)
