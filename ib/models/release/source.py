"""What a release was made from: one row for each conversation, and the files of the benchmark.

From these rows `ib verify` computes the release again. A row of a conversation that the release withholds has
no word of it: its verdicts are stated, and only what follows from them can be computed again.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ib.models.common.base import Played, Record, Sha256, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Answer, Fault, FaultKind, JudgeReply, JudgeRequest, Phase, Refusal
from ib.models.scan.over_alarm import OverAlarm
from ib.models.scan.result import TranscriptResult
from ib.models.scan.second import SecondOpinion
from ib.models.scan.supplement import Supplement

Count = Annotated[int, Field(ge=0)]

FOLDER = "source"
"""The folder of a release with what it was made from."""
PLAN = f"{FOLDER}/plan.json.gz"
BENCHMARK = f"{FOLDER}/benchmark.jsonl.gz"
CONVERSATIONS = f"{FOLDER}/conversations.jsonl.gz"
CONTRADICTIONS = f"{FOLDER}/contradictions.jsonl.gz"
REVIEWS = f"{FOLDER}/reviews.jsonl.gz"
GAP = f"{FOLDER}/gap.json.gz"
EXAMS = f"{FOLDER}/exams.json.gz"
SOURCE_FILES = (PLAN, BENCHMARK, CONVERSATIONS, CONTRADICTIONS, REVIEWS, GAP, EXAMS)
"""Every file of a source. All are gzip, and all but the plan, the gap and the exams have one row a line."""


class BenchmarkFile(Record):
    """A file of the benchmark that the release was judged by."""

    path: str
    """The path in the folder of the benchmark."""
    text: str = Field(max_length=20_000_000)
    """The content of the file."""


class SourceReply(Record):
    """What a judge answered to one question about a conversation."""

    at: Count
    """The place of the question among those about the conversation, from 0, in the order of asking."""
    check_id: str
    turns: tuple[int, int]
    """The first and the last turn that were judged."""
    phase: Phase = Phase.DECIDE
    repetition: int = 1
    attempt: int = 0
    """0 for the question, 1 for asking again."""
    answer: str | None = None
    """The text of the answer; a reply has one of this, `refused` and `fault`."""
    refused: bool = False
    """True if the judge refused to answer. What its provider said about it is left out."""
    fault: FaultKind | None = None
    """Why there is no answer. What the provider said about it is left out."""

    @classmethod
    def of(cls, at: int, request: JudgeRequest, reply: Answer | Refusal | Fault) -> SourceReply:
        """The reply to a request, which is question number `at` about its conversation."""
        return cls(
            at=at,
            check_id=request.check_id,
            turns=(request.unit.first, request.unit.last),
            phase=request.phase,
            repetition=request.repetition,
            attempt=request.attempt,
            answer=reply.text if isinstance(reply, Answer) else None,
            refused=isinstance(reply, Refusal),
            fault=reply.kind if isinstance(reply, Fault) else None,
        )

    @property
    def reply(self) -> JudgeReply:
        """The reply."""
        if self.fault is not None:
            return Fault(self.fault, "")
        return Refusal("") if self.refused else Answer(self.answer or "")

    def answers(self, request: JudgeRequest) -> bool:
        """True if the reply is one to this request."""
        asked = (request.check_id, request.phase, request.repetition, request.attempt)
        turns = (request.unit.first, request.unit.last)
        return (self.check_id, self.phase, self.repetition, self.attempt) == asked and self.turns == turns


class WholeConversation(Record):
    """A conversation with every reply of the judges, from which all its verdicts are computed again."""

    kind: Literal["whole"]
    transcript_hash: Sha256
    """The hash of the transcript that was scanned."""
    transcript: Transcript
    """The conversation. What the model read beside it, metadata and the log's own id are left out."""
    trimmed: bool = False
    """True if something was left out, so that the hash cannot be computed again."""
    replies: tuple[SourceReply, ...] = ()
    """The replies of the judge, in the order of asking."""
    second: tuple[SourceReply, ...] = ()
    """The replies of the second judge."""


class WithheldReason(StrEnum):
    """Why a release has no word of a conversation in its source."""

    UNPUBLISHED = "unpublished"
    """The benchmark does not publish the scenario."""
    OPEN_LOG = "open_log"
    """An open log, or an imported conversation: real people may have written it."""
    NOT_ASKED = "not_asked"
    """The release was made to carry no transcripts."""
    PRIVATE_DRAW = "private_draw"
    """A play of a private draw, whose words stay secret until the draw is retired."""
    PRIVATE_TEXT = "private_text"
    """The conversation, or a reply of a judge, contains what looks like a key or a path of a machine."""
    HELD = "held"
    """A reply of the conversation is withheld, because it may contain a method, a dose for harm, or a way to
    avoid being noticed. A judge's reply may quote it."""


class Alike(Record):
    """How many replies of a conversation say what the script of a reference assistant says."""

    compared: Count = 0
    """The replies that were compared."""
    scripts: dict[str, Count] = Field(default_factory=dict)
    """For each reference assistant, the replies that are its."""


class StatedChange(Record):
    """A verdict of the first judge, and what it would be with the answers of the second."""

    check_id: str
    first: Verdict
    """The verdict of the first judge."""
    second: Verdict
    """The verdict with the answers of the second judge."""


class StatedSecond(Record):
    """What a second judge said about a conversation that is withheld."""

    opinions: tuple[SecondOpinion, ...]
    """The questions that both judges answered."""
    rows: tuple[StatedChange, ...]
    """The verdicts with the answers of the second judge."""
    refused: Count = 0
    """The questions that the second judge refused to answer."""
    unreadable: Count = 0
    """The answers of the second judge that could not be read."""


class WithheldConversation(Played):
    """A conversation of which the source has no word: its verdicts as the scan states them, without quotes.

    Every character of a quote is a block, so that its place is known and not its words.
    """

    kind: Literal["withheld"]
    reason: WithheldReason
    """Why it is withheld."""
    transcript_hash: Sha256
    """The hash of the transcript that was scanned."""
    harness: str | None = None
    served_model: str | None = None
    system_prompt_hash: str | None = None
    result: TranscriptResult | None = None
    """The verdicts; null for a play of a safe twin."""
    supplement: Supplement | None = None
    """The supplementary measures; null for a play of a safe twin."""
    alarm: OverAlarm | None = None
    """The over-alarm of a play of a safe twin; null for any other conversation."""
    second: StatedSecond | None = None
    """What the second judge said; null if there is none."""
    alike: Alike = Alike()
    """How far the model says what a reference assistant says."""


Conversation = Annotated[WholeConversation | WithheldConversation, Field(discriminator="kind")]


class ConversationRow(Record):
    """A line of `source/conversations.jsonl.gz`, in the order of the plan."""

    conversation: Conversation
    """The conversation, whole or withheld."""
