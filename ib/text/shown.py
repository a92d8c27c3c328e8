"""The visible text of Markdown and HTML. Only this module decides what is visible.

`shown_edits` returns the edits that leave only visible text, which is then matched. `bare` uses the same
edits to tell whether a reply shows anything. Hidden text (comments, tags, URLs) is ignored.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator

Edit = tuple[int, int, str]
"""An edit of a text: start, end, replacement."""

_INVISIBLE = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))
"""Unicode's general categories of spaces, controls and characters without a width."""
SHAPELESS = (
    r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff"
)
"""Characters of other categories that also have no shape (Unicode's Default_Ignorable_Code_Point), written
for a character class of a regular expression."""
_SHAPELESS = re.compile(rf"[{SHAPELESS}\u2800\u3164\U0001d159]")
"""SHAPELESS and three blank characters: the empty Braille cell, the Hangul filler, the null note head."""

# HTML tags that end a word, and HTML tags inside words. `<your name>` is neither, and is shown.
_BREAKS = (
    "address|article|aside|blockquote|body|br|caption|center|d[dlt]|div|fig(?:caption|ure)|footer|h[1-6r]|head(?:er)?"
    "|html|li|main|nav|ol|p|pre|section|summary|table|tbody|t[dhr]|tfoot|thead|ul"
)
_INLINE = (
    "a|abbr|b|bd[io]|big|cite|code|del|details|dfn|em|font|i|img|ins|kbd|label|mark|picture|q|r[pt]|ruby|s|samp"
    "|small|span|strike|strong|su[bp]|svg|time|tt|u|var|wbr"
)
_RAISED = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079\u00ae\u2120\u2122"
_FRACTIONS = "\u00bc-\u00be\u2150-\u215e"
_REST = r"(?:[\s/][^<>]{0,300})?>"
_TAG_NAME = r"[A-Za-z][\w-]{0,50}"
_SEEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~\n])"
    r"|(?P<code>(?P<ticks>`{1,2})(?!`)(?:[^`\n]|\n(?![ \t]*\n)){1,2000}+(?P=ticks)(?!`)"
    r"|(?P<fence>`{3,}+)[^`]{0,20000}+(?P=fence)(?!`))"
    r"|(?P<hidden><!--(?:-?>|.*?(?:-->|\Z))|<!(?i:doctype)\b[^<>]{0,300}>"
    r"|<(?P<raw>(?i:script|style))(?=[\s/>]|\Z).*?(?:</(?i:(?P=raw))\s*>|\Z))"
    rf"|(?P<break></?(?i:{_BREAKS}){_REST})|(?P<inline></?(?i:{_INLINE}){_REST})"
    rf"|(?P<other></?(?P<name>{_TAG_NAME}){_REST})"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    rf"|(?P<mark>\[(?:\^[0-9]{{1,3}}|[0-9]{{1,2}})\](?![(:])|[{_RAISED}])"
    rf"|(?P<fraction>(?<=[0-9])[{_FRACTIONS}])"
    r"|(?P<target>\]\[[^\[\]\n]{0,200}\]|\]\((?:<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,5})"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?\))"
    r"|(?P<open>!?\[)|(?P<close>\])",
    re.DOTALL,
)
"""In this order: an escaped mark; code, in which tags are shown as written; hidden text; tags between words
and inside words; a tag that HTML does not know; an entity; the number of a note, a raised digit, a trade
mark; a fraction behind a digit that is not part of it; the target of a link; brackets.

The number of a note has at most two digits if it has no other sign: three are a telephone number."""
_SIGN = re.compile(rf"[\\<&!\[\]`{_RAISED}{_FRACTIONS}]")
"""The first character of each of them: searching for it is much faster than for the alternatives."""
_SMALL = re.compile(f"[{_RAISED}{_FRACTIONS}]")
_CLOSED = re.compile(rf"</({_TAG_NAME})\s*>")
_ASCII = bytes(range(128))
_QUOTED = re.compile(r"^ {0,3}>[> ]*", re.MULTILINE)

_WORD = re.compile(r"[^<&\[\]\\`A-Za-z0-9]*+[A-Za-z0-9]")
"""A letter or digit before anything that could hide it, which nearly every message begins with."""
_MARKS = frozenset(">#+-*_~`")
_LAYOUT = re.compile(r">*+(?:[-+]?[*_~`]*|#{1,6}[*_~`]*|-{3,})")
"""A line of Markdown that shows no character, without its spaces: a rule, or marks around nothing."""


def unseen(character: str) -> bool:
    """True if a character shows nothing: white space, or a character without a width or a shape."""
    return unicodedata.category(character) in _INVISIBLE or _SHAPELESS.match(character) is not None


def blank(text: str) -> bool:
    """True if a text consists of unseen characters only, or is empty."""
    return all(map(unseen, text))


def bare(text: str) -> bool:
    """True if a reply shows nothing: it has only hidden text and layout marks."""
    if _WORD.match(text):
        return False
    kept: list[str] = []
    at = 0
    for start, end, new in shown_edits(text):
        if not blank(new):
            return False  # an escaped mark or an entity is shown as it is, and is no layout
        kept.append(text[at:start])
        at = end
    return _is_layout("".join([*kept, text[at:]]))


def _is_layout(text: str) -> bool:
    """True if a text has only rules and empty marks, and no other visible character."""
    if not all(character in _MARKS or unseen(character) for character in text):
        return False
    lines = "".join(character for character in text if character in _MARKS or character == "\n")
    return all(map(_LAYOUT.fullmatch, lines.split("\n")))


def shown_edits(text: str) -> list[Edit]:
    """The edits that leave only the visible text, in order and without overlap."""
    found: list[Edit] = []
    if "<" in text or "&" in text or "\\" in text or "[" in text or "](" in text or _has_small(text):
        found += _inline(text)
    if ">" in text:
        found += _continued(text)
    return list(_apart(sorted(found))) if found else found


def _inline(text: str) -> Iterator[Edit]:
    """Edits that replace links with their words, and all other marks with what they show."""
    opened: list[tuple[int, int]] = []
    closed: frozenset[str] | None = None
    for match in _marks(text):
        kind = match.lastgroup
        if kind == "code":
            continue
        if kind == "open":
            opened.append(match.span())
        elif kind in ("close", "target"):
            begin = opened.pop() if opened else None
            if kind == "target":
                # Also where no bracket was opened: a quote may begin inside the words of a link.
                yield from ((*span, "") for span in (begin, match.span()) if span is not None)
        elif kind == "other":
            closed = _closed(text) if closed is None else closed
            if match["name"] in closed or match[0][-2] == "/":
                yield *match.span(), ""
        else:
            shown = _shown(match)
            if shown != match[0]:
                yield *match.span(), shown


def _closed(text: str) -> frozenset[str]:
    """The names of the tags that a text closes; an unknown name in angle brackets is a tag only if closed."""
    return frozenset(_CLOSED.findall(text))


def _marks(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while sign := _SIGN.search(text, at):
        mark = _SEEN.match(text, sign.start())
        at = sign.end() if mark is None else mark.end()
        if mark is not None:
            yield mark


def _shown(match: re.Match[str]) -> str:
    """The visible text of one mark."""
    if match["escape"]:
        return match[0][1:]
    if match["entity"]:
        return html.unescape(match[0])
    if match["fraction"]:
        return f" {match[0]}"
    return " " if match["break"] else ""


def _has_small(text: str) -> bool:
    return not text.isascii() and _SMALL.search(beyond_ascii(text)) is not None


def _continued(text: str) -> Iterator[Edit]:
    """The marks of a block quote except those of its first line, which say that a quote begins."""
    before = -1
    for match in _QUOTED.finditer(text):
        if before >= 0 and "\n" not in text[before : match.start() - 1]:
            yield match.start(), match.end(), ""
        before = match.end()


def _apart(found: Iterable[Edit]) -> Iterator[Edit]:
    """Edits in order, without those that begin inside another."""
    last = 0
    for start, end, new in found:
        if start >= last:
            last = end
            yield start, end, new


def beyond_ascii(text: str) -> str:
    """The characters of a text that are not ASCII: few, so searching them takes a tenth of the time."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


_HIDES = re.compile(
    r"<!--|<(?:script|style)[\s>]"
    r"|[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]",
    re.IGNORECASE,
)


def hides(text: str) -> bool:
    """True if a text has a comment, a script, or characters that are unseen or reorder others."""
    return _HIDES.search(text) is not None
