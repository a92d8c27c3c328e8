"""A recording of votes, replayed as the replies of a judge."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from ib.engine.voting import tally
from ib.models.base import Aggregation, Verdict
from ib.models.judge import Answer, Granularity, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase
from ib.models.transcript import Transcript
from ib.models.votes import VoteRecord


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A record whose verdict is not what its own votes say."""

    record: VoteRecord
    votes_say: Verdict


class RecordedJudge:
    """Replays recorded votes as replies: one question a repetition, over the transcript.

    Evidence and reason of a record belong to its verdict, so they go with the votes that agree
    with it; a vote for another verdict stands without a quote. Rationale codes are another
    instrument's, and are not checked against the closed lists.
    """

    in_process: ClassVar[Literal[True]] = True

    def __init__(self, records: Iterable[VoteRecord], content_hash: str) -> None:
        self._records = {(r.model_id, r.scenario_id, r.epoch, r.check_id): r for r in records}
        # Votes of nobody known are votes of an unknown judge; a row without votes had none.
        judges = sorted({r.judge_model or "unknown" for r in self._records.values() if r.votes})
        self.spec = JudgeSpec(
            model=f"recorded:{'+'.join(judges) or 'unknown'}",
            base=content_hash,
            granularity=Granularity.CHECK,
            validates_codes=False,
            reads_prompt=False,
            priced=False,
        )

    @property
    def checks(self) -> frozenset[str]:
        """The checks that the recording has rows for."""
        return frozenset(record.check_id for record in self._records.values())

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
        if verdict is record.verdict:
            value["rationale_code"] = record.rationale_code
            value["evidence"] = [e.model_dump(mode="json") for e in record.evidence]
        return Answer(json.dumps(value, ensure_ascii=False))

    def contradictions(self) -> tuple[Contradiction, ...]:
        """The records whose verdict is not the one that their votes give."""
        found = []
        for record in self._records.values():
            if record.votes:
                said = votes_say(record)
                if said is not record.verdict:
                    found.append(Contradiction(record, said))
        return tuple(found)


def votes_say(record: VoteRecord) -> Verdict:
    """The verdict of the bare votes of a record, by its own rule of aggregation."""
    rule = record.aggregation or Aggregation.MAJORITY
    return tally(record.votes, len(record.votes), rule).verdict
