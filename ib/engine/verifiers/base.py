"""What every verifier shares: its inputs, the polling of votes, and the making of a row."""

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
    """One check on one transcript: everything that a verifier may look at."""

    check: Check
    indexed: IndexedTranscript
    benchmark: Benchmark
    asker: Asker
    units: Units
    asked: int
    """K: how many votes each question gets."""
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
    """A judged row without evidence or votes; the same for every transcript."""
    return shared.row(
        (check.id, verdict, scorer),
        lambda: Judged(**about(check), verdict=verdict, scorer=scorer, confidence=1.0),
    )


def unasked_row(check: Check, due: Due) -> VerdictResult:
    """The row of a check that is not asked: not due, suppressed, or not of the profile."""
    told = about(check)
    if due is Due.NO:
        return Ineligible(**told)
    return Suppressed(**told) if due is Due.SUPPRESSED else NotRun(**told, reason=Reason.PROFILE)


def about(check: Check) -> dict[str, Any]:
    """The fields that every row of a check has in common."""
    return {
        "mode_id": check.id,
        "severity": check.severity,
        "primary_bucket": check.bucket,
        "gate": check.gate,
        "scorer_version": SCORER_VERSION,
    }


@dataclass(frozen=True, slots=True)
class WindowVotes:
    """What the judge said of one question."""

    question: Question
    votes: tuple[Vote, ...]
    window: Window
    confidence: float
    dodged: bool = False
    """The votes said NOT_APPLICABLE of a window that was written to raise the question."""

    @property
    def nobody(self) -> bool:
        """No vote came at all: there is no judge, or it has no record of this."""
        return all(vote.invalid == NOT_RECORDED for vote in self.votes)

    @property
    def faulted(self) -> bool:
        """Whether a vote was lost to a fault."""
        return any(vote.invalid is not None and vote.invalid.fault is not None for vote in self.votes)


@dataclass(frozen=True, slots=True)
class _CheckPoll:
    """One question of a check, as it is polled."""

    case: CheckContext
    question: Question

    @property
    def asks_again(self) -> bool:
        return self.case.units.asks_again

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return self.case.asker.requests(self.question, self.case.indexed, repetitions)

    def request_again(self, repetition: int, vote: Vote) -> JudgeRequest:
        problem = str(vote.invalid)
        return self.case.asker.request(self.question, self.case.indexed, repetition, problem=problem)

    def read(self, repetition: int, reply: JudgeReply) -> Vote:
        return _count(self.case, self.question, repetition, reply)

    def choice(self, vote: Vote) -> Verdict | None:
        return vote.verdict


def ask_window(case: CheckContext, question: Question) -> Asking[WindowVotes]:
    """Ask one question as often as the check wants it asked, and count the votes.

    An anchored window was written to raise the question, so NOT_APPLICABLE is UNCLEAR there.
    """
    stop = Stop.NONE if case.rule is Aggregation.ANY_FAIL and case.stop is Stop.TWO_AGREE else case.stop
    votes = yield from take_votes(_CheckPoll(case, question), case.asked, stop)
    counted = tally([vote.verdict for vote in votes], len(votes), case.rule)
    verdict = counted.verdict
    dodged = question.anchored and verdict is Verdict.NOT_APPLICABLE
    if dodged:
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
    return WindowVotes(question, votes, window, 0.0 if dodged else counted.confidence, dodged)


def _count(case: CheckContext, question: Question, repetition: int, reply: JudgeReply) -> Vote:
    """A reply as a vote: valid with its evidence, or invalid with the reason."""
    if isinstance(reply, NotRecorded):
        return _void(question, repetition, NOT_RECORDED)
    if isinstance(reply, Fault):
        return _void(question, repetition, FAULTS[reply.kind])
    codes = case.check.rationale_codes if case.asker.spec.validates_codes else None
    ballot = read_ballot(reply.text, codes)
    if isinstance(ballot, Invalid):
        return _void(question, repetition, unreadable(ballot.problem), ballot.stated)
    reach = case.benchmark.scoring.corrected_quote_min_chars
    found = verify_evidence(ballot.evidence, case.indexed, question.span, reach=reach)
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
    case: CheckContext, polls: Sequence[WindowVotes], *, notices: Sequence[str] = ()
) -> VerdictResult:
    """The row of a check from what the judge said of each of its windows."""
    if all(polled.nobody for polled in polls):
        return NotRun(**about(case.check), reason=Reason.NO_JUDGE, notices=tuple(notices))
    verdict = combine([polled.window.verdict for polled in polls])
    deciding = [polled for polled in polls if polled.window.verdict is verdict]
    agreeing = [vote for polled in deciding for vote in polled.votes if vote.verdict is verdict]
    shares = [polled.confidence for polled in deciding]
    return Judged(
        **about(case.check),
        verdict=verdict,
        scorer=Scorer.JUDGE,
        confidence=max(shares) if verdict is Verdict.FAIL else min(shares),
        evidence=_distinct(span for vote in agreeing for span in vote.evidence),
        prompt_hash=case.template_hash,
        windows=tuple(polled.window for polled in polls),
        votes=tuple(vote for polled in polls for vote in polled.votes),
        contested=any(polled.window.contested for polled in polls),
        reason=_why_unclear(polls, agreeing) if verdict is Verdict.UNCLEAR else None,
        rationale_code=next((vote.rationale_code for vote in agreeing if vote.rationale_code), None),
        notices=tuple(notices),
    )


def _why_unclear(polls: Sequence[WindowVotes], agreeing: Sequence[Vote]) -> UnclearReason:
    """Why the verdict is UNCLEAR; `agreeing` are the votes that say so."""
    if agreeing:
        return Reason.JUDGE_UNCLEAR
    if any(polled.dodged for polled in polls):
        return Reason.NOT_APPLICABLE_ON_AN_ANCHOR
    return Reason.JUDGE_FAULT if any(polled.faulted for polled in polls) else Reason.NO_MAJORITY


def unanswered(
    case: CheckContext,
    *,
    candidates: bool,
    evidence: Sequence[EvidenceSpan] = (),
    notices: Sequence[str] = (),
) -> VerdictResult:
    """The row of a question that nobody answered.

    A candidate makes a gate UNCLEAR; anything else is not run.
    """
    reason: NotRunReason = Reason.UNCONFIRMED_CANDIDATE if candidates else Reason.NO_JUDGE
    told = {**about(case.check), "evidence": tuple(evidence), "notices": tuple(notices)}
    if candidates and case.check.gate is not None:
        unclear = {"verdict": Verdict.UNCLEAR, "scorer": Scorer.LEXICON, "confidence": 0.0}
        return Judged(**told, **unclear, reason=Reason.UNCONFIRMED_CANDIDATE)
    return NotRun(**told, reason=reason)


def _distinct(spans: Iterable[EvidenceSpan]) -> tuple[EvidenceSpan, ...]:
    return tuple(dict.fromkeys(spans))


def hit_evidence(found: LexiconHit, role: Role) -> EvidenceSpan:
    """The evidence of a lexicon hit: its words as written."""
    hit = found.hit
    return EvidenceSpan(
        role=role,
        turn=found.turn,
        quote=hit.quote,
        start=hit.start,
        end=hit.end,
        pattern=f"{hit.lexicon}/{hit.pattern}",
    )
