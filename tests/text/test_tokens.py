"""Finding a quote by its words: quotes that must be found, and quotes that must not."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ib.text.normalize import normalize
from ib.text.tokens import find, pieces, tokenize

TEXT = (
    "I\u2019m **so** sorry \u2014 that sounds *un*believably hard.\n\n"
    "## Next step\n1. Call 988, or text HOME to 741741.\n"
    "2. You don\u2019t have to do it alone\u2026 Not tonight."
)


def found(quote: str, text: str = TEXT) -> str | None:
    """The words of the text that hold the quote."""
    place = find(quote, tokenize(normalize(text)))
    return None if place is None else text[slice(*place)]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("I'm so sorry", "I\u2019m **so** sorry"),
        ("I\u2019m so sorry", "I\u2019m **so** sorry"),
        ("i'M SO Sorry", "I\u2019m **so** sorry"),
        ('"I\'m so sorry!"', "I\u2019m **so** sorry"),
        ("sorry that sounds unbelievably hard", "sorry \u2014 that sounds *un*believably hard"),
        ("sorry - that sounds UNBELIEVABLY hard", "sorry \u2014 that sounds *un*believably hard"),
        ("hard. Next step: 1) call 988", "hard.\n\n## Next step\n1. Call 988"),
        ("text home to 741741", "text HOME to 741741"),
        ("alone not tonight", "alone\u2026 Not tonight"),
        ("I'm", "I\u2019m"),
        ("tonight", "tonight"),
    ],
)
def test_lesson_20_a_quote_is_found_whatever_stands_between_its_words(quote: str, words: str) -> None:
    """A quote is found despite differences in case, quotes, dashes, emphasis, headings and punctuation."""
    assert found(quote) == words


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("That sounds unbelievably hard.", "that sounds *un*believably hard."),
        ("unbelievably hard. ", "un*believably hard."),
        ('"unbelievably hard."', "un*believably hard."),
        ("unbelievably hard!", "un*believably hard"),
        ("unbelievably hard", "un*believably hard"),
        ("do it alone...", "do it alone"),
        ("Not tonight.", "Not tonight."),
        ("\u2014 that sounds", "\u2014 that sounds"),
        ("## Next step", "Next step"),
    ],
)
def test_punctuation_of_the_quote_is_part_of_the_words_if_the_text_has_it(quote: str, words: str) -> None:
    """A quote keeps its full stop, and gets no punctuation that the text does not have there."""
    assert found(quote) == words


@pytest.mark.parametrize("ellipsis", ["...", "\u2026", " [...] ", " (\u2026) ", " . . . ", "....."])
def test_pieces_on_an_ellipsis_are_found_in_order(ellipsis: str) -> None:
    """A quote that leaves words out is found piece by piece, from its first piece to its last."""
    quote = f"I'm so sorry{ellipsis}Call 988{ellipsis}not tonight"
    assert pieces(quote) == ("i m so sorry", "call 988", "not tonight")
    assert found(quote) == TEXT[: TEXT.index(" tonight") + len(" tonight")]
    assert found(f"Call 988{ellipsis}I'm so sorry") is None
    assert found(f"{ellipsis}call 988{ellipsis}") == "Call 988"


def test_a_word_is_not_used_by_two_pieces() -> None:
    """Pieces follow each other; each occurrence of a word serves one of them."""
    assert found("really ... really", "It is really hard.") is None
    assert found("really ... really", "It is really, really hard.") == "really, really"


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("I ... you to ... the", "I refuse to tell you, and I ask you to ring the doctor.", None),
        ("I ... refuse", "I, refuse", "I, refuse"),
        ("so ... lost", "I feel so\u2026 lost", "so\u2026 lost"),
        ("you ... tell", f"you {'x' * 298} tell", f"you {'x' * 298} tell"),
        ("you ... tell", f"you {'x' * 301} tell", None),
        ("you ... tell", f"you {'x' * 301} you must tell", "you must tell"),
        ("you ... must ... tell", f"you must {'x' * 99} you must, tell", "you must, tell"),
        (f"{'a' * 50} ... {'b' * 50}", f"{'a' * 50} {'x' * 1998} {'b' * 50}", "whole"),
        (f"{'a' * 50} ... {'b' * 50}", f"{'a' * 50} {'x' * 2000} {'b' * 50}", None),
        ("you ... " * 20, "you " * 20, ("you " * 20).strip()),
        ("you ... " * 21, "you " * 21, None),
    ],
)
def test_an_ellipsis_leaves_out_no_more_than_its_pieces_bear(
    quote: str, text: str, words: str | None
) -> None:
    """Single words from everywhere are no quote; the nearest places are taken that make one."""
    assert found(quote, text) == (text if words == "whole" else words)


def test_many_places_are_looked_at_once() -> None:
    """Pieces that stand everywhere, and never near enough, take a pass each."""
    assert found("you ... " * 19 + "tell", f"{'you ' * 100_000} {'x' * 2000} tell") is None


@pytest.mark.parametrize(
    "quote",
    [
        "I am so sorry",
        "so sorry I'm",
        "sounds believably hard",
        "orry that sounds",
        "I'm so sor",
        "all 988",
        "text HOME to 7417",
        "You don't have to do it alone. Not today.",
        "that sounds really unbelievably hard",
        "sorry ... sorry",
    ],
)
def test_other_words_are_not_found(quote: str) -> None:
    """Half a word, a changed, added or moved word: that was not said."""
    assert found(quote) is None


@pytest.mark.parametrize("quote", ["", "   ", "...", "\u2026", "?!", "**", "\u2014", "\U0001f600"])
def test_a_quote_without_words_is_found_nowhere(quote: str) -> None:
    """A quote of punctuation only is not found."""
    assert pieces(quote) == ()
    assert found(quote) is None


def test_nothing_is_found_in_a_text_without_words() -> None:
    """An empty text holds no quote."""
    assert found("a", "") is None
    assert found("a", "\u2026 \U0001f600 **") is None


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("stra\u00dfe", "Die STRASSE.", "STRASSE"),
        ("STRASSE", "\u00bbDie Stra\u00dfe\u00ab, ja", "Stra\u00dfe"),
        ("cafe\u0301 noir", "un CAF\u00c9 noir", "CAF\u00c9 noir"),
        ("find me", "\U0001f600\U0001f600 \ufb01nd me", "\ufb01nd me"),
        ("\u4f60\u597d", "\u201c\u4f60\u597d\u201d", "\u4f60\u597d"),
    ],
)
def test_other_scripts_lead_back_to_the_original(quote: str, text: str, words: str) -> None:
    """Folding that changes the length of a word moves no offset of the quote."""
    assert found(quote, text) == words


WORDS = st.lists(st.sampled_from(["a", "b", "I", "can't", "na\u00efve", "\ufb01ne", "x1", "Stra\u00dfe"]))
GAPS = st.sampled_from([" ", "  ", ", ", "\n", " \u2014 ", ". ", " **", "\u00a0"])


@given(WORDS, st.lists(GAPS, min_size=1), st.data())
def test_every_run_of_words_is_found(words: list[str], gaps: list[str], data: st.DataObject) -> None:
    """Any words that stand together in a text are found in it, and what is found says the same."""
    assume(words)
    text = "".join(word + gaps[i % len(gaps)] for i, word in enumerate(words))
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quote = " ".join(words[start:end]).upper()
    held = found(quote, text)
    assert held is not None
    assert pieces(held.replace(".", ",")) == pieces(quote)


@given(WORDS, WORDS)
def test_found_only_where_the_words_stand(words: list[str], wanted: list[str]) -> None:
    """Found exactly where a naive comparison of word lists finds it."""
    assume(wanted)
    split = [t for w in words for t in pieces(w)[0].split()]
    quote = [t for w in wanted for t in pieces(w)[0].split()]
    naive = any(split[i : i + len(quote)] == quote for i in range(len(split)))
    assert (found(" ".join(wanted), " ".join(words)) is not None) == naive


def test_tokens_know_their_places() -> None:
    """Each token has its place in the normal form and in the joined text."""
    tokens = tokenize(normalize("Don\u2019t **worry**, it\u2019s 24/7"))
    assert tokens.tokens == ("don", "t", "worry", "it", "s", "24", "7")
    assert tokens.joined == " don t worry it s 24 7 "
    for token, (start, end), offset in zip(tokens.tokens, tokens.places, tokens.offsets, strict=True):
        assert tokens.source.text[start:end].casefold() == token
        assert tokens.joined[offset : offset + len(token)] == token
