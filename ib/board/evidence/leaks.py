"""Find text that must never be published: keys and machine paths.

A text can hide a key with invisible characters. Therefore every text is searched three times: as written,
in normal form, and without invisible characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import orjson
import re2

from ib.models.common.leaks import LeakForm, LeakForms
from ib.text.normalize import Span, fold, normalize
from ib.text.patterns import AS_WRITTEN

WITHHELD = "[withheld: looks like a key]"
"""The mark that replaces a key in a quote."""
PATH_WITHHELD = "[withheld: looks like a path]"
VALUE = "value-in-use"
"""The form name of a secret value of the environment or a key in use."""
NAMES = {"KEY", "KEYS", "APIKEY", "PASSWD", "PASSWORD", "SECRET", "SECRETS", "TOKEN", "TOKENS"}
"""An environment variable is secret if its name contains one of these words."""
SAID = {"quote", "content"}
"""The keys of a public file whose values are words of a conversation."""
SHORTEST = 16
"""Minimum length of a secret value. Shorter values occur in ordinary text by chance."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_KINDS = (str.islower, str.isupper, str.isdigit)
_HYPHENS_AND_BLANKS = str.maketrans("\u2043\u30fc\uff70", "---", "\u115f\u1160\u2800\u3164\uffa0")
"""Characters that look like a hyphen, and letters that are invisible."""
_PLAIN = re.compile(r"[A-Za-z0-9 \n.,;:'\"!?()/=+@%$-]*")
"""A text with only these characters cannot hide anything, so one search is enough."""


def secrets_of(environment: Mapping[str, str], in_use: Iterable[str] = ()) -> tuple[str, ...]:
    """The values that must not be published: keys in use, and secrets of the environment.

    A variable counts if a whole word of its name is one of `NAMES` (`API_KEY`, not `MONKEY`) and its
    value has 16 characters or more of at least two kinds: lower case, upper case, digits.
    """
    named = (value for name, value in environment.items() if _is_secret(name, value))
    return tuple(dict.fromkeys(value for value in (*in_use, *named) if value))


def _is_secret(name: str, value: str) -> bool:
    words = {word.upper() for word in _WORD.findall(name)}
    kinds = sum(any(map(kind, value)) for kind in _KINDS)
    return bool(words & NAMES) and len(value) >= SHORTEST and kinds >= 2


@dataclass(frozen=True)
class Cleaned:
    """A text in which a mark replaces each word that contains a key."""

    text: str
    forms: tuple[str, ...] = ()
    """The forms of the keys; empty if the text has none."""
    words: tuple[Span, ...] = ()
    """The positions of the replaced words in the original."""

    def moved(self, start: int, end: int) -> Span:
        """The position of a part of the original. A part that touches a mark holds the whole mark."""
        return self._moved(start, 0), self._moved(end, len(WITHHELD))

    def _moved(self, place: int, inside: int) -> int:
        """Where a place of the original is now; `inside` is added for a place inside a replaced word."""
        shift = 0
        for start, stop in self.words:
            if place <= start:
                break
            if place < stop:
                return start + shift + inside
            shift += len(WITHHELD) - (stop - start)
        return place + shift


class LeakSearch:
    """Searches texts for known forms of keys and machine paths, and for secret values."""

    def __init__(self, forms: LeakForms, secrets: Sequence[str] = ()) -> None:
        self._keys = _Forms(forms.keys)
        self._machines = _Forms(forms.machines)
        self._secrets = tuple(secrets)

    def key(self, text: str) -> str | None:
        """The form of the first key in a text. Returns None if the text has no key."""
        return next((name for name, _ in self._found(text)), None)

    def machine(self, text: str) -> str | None:
        """The form of the first machine path in a text. Returns None if the text has no such path."""
        return next((name for name, _ in self._machines.spans(text)), None)

    def withhold(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The text with a mark instead of each word that contains a key, and the forms of the keys."""
        cleaned = self.clean(text)
        return cleaned.text, cleaned.forms

    def clean(self, text: str) -> Cleaned:
        """The text with a mark instead of each word that contains a key, with the positions of the words."""
        found = list(self._found(text))
        if not found:
            return Cleaned(text)
        forms = tuple(sorted({name for name, _ in found}))
        words = _words(text, [span for _, span in found if span is not None])
        shown = _replaced(text, words, WITHHELD)
        # If the position of a key is unknown, the mark replaces the whole text.
        if shown == text or self.key(shown) is not None:
            return Cleaned(WITHHELD, forms, ((0, len(text)),))
        return Cleaned(shown, forms, tuple(words))

    def hide(self, text: str) -> str:
        """The text with a mark instead of each key and each machine path."""
        text, _ = self.withhold(text)
        spans = [span for _, span in self._machines.spans(text)]
        return _replaced(text, _words(text, spans), PATH_WITHHELD)

    def in_file(self, data: bytes, *, paths: bool = True) -> Iterator[str]:
        """The keys and machine paths in a public file: one line per text, with its first place.

        Paths in a quote or a message are allowed, because they are words of a conversation. Keys are not
        allowed anywhere.
        """
        for (text, quoted), place in _strings(_document(data)).items():
            key = self.key(text)
            path = self.machine(text) if paths and not quoted else None
            if key is not None:
                yield f"{_shown(place)}contains what looks like a key ({key})"
            if path is not None:
                yield f"{_shown(place)}contains what looks like a path of a machine ({path})"

    def in_lines(self, lines: Iterable[bytes]) -> Iterator[str]:
        """The same for a file of lines, read in parts: one line per text of a part."""
        rest = iter(lines)
        while part := list(islice(rest, 500)):
            yield from self.in_file(b"[" + b",".join(part) + b"]")

    def _found(self, text: str) -> Iterator[tuple[str, Span | None]]:
        """Every key in a text: its form, and its position in the original text, if known."""
        for reading, back in _readings(text):
            for name, (start, end) in chain(self._keys.spans(reading), self._values(reading)):
                yield name, back and back(start, end)

    def _values(self, text: str) -> Iterator[tuple[str, Span]]:
        for secret in self._secrets:
            at = text.find(secret)
            while at >= 0:
                yield VALUE, (at, at + len(secret))
                at = text.find(secret, at + len(secret))


class _Forms:
    """Compiled forms. One pass over a text finds the forms that can match."""

    def __init__(self, forms: Sequence[LeakForm]) -> None:
        self._forms = [(form.name, *_compiled(form)) for form in forms]
        self._any = re2.Set.SearchSet(AS_WRITTEN)
        for form in forms:
            self._any.Add(form.pattern)
        self._any.Compile()

    def spans(self, text: str) -> Iterator[tuple[str, Span]]:
        """Every match: the name of its form, and its position."""
        for index in sorted(self._any.Match(text) or ()):
            name, pattern, needs, unless = self._forms[index]
            for match in pattern.finditer(text):
                words = match.group()
                if all(one.search(words) for one in needs) and not any(one.search(words) for one in unless):
                    yield name, match.span()


def _compiled(form: LeakForm) -> tuple[Any, list[Any], list[Any]]:
    return _compile(form.pattern), [*map(_compile, form.needs)], [*map(_compile, form.unless)]


def _compile(pattern: str) -> Any:
    return re2.compile(pattern, options=AS_WRITTEN)


def _readings(text: str) -> Iterator[tuple[str, Callable[[int, int], Span] | None]]:
    """The readings of a text, each with a function that maps positions to the original text, or None."""
    yield text, lambda start, end: (start, end)
    if _PLAIN.fullmatch(text):
        return
    normal = normalize(text)
    if normal.text != text:
        yield normal.text, normal.span
    bare = "".join(map(_bare, fold(text.translate(_HYPHENS_AND_BLANKS))))
    if bare not in (text, normal.text):
        yield bare, None


def _bare(char: str) -> str:
    """A hyphen for any dash, an empty string for an invisible character, else the character."""
    category = unicodedata.category(char)
    if category == "Pd":
        return "-"
    return "" if category in {"Cc", "Cf", "Mn", "Me"} and not char.isspace() else char


def _words(text: str, spans: Sequence[Span]) -> list[Span]:
    """The positions of the words at these positions, in order; adjacent words are one."""
    words: list[Span] = []
    for begin, end in sorted(spans):
        at = words[-1][1] if words else 0
        if end > at:
            words.append(_word(text, max(begin, at), end))
    return words


def _replaced(text: str, words: Sequence[Span], mark: str) -> str:
    """The text with a mark in place of each of these words."""
    pieces, at = [], 0
    for start, stop in words:
        pieces += [text[at:start], mark]
        at = stop
    return "".join([*pieces, text[at:]])


def _word(text: str, start: int, end: int) -> Span:
    """The position, without leading white space, extended to whole words."""
    while text[start].isspace():
        start += 1
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


Place = tuple[str | int, ...]


def _shown(place: Place) -> str:
    return f"{'.'.join(map(str, place))} " if place else ""


def _document(data: bytes) -> Any:
    """The value of a JSON document, or the text of any other file."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return data.decode("utf-8", "replace")


def _strings(document: Any) -> dict[tuple[str, bool], Place]:
    """Every string of a document with True if it was said, and its first place in the document."""
    places: dict[tuple[str, bool], Place] = {}
    _collect(document, (), False, places)
    return places


def _collect(value: Any, place: Place, quoted: bool, places: dict[tuple[str, bool], Place]) -> None:
    if isinstance(value, str):
        places.setdefault((value, quoted), place)
    elif isinstance(value, dict):
        for key, inner in value.items():
            places.setdefault((key, False), (*place, "(key)"))
            _collect(inner, (*place, key), key in SAID, places)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _collect(inner, (*place, index), quoted, places)
