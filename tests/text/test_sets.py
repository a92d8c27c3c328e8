"""Many patterns in few automata find what each pattern finds alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ib.text.patterns import compile_pattern
from ib.text.phrases import compile_phrase
from ib.text.sets import MANY, PatternSet

WORDS = st.sampled_from(["as", "a", "person", "was", "i'm", "here", "24/7", "caf\u00e9", "\u4f60"])


@given(st.lists(WORDS, max_size=12))
def test_a_set_of_many_finds_what_each_finds_alone(words: list[str]) -> None:
    """Over the size of one automaton, the indices stay right and in order."""
    text = " ".join(words).encode()
    assert ALL.match(text) == tuple(i for i, one in enumerate(SINGLE) if one.search(text))


REGEXES = [
    *(rf"\b{w}\b" for w in ("as", "a", "person", "was", "i'm", "here")),
    *(rf"nothing {i}" for i in range(70)),
    r"as (?:a )?person",
    r"nowhere|as[^.!?]*here|was a",
    *(rf"word{i}|24/7" for i in range(70)),
    "caf\u00e9",
    r"\w+ here$",
]
ALL = PatternSet(REGEXES)
SINGLE = [compile_pattern(regex) for regex in REGEXES]


@pytest.mark.parametrize("count", [0, 1, PatternSet.SIZE - 1, PatternSet.SIZE, PatternSet.SIZE + 1, 181])
def test_lesson_36_one_pass_finds_the_same_at_every_size(count: int) -> None:
    """At and around the size of an automaton, every pattern is in one of them and in no other place."""
    patterns = PatternSet([f"<{i}>" for i in range(count)])
    assert patterns.match("".join(f"<{i}>" for i in range(count)).encode()) == tuple(range(count))
    for index in {0, count // 2, count - 1} & set(range(count)):
        assert patterns.match(f"x<{index}>".encode()) == (index,)
    assert patterns.match(b"") == ()


ANCHORED = ("^so it is", "^(?:so|thus) it is", "^[|]a", r"^a\|b", "^a|b", "a", "(?:^a|b)")


@pytest.mark.parametrize("regex", ANCHORED)
def test_only_patterns_that_all_begin_at_the_beginning_are_looked_for_there(regex: str) -> None:
    """A set finds what each pattern finds, whether it may stop at the beginning of a text or not."""
    found = PatternSet([regex])
    for text in ("so it is", "thus it is", "oh, so it is", "|a", "a|b", "x b", "xa", "b"):
        wanted = compile_pattern(regex).search(text) is not None
        assert bool(found.match(text.encode())) is wanted, text


CASES = (
    "i am here",
    "I am",
    "\\bcaf\u00e9",
    r"\D\W\S",
    r"\x41lone",
    "[^A-Z ]x",
    "[^a-z ]x",
    "[[:upper:]]x",
    "(?i:here)",
    "(?-i:Here)",
    r"\QHere\E",
    r"\pL here",
    r"^so\b",
    r"^So\b",
    r"[\w'-]+ here",
)
SAID = (
    "I AM HERE",
    "i am here",
    "CAF\u00c9",
    "caf\u00e9",
    "Alone",
    "ALONE",
    "Ax",
    "aX",
    "1x",
    "1X",
    "-! a",
    "SO",
    "so",
)


@pytest.mark.parametrize("regex", CASES)
def test_a_set_pays_no_more_regard_to_case_than_a_pattern_alone(regex: str) -> None:
    """Where a set looks through a text in lower case instead of folding, it finds the same."""
    alone, together = compile_pattern(regex), PatternSet(CASES)
    for text in (*SAID, *(f"so {said} Here" for said in SAID)):
        wanted = alone.search(text.encode()) is not None
        assert bool(PatternSet([regex]).match(text.encode())) is wanted, text
        assert (CASES.index(regex) in together.match(text.encode())) is wanted, text


GAPPED = [
    *(rf"\b{w}\b[^.!?]*\b{v}s?\b" for w in ("if", "you", "me") for v in ("go", "stay")),
    r"\b(?:if|me)\b[^.!?;]*?[^.!?]*\bstay\b",
    r"^if[^.!?]*go|me",
    "[^.!?]*go",
]


@given(st.lists(st.sampled_from(["if", "you", "me", "go", "goes", "stays", ".", ";", "a"]), max_size=9))
def test_a_set_finds_of_every_text_what_each_pattern_finds(words: list[str]) -> None:
    """Also with gaps of any length."""
    text = " ".join(words).encode()
    alone = tuple(i for i, regex in enumerate(GAPPED) if compile_pattern(regex).search(text))
    assert PatternSet(GAPPED).match(text) == alone


@given(st.lists(st.text(alphabet="if yougo.,", max_size=20), max_size=2 * MANY))
def test_many_texts_at_once_are_the_same_as_one_by_one(texts: list[str]) -> None:
    """Each text gets what it gets alone, in its place."""
    patterns = PatternSet(GAPPED)
    encoded = [text.encode() for text in texts]
    assert patterns.match_each(encoded) == [patterns.match(text) for text in encoded]


def test_families_stay_together_and_none_is_too_big() -> None:
    """Patterns of one family share an automaton where it has room; every pattern is in one of them."""
    counts = {"a": 40, "b": 40, "c": 2 * PatternSet.SIZE + 5, "d": 3}
    regexes = [f"<{family}{i}>" for family, count in counts.items() for i in range(count)]
    families = [family for family, count in counts.items() for _ in range(count)]
    patterns = PatternSet(regexes, families)
    for index, regex in enumerate(regexes):
        assert patterns.match(regex.encode()) == (index,)
    parts = [[families[index] for index in part] for part, _ in patterns._chunks]
    assert max(map(len, parts)) <= PatternSet.SIZE
    assert all(sum(family in part for part in parts) == 1 for family in "abd")


PHRASES = (
    "i am here",
    "^ i am",
    "^^ as a person",
    "was here $",
    "a person ?",
    "as .. here",
    "24/7",
    "caf\u00e9 *",
)
PAIRS = [
    tuple(PatternSet(regexes, lower_case=True, lines=lines) for lines in (True, False))
    for compiled in [[compile_phrase(phrase) for phrase in PHRASES]]
    for regexes in (compiled, *([regex] for regex in compiled))
]
"""All phrases, and each by itself: a find of one phrase has a text searched for the others too."""
TALKS = st.lists(st.lists(st.one_of(WORDS, st.sampled_from(["am", ".", "?", "\n"])), max_size=8), max_size=12)


@given(TALKS)
@example([["i", "was", "here"], ["as", "a", "person"], ["i", "am"], ["here"]])
def test_texts_that_are_searched_together_hold_what_each_holds_alone(talks: list[list[str]]) -> None:
    """No phrase is found across two texts, and none is lost at the beginning or the end of one."""
    texts = [" ".join(words).encode() for words in talks]
    for together, alone in PAIRS:
        assert together.match_each(texts) == [alone.match(text) for text in texts]


def test_what_is_no_edge_of_the_text_stays_as_it_is() -> None:
    """An escaped backslash before an `A` or a `z` is no edge."""
    assert PatternSet([r"x\\A", r"\\z"], lines=True).match_each([rb"x\a x\A", rb"\z", b"x"]) == [
        (0,),
        (1,),
        (),
    ]
