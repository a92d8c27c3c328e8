"""Replay recorded votes as the replies of a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from ib.engine.votes.granularity import PROMPT_HASH
from ib.engine.votes.voting import tally
from ib.models.common.base import Aggregation, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Answer, Granularity, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase
from ib.models.scan.votes import VoteKey, VoteRecord, VoteSource


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A record whose verdict contradicts its own votes."""

    record: VoteRecord
    votes_say: Verdict


class Records(Protocol):
    """Vote records by key. Records may be read on demand, because there may be too many for memory."""

    def get(self, key: VoteKey) -> VoteRecord | None: ...
    def __iter__(self) -> Iterator[VoteRecord]: ...


class RecordedJudge:
    """Replays recorded votes as replies: one vote for each repetition, on the whole transcript.

    The evidence and the reason of a record belong to its verdict, so only votes for that verdict get
    them. Rationale codes may come from another instrument, so they are not checked.
    """

    in_process: ClassVar[Literal[True]] = True

    def __init__(self, records: Records, content_hash: str, sources: Sequence[VoteSource] = ()) -> None:
        self._records = records
        self.sources = tuple(sources)
        """The paths of the recording, each with the checks that it has votes on."""
        checks: set[str] = set()
        judges: set[str] = set()
        found: list[Contradiction] = []
        for record in records:
            checks.add(record.check_id)
            if record.votes:
                # Votes without a judge's name are from an unknown judge.
                judges.add(record.judge_model or "unknown")
                found += _contradictions(record)
        self.checks = frozenset(checks)
        """The checks that the recording has votes on."""
        self._contradictions = tuple(sorted(found, key=lambda one: str(one.record.key)))
        self.spec = JudgeSpec(
            model=f"recorded:{'+'.join(sorted(judges)) or 'unknown'}",
            base=content_hash,
            granularity=Granularity.CHECK,
            judges=tuple(sorted(judges)),
            validates_codes=False,
            reads_prompt=False,
            priced=False,
        )

    def votes_known(self, transcript: Transcript, check_id: str) -> int:
        """How many votes are recorded for a check on a transcript."""
        key = (transcript.model_id, transcript.scenario_id, transcript.epoch, check_id)
        record = self._records.get(key)
        return 0 if record is None else len(record.votes)

    def answer(self, request: JudgeRequest) -> JudgeReply:
        key = (request.model_id, request.scenario_id, request.epoch, request.check_id)
        record = self._records.get(key)
        if record is None or request.repetition > len(record.votes):
            return NotRecorded()
        if request.phase is Phase.REASK:
            return NotRecorded()
        verdict = record.votes[request.repetition - 1]
        value: dict[str, object] = {"verdict": verdict.value}
        if record.prompt_hash is not None:
            value[PROMPT_HASH] = record.prompt_hash
        if verdict is record.verdict:
            value["rationale_code"] = record.rationale_code
            value["evidence"] = [e.model_dump(mode="json") for e in record.evidence]
        return Answer(json.dumps(value, ensure_ascii=False))

    def contradictions(self) -> tuple[Contradiction, ...]:
        """The records whose verdict contradicts their votes."""
        return self._contradictions


def _contradictions(record: VoteRecord) -> Iterator[Contradiction]:
    said = votes_say(record)
    if said is not record.verdict:
        yield Contradiction(record, said)


def votes_say(record: VoteRecord) -> Verdict:
    """The verdict of a record's votes, by the record's own aggregation rule."""
    rule = record.aggregation or Aggregation.MAJORITY
    return tally(record.votes, len(record.votes), rule).verdict
