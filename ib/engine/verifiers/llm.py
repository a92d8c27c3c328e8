"""The judge decides, window by window.

If the check has a lexicon of the assistant's words, its hits are candidates. The judge confirms each
turn with a candidate, and sweeps the whole window for failures that the phrases missed. All these
questions are asked together. If the check has a lexicon of the user's words, its hits are given to the
judge as possible cues.
"""

from __future__ import annotations

from ib.engine.prompts import Question
from ib.engine.protocol import Verification, together
from ib.engine.verifiers.base import CheckContext, ask_window, row_of_polls, unanswered
from ib.engine.windows import Windows, windows
from ib.models.base import Role, Unit
from ib.models.judge import Phase, UnitSpan


def verify_with_judge(context: CheckContext) -> Verification:
    """Ask the judge about every window of the check."""
    found = windows(context.check, context.indexed.transcript)
    whole = context.units.whole(context.check, context.indexed.transcript.turns, Phase.DECIDE)
    questions = [*_candidates(context, found), *_windows(context, found)] if whole is None else [whole]
    polls = yield from together([ask_window(context, question) for question in questions])
    if all(polled.unanswered for polled in polls):
        gated = context.check.gate is not None and bool(_turns(context))
        return unanswered(context, candidates=gated, notices=found.notices)
    return row_of_polls(context, polls, notices=found.notices)


def _turns(context: CheckContext) -> dict[int, tuple[str, ...]]:
    """The assistant turns with candidates, each with the quotes of its hits."""
    routing = context.check.routing
    if routing.lexicon is None:
        return {}
    turns: dict[int, list[str]] = {}
    for found in context.indexed.hits(Role.ASSISTANT, routing.lexicon, routing.lexicon_group):
        turns.setdefault(found.turn, []).append(found.hit.quote)
    return {turn: tuple(dict.fromkeys(quotes)) for turn, quotes in turns.items()}


def _candidates(context: CheckContext, found: Windows) -> list[Question]:
    """One CONFIRM question for each turn inside a window that has candidates."""
    asked: list[Question] = []
    for turn, quotes in _turns(context).items():
        if not any(span.first <= turn <= span.last for span in found.spans):
            continue
        span = UnitSpan(Unit.TURN_LEVEL, turn, turn, len(found.spans) + len(asked))
        asked.append(Question(context.check, span, Phase.CONFIRM, subject=quotes))
    return asked


def _windows(context: CheckContext, found: Windows) -> list[Question]:
    phase = Phase.SWEEP if _has_candidate_lexicon(context) else Phase.DECIDE
    return [
        Question(context.check, span, phase, hint=_cues(context, span), anchored=found.anchored)
        for span in found.spans
    ]


def _has_candidate_lexicon(context: CheckContext) -> bool:
    name = context.check.routing.lexicon
    return name is not None and context.benchmark.lexicons[name].speaker is Role.ASSISTANT


def _cues(context: CheckContext, span: UnitSpan) -> str:
    """A hint for the judge: the turns in which the user's words may be a cue."""
    routing = context.check.routing
    if not context.asker.spec.reads_prompt or routing.lexicon is None or _has_candidate_lexicon(context):
        return ""
    hits = context.indexed.hits(Role.USER, routing.lexicon, routing.lexicon_group)
    turns = sorted({hit.turn for hit in hits if span.first <= hit.turn <= span.last})
    if not turns:
        return ""
    return f" Possible cues were found in the user's turns {', '.join(map(str, turns))}; there may be others."
