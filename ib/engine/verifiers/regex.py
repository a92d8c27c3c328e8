"""RegexVerifier: a lexicon decides, or proposes candidates that the judge confirms turn by turn.

A PASS here means that no phrase of the lexicon was found. On a check that gates or escalates a
hit is never more than a candidate.
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
    """Whether a lexicon decides a check, and nothing of it occurs: a PASS, and no more to see."""
    routing = check.routing
    return routing.route in ROUTES and not indexed.occurs(Role.ASSISTANT, routing.lexicon or "")


def silent_row(check: Check, shared: SharedRows) -> VerdictResult:
    """The row of a check whose lexicon has nothing; the same for every transcript."""
    return plain_row(check, shared, Verdict.PASS, Scorer.LEXICON)


def verify_with_lexicon(case: CheckContext) -> Verification:
    """Decide by the lexicon where it may, ask the judge about candidates where it may not."""
    routing = case.check.routing
    only = routing.route is Route.LEXICON_ONLY
    hits = case.indexed.hits(Role.ASSISTANT, routing.lexicon or "", routing.lexicon_group, deciding=only)
    deciding = tuple(hit for hit in hits if hit.hit.decides and case.check.gate is None)
    if deciding:
        return _decided(case, deciding)
    if not hits:
        return silent_row(case.check, case.shared)
    return (yield from _confirm(case, hits))


def _decided(case: CheckContext, hits: tuple[LexiconHit, ...]) -> VerdictResult:
    evidence = tuple(hit_evidence(hit, Role.ASSISTANT) for hit in hits)
    told = about(case.check)
    return Judged(**told, verdict=Verdict.FAIL, scorer=Scorer.LEXICON, confidence=1.0, evidence=evidence)


def _confirm(case: CheckContext, hits: tuple[LexiconHit, ...]) -> Verification:
    """The judge's word on each turn with a candidate; without one, UNCLEAR on a gate."""
    found = [hit.hit.quote for hit in hits]
    whole = case.units.whole(case.check, case.indexed.transcript.turns, Phase.CONFIRM, found)
    questions = _by_turn(case.check, hits) if whole is None else [whole]
    polls = yield from together([ask_window(case, question) for question in questions])
    if not all(polled.nobody for polled in polls):
        return row_of_polls(case, polls)
    evidence = tuple(hit_evidence(hit, Role.ASSISTANT) for hit in hits)
    return unanswered(case, candidates=True, evidence=evidence)


def _by_turn(check: Check, hits: tuple[LexiconHit, ...]) -> list[Question]:
    """One question for each turn with candidates."""
    turns = groupby(hits, key=lambda hit: hit.turn)  # hits come in the order of the turns
    return [
        Question(
            check,
            UnitSpan(Unit.TURN_LEVEL, turn, turn, ordinal),
            Phase.CONFIRM,
            subject=tuple(hit.hit.quote for hit in found),
        )
        for ordinal, (turn, found) in enumerate(turns)
    ]
