"""Plain messages for validation errors, for the person who edits the file.

Messages are made from the type and the counts of a pydantic error. Its own sentences are never shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ib.models.common.phrase import INVALID_PHRASE, UNSAFE

Place = tuple[str | int, ...]
Words = tuple[str, str]
"""What was found, and what is allowed."""
Details = Mapping[str, Any]
"""Details of an error, such as `min_length`."""
UNKNOWN = "extra_forbidden"
"""The error type of a key that is not known. `keys` in its details has the keys that are allowed."""
MOST_KEYS = 20
"""With more, a message does not list them."""

PAGES = {
    "ib.models.benchmark.benchmark": "docs/formats/index.md",
    "ib.models.conversation.character": "docs/formats/character.md",
    "ib.models.benchmark.calibration": "docs/formats/calibration.md",
    "ib.models.review.labels": "docs/formats/calibration.md",
    "ib.models.exam.readings": "docs/formats/exam.md",
    "ib.models.benchmark.check": "docs/formats/check.md",
    "ib.models.benchmark.colors": "docs/formats/site.md",
    "ib.models.common.configured": "docs/formats/models.md",
    "ib.models.conversation.contract": "docs/formats/corpus-contract.md",
    "ib.models.benchmark.definition": "docs/formats/index.md",
    "ib.models.draw.contamination": "docs/formats/contamination-words.md",
    "ib.models.draw.keyed_slot": "docs/formats/draw.md",
    "ib.models.scan.estimates": "docs/formats/estimates.md",
    "ib.models.benchmark.example": "docs/formats/check.md",
    "ib.models.benchmark.figures": "docs/formats/measurements.md",
    "ib.models.benchmark.exam": "docs/formats/exam.md",
    "ib.models.benchmark.guide": "docs/formats/guide.md",
    "ib.models.common.leaks": "docs/formats/leak-forms.md",
    "ib.models.benchmark.lexical": "docs/formats/lexical.md",
    "ib.models.benchmark.lexicon": "docs/formats/lexicon.md",
    "ib.models.benchmark.pilot": "docs/formats/pilot.md",
    "ib.models.conversation.listening": "docs/formats/listening.md",
    "ib.models.conversation.condition": "docs/formats/scenario.md",
    "ib.models.common.phrase": "docs/formats/phrases.md",
    "ib.models.common.price": "docs/formats/prices.md",
    "ib.models.report.submission": "docs/submit.md",
    "ib.models.scan.run": "docs/artifacts.md",
    "ib.models.conversation.scenario": "docs/formats/scenario.md",
    "ib.models.benchmark.scoring": "docs/formats/scoring.md",
    "ib.models.common.settings": "docs/formats/models.md",
    "ib.models.scan.supplement": "docs/formats/supplementary.md",
    "ib.models.scan.over_alarm": "docs/formats/over-alarm.md",
    "ib.models.conversation.twin": "docs/formats/twin.md",
    "ib.models.conversation.twin_scenario": "docs/formats/twin.md",
    "ib.models.conversation.transcript": "docs/transcripts.md",
    "ib.models.benchmark.site": "docs/formats/site.md",
    "ib.models.benchmark.version": "docs/formats/version.md",
    "ib.models.scan.votes": "docs/transcripts.md",
}
"""The page that describes the fields of the models of a module."""

PATTERNS = {
    r"^[A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,159}$": (
        "at most 160 letters, digits and _.:/@+-, the first a letter or a digit"
    ),
    r"^[a-z0-9]+(?:[_-][a-z0-9]+)*$": "lower-case words joined by hyphens or underscores",
    r"^\+?[0-9]{3,15}$": "a telephone number of 3 to 15 digits",
    r"^[a-z0-9.-]+\.[a-z]{2,}$": "a host such as example.org",
    r"^#[0-9a-f]{6}$": "a color such as #8a2610, in lower case",
    r"^[A-Z]{2}$": "a country as two capital letters",
    r"^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$": "a place such as US or US-CA",
    r"^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,79}$": "a name of at most 80 letters, digits and _.:-",
    r"^[o.]*$": "an o for each check with an older wording, and a dot for the others",
    r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$": "a pseudonym of at most 40 letters, digits, spaces and ._-",
    r"^[\x20-\x7e]+$": "text on one line, without accents",
    r"^[a-z]{2,3}$": "a language as two or three lower-case letters, such as en",
    r"^[FCPpUNfRS.]*$": "one letter a check, of F, C, P, p, U, N, f, R, S or a dot",
    r"^[0-9a-f]{64}$": "a SHA-256 hash: 64 digits and letters a to f",
    r"^https://\S+$": "an address that starts with https://",
    r"^[A-Z]{2,8}-[A-F](?:[0-9][a-z]?)?(?:-[a-z]+)*$": "the id of a check, such as IB-A1",
    r"^[a-z][a-z0-9_]{2,63}$": "3 to 64 lower-case letters, digits and underscores, the first a letter",
    r"^[^\s/]+/\S+$": "PROVIDER/MODEL",
    r"^[0-9a-f]{16}$": "16 digits and letters a to f",
    r"^(?:0|[1-9]\d{0,3})(?:\.(?:0|[1-9]\d{0,3})){2}$": ("three whole numbers joined by dots, such as 1.0.0"),
    r"^\d{4}-\d{2}-\d{2}-[0-9a-f]{8}$": "the id of a release, such as 2026-01-31-0123abcd",
    r"^[\x21-\x7e]+$": "an address without spaces, in ASCII",
    r"^[A-Za-z0-9._+-]+@[a-z0-9.-]+\.[a-z]{2,}$": "a mail address such as errors@example.org",
    r"^[a-z][a-z0-9_]*$": "lower-case letters, digits and underscores, the first a letter",
    r"^[^{}\n\r\t\"\\]+$": "one line without braces, double quotes and backslashes",
    r"^\d{2,15}$": "2 to 15 digits",
    r"^(?:benchmark|[0-9a-f]{64})$": "`benchmark`, or the SHA-256 of the file of another prompt",
    r"^(?:public|[0-9a-f]{64})$": "`public`, or the hash of the key of a private draw",
    r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$": "a commit of git or a SHA-256, in lower case",
    r"^(?:[^\s@]+@[^\s@]+\.[^\s@]+|https://\S+)$": "a mail address, or an https address",
    r"^\d$": "one digit",
    r"^[1-9]\d{0,3} (?:minutes?|hours?|days?|weeks?|months?|years?)$": "a time such as `3 days`",
}
"""What each pattern of a field allows, in words."""


def page(module: str) -> str:
    """The page that describes the fields of a module's models."""
    return PAGES.get(module, f"{module.replace('.', '/')}.py")


def words(kind: str, value: Any, details: Details, place: Place, described: str) -> Words:
    """What was found and what is allowed. `described` is the page that describes the field."""
    said = _SAID.get(kind)
    if said is not None:
        return said(value, details, place)
    if kind == UNSAFE:
        return str(details["problem"]), "a safe RE2 pattern"
    if kind == INVALID_PHRASE:
        return str(details["found"]), str(details["allowed"])
    if kind in ("value_error", "assertion_error"):
        return str(details["error"]), f"see {described}"
    return f"found {shown(value)}", _ALLOWED.get(kind, f"another form; see {described}")


def shown(value: Any) -> str:
    """A value as written in a file, cut to 80 characters."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 80 else f"{text[:77]}..."


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 example, 2 examples. The plural has an -s if none is given."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def _nouns(place: Place) -> str:
    """The noun for the items of a list, from its key: "examples" for `examples` and `examples.fail`."""
    named = [part for part in place if isinstance(part, str)][-2:]
    plural = next((name for name in reversed(named) if name.endswith("s") and name.isidentifier()), "items")
    return plural.replace("_", " ")


def _items(value: Any, details: Details, place: Place) -> str:
    number, nouns = details["actual_length"], _nouns(place)
    if number is None:
        return f"too many {nouns}"
    singular = f"{nouns[:-3]}y" if nouns.endswith("ies") else nouns[:-1]
    return f"{number} {singular if number == 1 else nouns}" if number else f"no {singular}"


def _characters(value: Any) -> str:
    return counted(len(value), "character") if value else "no text"


def _found(allowed: Callable[[Details], str]) -> Callable[[Any, Details, Place], Words]:
    return lambda value, details, place: (f"found {shown(value)}", allowed(details))


def _number(limit: Any) -> str:
    return f"{limit:g}" if isinstance(limit, float) else str(limit)


def _keys(allowed: Sequence[str]) -> str:
    """The keys that are allowed, if they are known and few enough to read."""
    if 0 < len(allowed) <= MOST_KEYS:
        return f"allowed: {', '.join(allowed)}"
    return "remove it, or look for a misspelling"


def _literals(expected: str) -> str:
    """The values of a literal as written in a file: enum members without the name of the enum."""
    plain = re.sub("<[A-Za-z]+[.][A-Z0-9_]+: '([^']*)'>", lambda match: match[1], expected)
    return {"True": "true", "False": "false"}.get(plain, plain)


_SAID: Mapping[str, Callable[[Any, Details, Place], Words]] = {
    "missing": lambda value, details, place: ("is missing", "it is required"),
    UNKNOWN: lambda value, details, place: ("unknown key", _keys(details.get("keys", ()))),
    "too_short": lambda value, details, place: (
        _items(value, details, place),
        f"at least {details['min_length']}",
    ),
    "too_long": lambda value, details, place: (
        _items(value, details, place),
        f"at most {details['max_length']}",
    ),
    "string_too_short": lambda value, details, place: (
        _characters(value),
        f"at least {counted(details['min_length'], 'character')}",
    ),
    "string_too_long": lambda value, details, place: (
        _characters(value),
        f"at most {counted(details['max_length'], 'character')}",
    ),
    "greater_than": _found(lambda details: f"more than {_number(details['gt'])}"),
    "greater_than_equal": _found(lambda details: f"at least {_number(details['ge'])}"),
    "less_than": _found(lambda details: f"less than {_number(details['lt'])}"),
    "less_than_equal": _found(lambda details: f"at most {_number(details['le'])}"),
    "enum": _found(lambda details: str(details["expected"])),
    "literal_error": _found(lambda details: _literals(str(details["expected"]))),
    "string_pattern_mismatch": _found(
        lambda details: PATTERNS.get(details["pattern"], f"text that matches {details['pattern']}")
    ),
    "union_tag_invalid": lambda value, details, place: (
        f"found {shown(details['tag'])} in {details['discriminator']}".replace("'", ""),
        " or ".join(re.findall("'([^']*)'", str(details["expected_tags"]))),
    ),
}
"""The messages for errors with counts, limits or expected values."""

_TEXT, _DATE = "text", "a date such as 2026-01-31"
_TIME, _WHOLE = "a date and a time such as 2026-01-31T12:00:00Z", "a whole number"
_MAPPING, _LIST = "a mapping of keys", "a list"
_ALLOWED = {
    "string_type": _TEXT,
    "string_sub_type": _TEXT,
    "string_unicode": _TEXT,
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": "a number of at most 64 bits",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "none_required": "null",
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "mapping_type": _MAPPING,
    "dataclass_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": _DATE,
    "datetime_type": _TIME,
    "datetime_parsing": _TIME,
    "datetime_object_invalid": _TIME,
    "datetime_from_date_parsing": _TIME,
    "timezone_aware": _TIME,
    "timezone_naive": "a date and a time without a zone",
    "union_tag_not_found": "the key that says which form it has",
}
"""What is allowed, for errors whose type says everything."""
