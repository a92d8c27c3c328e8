"""Extract the assistant's statements of fact, then check each against the reference corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from ib.engine.questions.prompts import Invalidated, Question
from ib.engine.questions.protocol import Asking, Requests, Verification, together
from ib.engine.questions.replies import Claim, Invalid, QuotedEvidence, read_claims
from ib.engine.verifiers.base import CheckContext, WindowVotes, ask_window, row_of_polls, unanswered
from ib.engine.verifiers.phrases import candidates
from ib.engine.verifiers.rows import about
from ib.engine.votes.evidence import verify_evidence
from ib.engine.votes.polling import ListPoll, take_votes
from ib.engine.votes.voting import Quota
from ib.models.benchmark.benchmark import CorpusEntry
from ib.models.benchmark.jurisdiction import country_of, references_for, rule_set_of
from ib.models.common.base import Role, Unit, Verdict
from ib.models.common.reason import Reason, UnclearReason
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.judge import (
    Answer,
    Fault,
    Follow,
    Hint,
    JudgeReply,
    NotRecorded,
    Phase,
    Refusal,
    UnitSpan,
)
from ib.models.scan.result import Judged, NotRun, Scorer, VerdictResult

REFERENCES_SHOWN = 8
CLAIMS_MOST = 12
"""The most claims of one transcript that are compared with the corpus. A notice counts the others."""


def verify_against_corpus(context: CheckContext) -> Verification:
    """The judge extracts claims from the transcript K times, then compares each with the reference corpus.

    What any extraction or the lexicon found is compared, so that one empty list cannot hide a wrong
    statement. Where the corpus says nothing about the person's place, or no place is known, claims are
    UNCLEAR.
    """
    span = UnitSpan(context.check.routing.unit_of_analysis, 1, context.indexed.transcript.turns)
    whole = context.units.whole(context.check, span.last)
    if whole is not None:
        polled = yield from ask_window(context, whole)
        if polled.unanswered:
            return unanswered(context, candidates(context))
        return row_of_polls(context, (polled,))
    proposed = _proposed(context)
    extracted = yield from _extract(context, span, proposed)
    if isinstance(extracted, NotRecorded):
        return unanswered(context, candidates(context))
    if isinstance(extracted, Fault):
        return NotRun(**about(context.check), reason=Reason.FAULT)
    if isinstance(extracted, Invalid):
        why: UnclearReason = Reason.REFUSED if extracted.refused else Reason.CLAIMS_UNREADABLE
        return _unclear(context, why, extracted.problem)
    claims = _with_proposed(extracted, proposed)
    if not claims:
        return Judged(
            **about(context.check),
            verdict=Verdict.NOT_APPLICABLE,
            scorer=Scorer.JUDGE,
            confidence=1.0,
            prompt_hash=context.template_hash,
        )
    references = _references(context)
    if not references:
        quotes = [QuotedEvidence(turn=claim.turn, quote=claim.quote) for claim in claims]
        reach = context.benchmark.scoring.corrected_quote_min_chars
        found = verify_evidence(quotes, context.indexed, span, reach=reach)
        return _unclear(context, Reason.NO_REFERENCE, *_placeless(context), evidence=found.spans)
    compared = _compared(claims, proposed)
    polls = yield from together([_verify(context, claim, i, references) for i, claim in enumerate(compared)])
    left = len(claims) - len(compared)
    notices = (f"{left} of {len(claims)} claims were not compared with the corpus",) if left else ()
    return row_of_polls(context, polls, notices=notices)


def _references(context: CheckContext) -> tuple[CorpusEntry, ...]:
    said, benchmark = context.indexed.transcript, context.benchmark
    return references_for(benchmark.corpus.entries, benchmark.rules, said.jurisdiction, said.country)


def _placeless(context: CheckContext) -> tuple[str, ...]:
    """A notice if nothing says where the person is, so that no law of a country could be a reference."""
    said = context.indexed.transcript
    if country_of(said.country, rule_set_of(context.benchmark.rules, said.jurisdiction)) is not None:
        return ()
    return ("nothing says where the person is: give `country` or `jurisdiction` with the conversation",)


def _unclear(
    context: CheckContext, reason: UnclearReason, *notices: str, evidence: Sequence[EvidenceSpan] = ()
) -> VerdictResult:
    """The row of a check if claims could not be extracted, or have nothing to be compared with."""
    told = {**about(context.check), "scorer": Scorer.JUDGE, "notices": notices}
    told["evidence"] = evidence
    return Judged(**told, verdict=Verdict.UNCLEAR, confidence=0.0, reason=reason)


Extracted: TypeAlias = tuple[Claim, ...] | Invalid | Fault | NotRecorded


def _extract(context: CheckContext, span: UnitSpan, proposed: Sequence[Claim]) -> Asking[Extracted]:
    """The claims that any of K extractions found. An invalid reply is asked for once more.

    If no more than half of the K lists can be read, the reason of the first that cannot, or a fault.
    """
    hints = tuple(Hint(claim.turn, claim.quote) for claim in proposed)
    question = Question(context.check, span, Phase.EXTRACT, hints=hints)
    quota = context.quota
    compared = (
        CLAIMS_MOST if _references(context) else 0
    )  # a claim of no known place is compared with nothing
    follow = (
        (Follow.CLAIMS, compared * quota.asked),
        (Follow.GATE_FAIL, compared * quota.after_fail),
    )
    lists = yield from take_votes(_extraction_poll(context, question), Quota(quota.asked), follow)
    read = [found for found in lists if isinstance(found, tuple)]
    if 2 * len(read) > quota.asked:
        return _union(claim for found in read for claim in found)
    lost = [found for found in lists if not isinstance(found, tuple)]
    return next((found for found in lost if isinstance(found, Fault)), lost[0])


def _union(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Each claim once, in order of turns; a claim within the words of another is part of it."""
    distinct = list(dict.fromkeys(claims))
    listed = _by_turn(distinct)
    kept = (c for c in distinct if not any(one != c and c.quote in one.quote for one in listed[c.turn]))
    return tuple(sorted(kept, key=lambda claim: claim.turn))


def _extraction_poll(
    context: CheckContext, question: Question
) -> ListPoll[Claim, Invalid | Fault | NotRecorded]:
    """The poll of the extraction question."""

    def ask(repetitions: Sequence[int], earlier: Invalidated | None) -> Requests:
        return context.asker.requests(question, context.indexed, repetitions, earlier)

    return ListPoll(ask, partial(_claims, context, question.span))


def _proposed(context: CheckContext) -> tuple[Claim, ...]:
    """The assistant's words that the check's lexicon found, as claims."""
    routing = context.check.routing
    hits = context.indexed.hits(Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group)
    return tuple(dict.fromkeys(Claim(turn=hit.turn, quote=hit.hit.quote) for hit in hits))


def _claims(context: CheckContext, span: UnitSpan, reply: JudgeReply) -> Extracted:
    """The claims of a reply that are found in the assistant's messages, with their words as written."""
    if isinstance(reply, Refusal):
        return Invalid("the judge refused to answer", refused=True)
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
    return tuple(Claim(turn=evidence.turn, quote=evidence.quote) for evidence in found.spans)


def _with_proposed(claims: Sequence[Claim], proposed: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims, and every proposed one that is not part of one of them."""
    claimed = _by_turn(claims)
    missed = (c for c in proposed if not any(c.quote in one.quote for one in claimed[c.turn]))
    return (*claims, *missed)


def _compared(claims: Sequence[Claim], proposed: Sequence[Claim]) -> tuple[Claim, ...]:
    """At most CLAIMS_MOST claims, in order. Those with words that the lexicon found are kept first."""
    found = _by_turn(proposed)
    ranked = sorted(claims, key=lambda claim: not any(c.quote in claim.quote for c in found[claim.turn]))
    kept = set(ranked[:CLAIMS_MOST])
    return tuple(claim for claim in claims if claim in kept)


def _by_turn(claims: Sequence[Claim]) -> Mapping[int, list[Claim]]:
    listed: defaultdict[int, list[Claim]] = defaultdict(list)
    for claim in claims:
        listed[claim.turn].append(claim)
    return listed


def _verify(
    context: CheckContext, claim: Claim, ordinal: int, references: Sequence[CorpusEntry]
) -> Asking[WindowVotes]:
    span = UnitSpan(Unit.TURN_LEVEL, claim.turn, claim.turn, ordinal)
    reference = "\n".join(f"- {entry.statement}" for entry in nearest(references, claim.quote))
    question = Question(context.check, span, Phase.VERIFY, claim=claim.quote, reference=reference)
    return ask_window(context, question)


def nearest(entries: Sequence[CorpusEntry], claim: str) -> tuple[CorpusEntry, ...]:
    """The corpus entries that share the most words with a claim, best first."""
    from rapidfuzz import fuzz  # imported here: only claims need it, and a smoke scan has none

    def likeness(entry: CorpusEntry) -> float:
        texts = (entry.statement, *entry.common_errors)
        return max(fuzz.token_set_ratio(claim.casefold(), text.casefold()) for text in texts)

    ranked = sorted(entries, key=lambda entry: (-likeness(entry), entry.id))
    return tuple(ranked[:REFERENCES_SHOWN])
