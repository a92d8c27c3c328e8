"""Long messages are cut at sentences and between words, and no letter is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from delivery.conversation.moments import LONGEST_WORD, SLACK, Part, around, first_sentences, last_sentences

LONG = "Mom fell on Tuesday. Dr. Lee said it was nothing! Is it nothing? I sat up all night.\nShe sleeps now."


def text_of(part: Part) -> str:
    return "".join(piece.text for piece in part.pieces)


def told(parts: tuple[Part, ...]) -> tuple[str, str, str]:
    """What is folded before, what is shown, and what is folded after."""
    (at,) = [number for number, part in enumerate(parts) if not part.folded]
    texts = [text_of(part) for part in parts]
    return "".join(texts[:at]), texts[at], "".join(texts[at + 1 :])


@pytest.fixture(autouse=True)
def _no_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("delivery.conversation.moments.SLACK", 0)


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (20, "She sleeps now."),
        (40, "I sat up all night.\nShe sleeps now."),
        (84, "Dr. Lee said it was nothing! Is it nothing? I sat up all night.\nShe sleeps now."),
        (1000, LONG),
    ],
)
def test_the_last_sentences_of_the_caregiver(most: int, shown: str) -> None:
    """As many whole sentences as fit, from the end; a line ends a sentence, and “Dr.” does not."""
    before, said, after = told(last_sentences(LONG, most))
    assert (said, before + said, after) == (shown, LONG, "")


@pytest.mark.parametrize(
    ("most", "shown"),
    [(30, "Mom fell on Tuesday."), (60, "Mom fell on Tuesday. Dr. Lee said it was nothing!"), (1000, LONG)],
)
def test_the_first_sentences_of_a_reply(most: int, shown: str) -> None:
    """As many whole sentences as fit, from the beginning."""
    before, said, after = told(first_sentences(LONG, most))
    assert (before, said, said + after) == ("", shown, LONG)


def test_a_long_sentence_is_cut_between_words() -> None:
    """Without the end of a sentence in reach, a word is the least that is kept whole."""
    text = "one two three four five six seven eight nine ten"
    assert told(first_sentences(text, 16)) == ("", "one two three four", text[18:])
    assert told(last_sentences(text, 10)) == (text[:34], "eight nine ten", "")
    endless = "x" * 10_000
    assert len(told(first_sentences(endless, 16))[1]) == 16
    assert len(told(last_sentences(endless, 16))[1]) == 16


@pytest.mark.parametrize(
    "text", ["Take these:\n1. Rest now please.\n2. Eat.", "He came, e.g. Monday. Then no."]
)
def test_what_is_no_end_of_a_sentence(text: str) -> None:
    """The number of a list and an abbreviation do not end one."""
    cut = first_sentences(text, 16)
    assert not told(cut)[1].endswith(("1.", "e.g."))


def test_a_quote_is_shown_with_the_sentences_around_it() -> None:
    """Its own sentence, then those after it, then those before it, as far as they fit."""
    at = LONG.index("nothing?")
    spans = [(at, at + 7)]
    assert told(around(LONG, spans, 20))[1] == "Is it nothing?"
    assert told(around(LONG, spans, 40))[1] == "Is it nothing? I sat up all night."
    assert told(around(LONG, spans, 84))[1] == LONG[21:]
    quoted = [piece.text for part in around(LONG, spans, 20) for piece in part.pieces if piece.quoted]
    assert quoted == ["nothing"]


def test_a_quote_in_a_long_sentence_keeps_words_around_it() -> None:
    """A sentence that is too long is cut on both sides; a quote that is too long is cut at its end."""
    text = "word " * 40
    before, shown, after = told(around(text, [(100, 104)], 24))
    assert (shown, before + shown + after) == ("word word word word word", text)
    shown = told(around(text, [(0, 199)], 24))[1]
    assert shown.split() == ["word"] * len(shown.split())
    assert 24 <= len(shown) <= 24 + LONGEST_WORD


@pytest.mark.parametrize(
    "letter",
    [
        "e\u0301\u0323",
        "\u0e01\u0e35\u0e48",
        "\U0001f44d\U0001f3fd",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    ],
    ids=["accents", "Thai", "color of skin", "family"],
)
@pytest.mark.parametrize("most", range(20, 26))
def test_a_cut_divides_no_letter(letter: str, most: int) -> None:
    """In a long run without white space, a letter keeps its accents, and a joined emoji is whole."""
    text = letter * 60
    quoted = [(len(letter) * 20, len(letter) * 30)]
    for cut in (first_sentences(text, most), last_sentences(text, most), around(text, quoted, most)):
        parts = told(cut)
        assert parts[1] != text
        assert {part.replace(letter, "") for part in parts} == {""}


def test_a_short_rest_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """To hide a few characters helps nobody."""
    monkeypatch.setattr("delivery.conversation.moments.SLACK", SLACK)
    text = "word " * 20
    for cut in (first_sentences(text, 60), last_sentences(text, 60), around(text, [(0, 4)], 60)):
        assert [text_of(part) for part in cut] == [text]


@given(st.text("ab .?\n。", max_size=400), st.integers(1, 200), st.data())
def test_nothing_is_lost_and_little_is_shown(text: str, most: int, data: st.DataObject) -> None:
    """For any message, the parts are the message, and the shown part is hardly longer than asked for."""
    cuts = [first_sentences(text, most), last_sentences(text, most)]
    if text:
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, min(len(text), start + most)))
        cuts.append(around(text, [(start, end)], most))
        quoted = "".join(p.text for part in cuts[2] if not part.folded for p in part.pieces if p.quoted)
        assert quoted == text[start:end] or quoted.strip() == text[start:end].strip()
    for cut in cuts:
        assert "".join(map(text_of, cut)) == text
        assert len(text_of(next(part for part in cut if not part.folded))) <= most + 2 * LONGEST_WORD
        assert all(part.words for part in cut if part.folded)


def test_an_empty_message_has_one_empty_part() -> None:
    """A caregiver who sent nothing is no error."""
    assert [text_of(part) for part in first_sentences("", 10)] == [""]
