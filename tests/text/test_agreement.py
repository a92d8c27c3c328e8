"""The fast way to the hits of the benchmark's own lexicons, against the plain one.

Texts are made of what the patterns and exclusions of a lexicon match, put together at random, so that
hits and what voids them meet within sentences and across their ends.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from ib.engine.lexicons import Matcher, pattern_regex
from ib.models.lexicon import Lexicon
from ib.store.benchmark import load_benchmark
from ib.text.normalize import Normalized, normalize
from ib.text.patterns import compile_pattern
from ib.text.shapes import lead

LEXICONS = load_benchmark().lexicons
BETWEEN = (
    ". ",
    " ",
    ", ",
    "! ",
    "? ",
    "\n\n",
    "; ",
    ": ",
    " - ",
    '" ',
    ' "',
    "' ",
    "\u2019 ",
    "**",
    " (",
    ")",
)
TEXTS = 30
CLASSES = {sre.CATEGORY_WORD: "w", sre.CATEGORY_DIGIT: "5", sre.CATEGORY_SPACE: " "}


def example(tree: Any, chance: random.Random) -> str:
    """A string that a parsed pattern matches, or nearly."""
    written = []
    for op, argument in tree:
        if op is sre.LITERAL:
            written.append(chr(argument))
        elif op is sre.ANY:
            written.append(chance.choice("x. "))
        elif op is sre.IN:
            written.append(member(argument, chance))
        elif op is sre.BRANCH:
            written.append(example(chance.choice(argument[1]), chance))
        elif op is sre.SUBPATTERN:
            written.append(example(argument[-1], chance))
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            low, high, body = argument
            written += [example(body, chance) for _ in range(chance.randint(low, min(high, low + 3)))]
    return "".join(written)


def member(items: list[Any], chance: random.Random) -> str:
    """A character of a class."""
    if items[0][0] is sre.NEGATE:
        named = {chr(value) for op, value in items[1:] if op is sre.LITERAL}
        return chance.choice([character for character in " xa,-" if character not in named] or ["z"])
    op, value = chance.choice(items)
    if op is sre.RANGE:
        return chr(chance.randint(*value))
    return chr(value) if op is sre.LITERAL else CLASSES.get(value, ".")


def texts(lexicon: Lexicon) -> list[str]:
    """Texts of pieces of a lexicon."""
    chance = random.Random(lexicon.name)  # noqa: S311 - the same texts at every run
    regexes = [pattern_regex(pattern) for pattern in lexicon.patterns]
    regexes += [exclusion.regex or "" for exclusion in lexicon.exclusions]
    trees = [sre_parser.parse(regex) for regex in regexes]
    made = []
    for _ in range(TEXTS):
        pieces = [example(chance.choice(trees), chance) for _ in range(chance.randint(1, 6))]
        cased = [piece.upper() if chance.random() < 0.2 else piece for piece in pieces]
        made.append("".join(piece + chance.choice(BETWEEN) for piece in cased))
    return made


def spoiling(regex: str, encoded: bytes) -> Iterator[tuple[int, int]]:
    """The matches of an exclusion; of one that ends in a long gap, each head with what follows in the gap."""
    leading = lead(regex)
    for match in compile_pattern(regex if leading is None else leading.head).finditer(encoded):
        start, end = match.span()
        if leading is not None:
            behind = encoded[end:].decode(errors="ignore")[: leading.most]
            marks = re.escape(leading.barred.decode())
            end += len(re.match(f"[^{marks}]*", behind)[0].encode())  # type: ignore[index]
        yield start, end


def plainly(lexicon: Lexicon, text: Normalized) -> set[tuple[int, int, str]]:
    """The hits, each pattern and exclusion by itself over the whole text."""
    encoded = text.text.encode()
    spoilt = [
        (exclusion.group, *match)
        for exclusion in lexicon.exclusions
        for match in spoiling(exclusion.regex or "", encoded)
    ]

    def void(group: str | None, start: int, end: int) -> bool:
        return any(of in (None, group) and start < stop and begin < end for of, begin, stop in spoilt)

    hits = set()
    for pattern in lexicon.patterns:
        for match in compile_pattern(pattern_regex(pattern)).finditer(encoded):
            start, end = match.span()
            if start < end and not void(pattern.group, start, end):
                span = text.span(len(encoded[:start].decode()), len(encoded[:end].decode()))
                hits.add((*span, pattern.id))
    return hits


@pytest.mark.parametrize("name", LEXICONS)
def test_lesson_36_the_fast_way_finds_what_the_plain_way_finds(name: str) -> None:
    """Sets, families, pieces, lower case and sentences change no hit of any lexicon."""
    lexicon = LEXICONS[name]
    together = Matcher(LEXICONS.values(), lexicon.speaker)
    read = [normalize(text) for text in texts(lexicon)]
    found = 0
    for text, patterns in zip(read, together.found_each(read), strict=True):
        fast = {(hit.start, hit.end, hit.pattern) for hit in together.hits(text, patterns.get(name, ()))}
        assert fast == plainly(lexicon, text), text.original
        found += len(fast)
    assert found >= TEXTS / 2, "the texts hold too few hits to tell anything"
