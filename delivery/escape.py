"""Text of models and of data is never markup: how it is written into a page, a link, a title, a cell.

`html.escape` is not enough inside a Markdown page: extensions such as `fenced_code` look for their
marks before anything knows that it stands in HTML. So every ASCII character that is not a letter, a
digit or a space becomes a numeric entity, and nothing is left for any of them to find.
"""

from __future__ import annotations

import re
import unicodedata

from jinja2 import Undefined
from markupsafe import Markup

_ADDRESS = re.compile(r"[A-Za-z0-9._/-]*(?:#[A-Za-z0-9._-]+)?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_CAREFUL = re.compile(r"[^A-Za-z0-9 ]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_JOINER = "\u200d"


def entity(text: str) -> Markup:
    """Text as HTML that shows it letter for letter; invisible controls become visible marks."""
    return Markup(_CAREFUL.sub(lambda found: _written(text, found.start()), text))  # noqa: S704 - this escapes


def _written(text: str, at: int) -> str:
    char = text[at]
    if char.isascii():
        return _mark(char) if _hidden(char) else f"&#{ord(char)};"
    return _mark(char) if _hidden(char) and not _joins(text, at) else char


def _hidden(char: str) -> bool:
    """Whether a character moves or hides others, or shows nothing itself."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char not in "\n\r\t"


def _joins(text: str, at: int) -> bool:
    """A joiner inside a pictograph, as in a family or a profession, is part of the picture."""
    around = (text[at - 1 : at], text[at + 1 : at + 2])
    return text[at] == _JOINER and all(_pictures(char) for char in around)


def _pictures(char: str) -> bool:
    return bool(char) and (char == "\ufe0f" or unicodedata.category(char) in {"So", "Sk"})


def _mark(char: str) -> str:
    return f'<span class="ib-ctl">&#91;U&#43;{ord(char):04X}&#93;</span>'


def written(value: object) -> object:
    """What a template may put out: text, written as entities; whole numbers; finished markup.

    Jinja calls this on every expression. A float or a null was not formatted, and is refused.
    """
    if isinstance(value, (Markup, Undefined)):
        return value
    if isinstance(value, str):
        return entity(str(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return Markup(str(value))  # noqa: S704 - digits
    raise TypeError(f"a page cannot show {value!r} as it is; format it first")


def name(value: str) -> Markup:
    """An identifier for an attribute, by an allow-list."""
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} cannot be an id; allowed are letters, digits, dot, hyphen, underscore")
    return Markup(value)  # noqa: S704 - passed the allow-list


def address(value: str) -> Markup:
    """An address inside the site, by an allow-list; never one that begins at another host."""
    if not _ADDRESS.fullmatch(value) or value.startswith("/"):
        raise ValueError(f"{value!r} cannot be an address inside the site")
    return Markup(value)  # noqa: S704 - passed the allow-list


def title(text: str) -> str:
    """A page title that needs no escaping anywhere: the theme puts titles out as they are."""
    kept = "".join(char if char.isalnum() or char in " .,:()_/-" else " " for char in text)
    return " ".join(kept.split())[:120] or "Untitled"


def cell(value: object) -> object:
    """A value for a CSV cell; text that a spreadsheet would run is prefixed."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
