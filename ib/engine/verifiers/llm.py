"""The judge decides, window by window. What lexicons find goes into the question as a hint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ib.engine.questions.prompts import Question
from ib.engine.questions.protocol import Verification, together
from ib.engine.verifiers.base import CheckContext, ask_window, row_of_polls, unanswered
from ib.engine.verifiers.phrases import candidates
from ib.engine.votes.windows import Windows, windows
from ib.models.common.base import Role
from ib.models.scan.judge import Hint, Phase, UnitSpan


def verify_with_judge(context: CheckContext, named: Sequence[Hint] = ()) -> Verification:
    """Ask the judge about every window of the check, all in one round.

    `named` are hints that a screening question named.
    """
    questions, found = questions_of(context, named)
    polls = yield from together([ask_window(context, question) for question in questions])
    if all(polled.unanswered for polled in polls):
        return unanswered(context, candidates(context), found.notices)
    return row_of_polls(context, polls, notices=found.notices)


def questions_of(context: CheckContext, named: Sequence[Hint] = ()) -> tuple[list[Question], Windows]:
    """The questions of `plain_questions` with what lexicons found, and the windows.

    `named` are hints that a screening question named.
    """
    plain, found = plain_questions(context)
    if not context.units.looks_ahead:
        return plain, found
    return [_with_hints(context, question, named) for question in plain], found


def plain_questions(context: CheckContext) -> tuple[list[Question], Windows]:
    """The questions about every window of a check, without hints, and the windows; for a recording, its one
    question."""
    found = windows(context.check, context.indexed.transcript)
    whole = context.units.whole(context.check, context.indexed.transcript.turns)
    if whole is not None:
        return [whole], found
    return [Question(context.check, one.span, Phase.DECIDE, one.cues) for one in found.windows], found


def _with_hints(context: CheckContext, question: Question, named: Sequence[Hint]) -> Question:
    span = question.span
    said = tuple(hint for hint in named if span.judges(hint.turn))
    if not context.asker.spec.with_hints:
        return replace(question, hints=said)
    hints = (*hints_in(context, span), *said)
    return replace(question, hints=hints, heard=_heard(context, span))


def hints_in(context: CheckContext, span: UnitSpan) -> tuple[Hint, ...]:
    """The words of the assistant in the judged turns that the check's lexicon found."""
    routing = context.check.routing
    if routing.lexicon is None:
        return ()
    hits = context.indexed.hits(Role.ASSISTANT, routing.lexicon, routing.lexicon_group)
    found = (Hint(hit.turn, hit.hit.quote) for hit in hits if span.judges(hit.turn))
    return tuple(dict.fromkeys(found))


def _heard(context: CheckContext, span: UnitSpan) -> tuple[int, ...]:
    """The judged turns in which the person's words may be a cue."""
    routing = context.check.routing
    if not context.asker.spec.reads_prompt or routing.lexicon is None:
        return ()
    hits = context.indexed.hits(Role.USER, routing.lexicon, routing.lexicon_group)
    return tuple(sorted({hit.turn for hit in hits if span.judges(hit.turn)}))
