"""Writing the source of a release while its scan is replayed, and reading a scan back from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ib.board.evidence.leaks import LeakSearch
from ib.board.evidence.withheld import without_words
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.second import Compared
from ib.models.common.canonical import compact, pretty
from ib.models.conversation.transcript import Provenance, Transcript
from ib.models.release.source import (
    BENCHMARK,
    CONTRADICTIONS,
    CONVERSATIONS,
    PLAN,
    REVIEWS,
    Alike,
    SourceReply,
    StatedChange,
    StatedSecond,
    WholeConversation,
    WithheldConversation,
    WithheldReason,
)
from ib.models.release.transcripts import LeftOutReason
from ib.models.review.reviews import Review
from ib.models.scan.artifacts import ContradictionLine
from ib.models.scan.judge import Answer, Fault, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Refusal
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.plan import ScanPlan
from ib.pipeline.release.bundle import bundled
from ib.pipeline.scan.judging import Judged, Judgment
from ib.store.folders.sources import Packed, conversation_line, packed, packed_document

PRIVATE = "[withheld: a private address]"
"""What a release shows in place of the private address of a judge."""
NOT_ASKED = NotRecorded()
Lookup = Callable[[JudgeRequest], JudgeReply]


class Heard:
    """Answers the questions about one conversation by a lookup, and keeps each reply with its place."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._asked = 0
        self.replies: list[SourceReply] = []

    def __call__(self, request: JudgeRequest) -> JudgeReply:
        reply = self._lookup(request)
        if isinstance(reply, Answer | Refusal | Fault):
            self.replies.append(SourceReply.of(self._asked, request, reply))
        self._asked += 1
        return reply


class Ordered:
    """Answers the questions about one conversation by their places. A misfit answers another question."""

    def __init__(self, replies: Sequence[SourceReply]) -> None:
        self._replies = {reply.at: reply for reply in replies}
        self._asked = 0
        self.misfits = len(replies) - len(self._replies)
        self.votes: dict[str, int] = {}
        for reply in replies:
            self.votes[reply.check_id] = max(self.votes.get(reply.check_id, 0), reply.repetition)

    def __call__(self, request: JudgeRequest) -> JudgeReply:
        reply = self._replies.pop(self._asked, None)
        self._asked += 1
        if reply is None:
            return NOT_ASKED
        if reply.answers(request):
            return reply.reply
        self.misfits += 1
        return NOT_ASKED

    @property
    def wrong(self) -> int:
        """How many replies answer no question that is asked."""
        return self.misfits + len(self._replies)


NOT_COMPARED = Alike()


@dataclass(frozen=True)
class Replayed:
    """One conversation as replayed."""

    indexed: IndexedTranscript
    judgment: Judgment
    left_out: LeftOutReason | None
    """Why the release does not carry the transcript; None if it does."""
    replies: Sequence[SourceReply]
    held: bool = False
    """True if the words of a reply are withheld."""
    second: Sequence[SourceReply] = ()
    compared: Compared | None = None
    alike: Alike = NOT_COMPARED
    """How far the model says what a reference assistant says."""


def shown_judge(judge: JudgeSpec, leaks: LeakSearch) -> JudgeSpec:
    """A judge, without its address if the address is private."""
    if judge.base is None or leaks.machine(judge.base) is None:
        return judge
    return judge.model_copy(update={"base": PRIVATE})


def shown_plan(plan: ScanPlan, leaks: LeakSearch) -> ScanPlan:
    """A plan without private addresses of judges."""
    update: dict[str, Any] = {"judge": shown_judge(plan.judge, leaks)}
    if plan.second is not None:
        shown = shown_judge(plan.second.judge, leaks)
        update["second"] = plan.second.model_copy(update={"judge": shown})
    return plan.model_copy(update=update)


def shown_transcript(transcript: Transcript, leaks: LeakSearch) -> Transcript:
    """A transcript as a source carries it: without metadata, the log's own id, and what stood beside it."""
    known = transcript.provenance
    if known is not None:
        told = known.model_copy(update={"source": None})
        private = [
            name for name in Provenance.model_fields if any(leaks.in_file(compact(getattr(told, name))))
        ]
        known = told.model_copy(update=dict.fromkeys(private))
    return transcript.model_copy(update={"provenance": known, "meta": {}, "context": ()})


@dataclass
class SourceWriter:
    """The source of a release, filled conversation by conversation."""

    root: Path
    """The folder of the benchmark."""
    leaks: LeakSearch
    _conversations: Packed = field(default_factory=Packed)
    _withheld: set[tuple[str, str, int]] = field(default_factory=set)

    def add(self, said: Replayed) -> None:
        """Add a conversation, in the order of the plan. It is withheld if the release does not carry it, if a
        reply of it is withheld, or if a word of it or of a judge's reply looks like a key."""
        reason = None if said.left_out is None else WithheldReason(said.left_out.value)
        if reason is None and said.held:
            reason = WithheldReason.HELD
        if reason is None:
            line = conversation_line(self._whole(said))
            if not any(self.leaks.in_file(line)):
                self._conversations.add(line)
                return
            reason = WithheldReason.PRIVATE_TEXT
        self._withheld.add(said.indexed.transcript.key)
        self._conversations.add(conversation_line(_withheld(said, reason)))

    def _whole(self, said: Replayed) -> WholeConversation:
        transcript = said.indexed.transcript
        shown = shown_transcript(transcript, self.leaks)
        return WholeConversation(
            kind="whole",
            transcript_hash=said.indexed.transcript_hash,
            transcript=shown,
            trimmed=shown != transcript,
            replies=tuple(said.replies),
            second=tuple(said.second),
        )

    def close(
        self, plan: ScanPlan, contradictions: Sequence[ContradictionLine], reviews: Sequence[Review]
    ) -> Mapping[str, bytes]:
        """The files of the source, by name."""
        files = {
            PLAN: packed_document(pretty(shown_plan(plan, self.leaks))),
            BENCHMARK: packed(map(compact, bundled(self.root))),
            CONVERSATIONS: self._conversations.close(),
        }
        if contradictions:
            files[CONTRADICTIONS] = packed(compact(_bare(one)) for one in contradictions)
        if reviews:
            files[REVIEWS] = packed(
                compact(without_words(one) if one.played in self._withheld else one) for one in reviews
            )
        return files


def _bare(line: ContradictionLine) -> ContradictionLine:
    """A contradiction without the words of its conversation."""
    return line.model_copy(update={"record": line.record.model_copy(update={"evidence": ()})})


def _withheld(said: Replayed, reason: WithheldReason) -> WithheldConversation:
    transcript, judgment = said.indexed.transcript, said.judgment
    known = transcript.provenance or Provenance()
    supplement = judgment.supplement if isinstance(judgment, Judged) else None
    return WithheldConversation(
        kind="withheld",
        reason=reason,
        model_id=transcript.model_id,
        scenario_id=transcript.scenario_id,
        epoch=transcript.epoch,
        transcript_hash=said.indexed.transcript_hash,
        harness=known.harness,
        served_model=known.served_model,
        system_prompt_hash=known.system_prompt_hash,
        result=without_words(judgment.result) if isinstance(judgment, Judged) else None,
        supplement=None if supplement is None else without_words(supplement),
        alarm=without_words(judgment) if isinstance(judgment, OverAlarm) else None,
        second=None if said.compared is None else _second(said.compared),
        alike=said.alike,
    )


def _second(compared: Compared) -> StatedSecond:
    changes = tuple(
        StatedChange(check_id=row.check_id, first=row.first, second=row.second) for row in compared.rows
    )
    return StatedSecond(
        opinions=compared.opinions, rows=changes, refused=compared.refused, unreadable=compared.unreadable
    )
