"""Personal data in texts: addresses, numbers of telephones, cards and accounts, and names that the log gives.

A rule finds what has a form. It does not find a name that no field of the log holds, nor what somebody can be
recognized by; docs/import.md says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class Found(NamedTuple):
    """A piece of personal data in a text."""

    start: int
    end: int
    kind: str
    """What it is, in capital letters, such as EMAIL. The stand-in has this word."""
    who: str
    """Equal for two pieces that name the same: the same person, the same number."""


Finder = Callable[[str, Sequence[str]], Iterable[Found]]
"""Finds personal data in a text, given the names that the log's own fields hold."""
RULES = "own"
"""The name of the rules of this module."""
VERSION = "1"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}(?!\w)")
_SOCIAL = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_NUMBERED = re.compile(
    r"(?<!\w)(?:account|acct|routing|policy|member(?:ship)?|medicare|medicaid|ssn|social security|passport"
    r"|claim|patient|mrn|card|insurance)(?:[ \t]{1,3}(?:number|no\.?|nr\.?|id|is|was)){0,3}[ \t]{0,3}[:#]?"
    r"[ \t]{0,3}(?P<number>[A-Z0-9][A-Z0-9-]{4,24})(?!\w)",
    re.IGNORECASE,
)
_PHONE = re.compile(
    r"(?<![\w.+-])(?:\+\d[\d ().-]{6,18}\d|(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-]?)\d{3}[ .-]?\d{4}"
    r"|\d{3}[-.]\d{4}|0\d{1,4}[ /.-]\d{2,8}(?:[ .-]?\d{2,4}){0,4})(?![\w-]|\.\d)"
)
_TOLL_FREE = re.compile(r"(?:00|\+)?(?:1|44|49|353|61|64)?0?8(?:00|08|22|33|44|55|66|77|88)\d*")
"""Numbers that anybody may call and that are nobody's: help lines keep their numbers."""
_STREETS = (
    "Street|St|Avenue|Ave|Road|Rd|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Terrace|Ter|Circle|Cir"
    "|Highway|Hwy|Parkway|Pkwy|Square|Sq|Close|Crescent|Gardens|Grove"
)
_ADDRESS = re.compile(
    rf"(?<!\w)(?:\d{{1,5}}[A-Za-z]?[ \t]{{1,3}}(?:[A-Z0-9][\w'.-]{{0,20}}[ \t]{{1,3}}){{1,4}}(?:{_STREETS})\b"
    r"\.?"
    r"(?:,?[ \t]{1,3}(?:Apt|Apartment|Unit|Suite|Ste|#)\.?[ \t]{0,3}\w{1,6})?"
    r"(?:,[ \t]{0,3}[A-Z][A-Za-z .'-]{1,30}?(?=,|[ \t]{1,3}[A-Z]{2}[ \t]{1,3}\d{5}))?"
    r"(?:,?[ \t]{1,3}[A-Z]{2}[ \t]{1,3}\d{5}(?:-\d{4})?)?"
    r"|P\.?[ ]?O\.?[ ]?Box[ \t]{1,3}\d{1,6}"
    r"|[A-ZÄÖÜ][\wäöüß-]{1,30}(?:straße|strasse|str\.|weg|gasse|platz|allee)[ \t]{1,3}\d{1,4}[a-z]?)(?!\w)"
)
_BOTH = """
    angel april art august banks bell best bill black brown case chase christian chuck crystal dawn
    day don drew faith frank gene good grace grant green guy hand head hill hope iris ivy jack jean
    joy june king little long love mark max may melody mercy miles moody nick olive page pat
    patience penny price ray rich rob rose sharp small strong sue summer van wade white will wood
    young
"""
_WORDS_TOO = frozenset(_BOTH.split())
"""Names that are words, too: in small letters, they are taken for words."""
_LEAST_NAME = 3
"""The fewest characters of a name or a part of one."""
MOST_NAMES = 40
"""The most names of one conversation that are looked for."""


def find(text: str, names: Sequence[str]) -> Iterator[Found]:
    """The personal data in a text by rules. Pieces may overlap; the first and longest counts."""
    for match in _EMAIL.finditer(text):
        end = match.start() + len(match[0].rstrip("._-"))
        yield Found(match.start(), end, "EMAIL", text[match.start() : end].casefold())
    yield from _numbers(text)
    for match in _ADDRESS.finditer(text):
        yield Found(*match.span(), "ADDRESS", " ".join(match[0].casefold().split()))
    yield from _named(text, names)


def _numbers(text: str) -> Iterator[Found]:
    """Numbers of cards, accounts and telephones."""
    for match in _CARD.finditer(text):
        if _luhn(_digits(match[0])):
            yield Found(*match.span(), "CARD", _digits(match[0]))
    for match in _IBAN.finditer(text):
        if _is_iban(match[0].replace(" ", "")):
            yield Found(*match.span(), "ACCOUNT", match[0].replace(" ", ""))
    for match in _SOCIAL.finditer(text):
        yield Found(*match.span(), "ACCOUNT", _digits(match[0]))
    for match in _NUMBERED.finditer(text):
        if len(_digits(match["number"])) >= 4:
            yield Found(*match.span("number"), "ACCOUNT", match["number"].casefold().replace("-", ""))
    for match in _PHONE.finditer(text):
        digits = _digits(match[0])
        if 7 <= len(digits) <= 15 and not _TOLL_FREE.fullmatch(digits):
            yield Found(*match.span(), "PHONE", digits[-10:])


def _named(text: str, names: Sequence[str]) -> Iterator[Found]:
    """The names of the log, whole or in parts, in any case; a name that is a word too needs a capital."""
    for name in list(dict.fromkeys(names))[:MOST_NAMES]:
        words = name.split()
        parts = (
            [part for part in words if len(part) >= _LEAST_NAME and part.isalpha()] if len(words) > 1 else []
        )
        for piece in (name, *parts):
            if len(piece) < _LEAST_NAME or not any(letter.isalpha() for letter in piece):
                continue
            for match in re.finditer(rf"(?<!\w){_any_space(piece.split())}(?!\w)", text, re.IGNORECASE):
                if match[0][0].isupper() or piece.casefold() not in _WORDS_TOO:
                    yield Found(*match.span(), "NAME", name.casefold())


def _any_space(words: Sequence[str]) -> str:
    return r"\s{1,3}".join(map(re.escape, words))


def _digits(text: str) -> str:
    return "".join(letter for letter in text if letter.isascii() and letter.isdigit())


def _luhn(digits: str) -> bool:
    """True if the last digit of a card number is right."""
    doubled = [int(digit) * (2 if at % 2 else 1) for at, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """True if the check digits of an IBAN are right."""
    turned = text[4:] + text[:4]
    return 15 <= len(text) <= 34 and int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


_STAND_IN = re.compile(r"(?<!\w)([A-Z]{2,20})-(\d{1,6})(?!\w)")
_KIND = re.compile(r"[A-Z]{2,20}")


class StandIns:
    """The stand-ins of one conversation: the same person has the same one in every text.

    `texts` are all texts of the conversation, so that no number is given that one of them has already.
    """

    def __init__(self, finders: Iterable[Finder], names: Sequence[str], texts: Iterable[str]) -> None:
        self.finders, self.names = tuple(finders), names
        self.given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}
        for text in texts:
            for kind, number in _STAND_IN.findall(text):
                self._last[kind] = max(self._last.get(kind, 0), int(number))

    def replaced(self, text: str) -> str:
        """A text with stand-ins in place of personal data. Raises ValueError if a finder is wrong."""
        kept: list[str] = []
        at = 0
        for found in sorted(self._found(text), key=lambda one: (one.start, -one.end)):
            if found.start >= at:
                kept += (text[at : found.start], self._stand_in(found))
                at = found.end
        return "".join([*kept, text[at:]])

    def _found(self, text: str) -> Iterator[Found]:
        for finder in self.finders:
            for item in finder(text, self.names):
                found = Found(*item)
                if not (0 <= found.start < found.end <= len(text)) or not _KIND.fullmatch(found.kind):
                    raise ValueError(f"found {tuple(found)!r:.120} in a text of {len(text)} characters")
                yield found

    def _stand_in(self, found: Found) -> str:
        key = (found.kind, found.who)
        if key not in self.given:
            self._last[found.kind] = self._last.get(found.kind, 0) + 1
            self.given[key] = f"{found.kind}-{self._last[found.kind]}"
        return self.given[key]
