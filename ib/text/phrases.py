"""The phrase language of lexicons and conditions, compiled to RE2.

A phrase is a line that a person can read. docs/formats/phrases.md explains it with examples:

    i am here       whole words; a space, a comma, a quotation mark, a colon or a dash may stand between them
    i'm             the apostrophe may be missing, unless another word would arise (`i'll`, `ill`)
    here*   *       any ending; any one word
    <i-will>        a named group of words
    (a|b c)         alternatives
    [really]        may be missing
    ..  ..8         a gap of at most 4 (8) words that does not leave the sentence
    ^  ^^  $  ?     the beginning of a sentence, of the text; the end of a sentence; a question

An exclusion says what must not stand before or after a phrase in the same sentence. It may end with a gap
toward the phrase; there, `...` is a gap of any length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from ib.text.grammar import MOST_DEPTH, LookUp, Parser, PhraseError, either, is_group, tokens_of, with_edges

Words = Mapping[str, Sequence[str]]
"""Named groups: the phrases that a name stands for."""
Frozen = tuple[tuple[str, tuple[str, ...]], ...]
"""Named groups as a value that can be looked up."""

MOST_REGEX = 20_000
"""The most characters of a compiled phrase, with its groups put in."""
_PLAIN = re.compile(r"(?:[A-Za-z]+|<[a-z]+(?:-[a-z]+)*>)(?: (?:[A-Za-z]+|<[a-z]+(?:-[a-z]+)*>))*")
"""Words and groups side by side. More than half of the texts of the benchmark are such."""
_STARTS = {"^": r"""(?:\A|[.!?:;-]["')]* )["'(]*""", "^^": r"""\A["'(]*"""}
_ENDS = {"$": r"""["')]*(?:[.!?]|\z)""", "?": r"[^.!?]*\?"}


def compile_phrase(phrase: str, words: Words | Frozen | None = None) -> str:
    """The RE2 pattern of a phrase, to be searched in the lower-case normal form of a text.

    If it has a capturing group, the group is the phrase without what its marks matched. Raises PhraseError.
    """
    return _compiled(_parse_phrase, phrase, frozen(words))


def compile_before(phrase: str, words: Words | Frozen | None = None) -> str:
    """The RE2 pattern of an exclusion, to be searched in the text of the sentence before a phrase."""
    return _compiled(_parse_before, phrase, frozen(words))


def compile_after(phrase: str, words: Words | Frozen | None = None) -> str:
    """The RE2 pattern of an exclusion, to be searched in the text of the sentence after a phrase."""
    return _compiled(_parse_after, phrase, frozen(words))


def check_phrase(phrase: str) -> None:
    """Raise PhraseError if a text is not a phrase. Groups are not looked up."""
    _check(_parse_phrase, phrase)


def check_before(phrase: str) -> None:
    """Raise PhraseError if a text cannot exclude what follows it. Groups are not looked up."""
    _check(_parse_before, phrase)


def check_after(phrase: str) -> None:
    """Raise PhraseError if a text cannot exclude what precedes it. Groups are not looked up."""
    _check(_parse_after, phrase)


@lru_cache(maxsize=8192)  # the benchmark checks 8,000 texts, of which 4,600 differ
def _check(parse: Callable[[str, LookUp], str], phrase: str) -> None:
    """Parse a text, unless it is only words and groups, which is a phrase of every kind."""
    if _PLAIN.fullmatch(phrase) is None:
        parse(phrase, _any_group)


@lru_cache(maxsize=8192)  # the benchmark has 5,000, and each is asked for twice
def groups_of(phrase: str) -> tuple[str, ...]:
    """The names of the groups that a phrase uses, in order."""
    return tuple(token[1:-1] for token in tokens_of(phrase) if is_group(token)) if "<" in phrase else ()


def groups_used(
    phrases: Iterable[str], shared: Words, own: Words | None = None
) -> dict[str, tuple[str, ...]]:
    """The groups that phrases use, directly or through other groups, and all of `own`, by name.

    A group of `own` replaces the shared one. Names of groups that do not exist are left out.
    """
    known = {**shared, **(own or {})}
    used = {name: tuple(group) for name, group in (own or {}).items()}
    waiting = [*phrases, *chain.from_iterable(used.values())]
    while waiting:
        for name in groups_of(waiting.pop()):
            if name in known and name not in used:
                used[name] = tuple(known[name])
                waiting += used[name]
    return dict(sorted(used.items()))


def frozen(words: Words | Frozen | None) -> Frozen:
    """Named groups as a value. Whoever compiles many phrases with the same groups makes it once."""
    if isinstance(words, tuple):
        return words
    return tuple((name, tuple(group)) for name, group in (words or {}).items())


@lru_cache(maxsize=4096)  # the benchmark has 1,600, and its patterns share exclusions
def _compiled(parse: Callable[[str, LookUp], str], phrase: str, words: Frozen) -> str:
    return _bounded(parse(phrase, _look_up(words)), phrase)


@lru_cache(maxsize=256)
def _look_up(words: Frozen) -> _LookUp:
    return _LookUp(dict(words))


def _parse_phrase(phrase: str, look_up: LookUp) -> str:
    tokens = tokens_of(phrase)
    start = _STARTS[tokens.pop(0)] if tokens[:1] in (["^"], ["^^"]) else ""
    end = _ENDS[tokens.pop()] if tokens[-1:] in (["$"], ["?"]) else ""
    core = with_edges(Parser(phrase, tokens, look_up).read())
    return f"{start}({core}){end}" if start or end else core


def _parse_before(phrase: str, look_up: LookUp) -> str:
    tokens = tokens_of(phrase)
    start = _STARTS[tokens.pop(0)] if tokens[:1] in (["^"], ["^^"]) else ""
    facing = tokens.pop() if tokens and tokens[-1].startswith("..") else None
    parser = Parser(phrase, tokens, look_up)
    return rf"{start}{with_edges(parser.read())}{parser.distance(facing)}\z"


def _parse_after(phrase: str, look_up: LookUp) -> str:
    tokens = tokens_of(phrase)
    end = _ENDS[tokens.pop()] if tokens[-1:] in (["$"], ["?"]) else ""
    if end and not tokens:
        return rf"\A{end}"
    facing = tokens.pop(0) if tokens and tokens[0].startswith("..") else None
    parser = Parser(phrase, tokens, look_up)
    return rf"\A{parser.distance(facing)}{with_edges(parser.read())}{end}"


class _LookUp:
    """Looks up groups. Each group is put together once for all phrases that know the same groups."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._known: dict[str, tuple[str, int]] = {}
        """The pattern of a group, and how many groups stand in one another in it, itself included."""
        self._open: list[str] = []
        self._deepest: list[int] = [0]
        """For the phrase, and for each open group: how deep the groups in it are, so far."""

    def __call__(self, name: str) -> str:
        if name not in self._known or len(self._open) + self._known[name][1] > MOST_DEPTH:
            self._known[name] = self._put_together(name)
        regex, depth = self._known[name]
        self._deepest[-1] = max(self._deepest[-1], depth)
        return regex

    def _put_together(self, name: str) -> tuple[str, int]:
        if not self._words.get(name):
            known = ", ".join(f"<{one}>" for one in sorted(self._words))
            raise PhraseError(f"unknown group <{name}>", known or "no group, because none is defined")
        if name in self._open or len(self._open) == MOST_DEPTH:
            chain_of_names = " in ".join(f"<{one}>" for one in (name, *reversed(self._open)))
            raise PhraseError(
                chain_of_names, f"no group inside itself, and at most {MOST_DEPTH} in one another"
            )
        self._open.append(name)
        self._deepest.append(0)
        try:
            regex = either([Parser(one, tokens_of(one), self).read() for one in self._words[name]])
        finally:  # an error of one phrase must not stand in the way of the next
            self._open.pop()
            depth = self._deepest.pop() + 1
        return _bounded(regex, f"<{name}>"), depth


def _any_group(name: str) -> str:
    return name


def _bounded(regex: str, phrase: str) -> str:
    if len(regex) > MOST_REGEX:
        found = f"{phrase} has {len(regex):,} characters when its groups are put in"
        raise PhraseError(found, f"at most {MOST_REGEX:,}")
    return regex
