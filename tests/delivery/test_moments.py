"""Evidence in its place: the words before it, the quote marked in the reply, and nothing lost or added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from delivery.conversation.moments import APART, AROUND, WHOLE, excerpt, marked, moments
from ib.models.common.base import Role, Verdict
from ib.models.release.leaderboard import EvidenceItem
from ib.models.release.transcripts import CarriedMessage, CarriedTranscript
from ib.models.scan.ballot import EvidenceSpan

REPLY = "Rest now. I will always be here. Good night."


def conversation(*replies: str) -> CarriedTranscript:
    """A conversation of one turn for each reply."""
    messages = []
    for turn, reply in enumerate(replies, start=1):
        messages += [
            CarriedMessage(turn=turn, role=Role.USER, content=f"question {turn}"),
            CarriedMessage(turn=turn, role=Role.ASSISTANT, content=reply),
        ]
    return CarriedTranscript(
        scenario_id="s", epoch=None, transcript_hash="0" * 64, truncated=(2,), messages=tuple(messages)
    )


def item(*spans: tuple[int, int, int], role: Role = Role.ASSISTANT, corrected: bool = False) -> EvidenceItem:
    """A FAIL with quotes: for each its turn, start and end."""
    quotes = tuple(
        EvidenceSpan(
            role=role, turn=turn, quote="x" * (end - start), start=start, end=end, turn_corrected=corrected
        )
        for turn, start, end in spans
    )
    return EvidenceItem(
        check_id="c", scenario_id="s", epoch=None, verdict=Verdict.FAIL, contested=False, split=False,
        scorer="judge", votes_for=2, votes_asked=3, rationale_code=None, reason=None, quotes=quotes,
    )  # fmt: skip


def test_a_quote_is_marked_in_its_reply_after_the_words_of_the_caregiver() -> None:
    """One moment for each quoted turn, in order, each with what was asked and the whole reply."""
    found = moments(item((2, 10, 32), (1, 0, 9)), conversation(REPLY, REPLY, REPLY))
    assert [(one.turn, one.asked, one.truncated) for one in found] == [
        (1, "question 1", False),
        (2, "question 2", True),
    ]
    assert [[(p.text, p.quoted) for p in one.parts[0].pieces] for one in found] == [
        [("Rest now.", True), (REPLY[9:], False)],
        [(REPLY[:10], False), ("I will always be here.", True), (REPLY[32:], False)],
    ]


def test_words_of_the_caregiver_are_never_marked() -> None:
    """A quote of the caregiver makes no moment."""
    assert moments(item((1, 0, 4), role=Role.USER), conversation(REPLY)) == ()


def test_a_corrected_turn_is_said() -> None:
    """A quote that was found in another turn than the judge named says so."""
    assert moments(item((1, 0, 4), corrected=True), conversation(REPLY))[0].corrected


@given(st.data())
def test_parts_together_are_the_reply_and_every_quoted_letter_is_marked_and_shown(
    data: st.DataObject,
) -> None:
    """For any reply and quotes, no letter is lost, added, marked wrongly, or folded away if quoted."""
    text = data.draw(st.text("ab \n", min_size=1, max_size=4 * WHOLE))
    place = st.integers(0, len(text) - 1)
    spans = data.draw(
        st.lists(st.tuples(place, st.integers(1, 60)).map(lambda p: (p[0], p[0] + p[1])), max_size=4)
    )
    spans = [(start, min(end, len(text))) for start, end in spans]
    parts = excerpt(text, spans)
    at = 0
    for part in parts:
        for piece in part.pieces:
            assert piece.text == text[at : at + len(piece.text)] != ""
            inside = [any(a <= i < b for a, b in spans) for i in range(at, at + len(piece.text))]
            assert set(inside) == {piece.quoted}
            assert not (part.folded and piece.quoted)
            at += len(piece.text)
    assert at == len(text)


@pytest.mark.parametrize(("length", "folded"), [(WHOLE, 0), (WHOLE + 2 * AROUND, 1)])
def test_only_a_long_reply_is_folded(length: int, folded: int) -> None:
    """A short reply is whole; of a long one, what is far from the quote is folded away."""
    text = "word " * (length // 5)
    assert sum(part.folded for part in excerpt(text, [(0, 4)])) == folded


def test_quotes_far_apart_are_shown_with_a_fold_between_them() -> None:
    """Three stretches: around the first quote, what is between, around the second."""
    text = "word " * 1000
    found = excerpt(text, [(0, 4), (4000, 4004)])
    assert [part.folded for part in found] == [False, True, False, True]
    assert found[1].words > APART / 5


def test_overlapping_quotes_are_one_mark() -> None:
    """A letter that two quotes share is shown once."""
    assert [(p.text, p.quoted) for p in marked("abcdef", [(1, 3), (2, 5)])] == [
        ("a", False),
        ("bcde", True),
        ("f", False),
    ]


@pytest.mark.parametrize("letter", ["e\u0301", "\U0001f469\u200d\U0001f467", "\u0e01\u0e34\u0e49"])
def test_a_reply_without_spaces_is_cut_between_letters(letter: str) -> None:
    """An accent stays with its letter, and an emoji of several parts is not divided."""
    text = letter * 1200
    for start in range(len(text) // 2, len(text) // 2 + len(letter)):
        parts = excerpt(text, [(start, start + len(letter))])
        begins = parts[1].pieces[0].text
        assert letter.startswith(begins[0])
        assert "".join(piece.text for part in parts for piece in part.pieces) == text
