"""Checking the inputs of a scan: tags against the vocabulary, recorded votes against the transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from ib.engine.mode_engine import ModeEngine
from ib.engine.votes.voting import Stop
from ib.errors import DataError, Finding
from ib.judges.base import Judge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import country_of, rule_set_of
from ib.models.common.base import Route
from ib.models.conversation.transcript import Transcript
from ib.models.conversation.vocabulary import nearest, vocabulary
from ib.models.scan.votes import VoteSource
from ib.store.benchmark.scenarios import load_contract, load_played
from ib.store.files.wording import counted, shown

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


class Placeless:
    """Counts the conversations that do not say where the person is, so that no law is a reference."""

    def __init__(self, benchmark: Benchmark, *, judged: bool) -> None:
        checks = benchmark.checks.values()
        compared = {check.id for check in checks if check.routing.route is Route.EXTRACT_THEN_CORPUS}
        self._checks = compared if judged else set[str]()
        self._rules = benchmark.rules
        self._asked = self._count = 0

    def add(self, transcript: Transcript, asked: Iterable[str]) -> None:
        """Count one transcript. `asked` are the checks that are asked of it."""
        if self._checks.isdisjoint(asked):
            return
        self._asked += 1
        law = rule_set_of(self._rules, transcript.jurisdiction)
        self._count += country_of(transcript.country, law) is None

    def notices(self) -> Iterator[str]:
        """One sentence, if there are such conversations."""
        if self._count:
            yield (
                f"{self._count:,} of {self._asked:,} conversations do not say where the person is: what they "
                f"claim about law or benefits stays UNCLEAR ({', '.join(sorted(self._checks))}); give "
                "`country` or `jurisdiction` in each of them"
            )


class VotesUsed:
    """Counts the records of each votes file that answer a question of the scan, by transcript."""

    @classmethod
    def of(cls, judge: Judge, engine: ModeEngine) -> VotesUsed:
        """Counts for a recording; for any other judge, counts nothing."""
        if not isinstance(judge, RecordedJudge):
            return cls(())

        def taken(transcript: Transcript, check_id: str) -> tuple[int, int]:
            quota = engine.planned_votes(engine.benchmark.checks[check_id])
            return judge.votes_known(transcript, check_id), quota.asked if quota.stop is Stop.NONE else 1

        return cls(judge.sources, taken)

    def __init__(
        self,
        sources: Sequence[VoteSource],
        taken: Callable[[Transcript, str], tuple[int, int]] = lambda transcript, check_id: (0, 0),
    ) -> None:
        """`taken` returns how many votes are recorded for a check on a transcript, and how many it needs."""
        self._sources, self._taken = sources, taken
        self._short: Counter[tuple[int, int]] = Counter()
        self._answered = [0] * len(sources)
        self._transcripts = 0
        self._without = 0

    def add(self, transcript: Transcript, asked: Iterable[str]) -> None:
        """Count one transcript. `asked` are the checks that are asked of it."""
        if not self._sources:
            return
        checks = tuple(asked)
        conversation = (transcript.model_id, transcript.scenario_id, transcript.epoch)
        found = [source.answers(conversation, checks) for source in self._sources]
        self._answered = [sum(pair) for pair in zip(self._answered, found, strict=True)]
        self._transcripts += 1
        self._without += not any(found)
        if any(found):
            votes = (self._taken(transcript, check_id) for check_id in checks)
            self._short.update((known, needed) for known, needed in votes if 0 < known < needed)

    def check(self) -> None:
        """Raises DataError with each votes file that answers nothing."""
        hint = (
            "votes of this scan's models and scenarios: the same model_id, scenario_id and epoch, on checks "
            "that are due and in the profile"
        )
        findings = [
            Finding.at(source.name, None, "", "no vote answers a question about these transcripts", hint)
            for source, answered in zip(self._sources, self._answered, strict=True)
            if not answered
        ]
        if findings:
            raise DataError(findings)

    def notices(self) -> Iterator[str]:
        """A sentence for each votes file with unused records, and one for transcripts without a vote."""
        for source, answered in zip(self._sources, self._answered, strict=True):
            if answered < source.records:
                yield (
                    f"{source.name}: {answered:,} of {source.records:,} records with votes answer a question "
                    "about these transcripts; the others are not used"
                )
        for (known, needed), times in sorted(self._short.items()):
            yield (
                f"votes: {known} of {needed} are recorded for {counted(times, 'question')}; the missing ones "
                "count for nothing, so that the verdict is UNCLEAR unless those that are there decide it"
            )
        if self._without:
            yield f"{self._without:,} of {self._transcripts:,} transcripts have no recorded vote"
