"""Properties of a pattern that follow from its text."""

from __future__ import annotations

# There is no public parser of regular expressions.
from re import _parser as sre_parser  # type: ignore[attr-defined]

import pytest

from ib.engine.lexicons import pattern_regex
from ib.store.benchmark import load_benchmark
from ib.text.patterns import compile_pattern, refusal
from ib.text.sets import PatternSet
from ib.text.shapes import alternatives, keeps_to_a_sentence, rarest_piece, shortest


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
        ("[a[^.!?]*somebody", "[a[^.!?]*somebody"),
        (r"a[^.!?\n]*somebody", "somebody"),
        ("a[^.!?]*?somebody", "somebody"),
        ("[^.!?]*", ""),
        ("plain", "plain"),
    ],
)
def test_a_piece_of_a_pattern_stands_for_it(regex: str, piece: str) -> None:
    """Only what stands between gaps of the whole pattern is a piece, and the longest is taken."""
    assert rarest_piece(regex) == piece


@pytest.mark.parametrize(
    ("regex", "parts"),
    [
        ("a|b c|d", ("a", "b c", "d")),
        (r"(?:a|b)|[|]c|d\|e", ("(?:a|b)", "[|]c", r"d\|e")),
        ("^a|b$", ("^a", "b$")),
        ("(?:a|b)", ("(?:a|b)",)),
        ("plain", ("plain",)),
        ("a||b", ("a||b",)),
        ("a|", ("a|",)),
        ("(?i:a)|b", ("(?i:a)|b",)),
        (r"\Qa|b\E|c", (r"\Qa|b\E|c",)),
    ],
)
def test_a_pattern_is_its_alternatives(regex: str, parts: tuple[str, ...]) -> None:
    """Those at the top alone; it stays whole where one is empty, or where flags or quotes may matter."""
    assert alternatives(regex) == parts
    for text in ("a", "b", "b c", "|c", "d|e", "xb", "a|b", "c", ""):
        wanted = compile_pattern(regex).search(text.encode()) is not None
        assert bool(PatternSet([regex]).match(text.encode())) is wanted, text


@pytest.mark.parametrize(
    "regex",
    [
        *("abc", "a|bcd", "(?:a|bc)d", "ab?c", "a(?:bc)*d", "(?:ab){2,3}", "x{0,4}y", r"\bi'm", "a+?b"),
        *("[^.]*a", "(?:if|unless) you", "^a$", r"\w+ \d", "a{3}b", "(?:a|)b", "(?: [a-z]+){1,3}? x", ""),
        *(r"\$?5", "[$]?b", r"a\Bb"),
    ],
)
def test_the_shortest_match_is_as_long_as_another_parser_says(regex: str) -> None:
    """Against the parser of Python's own regular expressions."""
    assert shortest(regex) == sre_parser.parse(regex).getwidth()[0]


def test_the_shortest_match_of_every_pattern_of_the_lexicons() -> None:
    """The same over all that the package holds, where that parser can read them."""
    regexes = [pattern_regex(p) for one in load_benchmark().lexicons.values() for p in one.patterns]
    assert len(regexes) > 1_000
    assert [shortest(regex) for regex in regexes] == [sre_parser.parse(r).getwidth()[0] for r in regexes]


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
        (r"(?:a|\[)[^\"]{0,600}", False),
        (r"\[[^.!?]*\]", True),
        ("[0-z]", False),
        ("[9-A]", False),
        (r"\Q.\E", False),
        ("[]a][^]]", False),
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


ODD = [
    ("[+-_]x", "Ax"),
    ("[!-_]5", "a5"),
    ("[^:-^]y", "Ay"),
    ("[?-b]!", "c!"),
    ("^*ab", "xab"),
    ("^{0,1}ab", "xab"),
    (r"^\Q(\E|bc", "xbc"),
    ("x[^.]*^*ab", "xab"),
    (r"xy\Qa[^x]*bcdef\E", "xya[^x]*bcdef"),
    (r"\Q[^ab]*\Exyz[^.]*q", "[^ab]*xyz, q"),
]


@pytest.mark.parametrize(("regex", "text"), ODD)
def test_odd_patterns_are_found_as_they_are_alone(regex: str, text: str) -> None:
    """Ranges over several kinds of characters, quoted parts, a beginning that is optional."""
    assert refusal(regex) is None
    alone = compile_pattern(regex).search(text.encode()) is not None
    assert bool(PatternSet([regex]).match(text.encode())) is alone
