"""Bold words and lists of a reply are shown as such, and no letter is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from delivery.conversation.moments import Piece
from delivery.conversation.styled import Run, styled
from tests.delivery.sample import HOSTILE

MARKDOWN = st.text(st.sampled_from("ab 1*_-#.)\n<&>"), max_size=60)


def whole(text: str) -> list[tuple[str, list[Run]]]:
    """The lines of an unquoted text, each with its kind."""
    return [(line.item, list(line.runs)) for line in styled([Piece(text)])]


@given(st.lists(st.tuples(MARKDOWN, st.booleans()), max_size=5))
def test_the_runs_are_the_text(parts: list[tuple[str, bool]]) -> None:
    """Whatever the markup, every letter stays, in order, and quoted letters stay quoted."""
    pieces = [Piece(text, quoted) for text, quoted in parts]
    runs = [run for line in styled(pieces) for run in line.runs]
    assert [(letter, run.quoted) for run in runs for letter in run.text] == [
        (letter, piece.quoted) for piece in pieces for letter in piece.text
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_kept(text: str) -> None:
    """A text that attacks the page is the same after styling."""
    assert "".join(run.text for line in styled([Piece(text)]) for run in line.runs) == text


def test_bold_words_hide_their_marks() -> None:
    """The words are bold, their marks are kept and hidden."""
    ((_, runs),) = whole("Call **911** now")
    assert [(run.text, run.bold, run.hidden) for run in runs] == [
        ("Call ", False, False), ("**", False, True), ("911", True, False), ("**", False, True),
        (" now", False, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "item", "hidden"),
    [("- rest", "bullet", "- "), ("* rest", "bullet", "* "), ("2. rest", "number", ""), ("plain", "", "")],
)
def test_items_of_lists_are_known(text: str, item: str, hidden: str) -> None:
    """A bullet is drawn by the page, so its letter is hidden; a number stays."""
    ((kind, runs),) = whole(text)
    assert (kind, "".join(run.text for run in runs if run.hidden)) == (item, hidden)


@pytest.mark.parametrize("text", ["2 * 3 * 4", "a ** b", "snake_case__name", "-5 degrees", "#hashtag"])
def test_what_only_looks_like_markup_is_shown(text: str) -> None:
    """Signs that mark nothing stay in sight."""
    assert [run for _, runs in whole(text) for run in runs if run.hidden or run.bold] == []
