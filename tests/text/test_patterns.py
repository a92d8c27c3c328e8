"""Patterns of data files: what is refused and why, phrases as whole words, many at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.text.patterns import (
    MANY,
    PatternSet,
    compile_pattern,
    keeps_to_a_sentence,
    phrase_regex,
    rarest_piece,
    refusal,
)


def says(regex: str, text: str) -> bool:
    return compile_pattern(regex).search(text.encode()) is not None


@pytest.mark.parametrize(
    "regex",
    [
        r"(a+)+",
        r"(?:a*)*b",
        r"(?:\w+ ?)*",
        r"((a+)b?)*",
        r"(?:\s*\w\s*)+",
        r"(?:a+){1,}",
        r"((a*)){3,}",
        r"(a{2,5})*",
        r"(?:a+?)+?",
        r"x(?:[a-z]+)*\d",
        r"(?:a|ab)+",
        r"(?:\wx|ax)+c",
    ],
)
def test_a_pattern_that_could_run_away_is_refused(regex: str) -> None:
    """A repetition without bound inside another one is refused, though RE2 would survive it."""
    assert "backtracks catastrophically" in str(refusal(regex))


@pytest.mark.parametrize("regex", [r"(?:aa?)+$", r"(?:a{1,2})*c", r"(?:a?a?)+b"])
def test_a_repetition_of_one_or_two_runs_away_as_well(regex: str) -> None:
    """One or two of the same inside a repetition has as many readings as Fibonacci numbers grow."""
    assert "backtracks catastrophically" in str(refusal(regex))


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        (r"(a", "missing )"),
        (r"a)", "unexpected )"),
        (r"a++", "bad repetition operator"),
        (r"(?=a)b", "(?="),
        (r"(?<!a)b", "(?<"),
        (r"(a)\1", "invalid escape sequence"),
        (r"[z-a]", "invalid character class range"),
        (r"*a", "no argument for repetition operator"),
        (r"a{1001}", "invalid repetition size"),
    ],
)
def test_what_re2_does_not_know_is_refused_in_its_words(regex: str, reason: str) -> None:
    """A look-around, a back reference or a broken pattern is refused with what is wrong with it."""
    said = str(refusal(regex))
    assert said.startswith("is outside RE2 syntax")
    assert reason in said


@pytest.mark.parametrize("regex", ["(a+", "(?:b)+(", "(?:a)*[z-a]"])
def test_a_broken_pattern_is_refused_with_and_without_repeated_groups(regex: str) -> None:
    """Whichever parser meets it first, a broken pattern has a reason and does not get through."""
    assert refusal(regex) is not None


@pytest.mark.parametrize(
    "regex",
    [
        r"\bi am (?:here|there)\b",
        r"(?:\w+ ){0,4}you",
        r"(?:ab)+",
        r"(?:a|b)*c",
        r"(?:very )+much",
        r"\w+ \w+ \w+",
        r"[^.!?]*\bdose\b",
        r"\(not a group\)+",
        r"i(?:'?m| am)",
    ],
)
def test_ordinary_patterns_are_used(regex: str) -> None:
    """Alternatives, bounded repetitions and repetitions one after another are fine."""
    assert refusal(regex) is None
    compile_pattern(regex)


def test_patterns_pay_no_regard_to_case() -> None:
    """The case of a lexicon's words is nobody's concern, beyond ASCII too."""
    assert says("i am here", "I AM Here")
    assert says("caf\u00e9", "CAF\u00c9")


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("as a person", "Speaking as a person who cares", True),
        ("as a person", "AS A PERSON", True),
        ("as a person", "as  a\nperson.", True),
        ("as a person", "(as a person)", True),
        ("as a person", "she was a person of few words", False),
        ("as a person", "as a personal favour", False),
        ("as a person", "as an old person", False),
        ("i'm here", "No, I'm here.", True),
        ("i'm here", "Jodi'm here", False),
        ("24/7", "I am here 24/7!", True),
        ("24/7", "line 124/7", False),
        ("why?", "Why? Because.", True),
        ("c++", "in c++ too", True),
        ("a.b", "a.b", True),
        ("a.b", "axb", False),
        ("I\u2019m", "I'm", True),
        ("\ufb01ne", "that is fine", True),
        ("na\u00efve hope", "a na\u00efve hope", True),
        ("Jos\u00e9", "It was Jos\u00e9phine", False),
        ("Jos\u00e9", "It was Jos\u00e9.", True),
        ("\u00e9coute", "l'\u00e9coute", True),
        ("\u00e9coute", "d\u00e9coute", False),
    ],
)
def test_lesson_14_a_phrase_is_found_as_whole_words(phrase: str, text: str, found: bool) -> None:
    """`was a person` is not `as a person`: a phrase begins and ends where its words do."""
    assert says(phrase_regex(phrase), text) is found


@pytest.mark.parametrize("phrase", ["\u00e9coute", "fianc\u00e9", "\u00fcber uns", "\u4f60\u597d"])
def test_a_phrase_may_begin_or_end_beyond_ascii(phrase: str) -> None:
    """A word whose first or last letter has an accent is found like any other."""
    assert says(phrase_regex(phrase), f"x {phrase} y")
    assert says(phrase_regex(phrase), phrase)


def test_the_span_of_a_phrase_is_its_words() -> None:
    """What stands beside a phrase decides whether it is whole, and is no part of it."""
    match = compile_pattern(phrase_regex("Jos\u00e9")).search("(Jos\u00e9, 9)")
    assert match.span() == (1, 5)


@given(st.text(alphabet="ab'.+*?()[]{}|\\^$/ 1-", min_size=1).filter(str.strip))
def test_every_phrase_makes_a_pattern_that_finds_it(phrase: str) -> None:
    """A phrase is words, not syntax: nothing in it is special."""
    regex = phrase_regex(phrase)
    assert refusal(regex) is None
    assert says(regex, phrase)


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


@pytest.mark.parametrize(
    ("regex", "piece"),
    [
        ("if you[^.!?]*don't blame me", "don't blame me"),
        (r"\b(?:if|or|a)\b[^.!?;]*?\bdon't blame me\b", r"\bdon't blame me\b"),
        ("unlike everybody else[^.!?]*(?:i|me|my)", "unlike everybody else"),
        ("a[^.!?]*(?:b|c)[^.!?]*somebody", "somebody"),
        ("a[^.!?]*b|somebody[^.!?]*c", "a[^.!?]*b|somebody[^.!?]*c"),
        ("(?:a[^.!?]*b)+ c", "(?:a[^.!?]*b)+ c"),
        ("(?i:a)[^.!?]*somebody", "(?i:a)[^.!?]*somebody"),
        (r"a\[^.!?]*b", r"a\[^.!?]*b"),
        ("plain", "plain"),
    ],
)
def test_a_piece_of_a_pattern_stands_for_it(regex: str, piece: str) -> None:
    """Only what stands between gaps of the whole pattern is a piece; the rarest by its letters is taken."""
    assert rarest_piece(regex) == piece


def test_a_pattern_of_which_only_a_piece_occurs_is_not_found() -> None:
    """What an automaton found by a piece is confirmed by the pattern."""
    patterns = PatternSet([r"\bif you\b[^.!?]*\bdon't blame me\b", "blame"])
    assert patterns.match(b"if you go, don't blame me") == (0, 1)
    assert patterns.match(b"if you go. don't blame me") == (1,)
    assert patterns.match(b"don't blame me, if you can") == (1,)


GAPPED = [
    *(rf"\b{w}\b[^.!?]*\b{v}s?\b" for w in ("if", "you", "me") for v in ("go", "stay")),
    r"\b(?:if|me)\b[^.!?;]*?[^.!?]*\bstay\b",
    r"^if[^.!?]*go|me",
    "[^.!?]*go",
]


@given(st.lists(st.sampled_from(["if", "you", "me", "go", "goes", "stays", ".", ";", "a"]), max_size=9))
def test_pieces_change_nothing_that_is_found(words: list[str]) -> None:
    """A set finds of every text what each pattern finds alone, also where pieces stand in for patterns."""
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
    parts = [[families[index] for index in part] for part, _, _ in patterns._chunks]
    assert max(map(len, parts)) <= PatternSet.SIZE
    assert all(sum(family in part for part in parts) == 1 for family in "abd")


@pytest.mark.parametrize(
    ("regex", "kept"),
    [
        (r"\b(?:a|b)?[^.!?]{0,30} c[\w'-]+", True),
        ("[^.!?;,]*x", True),
        ("a{2} [a-z ,;-]$", True),
        ("a.b", False),
        ("a!", False),
        (r"a\.", False),
        ('"[^"]*"', False),
        ("[^.!]", False),
        ("[?]", False),
        ("[ -~]", False),
        ("[+-/]", False),
        (r"\W", False),
        (r"[\S]", False),
        (r"\x2e", False),
        (r"\pP", False),
        ("[[:punct:]]", False),
        ("(?s:a)", False),
    ],
)
def test_what_keeps_to_a_sentence_is_told_from_how_it_is_written(regex: str, kept: bool) -> None:
    """True only where no match can hold the end of a sentence."""
    assert refusal(regex) is None
    assert keeps_to_a_sentence(regex) is kept
    matches = [m for mark in ".!?" for m in compile_pattern(regex).finditer(f'a{mark}b "{mark}"'.encode())]
    holds_a_mark = any(set(match.group()) & set(b".!?") for match in matches)
    assert holds_a_mark is not kept or regex == "(?s:a)"
