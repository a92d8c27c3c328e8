"""CorpusVerifier: extract the assistant's statements of fact, then check each against a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ib.engine.evidence import verify_evidence
from ib.engine.polling import take_votes
from ib.engine.prompts import Question
from ib.engine.protocol import Asking, Requests, Verification, together
from ib.engine.replies import Claim, Invalid, QuotedEvidence, read_claims
from ib.engine.verifiers.base import CheckContext, WindowVotes, about, ask_window, row_of_polls, unanswered
from ib.models.base import Role, Unit, Verdict
from ib.models.benchmark import CorpusEntry
from ib.models.judge import Answer, Fault, JudgeReply, JudgeRequest, NotRecorded, Phase, UnitSpan
from ib.models.result import Judged, Reason, Scorer, UnclearReason, VerdictResult

REFERENCES_SHOWN = 8


def verify_against_corpus(case: CheckContext) -> Verification:
    """Claims out of the transcript, then the judge's word on each beside the reference corpus.

    What the lexicon found is verified even where the extraction overlooked it, so that an
    extraction that returns nothing cannot turn a wrong statement into silence.
    """
    span = UnitSpan(case.check.routing.unit_of_analysis, 1, case.indexed.transcript.turns)
    whole = case.units.whole(case.check, span.last, Phase.DECIDE)
    if whole is not None:
        polled = yield from ask_window(case, whole)
        if polled.nobody:
            return unanswered(case, candidates=bool(_candidates(case)))
        return row_of_polls(case, (polled,))
    candidates = _candidates(case)
    extracted = yield from _extract(case, span, _hint(candidates))
    if isinstance(extracted, NotRecorded):
        return unanswered(case, candidates=bool(candidates))
    if isinstance(extracted, Fault):
        return _unclear(case, Reason.JUDGE_FAULT)
    if isinstance(extracted, Invalid):
        return _unclear(case, Reason.CLAIMS_UNREADABLE, extracted.problem)
    claims = _with_candidates(extracted, candidates)
    if not claims:
        return Judged(
            **about(case.check),
            verdict=Verdict.NOT_APPLICABLE,
            scorer=Scorer.JUDGE,
            confidence=1.0,
            prompt_hash=case.template_hash,
        )
    polls = yield from together([_verify(case, claim, i) for i, claim in enumerate(claims)])
    return row_of_polls(case, polls)


def _unclear(case: CheckContext, reason: UnclearReason, *notices: str) -> VerdictResult:
    """The row of a check whose claims are not known."""
    told = {**about(case.check), "scorer": Scorer.JUDGE, "notices": notices}
    return Judged(**told, verdict=Verdict.UNCLEAR, confidence=0.0, reason=reason)


Extracted: TypeAlias = tuple[Claim, ...] | Invalid | Fault | NotRecorded


def _extract(case: CheckContext, span: UnitSpan, hint: str) -> Asking[Extracted]:
    """The claims of the transcript; a reply that cannot be read is asked for once more."""
    question = Question(case.check, span, Phase.EXTRACT, hint=hint)
    (extracted,) = yield from take_votes(_Extraction(case, question), 1)
    return extracted


@dataclass(frozen=True, slots=True)
class _Extraction:
    """The question for claims, as it is polled."""

    case: CheckContext
    question: Question
    asks_again: bool = True

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return self.case.asker.requests(self.question, self.case.indexed, repetitions)

    def request_again(self, repetition: int, vote: Extracted) -> JudgeRequest:
        problem = vote.problem if isinstance(vote, Invalid) else "unreadable"
        return self.case.asker.request(self.question, self.case.indexed, repetition, problem=problem)

    def read(self, repetition: int, reply: JudgeReply) -> Extracted:
        return _claims(self.case, reply, self.question.span)

    def choice(self, vote: Extracted) -> tuple[Claim, ...] | None:
        return vote if isinstance(vote, tuple) else None


def _candidates(case: CheckContext) -> tuple[Claim, ...]:
    routing = case.check.routing
    hits = case.indexed.hits(Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group)
    return tuple(dict.fromkeys(Claim(hit.turn, hit.hit.quote) for hit in hits))


def _hint(candidates: Sequence[Claim]) -> str:
    if not candidates:
        return ""
    turns = sorted({claim.turn for claim in candidates})
    return f" Such statements may stand in turns {', '.join(map(str, turns))}, and in others."


def _claims(case: CheckContext, reply: JudgeReply, span: UnitSpan) -> Extracted:
    """The claims of a reply that the assistant really made, as written."""
    if not isinstance(reply, Answer):
        return reply
    claims = read_claims(reply.text)
    if isinstance(claims, Invalid):
        return claims
    reach = case.benchmark.scoring.corrected_quote_min_chars
    quoted = [QuotedEvidence(turn=claim.turn, quote=claim.quote) for claim in claims]
    found = verify_evidence(quoted, case.indexed, span, reach=reach)
    if claims and not found.spans:
        return Invalid("none of the claims was found in the conversation")
    return tuple(Claim(evidence.turn, evidence.quote) for evidence in found.spans)


def _with_candidates(claims: Sequence[Claim], candidates: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims, and every candidate that none of them holds."""
    claimed: dict[int, list[str]] = {}
    for claim in claims:
        claimed.setdefault(claim.turn, []).append(claim.quote)
    missed = (
        candidate
        for candidate in candidates
        if not any(candidate.quote in quote for quote in claimed.get(candidate.turn, ()))
    )
    return (*claims, *missed)


def _verify(case: CheckContext, claim: Claim, ordinal: int) -> Asking[WindowVotes]:
    span = UnitSpan(Unit.TURN_LEVEL, claim.turn, claim.turn, ordinal)
    reference = "\n".join(
        f"- {entry.statement}" for entry in nearest(case.benchmark.corpus.entries, claim.quote)
    )
    question = Question(case.check, span, Phase.VERIFY, subject=(claim.quote,), reference=reference)
    return ask_window(case, question)


def nearest(entries: Sequence[CorpusEntry], claim: str) -> tuple[CorpusEntry, ...]:
    """The entries of the corpus that share most words with a claim, best first."""
    from rapidfuzz import fuzz  # only claims need it, and a smoke scan has none

    def likeness(entry: CorpusEntry) -> float:
        texts = (entry.statement, *entry.common_errors)
        return max(fuzz.token_set_ratio(claim.casefold(), text.casefold()) for text in texts)

    ranked = sorted(entries, key=lambda entry: (-likeness(entry), entry.id))
    return tuple(ranked[:REFERENCES_SHOWN])
