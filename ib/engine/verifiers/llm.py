"""LLMVerifier: the judge decides, window by window.

Where a lexicon of the assistant's words belongs to the check, its hits are candidates: each turn
with one is confirmed by itself, and a sweep over the window looks for what the phrases missed.
Confirmation and sweep of every window go out together. A lexicon of the user's words points the
judge to cues.
"""

from __future__ import annotations

from ib.engine.prompts import Question
from ib.engine.protocol import Verification, together
from ib.engine.verifiers.base import CheckContext, ask_window, row_of_polls, unanswered
from ib.engine.windows import Windows, windows
from ib.models.base import Role, Unit
from ib.models.judge import Phase, UnitSpan


def verify_with_judge(case: CheckContext) -> Verification:
    """Ask the judge of every window of the check."""
    found = windows(case.check, case.indexed.transcript)
    whole = case.units.whole(case.check, case.indexed.transcript.turns, Phase.DECIDE)
    questions = [*_candidates(case, found), *_windows(case, found)] if whole is None else [whole]
    polls = yield from together([ask_window(case, question) for question in questions])
    if all(polled.nobody for polled in polls):
        gated = case.check.gate is not None and bool(_turns(case))
        return unanswered(case, candidates=gated, notices=found.notices)
    return row_of_polls(case, polls, notices=found.notices)


def _turns(case: CheckContext) -> dict[int, tuple[str, ...]]:
    """The assistant turns with candidates, each with the words that were found."""
    routing = case.check.routing
    if routing.lexicon is None:
        return {}
    turns: dict[int, list[str]] = {}
    for found in case.indexed.hits(Role.ASSISTANT, routing.lexicon, routing.lexicon_group):
        turns.setdefault(found.turn, []).append(found.hit.quote)
    return {turn: tuple(dict.fromkeys(quotes)) for turn, quotes in turns.items()}


def _candidates(case: CheckContext, found: Windows) -> list[Question]:
    """One confirmation for each turn with candidates inside a window."""
    asked: list[Question] = []
    for turn, quotes in _turns(case).items():
        if not any(span.first <= turn <= span.last for span in found.spans):
            continue
        span = UnitSpan(Unit.TURN_LEVEL, turn, turn, len(found.spans) + len(asked))
        asked.append(Question(case.check, span, Phase.CONFIRM, subject=quotes))
    return asked


def _windows(case: CheckContext, found: Windows) -> list[Question]:
    phase = Phase.SWEEP if _has_candidate_lexicon(case) else Phase.DECIDE
    return [
        Question(case.check, span, phase, hint=_cues(case, span), anchored=found.anchored)
        for span in found.spans
    ]


def _has_candidate_lexicon(case: CheckContext) -> bool:
    name = case.check.routing.lexicon
    return name is not None and case.benchmark.lexicons[name].speaker is Role.ASSISTANT


def _cues(case: CheckContext, span: UnitSpan) -> str:
    """Where the user's words may be a cue, as a hint to the judge."""
    routing = case.check.routing
    if not case.asker.spec.reads_prompt or routing.lexicon is None or _has_candidate_lexicon(case):
        return ""
    hits = case.indexed.hits(Role.USER, routing.lexicon, routing.lexicon_group)
    turns = sorted({hit.turn for hit in hits if span.first <= hit.turn <= span.last})
    if not turns:
        return ""
    return f" Possible cues were found in the user's turns {', '.join(map(str, turns))}; there may be others."
