"""Shared by all verifiers: their input, the polling of votes, and the making of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ib.engine.questions.asker import Asker
from ib.engine.questions.prompts import Invalidated, Question
from ib.engine.questions.protocol import Asking, Requests
from ib.engine.questions.replies import Ballot, Invalid, read_ballot
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.rows import SharedRows, about
from ib.engine.votes.evidence import verify_evidence
from ib.engine.votes.granularity import Units
from ib.engine.votes.polling import take_votes
from ib.engine.votes.voting import Quota, Stop, combine, cues_met, majority, occurrences_of, tally
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.base import Aggregation, Verdict
from ib.models.common.reason import Reason, UnclearReason
from ib.models.scan.ballot import (
    FAULTS,
    NO_QUOTE,
    NOT_RECORDED,
    REFUSED,
    CountedVote,
    CueAnswer,
    EvidenceSpan,
    Invalidity,
    InvalidKind,
    InvalidVote,
    Vote,
    Window,
    unreadable,
)
from ib.models.scan.judge import Answer, Fault, JudgeReply, JudgeRequest, NotRecorded, Refusal
from ib.models.scan.result import OCCURRING, DecidingScorer, Judged, NotRun, Scorer, VerdictResult


@dataclass(frozen=True)
class CheckContext:
    """The input of a verifier: one check, one transcript, and how to ask the judge."""

    check: Check
    indexed: IndexedTranscript
    benchmark: Benchmark
    asker: Asker
    units: Units
    quota: Quota
    """How many votes are taken on each question."""
    template_hash: str | None
    shared: SharedRows = field(default_factory=SharedRows)
    put: list[PutQuestion] | None = None
    """Collects the questions on windows, in the order in which they are asked; None if nobody needs them."""

    @property
    def rule(self) -> Aggregation:
        return self.check.routing.aggregation

    def plain(self, verdict: Verdict, scorer: DecidingScorer) -> VerdictResult:
        """A judged row without evidence or votes; it is the same for every transcript."""
        return self.shared.row(
            (self.check.id, verdict, scorer),
            lambda: Judged(**about(self.check), verdict=verdict, scorer=scorer, confidence=1.0),
        )


@dataclass(frozen=True, slots=True)
class WindowVotes:
    """The judge's votes on one question, and the window that they decide."""

    question: Question
    votes: tuple[Vote, ...]
    window: Window
    confidence: float
    older_question: bool = False
    """True if a vote answers another wording of the question than that of the check."""
    not_applicable_on_anchor: bool = False
    """The majority said NOT_APPLICABLE on a window that was written to raise the question."""

    @property
    def unanswered(self) -> bool:
        """True if no vote was answered: there is no judge, or the recording has no such votes."""
        return all(vote.invalid == NOT_RECORDED for vote in self.votes)

    @property
    def undecided(self) -> bool:
        """True if the votes have no majority, so that the window is UNCLEAR."""
        verdicts = [vote.verdict for vote in self.votes]
        return self.window.verdict is Verdict.UNCLEAR and majority(verdicts, len(verdicts)) is None

    def lost_to(self, kind: InvalidKind) -> bool:
        """True if a vote does not count for this reason."""
        return any(vote.invalid is not None and vote.invalid.kind is kind for vote in self.votes)


@dataclass(slots=True)
class PutQuestion:
    """A question on a window as it is put to a judge. `polled` is None until its votes are counted."""

    context: CheckContext
    question: Question
    polled: WindowVotes | None = None


@dataclass(frozen=True, slots=True)
class _CheckPoll:
    """The poll of one question of a check."""

    context: CheckContext
    question: Question
    older: set[int] = field(default_factory=set)
    """The repetitions whose replies answer another wording of the question."""

    def asks_again(self, vote: Vote) -> bool:
        return self.context.units.asks_again and vote.invalid != REFUSED

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return self.context.asker.requests(self.question, self.context.indexed, repetitions)

    def request_again(self, repetition: int, vote: Vote, reply: Answer) -> JudgeRequest:
        earlier = Invalidated(str(vote.invalid), reply.text)
        asker = self.context.asker
        return asker.requests(self.question, self.context.indexed, (repetition,), earlier)[0]

    def read(self, repetition: int, reply: JudgeReply) -> Vote:
        context = self.context
        if isinstance(reply, Answer) and context.units.is_older(reply.text, context.template_hash):
            self.older.add(repetition)
        return _count(self.context, self.question, repetition, reply)

    def choice(self, vote: Vote) -> Verdict | None:
        return vote.verdict


def ask_window(context: CheckContext, question: Question) -> Asking[WindowVotes]:
    """Take the votes on one question and count them.

    An anchored window was written to raise the question, so NOT_APPLICABLE becomes UNCLEAR there.
    """
    put = PutQuestion(context, question)
    if context.put is not None:
        context.put.append(put)
    put.polled = yield from _poll_window(context, question)
    return put.polled


def _poll_window(context: CheckContext, question: Question) -> Asking[WindowVotes]:
    quota = context.quota
    if context.rule is Aggregation.ANY_FAIL and quota.stop is Stop.TWO_AGREE:
        quota = replace(quota, stop=Stop.NONE)
    poll = _CheckPoll(context, question)
    votes = yield from take_votes(poll, quota)
    counted = tally([vote.verdict for vote in votes], len(votes), context.rule)
    verdict = counted.verdict
    on_anchor = bool(question.cues) and verdict is Verdict.NOT_APPLICABLE
    if on_anchor:
        verdict = Verdict.UNCLEAR
    span = question.span
    window = Window(
        kind=span.kind,
        first=span.first,
        last=span.last,
        phase=question.phase,
        verdict=verdict,
        asked=len(votes),
        split=counted.split,
        context=span.context,
        cues=cues_met(question, votes),
    )
    return WindowVotes(
        question,
        votes,
        window,
        0.0 if on_anchor else counted.confidence,
        older_question=bool(poll.older),
        not_applicable_on_anchor=on_anchor,
    )


def _count(context: CheckContext, question: Question, repetition: int, reply: JudgeReply) -> Vote:
    """Convert a reply to a vote: valid with its evidence, or invalid with the reason."""
    if isinstance(reply, NotRecorded):
        return _void(question, repetition, NOT_RECORDED)
    if isinstance(reply, Fault):
        return _void(question, repetition, FAULTS[reply.kind])
    if isinstance(reply, Refusal):
        return _void(question, repetition, REFUSED)
    codes = context.check.rationale_codes if context.asker.spec.validates_codes else None
    ballot = read_ballot(reply.text, question, codes)
    if isinstance(ballot, Invalid):
        why = REFUSED if ballot.refused else unreadable(ballot.problem)
        return _void(question, repetition, why, ballot.stated)
    reach = context.benchmark.scoring.corrected_quote_min_chars
    found = verify_evidence(ballot.evidence, context.indexed, question.span, reach=reach)
    occurred = found
    if ballot.occurrences is not None and ballot.occurrences is not ballot.evidence:
        occurred = verify_evidence(ballot.occurrences, context.indexed, question.span, reach=reach)
    if ballot.verdict is Verdict.FAIL and not found.assistant:
        return _void(question, repetition, NO_QUOTE, Verdict.FAIL, ballot)
    return CountedVote(
        window=question.span.ordinal,
        repetition=repetition,
        phase=question.phase,
        verdict=ballot.verdict,
        rationale_code=ballot.code,
        evidence=found.spans,
        occurrences=None if ballot.occurrences is None else occurred.turns,
        cues=tuple(CueAnswer(turn=turn, met=met) for turn, met in sorted((ballot.cues or {}).items())),
    )


def _void(
    question: Question,
    repetition: int,
    invalid: Invalidity,
    stated: Verdict | None = None,
    ballot: Ballot | None = None,
) -> Vote:
    return InvalidVote(
        window=question.span.ordinal,
        repetition=repetition,
        phase=question.phase,
        stated=stated,
        rationale_code=None if ballot is None else ballot.code,
        invalid=invalid,
    )


def row_of_polls(
    context: CheckContext, polls: Sequence[WindowVotes], *, notices: Sequence[str] = ()
) -> VerdictResult:
    """The row of a check from the judge's votes on each of its windows."""
    if all(polled.unanswered for polled in polls):
        return NotRun(**about(context.check), reason=context.units.missing, notices=tuple(notices))
    verdict = combine([polled.window.verdict for polled in polls])
    if verdict is not Verdict.FAIL and any(p.undecided and p.lost_to(InvalidKind.FAULT) for p in polls):
        return NotRun(**about(context.check), reason=Reason.FAULT, notices=tuple(notices))
    deciding = [polled for polled in polls if polled.window.verdict is verdict]
    agreeing = [vote for polled in deciding for vote in polled.votes if vote.verdict is verdict]
    shares = [polled.confidence for polled in deciding]
    decided = [(p.question, p.votes) for p in polls if p.window.verdict in OCCURRING]
    return Judged(
        **about(context.check),
        verdict=verdict,
        scorer=Scorer.JUDGE,
        confidence=max(shares) if verdict is Verdict.FAIL else min(shares),
        evidence=_distinct(span for vote in agreeing for span in vote.evidence),
        prompt_hash=context.template_hash,
        occurrences=occurrences_of(decided, context.indexed) if verdict in OCCURRING else None,
        windows=tuple(polled.window for polled in polls),
        votes=tuple(vote for polled in polls for vote in polled.votes),
        split=any(polled.window.split for polled in polls),
        older_question=any(polled.older_question for polled in polls),
        reason=_why_unclear(polls, agreeing) if verdict is Verdict.UNCLEAR else None,
        rationale_code=next((vote.rationale_code for vote in agreeing if vote.rationale_code), None),
        notices=tuple(notices),
    )


def _why_unclear(polls: Sequence[WindowVotes], agreeing: Sequence[Vote]) -> UnclearReason:
    """Why the verdict is UNCLEAR; `agreeing` are the votes for UNCLEAR."""
    if agreeing:
        return Reason.JUDGE_UNCLEAR
    if any(polled.not_applicable_on_anchor for polled in polls):
        return Reason.NOT_APPLICABLE_ON_AN_ANCHOR
    return Reason.REFUSED if any(p.lost_to(InvalidKind.REFUSED) for p in polls) else Reason.NO_MAJORITY


def unanswered(
    context: CheckContext, candidates: Sequence[EvidenceSpan] = (), notices: Sequence[str] = ()
) -> VerdictResult:
    """The row of a check without any answer from a judge: not run, with the words that a lexicon found."""
    return NotRun(
        **about(context.check),
        reason=Reason.UNCONFIRMED_CANDIDATE if candidates else context.units.missing,
        evidence=tuple(candidates),
        notices=tuple(notices),
    )


def _distinct(spans: Iterable[EvidenceSpan]) -> tuple[EvidenceSpan, ...]:
    return tuple(dict.fromkeys(spans))
