"""Escape text for pages, links, titles and cells, so that text of models and data never becomes markup.

`html.escape` is not enough in a Markdown page: extensions such as `fenced_code` look for their syntax
before the HTML is parsed. Therefore every ASCII character that is not a letter, a digit or a space, and not
listed in `PLAIN`, becomes a numeric entity, and no syntax of HTML or Markdown remains.
"""

from __future__ import annotations

import re
import unicodedata

from jinja2 import Undefined
from markupsafe import Markup

_ADDRESS = re.compile(r"[A-Za-z0-9._/-]*(?:#[A-Za-z0-9._-]+)?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
PLAIN = ".,;:?!()'%/-\n"
"""Punctuation that means nothing in the text of an element, in an attribute in double quotes, or in Markdown
inside an element. A carriage return is not in the list, because a browser would read it as a line feed."""
_CAREFUL = re.compile(f"[^A-Za-z0-9 {re.escape(PLAIN)}]")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")
"""What a formula begins with: its signs, the same in full width, and white space that programs skip."""
JOINER = "\u200d"


def entity(text: str) -> Markup:
    """HTML that shows the text letter for letter. Invisible control characters become visible marks."""
    return Markup(_CAREFUL.sub(lambda found: _written(text, found.start()), text))  # noqa: S704 - this escapes


def _written(text: str, at: int) -> str:
    char = text[at]
    if char.isascii():
        return _mark(char) if _hidden(char) else f"&#{ord(char)};"
    return _mark(char) if _hidden(char) and not _joins(text, at) else char


def _hidden(char: str) -> bool:
    """True if a character is invisible, moves or hides other characters, or is no character of Unicode."""
    lost = ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"
    return lost or (unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char not in "\n\r\t")


def _joins(text: str, at: int) -> bool:
    """True for a joiner inside an emoji, such as a family: it is part of the picture, so it gets no mark."""
    around = (text[at - 1 : at], text[at + 1 : at + 2])
    return text[at] == JOINER and all(_pictures(char) for char in around)


def _pictures(char: str) -> bool:
    return bool(char) and (char == "\ufe0f" or unicodedata.category(char) in {"So", "Sk"})


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


def name(value: str) -> Markup:
    """An id for an HTML attribute. Raises ValueError if a character is not on the allow-list."""
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} cannot be an id; allowed are letters, digits, dot, hyphen, underscore")
    return Markup(value)  # noqa: S704 - passed the allow-list


def address(value: str) -> Markup:
    """An address inside the site. Raises ValueError for other characters, a leading slash or another host."""
    if not _ADDRESS.fullmatch(value) or value.startswith("/"):
        raise ValueError(f"{value!r} cannot be an address inside the site")
    return Markup(value)  # noqa: S704 - passed the allow-list


def title(text: str) -> str:
    """A page title that needs no escaping, because the theme does not escape titles."""
    kept = "".join(char if char.isalnum() or char in " .,:()_/-" else " " for char in text)
    return " ".join(kept.split())[:120] or "Untitled"


def cell(value: object) -> object:
    """A value for a CSV cell. Text that a spreadsheet would run as a formula gets a prefix."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
