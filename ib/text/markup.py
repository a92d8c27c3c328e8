"""What a reader sees of Markdown and HTML: the edits that take a text there.

Models write links, tags, entities and footnotes; readers see words. What stands between the words of a
phrase on the screen must not stand between them in matching, and what nobody sees was not said.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

Edit = tuple[int, int, str]
"""Start, end, replacement."""

# The tags of HTML that show nothing; another word in angles is shown, such as `<your name>`.
_BREAKS = (
    "address|article|blockquote|br|d[dlt]|div|h[1-6r]|li|ol|p|pre|section|summary|table|tbody|t[dhr]|thead|ul"
)
_INLINE = (
    "a|abbr|b|bd[io]|big|cite|code|del|details|dfn|em|font|i|img|ins|kbd|label|mark|q|s|samp|small|span|strike"
    "|strong|su[bp]|time|tt|u|var|wbr"
)
_RAISED = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079\u00ae\u2120\u2122"
_FRACTIONS = "\u00bc-\u00be\u2150-\u215e"
_REST = r"(?:[\s/][^<>]{0,300})?>"
_SEEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~\n])"
    r"|(?P<hidden><!--.*?(?:-->|\Z)|<(?P<raw>(?i:script|style))\b.*?(?:</(?i:(?P=raw))\s*>|\Z))"
    rf"|(?P<break></?(?i:{_BREAKS}){_REST})|(?P<inline></?(?i:{_INLINE}){_REST})"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)"
    rf"|(?P<mark>\[(?:\^[0-9]{{1,3}}|[0-9]{{1,2}})\](?![(:])|[{_RAISED}])"
    rf"|(?P<fraction>(?<=[0-9])[{_FRACTIONS}])"
    r"|(?P<target>\]\[[^\[\]\n]{0,200}\]|\]\((?:<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,5})"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?\))"
    r"|(?P<open>!?\[)|(?P<close>\])",
    re.DOTALL,
)
"""An escaped mark; what is not shown; tags between words and in them; an entity; the number of a note, a
raised digit, a trade mark; a fraction behind a digit, no part of it; where a link leads; brackets.

The number of a note has two digits at most where nothing else tells it: three are a telephone number."""
_SIGN = re.compile(rf"[\\<&!\[\]{_RAISED}{_FRACTIONS}]")
"""What each of them begins with: found much faster than one of many alternatives is."""
_SMALL = re.compile(f"[{_RAISED}{_FRACTIONS}]")
_ASCII = bytes(range(128))
_QUOTED = re.compile(r"^ {0,3}>[> ]*", re.MULTILINE)


def seen(text: str) -> list[Edit]:
    """The edits after which a text reads as it is shown, in order, none touching another."""
    found: list[Edit] = []
    if "<" in text or "&" in text or "\\" in text or "[" in text or "](" in text or _has_small(text):
        found += _inline(text)
    if ">" in text:
        found += _continued(text)
    return list(_apart(sorted(found))) if found else found


def _inline(text: str) -> Iterator[Edit]:
    """Links as their words, and each other mark as what is shown of it."""
    opened: list[tuple[int, int]] = []
    for match in _marks(text):
        kind = match.lastgroup
        if kind == "open":
            opened.append(match.span())
        elif kind in ("close", "target"):
            begin = opened.pop() if opened else None
            if kind == "target":
                # Also where nothing was opened: a quote may begin inside the words of a link.
                yield from ((*span, "") for span in (begin, match.span()) if span is not None)
        else:
            shown = _shown(match)
            if shown != match[0]:
                yield *match.span(), shown


def _marks(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while sign := _SIGN.search(text, at):
        mark = _SEEN.match(text, sign.start())
        at = sign.end() if mark is None else mark.end()
        if mark is not None:
            yield mark


def _shown(match: re.Match[str]) -> str:
    """What is shown of one mark."""
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
    """The marks of a block quote, but for that of its first line, which says that one begins."""
    before = -1
    for match in _QUOTED.finditer(text):
        if before >= 0 and "\n" not in text[before : match.start() - 1]:
            yield match.start(), match.end(), ""
        before = match.end()


def _apart(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Edits in order, less those that begin inside another."""
    last = 0
    for start, end, new in edits:
        if start >= last:
            last = end
            yield start, end, new


def beyond_ascii(text: str) -> str:
    """The characters of a text that are not ASCII: a few, looked through ten times faster than all."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
