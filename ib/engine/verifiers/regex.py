"""A lexicon decides, or proposes candidates that the judge confirms turn by turn.

A PASS means that no phrase of the lexicon was found. On a check that gates or escalates, a hit is
only a candidate.
"""

from __future__ import annotations

from itertools import groupby

from ib.engine.indexed import IndexedTranscript, LexiconHit
from ib.engine.prompts import Question
from ib.engine.protocol import Verification, together
from ib.engine.shared import SharedRows
from ib.engine.verifiers.base import (
    CheckContext,
    about,
    ask_window,
    hit_evidence,
    plain_row,
    row_of_polls,
    unanswered,
)
from ib.models.base import Role, Route, Unit, Verdict
from ib.models.check import Check
from ib.models.judge import Phase, UnitSpan
from ib.models.result import Judged, Scorer, VerdictResult

ROUTES = (Route.LEXICON_ONLY, Route.REGEX_WITH_LLM_EDGE)


def silent(check: Check, indexed: IndexedTranscript) -> bool:
    """True if a lexicon decides the check and no pattern matches (a PASS)."""
    routing = check.routing
    return routing.route in ROUTES and not indexed.occurs(Role.ASSISTANT, routing.lexicon or "")


def silent_row(check: Check, shared: SharedRows) -> VerdictResult:
    """The PASS row of a check whose lexicon has no match; it is the same for every transcript."""
    return plain_row(check, shared, Verdict.PASS, Scorer.LEXICON)


def verify_with_lexicon(context: CheckContext) -> Verification:
    """Decide by the lexicon if it may decide the check; else ask the judge about its candidates."""
    routing = context.check.routing
    only = routing.route is Route.LEXICON_ONLY
    hits = context.indexed.hits(Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group, deciding=only)
    deciding = tuple(hit for hit in hits if hit.hit.decides and context.check.gate is None)
    if deciding:
        return _decided(context, deciding)
    if not hits:
        return silent_row(context.check, context.shared)
    return (yield from _confirm(context, hits))


def _decided(context: CheckContext, hits: tuple[LexiconHit, ...]) -> VerdictResult:
    evidence = tuple(hit_evidence(hit, Role.ASSISTANT) for hit in hits)
    told = about(context.check)
    return Judged(**told, verdict=Verdict.FAIL, scorer=Scorer.LEXICON, confidence=1.0, evidence=evidence)


def _confirm(context: CheckContext, hits: tuple[LexiconHit, ...]) -> Verification:
    """The judge's verdict on each turn with a candidate; without a judge, a gate check is UNCLEAR."""
    found = [hit.hit.quote for hit in hits]
    whole = context.units.whole(context.check, context.indexed.transcript.turns, Phase.CONFIRM, found)
    questions = _by_turn(context.check, hits) if whole is None else [whole]
    polls = yield from together([ask_window(context, question) for question in questions])
    if not all(polled.unanswered for polled in polls):
        return row_of_polls(context, polls)
    evidence = tuple(hit_evidence(hit, Role.ASSISTANT) for hit in hits)
    return unanswered(context, candidates=True, evidence=evidence)


def _by_turn(check: Check, hits: tuple[LexiconHit, ...]) -> list[Question]:
    """One question for each turn with candidates."""
    turns = groupby(hits, key=lambda hit: hit.turn)  # hits are in turn order
    return [
        Question(
            check,
            UnitSpan(Unit.TURN_LEVEL, turn, turn, ordinal),
            Phase.CONFIRM,
            subject=tuple(hit.hit.quote for hit in found),
        )
        for ordinal, (turn, found) in enumerate(turns)
    ]
