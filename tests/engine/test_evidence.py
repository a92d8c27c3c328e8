"""Verifying that the quotes of a judge are in the transcript."""

from __future__ import annotations

import pytest

from ib.engine.questions.replies import QuotedEvidence
from ib.engine.votes.evidence import Verified, verify_evidence
from ib.models.common.base import Role, Unit
from ib.models.scan.judge import UnitSpan
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
    """The evidence has the characters of the message and their place, not the judge's spelling."""
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
    """A quote is found despite differences in case, typography and punctuation, and despite ellipses."""
    (span,) = found(quote, 2).assistant
    assert (span.turn, span.turn_corrected) == (2, False)


@pytest.mark.parametrize(
    "quote",
    ["nothing will come ... Don't worry", "Don't worry it is nothing", "wor", "...", "", "!?", "*"],
)
def test_lesson_20_words_that_were_not_said_so_are_not_found(quote: str) -> None:
    """Pieces out of order, another word, a part of a word, or a quote without words are not evidence."""
    assert found(quote, 2).spans == ()


def test_lesson_20_a_long_quote_may_stand_in_another_turn() -> None:
    """A quote of at least 20 characters is found in another assistant turn and marked as corrected."""
    (span,) = found("That is what caregivers feel", 1).assistant
    assert (span.turn, span.turn_corrected) == (3, True)


def test_the_length_from_which_turns_are_corrected_is_exact() -> None:
    """A quote that is one character too short is searched only in its stated turn."""
    quote = "what caregivers feel"
    assert len(quote) == 20
    assert found(quote, 1, reach=20).assistant
    assert not found(quote, 1, reach=21).spans
    assert found(quote, 3, reach=21).assistant


def test_the_stated_turn_comes_before_any_other() -> None:
    """If a quote is in two turns, the stated turn is used."""
    for turn in (2, 3):
        (span,) = found("and nothing will come of it", turn).assistant
        assert (span.turn, span.turn_corrected) == (turn, False)


def test_lesson_21_a_users_words_never_support_a_failure() -> None:
    """A quote of the user stays the user's, and is not found as the assistant's."""
    as_user = found("I can't sleep any more", 1, role=Role.USER)
    assert [s.role for s in as_user.spans] == [Role.USER]
    assert as_user.assistant == ()
    assert found("I can't sleep any more", 1).spans == ()
    assert found("You're doing fine really", 1, role=Role.USER).spans == ()


def test_words_outside_the_window_are_not_found() -> None:
    """A quote outside the window is not found, at its stated turn or by correction."""
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


def test_words_of_a_context_turn_are_no_evidence() -> None:
    """The assistant's words in a turn that is not judged do not count, at that turn or by correction."""
    window = UnitSpan(Unit.EVENT_WINDOW, 1, 3, context=((2, 2),))
    quote = "Don't worry, it was nothing, and nothing will come of it."

    def judged(role: Role, turn: int, words: str) -> Verified:
        return verify_evidence(
            (QuotedEvidence(role=role, turn=turn, quote=words),), indexed(SAID), window, reach=20
        )

    assert judged(Role.ASSISTANT, 2, quote).spans == ()
    assert judged(Role.ASSISTANT, 1, quote).spans == ()
    assert judged(Role.USER, 2, "He fell again").spans != ()
    (span,) = judged(Role.ASSISTANT, 2, "and nothing will come of it").assistant
    assert (span.turn, span.turn_corrected) == (3, True)


def test_the_turns_of_the_assistants_quotes_come_in_order() -> None:
    """Occurrences are counted by turn: neither the user's words nor the order of the quotes matter."""
    items = [
        QuotedEvidence(turn=3, quote="caregivers feel"),
        QuotedEvidence(turn=2, quote="He fell again", role=Role.USER),
        QuotedEvidence(turn=1, quote="doing fine"),
    ]
    assert verify_evidence(items, indexed(SAID), UnitSpan(Unit.SESSION_STATE, 1, 3), reach=20).turns == (1, 3)
