"""Escape text for pages, links, titles and cells, so that text of models and data never becomes markup.

`html.escape` is not enough in a Markdown page: extensions such as `fenced_code` look for their syntax
before the HTML is parsed. Therefore every ASCII character that is not a letter, a digit or a space, and not
listed in `PLAIN`, becomes a numeric entity, and no syntax of HTML or Markdown remains.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from jinja2 import Undefined
from markupsafe import Markup

from delivery.words.filters import template_filter
from ib.text.shown import unseen

_ADDRESS = re.compile(r"[A-Za-z0-9._/-]*(?:#[A-Za-z0-9._-]+)?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
PLAIN = ".,;:?!()'%/-\n"
"""Punctuation that means nothing in the text of an element, in an attribute in double quotes, or in Markdown
inside an element. A carriage return is not in the list, because a browser would read it as a line feed."""
_CAREFUL = re.compile(f"[^A-Za-z0-9 {re.escape(PLAIN)}]")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")
"""What a formula begins with: its signs, the same in full width, and white space that programs skip."""
JOINER = "\u200d"
_STYLES = ("\ufe0e", "\ufe0f")
"""Choose between the letter and the picture of the symbol before them."""
_KEYCAP = "\u20e3"
_PICTURED = "\u203c\u2049\u2139\u3030\u303d"
"""The letter and the punctuation beyond ASCII of which Unicode has an emoji; all others are symbols."""


def entity(text: str) -> Markup:
    """HTML that shows the text letter for letter. Characters that show nothing become visible marks."""
    return Markup(_CAREFUL.sub(lambda found: _written(text, found.start()), text))  # noqa: S704 - this escapes


def _written(text: str, at: int) -> str:
    char = text[at]
    if char.isascii():
        return _mark(char) if _hidden(char) else f"&#{ord(char)};"
    return _mark(char) if _hidden(char) and not _joins(text, at) else char


@cache
def _hidden(char: str) -> bool:
    """True if a character shows nothing, moves or hides other characters, or is no character of Unicode.

    Spaces of any width are no such characters, as far as each of them is one.
    """
    lost = ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"
    category = unicodedata.category(char)
    return lost or category == "Cs" or (unseen(char) and category != "Zs" and char not in "\n\r\t")


def _joins(text: str, at: int) -> bool:
    """True for a part of an emoji, such as a joiner in a family or the style of a heart: it gets no mark."""
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if text[at] in _STYLES:
        return _pictures(before) or after == _KEYCAP
    if text[at] == JOINER and before in _STYLES:
        return _joins(text, at - 1) and _pictures(after)
    return text[at] == JOINER and _pictures(before) and _pictures(after)


def _pictures(char: str) -> bool:
    """True for a symbol or a color of skin, which may be a part of an emoji."""
    if not char or char.isascii() or _hidden(char):
        return False
    return unicodedata.category(char) in {"So", "Sm", "Sk"} or char in _PICTURED


def mark(char: str) -> str:
    """The code of a character in brackets, which stands for a character that cannot be shown."""
    return f"[U+{ord(char):04X}]"


def _mark(char: str) -> str:
    """A mark in HTML. It is no element, because texts stand in attributes, too."""
    return "".join(f"&#{ord(sign)};" if sign in "[+]" else sign for sign in mark(char))


def written(value: object) -> object:
    """The HTML of a template expression: escaped text, a whole number, or finished markup.

    Jinja calls this function for every expression. Raises TypeError for any other value, such as a float
    or None, because a template must format such values first.
    """
    if isinstance(value, (Markup, Undefined)):
        return value
    if isinstance(value, str):
        return entity(str(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return Markup(str(value))  # noqa: S704 - digits
    raise TypeError(f"a page cannot show {value!r} as it is; format it first")


@template_filter
def name(value: str) -> Markup:
    """An id for an HTML attribute. Raises ValueError if a character is not on the allow-list."""
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} cannot be an id; allowed are letters, digits, dot, hyphen, underscore")
    return Markup(value)  # noqa: S704 - passed the allow-list


@template_filter
def address(value: str) -> Markup:
    """An address inside the site. Raises ValueError for other characters, a leading slash or another host."""
    if not _ADDRESS.fullmatch(value) or value.startswith("/"):
        raise ValueError(f"{value!r} cannot be an address inside the site")
    return Markup(value)  # noqa: S704 - passed the allow-list


def title(text: str) -> str:
    """A page title that needs no escaping, because the theme does not escape titles."""
    kept = "".join(
        char if char in " .,:()_/-" or (char.isalnum() and not _hidden(char)) else " " for char in text
    )
    return " ".join(kept.split())[:120] or "Untitled"


def cell(value: object) -> object:
    """A value for a CSV cell. Text that a spreadsheet would run as a formula gets a prefix."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
