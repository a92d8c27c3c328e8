"""Comparing a recording of votes with the transcripts of a scan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ib.errors import DataError, Finding
from ib.models.conversation.transcript import Transcript
from ib.models.scan.votes import VoteSource


class VotesUsed:
    """Counts the records of each votes file that answer a question of the scan, by transcript."""

    def __init__(self, sources: Sequence[VoteSource]) -> None:
        self._sources = sources
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
        if self._without:
            yield f"{self._without:,} of {self._transcripts:,} transcripts have no recorded vote"
