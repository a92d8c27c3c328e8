"""Patterns of data files: what is refused and why, phrases as whole words, many at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.errors import DataError
from ib.text.patterns import compile_lower_case, compile_pattern, has_phrase, phrase_regex, refusal
from ib.text.sets import PatternSet


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
    """Case does not matter, beyond ASCII too."""
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


@pytest.mark.parametrize(
    ("text", "found"), [("غerx", False), ("غer", False), ("erا", False), ("غ er", True), ("erا er", True)]
)
def test_a_letter_of_another_script_goes_on_with_a_word(text: str, found: bool) -> None:
    """RE2 sees a border of a word where letters of another script stand; a phrase is not found there."""
    assert has_phrase("er", text) is found


def test_the_span_of_a_phrase_is_its_words() -> None:
    """The characters next to a phrase decide whether it is whole, and are not part of the match."""
    match = compile_pattern(phrase_regex("Jos\u00e9")).search("(Jos\u00e9, 9)")
    assert match.span() == (1, 5)


@given(st.text(alphabet="ab'.+*?()[]{}|\\^$/ 1-", min_size=1).filter(str.strip))
def test_every_phrase_makes_a_pattern_that_finds_it(phrase: str) -> None:
    """A phrase is words, not syntax: nothing in it is special."""
    regex = phrase_regex(phrase)
    assert refusal(regex) is None
    assert says(regex, phrase)


@pytest.mark.parametrize("regex", ["(unclosed", "(?=ahead)", "x{2000}", "UPPER[", "a\\"])
def test_a_pattern_that_nobody_checked_is_bad_data(regex: str) -> None:
    """A broken pattern that was declared sound is named where it is first compiled, by itself or in a set."""
    for compiled in (compile_pattern, compile_lower_case, lambda one: PatternSet([one]).match(b"a")):
        with pytest.raises(DataError) as caught:
            compiled(regex)
        assert repr(regex) in str(caught.value)
        assert "outside RE2 syntax" in str(caught.value)
