"""Texts that attack a page: ways to turn text into markup, code or an address, made from parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

ACT = "alert(13)"
"""What a payload runs if a page lets it."""
EVENTS = ("onclick", "onload", "onerror", "onfocus", "onmouseover", "ontoggle", "onpointerenter", "onbegin")
SCHEMES = ("javascript", "JaVaScRiPt", "java\tscript", "java\nscript", " javascript", "vbscript", "data")
TAGS = (
    "script", "img", "svg", "math", "iframe", "object", "embed", "base", "meta", "link", "form", "input",
    "template", "noscript", "style", "title", "textarea", "xmp", "plaintext", "dialog", "portal", "slot",
)  # fmt: skip
INVISIBLE = (
    "\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2069\ufeff"
    "\u034f\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f\U000e0100"
)


def _elements() -> Iterator[str]:
    """Every dangerous element: open, closed, self-closing, in capitals, and across lines."""
    for tag in TAGS:
        yield f"<{tag}>{ACT}</{tag}>"
        yield f"<{tag.upper()}/src=x href=x onerror={ACT}>"
        yield f"</{tag}\n><{tag}\n"


def _attributes() -> Iterator[str]:
    """Event handlers after each kind of quotation mark that may end an attribute."""
    for quote, event in product(("", "'", '"', "`", "\u2019"), EVENTS):
        yield f"x{quote} {event}={quote}{ACT}{quote} autofocus x={quote}"


def _addresses() -> Iterator[str]:
    """Addresses that run code or leave the site, alone and as links of HTML and of Markdown."""
    for scheme in SCHEMES:
        yield f"{scheme}:{ACT}"
        yield f'<a href="{scheme}:{ACT}">x</a>'
        yield f"[x]({scheme}:{ACT})"
    yield from (
        "//example.org/x",
        "https://example.org/x",
        "<https://example.org>",
        "data:text/html,<b>x</b>",
    )


def _templates() -> Iterator[str]:
    """Expressions, statements and comments of template languages."""
    for opened, closed in (("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("${", "}"), ("<%", "%>"), ("[[", "]]")):
        yield f"{opened} 7 * 7 {closed}"
        yield f"{opened} include '../mkdocs.yml' {closed}"
        yield f"{closed} {opened}"
    yield "{% endblock %}{% raw %}"
    yield "{{ config.__class__.__mro__ }}"


def _markdown() -> Iterator[str]:
    """Fences, lists of attributes and blocks of Markdown and its extensions."""
    for fence in ("```", "~~~", "````"):
        yield f"{fence}html\n<b {EVENTS[0]}={ACT}>x</b>\n{fence}"
        yield f"{fence} {{ .x {EVENTS[0]}={ACT} }}\nx\n{fence}"
        yield f"x\n{fence}"
    yield from (f"{mark} x {{ #{mark} style=color:red {EVENTS[0]}={ACT} }}" for mark in "#*->+=|")
    yield from (
        "[x]: https://example.org\n\n[x]",
        "*[x]: <b>",
        "[^1]\n\n[^1]: <b>x</b>",
        "!!! note\n    <b>x</b>",
    )
    yield from (
        "    <b>x</b>",
        "---\ntitle: x\n---\n",
        '--8<-- "x"',
        "| a |\n|---|\n| <b> |",
        ":smile: ==x== ^^x^^",
    )


def _entities() -> Iterator[str]:
    """Entities, double entities and numbers for characters, which must read as they were said."""
    for name in ("lt", "amp", "quot", "nbsp", "#60", "#x3c", "#0", "#x110000", "colon", "Tab", "bsol"):
        yield f"&{name};b&{name};"
        yield f"&amp;{name};script&amp;{name};"
        yield f"&{name} x"


def _unclosed() -> Iterator[str]:
    """Comments, sections and elements that swallow what follows."""
    yield from (
        "<!--",
        "-->",
        "<!-->",
        "--!>",
        "<!--><script>",
        "<![CDATA[",
        "]]>",
        "<?xml ?>",
        "<!doctype x>",
        "<!x",
    )
    yield from (
        "<",
        "<b",
        "</",
        "<b x='",
        '<b x="',
        "<div><div>",
        "</div></main></body></html>",
        "</details></table>",
    )


def _foreign() -> Iterator[str]:
    """SVG and MathML, whose parsers follow other rules."""
    for space, inside in product(
        ("svg", "math"), ("script", "style", "title", "desc", "mtext", "foreignObject")
    ):
        yield f"<{space}><{inside}><!--</{inside}><img src=x onerror={ACT}>--></{space}>"
    yield f'<svg><animate xlink:href="#x" attributeName="href" values="javascript:{ACT}"/></svg>'
    yield f'<svg><use href="data:image/svg+xml,<svg onload={ACT}>#x"/></svg>'


def _mutations() -> Iterator[str]:
    """Texts that change their meaning when a browser reads what it wrote before."""
    for outer, inner in product(("noscript", "style", "xmp", "textarea", "title"), ("p", "a", "img")):
        yield f'<{outer}><{inner} title="</{outer}><img src=x onerror={ACT}>">'
    yield f"<math><mtext><table><mglyph><style><img src=x onerror={ACT}>"
    yield f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={ACT}>"


def _controls() -> Iterator[str]:
    """Characters that hide, that turn the direction of the text around, or that are none."""
    yield "a\uffff\ufffeb"
    yield "\ufdd0\ufdef\U0001ffff\U0010fffe"
    yield from (f"a{char}b" for char in INVISIBLE)
    yield from (
        f"nul\x00 bell\x07{chr(code)}" for code in (0x01, 0x08, 0x0B, 0x0C, 0x1B, 0x7F, 0x80, 0x85, 0x9F)
    )
    yield from ("\u202e)31(trela\u202c", "\u2028line", "\u2029paragraph", "\U000e0041\U000e007f", "\r\rx\r\n")


def _styles() -> Iterator[str]:
    """Style sheets and what they load."""
    for rule in (
        "background:url(https://example.org/x)",
        "color:red",
        "behavior:url(x)",
        "position:fixed;inset:0",
    ):
        yield f"<style>*{{{rule}}}</style>"
        yield f'" style="{rule}'
        yield f"@import 'https://example.org/x';}}*{{{rule}}}"


def _scripts() -> Iterator[str]:
    """Ways out of a script, of JSON in a page, and of a template string."""
    for close in (
        "</script>",
        "</SCRIPT >",
        "<!--<script>",
        "\\u003c/script>",
        "';",
        '";',
        "`;",
        "*/",
        "\n//",
    ):
        yield f"{close}{ACT}//"
        yield f'{close}<img src=x onerror="{ACT}">'
    yield '{"@context": "https://schema.org", "@type": "Person"}'


def _cells() -> Iterator[str]:
    """Formulas, and the separators of tables."""
    for first in ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t=", "\r=", "\n=", '"='):
        yield f'{first}HYPERLINK("https://example.org","x")'
        yield f"{first}1+1|cmd"
    yield from (",;\t|", '""", "', "a\nb,c\r\nd")


def _paths() -> Iterator[str]:
    """Paths that leave their folder. (The gate refuses paths of a machine, such as those of its system.)"""
    for step in ("../", "..\\", "%2e%2e/", "..%2f", "....//", "..;/", "\u2025/", "/./"):
        yield f"{step * 3}index.html"
        yield f"x{step}index.html\x00.md"


def _long() -> Iterator[str]:
    """Words that no line can hold, and pictures of many parts."""
    yield from ("w" * 2000, "\u00e9" * 500, "a\u0301" * 300, "\u4e2d" * 400, "x-" * 300, "x/" * 300)
    yield from (
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f1fa\U0001f1f8",
    )
    yield from (
        "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349",
        "\ufdfd" * 20,
    )


FAMILIES = (
    _elements, _attributes, _addresses, _templates, _markdown, _entities, _unclosed, _foreign, _mutations,
    _controls, _styles, _scripts, _cells, _paths, _long,
)  # fmt: skip
PAYLOADS = tuple(dict.fromkeys(payload for family in FAMILIES for payload in family()))
"""Every payload once."""
NAME = " ".join(next(iter(family())) for family in FAMILIES)[:600]
"""A name of a model: one payload of each family."""
