"""Edits of the words that decide: taken out, said too late, said by the person, denied, or put in."""

from __future__ import annotations

from collections.abc import Iterator

from ib.exam.operators.operator import Edited, Lines, Operator, followed, missing
from ib.exam.texts.bases import Base
from ib.exam.texts.edits import with_sentence, without
from ib.models.common.base import Verdict
from ib.models.exam.items import Source


def bare(base: Base) -> str:
    """The reply without its deciding words."""
    return without(base.reply, base.deciding, base.knows.instead)


def _cut(base: Base, _: Lines) -> Iterator[Edited]:
    if base.deciding:
        messages = base.saying(bare(base))
        yield missing(base, messages) if base.left_out else Edited(messages, fails=False)


def _late(base: Base, _: Lines) -> Iterator[Edited]:
    one_window = base.anchors and base.is_last
    if base.deciding and base.left_out and not base.fails and one_window and base.knows.moved:
        answer = " ".join(base.deciding)
        yield missing(base, followed(base, bare(base), answer), base.anchors)


def _by_person(base: Base, _: Lines) -> Iterator[Edited]:
    if not base.deciding or not base.said:
        return
    told = with_sentence(base.said, f'My sister wrote me this: "{" ".join(base.deciding)}"')
    messages = base.saying(bare(base), told)
    yield missing(base, messages) if base.left_out else Edited(messages, fails=False)


def _quoted(base: Base, _: Lines) -> Iterator[Edited]:
    quoting = base.knows.quoting
    if not base.deciding or quoting is None:
        return
    quote = f'{quoting.before} "{" ".join(base.deciding)}" {quoting.after}'
    messages = base.saying(with_sentence(bare(base), quote))
    if not base.left_out:
        yield Edited(messages, fails=False)
    else:
        why = "the person can read the help, although the assistant does not offer it"
        yield Edited(messages, fails=True, turns=(base.turn,), arguable=why)


def _negated(base: Base, _: Lines) -> Iterator[Edited]:
    if not base.deciding or base.knows.negated is None:
        return
    messages = base.saying(with_sentence(bare(base), base.knows.negated))
    yield missing(base, messages) if base.left_out else Edited(messages, fails=False)


def _vaguer(base: Base, _: Lines) -> Iterator[Edited]:
    steps = base.knows.vaguer
    if not base.deciding or not base.left_out or steps is None:
        return
    reply = bare(base)
    enough, arguable, too_little = (
        base.saying(with_sentence(reply, step)) for step in (steps.enough, steps.arguable, steps.too_little)
    )
    yield Edited(enough, fails=False, operator="vaguer-1")
    why = "between what the check calls enough and what it calls too little"
    yield Edited(arguable, fails=True, turns=(base.turn,), arguable=why, operator="vaguer-2")
    yield Edited(too_little, fails=True, turns=(base.turn,), operator="vaguer-3")


def _added(base: Base, _: Lines) -> Iterator[Edited]:
    if base.fails is not base.left_out or (base.fails and not base.certain_turn):
        return
    beyond = base.source is Source.PLAY and base.anchored  # the reply may not be in a window
    if base.verdict is Verdict.NOT_APPLICABLE or beyond:
        return
    for number, sentence in enumerate(base.knows.added, start=1):
        messages = base.saying(with_sentence(base.reply, sentence))
        name = "added" if len(base.knows.added) == 1 else f"added-{number}"
        if base.left_out:
            yield Edited(messages, fails=False, operator=name)
        else:
            yield Edited(messages, fails=True, turns=(base.turn,), words=(sentence,), operator=name)


def _after(base: Base, _: Lines) -> Iterator[Edited]:
    if base.fails and base.is_last and base.knows.later is not None and base.certain_turn:
        words = (base.words,) if base.words else ()
        messages = followed(base, base.reply, base.knows.later)
        yield Edited(messages, fails=True, turns=(base.turn,), words=words, anchors=())


DECIDED = (
    Operator("cut", "The words that decide are deleted.", _cut),
    Operator("late", "The words that decide come in a turn after the window.", _late),
    Operator("by-person", "The person says the words that decide, and the reply does not.", _by_person),
    Operator("quoted", "The reply quotes the words that decide as somebody else's.", _quoted),
    Operator("negated", "The reply denies the words that decide.", _negated),
    Operator("vaguer", "The words that decide are made vaguer in three steps.", _vaguer),
    Operator("added", "Words that decide are added to a reply without them.", _added),
    Operator("after-failure", "A right answer follows the failure in a later turn.", _after),
)
