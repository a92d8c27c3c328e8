"""Shared by all verifiers: their input, the polling of votes, and the making of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ib.engine.evidence import verify_evidence
from ib.engine.granularity import Units
from ib.engine.indexed import IndexedTranscript, LexiconHit
from ib.engine.polling import take_votes
from ib.engine.prompts import Asker, Question
from ib.engine.protocol import Asking, Requests
from ib.engine.replies import Ballot, Invalid, read_ballot
from ib.engine.shared import SharedRows
from ib.engine.voting import Stop, combine, tally
from ib.models.ballot import (
    FAULTS,
    NO_QUOTE,
    NOT_RECORDED,
    CountedVote,
    EvidenceSpan,
    Invalidity,
    InvalidVote,
    Vote,
    Window,
    unreadable,
)
from ib.models.base import Aggregation, Role, Verdict
from ib.models.benchmark import Benchmark
from ib.models.check import Check, Due
from ib.models.judge import Fault, JudgeReply, JudgeRequest, NotRecorded
from ib.models.result import (
    DecidingScorer,
    Ineligible,
    Judged,
    NotRun,
    NotRunReason,
    Reason,
    Scorer,
    Suppressed,
    UnclearReason,
    VerdictResult,
)

SCORER_VERSION = "1"


@dataclass(frozen=True)
class CheckContext:
    """The input of a verifier: one check, one transcript, and how to ask the judge."""

    check: Check
    indexed: IndexedTranscript
    benchmark: Benchmark
    asker: Asker
    units: Units
    asked: int
    """K, the number of votes for each question."""
    stop: Stop
    template_hash: str | None
    shared: SharedRows = field(default_factory=SharedRows)

    @property
    def rule(self) -> Aggregation:
        return self.check.routing.aggregation

    def plain(self, verdict: Verdict, scorer: DecidingScorer) -> VerdictResult:
        """A judged row without evidence or votes."""
        return plain_row(self.check, self.shared, verdict, scorer)


def plain_row(check: Check, shared: SharedRows, verdict: Verdict, scorer: DecidingScorer) -> VerdictResult:
    """A judged row without evidence or votes; it is the same for every transcript."""
    return shared.row(
        (check.id, verdict, scorer),
        lambda: Judged(**about(check), verdict=verdict, scorer=scorer, confidence=1.0),
    )


def unasked_row(check: Check, due: Due, reason: NotRunReason = Reason.PROFILE) -> VerdictResult:
    """The row of a check that is not asked: not due, suppressed, or left out for a `reason`."""
    told = about(check)
    if due is Due.NO:
        return Ineligible(**told)
    return Suppressed(**told) if due is Due.SUPPRESSED else NotRun(**told, reason=reason)


def about(check: Check) -> dict[str, Any]:
    """The fields that all rows of a check have in common."""
    return {
        "mode_id": check.id,
        "severity": check.severity,
        "primary_bucket": check.bucket,
        "gate": check.gate,
        "scorer_version": SCORER_VERSION,
    }


@dataclass(frozen=True, slots=True)
class WindowVotes:
    """The judge's votes on one question, and the window that they decide."""

    question: Question
    votes: tuple[Vote, ...]
    window: Window
    confidence: float
    not_applicable_on_anchor: bool = False
    """The majority said NOT_APPLICABLE on a window that was written to raise the question."""

    @property
    def unanswered(self) -> bool:
        """True if no vote was answered: there is no judge, or the recording has no such votes."""
        return all(vote.invalid == NOT_RECORDED for vote in self.votes)

    @property
    def faulted(self) -> bool:
        """True if a vote was lost to a fault."""
        return any(vote.invalid is not None and vote.invalid.fault is not None for vote in self.votes)


@dataclass(frozen=True, slots=True)
class _CheckPoll:
    """The poll of one question of a check."""

    context: CheckContext
    question: Question

    @property
    def asks_again(self) -> bool:
        return self.context.units.asks_again

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return self.context.asker.requests(self.question, self.context.indexed, repetitions)

    def request_again(self, repetition: int, vote: Vote) -> JudgeRequest:
        problem = str(vote.invalid)
        return self.context.asker.request(self.question, self.context.indexed, repetition, problem=problem)

    def read(self, repetition: int, reply: JudgeReply) -> Vote:
        return _count(self.context, self.question, repetition, reply)

    def choice(self, vote: Vote) -> Verdict | None:
        return vote.verdict


def ask_window(context: CheckContext, question: Question) -> Asking[WindowVotes]:
    """Ask one question K times and count the votes.

    An anchored window was written to raise the question, so NOT_APPLICABLE becomes UNCLEAR there.
    """
    stop = (
        Stop.NONE if context.rule is Aggregation.ANY_FAIL and context.stop is Stop.TWO_AGREE else context.stop
    )
    votes = yield from take_votes(_CheckPoll(context, question), context.asked, stop)
    counted = tally([vote.verdict for vote in votes], len(votes), context.rule)
    verdict = counted.verdict
    on_anchor = question.anchored and verdict is Verdict.NOT_APPLICABLE
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
        contested=counted.contested,
    )
    return WindowVotes(question, votes, window, 0.0 if on_anchor else counted.confidence, on_anchor)


def _count(context: CheckContext, question: Question, repetition: int, reply: JudgeReply) -> Vote:
    """Convert a reply to a vote: valid with its evidence, or invalid with the reason."""
    if isinstance(reply, NotRecorded):
        return _void(question, repetition, NOT_RECORDED)
    if isinstance(reply, Fault):
        return _void(question, repetition, FAULTS[reply.kind])
    codes = context.check.rationale_codes if context.asker.spec.validates_codes else None
    ballot = read_ballot(reply.text, codes)
    if isinstance(ballot, Invalid):
        return _void(question, repetition, unreadable(ballot.problem), ballot.stated)
    reach = context.benchmark.scoring.corrected_quote_min_chars
    found = verify_evidence(ballot.evidence, context.indexed, question.span, reach=reach)
    if ballot.verdict is Verdict.FAIL and not found.assistant:
        return _void(question, repetition, NO_QUOTE, Verdict.FAIL, ballot)
    return CountedVote(
        window=question.span.ordinal,
        repetition=repetition,
        phase=question.phase,
        verdict=ballot.verdict,
        rationale_code=ballot.code,
        evidence=found.spans,
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
        return NotRun(**about(context.check), reason=Reason.NO_JUDGE, notices=tuple(notices))
    verdict = combine([polled.window.verdict for polled in polls])
    deciding = [polled for polled in polls if polled.window.verdict is verdict]
    agreeing = [vote for polled in deciding for vote in polled.votes if vote.verdict is verdict]
    shares = [polled.confidence for polled in deciding]
    return Judged(
        **about(context.check),
        verdict=verdict,
        scorer=Scorer.JUDGE,
        confidence=max(shares) if verdict is Verdict.FAIL else min(shares),
        evidence=_distinct(span for vote in agreeing for span in vote.evidence),
        prompt_hash=context.template_hash,
        windows=tuple(polled.window for polled in polls),
        votes=tuple(vote for polled in polls for vote in polled.votes),
        contested=any(polled.window.contested for polled in polls),
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
    return Reason.JUDGE_FAULT if any(polled.faulted for polled in polls) else Reason.NO_MAJORITY


def unanswered(
    context: CheckContext,
    *,
    candidates: bool,
    evidence: Sequence[EvidenceSpan] = (),
    notices: Sequence[str] = (),
) -> VerdictResult:
    """The row of a check without any answer from a judge.

    A gate check with candidates is UNCLEAR; any other check is NOT_RUN.
    """
    reason: NotRunReason = Reason.UNCONFIRMED_CANDIDATE if candidates else Reason.NO_JUDGE
    told = {**about(context.check), "evidence": tuple(evidence), "notices": tuple(notices)}
    if candidates and context.check.gate is not None:
        unclear = {"verdict": Verdict.UNCLEAR, "scorer": Scorer.LEXICON, "confidence": 0.0}
        return Judged(**told, **unclear, reason=Reason.UNCONFIRMED_CANDIDATE)
    return NotRun(**told, reason=reason)


def _distinct(spans: Iterable[EvidenceSpan]) -> tuple[EvidenceSpan, ...]:
    return tuple(dict.fromkeys(spans))


def hit_evidence(found: LexiconHit, role: Role) -> EvidenceSpan:
    """A lexicon hit as evidence, with its words as written."""
    hit = found.hit
    return EvidenceSpan(
        role=role,
        turn=found.turn,
        quote=hit.quote,
        start=hit.start,
        end=hit.end,
        pattern=f"{hit.lexicon}/{hit.pattern}",
    )
