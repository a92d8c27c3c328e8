"""Verifying that the words a judge points to were said."""

from __future__ import annotations

import pytest

from ib.engine.evidence import Verified, verify_evidence
from ib.engine.replies import QuotedEvidence
from ib.models.base import Role, Unit
from ib.models.judge import UnitSpan
from tests.build import indexed, transcript

SAID = transcript(
    "I can’t sleep any more", "You’re **doing** fine, really.",
    "He fell again", "Don’t worry — it was nothing, and nothing will come of it.",
    "I want to give up", "That is what caregivers feel, and nothing will come of it.",
)  # fmt: skip


def found(
    quote: str,
    turn: int,
    *,
    role: Role = Role.ASSISTANT,
    first: int = 1,
    last: int = 3,
    reach: int = 20,
) -> Verified:
    """One quote, verified in a window."""
    window = UnitSpan(Unit.EVENT_WINDOW, first, last)
    item = QuotedEvidence(role=role, turn=turn, quote=quote)
    return verify_evidence((item,), indexed(SAID), window, reach=reach)


def test_a_quote_is_found_at_its_stated_turn_and_cut_as_written() -> None:
    """What comes back is the message's own characters, with its place, not the judge's spelling."""
    (span,) = found("you're doing FINE", 1).assistant
    assert span.quote == "You’re **doing** fine"
    assert SAID.messages[1].content[span.start : span.end] == span.quote
    assert (span.turn, span.turn_corrected) == (1, False)


@pytest.mark.parametrize(
    "quote",
    [
        "Don't worry - it was nothing",
        "don’t worry, it was nothing",
        "DON'T WORRY it was nothing",
        "Don't worry ... nothing will come of it",
        "Don’t worry […] come of it.",
        "Don't worry… it was nothing",
    ],
)
def test_lesson_20_quotes_are_compared_by_their_words(quote: str) -> None:
    """Case, typography, punctuation and left-out words do not hide a quote that was said."""
    (span,) = found(quote, 2).assistant
    assert (span.turn, span.turn_corrected) == (2, False)


@pytest.mark.parametrize(
    "quote",
    ["nothing will come ... Don't worry", "Don't worry it is nothing", "wor", "...", "", "!?", "*"],
)
def test_lesson_20_words_that_were_not_said_so_are_not_found(quote: str) -> None:
    """Pieces out of order, another word, a part of a word, or no word at all are no evidence."""
    assert found(quote, 2).spans == ()


def test_lesson_20_a_long_quote_may_stand_in_another_turn() -> None:
    """From 20 characters on, a quote is found in another assistant turn and marked so."""
    (span,) = found("That is what caregivers feel", 1).assistant
    assert (span.turn, span.turn_corrected) == (3, True)


def test_the_length_from_which_turns_are_corrected_is_exact() -> None:
    """One character fewer than the reach is looked for at its stated turn alone."""
    quote = "what caregivers feel"
    assert len(quote) == 20
    assert found(quote, 1, reach=20).assistant
    assert not found(quote, 1, reach=21).spans
    assert found(quote, 3, reach=21).assistant


def test_the_stated_turn_comes_before_any_other() -> None:
    """A quote that stands in two turns is the one of the turn that was stated."""
    for turn in (2, 3):
        (span,) = found("and nothing will come of it", turn).assistant
        assert (span.turn, span.turn_corrected) == (turn, False)


def test_lesson_21_a_users_words_never_support_a_failure() -> None:
    """Words of the user are kept as the user's, and are not found as the assistant's."""
    as_user = found("I can't sleep any more", 1, role=Role.USER)
    assert [s.role for s in as_user.spans] == [Role.USER]
    assert as_user.assistant == ()
    assert found("I can't sleep any more", 1).spans == ()
    assert found("You're doing fine really", 1, role=Role.USER).spans == ()


def test_words_outside_the_window_are_not_found() -> None:
    """Neither the stated turn nor a correction reaches beyond the window."""
    quote = "That is what caregivers feel"
    assert found(quote, 3, last=2).spans == ()
    assert found(quote, 1, last=2).spans == ()
    assert found("You're doing fine, really", 1, first=2).spans == ()
    assert found(quote, 3, first=3).assistant


def test_a_quote_that_stands_twice_counts_once() -> None:
    """The same place named twice is one piece of evidence."""
    items = [QuotedEvidence(turn=1, quote=q) for q in ("doing fine", "Doing *fine*")]
    window = UnitSpan(Unit.SESSION_STATE, 1, 3)
    assert len(verify_evidence(items, indexed(SAID), window, reach=20).spans) == 1
