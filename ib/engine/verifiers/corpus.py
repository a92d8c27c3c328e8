"""Extract the assistant's statements of fact, then check each against the reference corpus."""

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


def verify_against_corpus(context: CheckContext) -> Verification:
    """The judge extracts claims from the transcript, then compares each with the reference corpus.

    Lexicon hits are verified even if the extraction missed them, so that an empty extraction cannot
    hide a wrong statement.
    """
    span = UnitSpan(context.check.routing.unit_of_analysis, 1, context.indexed.transcript.turns)
    whole = context.units.whole(context.check, span.last, Phase.DECIDE)
    if whole is not None:
        polled = yield from ask_window(context, whole)
        if polled.unanswered:
            return unanswered(context, candidates=bool(_candidates(context)))
        return row_of_polls(context, (polled,))
    candidates = _candidates(context)
    extracted = yield from _extract(context, span, _hint(candidates))
    if isinstance(extracted, NotRecorded):
        return unanswered(context, candidates=bool(candidates))
    if isinstance(extracted, Fault):
        return _unclear(context, Reason.JUDGE_FAULT)
    if isinstance(extracted, Invalid):
        return _unclear(context, Reason.CLAIMS_UNREADABLE, extracted.problem)
    claims = _with_candidates(extracted, candidates)
    if not claims:
        return Judged(
            **about(context.check),
            verdict=Verdict.NOT_APPLICABLE,
            scorer=Scorer.JUDGE,
            confidence=1.0,
            prompt_hash=context.template_hash,
        )
    polls = yield from together([_verify(context, claim, i) for i, claim in enumerate(claims)])
    return row_of_polls(context, polls)


def _unclear(context: CheckContext, reason: UnclearReason, *notices: str) -> VerdictResult:
    """The row of a check if the claims could not be extracted."""
    told = {**about(context.check), "scorer": Scorer.JUDGE, "notices": notices}
    return Judged(**told, verdict=Verdict.UNCLEAR, confidence=0.0, reason=reason)


Extracted: TypeAlias = tuple[Claim, ...] | Invalid | Fault | NotRecorded


def _extract(context: CheckContext, span: UnitSpan, hint: str) -> Asking[Extracted]:
    """The claims in the transcript. An invalid reply is asked for once more."""
    question = Question(context.check, span, Phase.EXTRACT, hint=hint)
    (extracted,) = yield from take_votes(_Extraction(context, question), 1)
    return extracted


@dataclass(frozen=True, slots=True)
class _Extraction:
    """The poll of the extraction question."""

    context: CheckContext
    question: Question
    asks_again: bool = True

    def requests(self, repetitions: Sequence[int]) -> Requests:
        return self.context.asker.requests(self.question, self.context.indexed, repetitions)

    def request_again(self, repetition: int, vote: Extracted) -> JudgeRequest:
        problem = vote.problem if isinstance(vote, Invalid) else "unreadable"
        return self.context.asker.request(self.question, self.context.indexed, repetition, problem=problem)

    def read(self, repetition: int, reply: JudgeReply) -> Extracted:
        return _claims(self.context, reply, self.question.span)

    def choice(self, vote: Extracted) -> tuple[Claim, ...] | None:
        return vote if isinstance(vote, tuple) else None


def _candidates(context: CheckContext) -> tuple[Claim, ...]:
    routing = context.check.routing
    hits = context.indexed.hits(Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group)
    return tuple(dict.fromkeys(Claim(hit.turn, hit.hit.quote) for hit in hits))


def _hint(candidates: Sequence[Claim]) -> str:
    if not candidates:
        return ""
    turns = sorted({claim.turn for claim in candidates})
    return f" Such statements may stand in turns {', '.join(map(str, turns))}, and in others."


def _claims(context: CheckContext, reply: JudgeReply, span: UnitSpan) -> Extracted:
    """The claims of a reply that are found in the assistant's messages, with their words as written."""
    if not isinstance(reply, Answer):
        return reply
    claims = read_claims(reply.text)
    if isinstance(claims, Invalid):
        return claims
    reach = context.benchmark.scoring.corrected_quote_min_chars
    quoted = [QuotedEvidence(turn=claim.turn, quote=claim.quote) for claim in claims]
    found = verify_evidence(quoted, context.indexed, span, reach=reach)
    if claims and not found.spans:
        return Invalid("none of the claims was found in the conversation")
    return tuple(Claim(evidence.turn, evidence.quote) for evidence in found.spans)


def _with_candidates(claims: Sequence[Claim], candidates: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims, and every candidate that is not part of one of them."""
    claimed: dict[int, list[str]] = {}
    for claim in claims:
        claimed.setdefault(claim.turn, []).append(claim.quote)
    missed = (
        candidate
        for candidate in candidates
        if not any(candidate.quote in quote for quote in claimed.get(candidate.turn, ()))
    )
    return (*claims, *missed)


def _verify(context: CheckContext, claim: Claim, ordinal: int) -> Asking[WindowVotes]:
    span = UnitSpan(Unit.TURN_LEVEL, claim.turn, claim.turn, ordinal)
    reference = "\n".join(
        f"- {entry.statement}" for entry in nearest(context.benchmark.corpus.entries, claim.quote)
    )
    question = Question(context.check, span, Phase.VERIFY, subject=(claim.quote,), reference=reference)
    return ask_window(context, question)


def nearest(entries: Sequence[CorpusEntry], claim: str) -> tuple[CorpusEntry, ...]:
    """The corpus entries that share the most words with a claim, best first."""
    from rapidfuzz import fuzz  # imported here: only claims need it, and a smoke scan has none

    def likeness(entry: CorpusEntry) -> float:
        texts = (entry.statement, *entry.common_errors)
        return max(fuzz.token_set_ratio(claim.casefold(), text.casefold()) for text in texts)

    ranked = sorted(entries, key=lambda entry: (-likeness(entry), entry.id))
    return tuple(ranked[:REFERENCES_SHOWN])
