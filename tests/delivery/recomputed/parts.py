"""The parts of a page that can show figures, and the numbers that each shows.

A part is a row of a table, a drawing, or the smallest block of text (paragraph, item of a list, caption).
It is named by its section and its tag. The section is the id of the figure or of the last heading before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.delivery.reading import Element
from tests.delivery.recomputed.fixed import FIXED

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCKS = {
    **dict.fromkeys(_HEADINGS, "heading"),
    **dict.fromkeys(("blockquote", "q"), "quote"),
    **{
        tag: tag
        for tag in ("p", "li", "dt", "dd", "caption", "figcaption", "summary", "svg", "footer", "textarea")
    },
}
_SCOPES = frozenset(("figure", "article"))
"""Elements whose id names the section of what is inside them, and of nothing else."""
_SHOWN = ("aria-label", "title", "alt")
"""The attributes that a reader hears or sees."""
FINDING = ("finding-", "first-")
"""How the id of a finding begins, in full and on a card. A finding is one part, with its picture."""
LABEL = "\N{SYMBOL FOR START OF TEXT}\N{SYMBOL FOR END OF TEXT}"
"""Signs around what only some readers hear or see. It counts if it has a number or a state."""
_STRIP = (
    *("ib-open", "ib-whisker", "ib-median", "ib-ring", "ib-hole", "ib-dot"),
    *("ib-clear", "ib-undecided", "ib-failed", "ib-part", "ib-square", "ib-range"),
)
"""The marks of a strip and of a bar. Its axis shows no number."""
_SLOPE = {"ib-slope--moved": "moved", "ib-slope--open": "dotted"}
_HEAT = {"older": "", "few": "few", "gate": "corner", "open": "bar"}
_NUMBER = re.compile(
    r"\d{4}-\d\d-\d\d"  # a day
    r"|(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{12,64}(?![0-9a-z])"  # a hash, or its start
    r"|(?:[pq] [<=] )?(?:\b(?:under|over) (?=\d+%|0\.))?(?<![\w.])[+\N{MINUS SIGN}]?\d+(?:[.,]\d+)*%?"
)
_STATE = re.compile(
    r"(?i)\b(?:not (?:due|measured|run|played|published|applicable|validated|as designed)|partly as designed"
    r"|as designed|no (?:clear answer|interval)|too few|few|none seen|wide|enough|by the judge"
    r"|by one AI judge|by most votes|(?:partly )?older wording"
    r"|contested|incomplete|clear(?! answer)|suppressed|undecided|unclear|split|agree|pass|(?<!hard )fail"
    r"|caught|missed|proportionate|over-cautious|false alarm|found in|validated|provisional|moved|dotted"
    r"|line|corner|bar|slight|moderate|serious(?! risk)|critical|high|low"
    r"|S[1-5](?:_GATE)?)\b"
    r"|[\N{EN DASH}?*]"
)
"""Words and signs that say a result. They count in tables and in drawings."""


@dataclass
class Part:
    """A part of a page."""

    section: str
    tag: str
    css: str = ""
    said: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.said).split())

    @property
    def is_data(self) -> bool:
        """True for a part that has to be claimed even if it shows no number."""
        return self.tag in {"row", "svg", "trust"} or self.section.startswith(FINDING)


def parts(root: Element) -> list[Part]:
    """The parts of a page, in order."""
    reader = _Reader()
    reader.read(root, None)
    return [part for part in reader.found if part.text]


class _Reader:
    def __init__(self) -> None:
        self.found: list[Part] = []
        self.section = ""
        self.in_head = False
        self.around = Element("", {})

    def read(self, element: Element, inside: Part | None) -> None:
        """Read what is in an element; `inside` is the part that its text belongs to."""
        told = list(_attributes(element))
        if told and inside is None:
            self._part("label", element).said += told
        elif inside is not None:
            inside.said += told
        for one in element.parts:
            if isinstance(one, str):
                self._text(one, element, inside)
            elif one.tag not in {"script", "style"}:
                self.around = element
                self._element(one, inside)

    def _text(self, text: str, element: Element, inside: Part | None) -> None:
        if inside is None and text.strip():
            inside = self._part(element.tag or "text", element)
        if inside is not None:
            inside.said.append(text)

    def _element(self, one: Element, inside: Part | None) -> None:
        name, outer, head = one.attrs.get("id"), self.section, self.in_head
        if name and (one.tag in _HEADINGS or one.tag in _SCOPES or name.startswith(FINDING)):
            self.section = name
        self.in_head = head or one.tag == "thead"
        tag = self._tag(one, inside)
        self.read(one, inside if tag is None else self._part(tag, one))
        self.in_head = head
        if name and one.tag not in _HEADINGS and (one.tag in _SCOPES or name.startswith(FINDING)):
            self.section = outer

    def _tag(self, one: Element, inside: Part | None) -> str | None:
        """The tag of the part that begins with an element; None if none begins."""
        if {"ib-verbatim", "ib-canary"} & set(one.classes):
            return "quote"
        if "ib-trust" in one.classes:
            return "trust"
        if "ib-gap" in one.classes or (one.tag == "summary" and self.around.classes[1:] == ["ib-rest"]):
            return "more"
        if one.tag in {"title", "desc"}:
            return "title"
        if one.tag == "tr":
            return "head" if self.in_head else "row"
        if inside is not None and (
            inside.tag in {"row", "head", "svg"} or inside.section.startswith(FINDING)
        ):
            return _BLOCKS.get(one.tag) if one.tag == "q" else None
        return _BLOCKS.get(one.tag)

    def _part(self, tag: str, element: Element) -> Part:
        part = Part(self.section, tag, element.attrs.get("class", ""))
        self.found.append(part)
        return part


def _attributes(element: Element) -> Iterator[str]:
    """What an element shows besides its text: labels, the places of marks, and the step of a color."""
    attrs, classes = element.attrs, element.classes
    for name in _SHOWN:
        if name in attrs:
            yield f" {LABEL[0]}{_beyond(element.text, attrs[name])}{LABEL[1]} "
    if element.tag == "svg" and "ib-strip" in classes:
        yield f" scale {' '.join(attrs['viewbox'].split()[::2])} "
    if element.tag == "path" and classes[0] in _STRIP:
        yield f" {classes[0]} {' '.join(re.findall(r'[MLH]([0-9]+)', attrs['d']))} "  # only across
    if element.tag == "path" and classes[0] == "ib-slope":
        lines = [_SLOPE[name] for name in classes[1:]] or ["line"]
        yield f" {lines[0]} {' '.join(re.findall('[0-9]+', attrs['d']))} "
    if element.tag == "text":
        yield f" at {attrs['x']} {attrs['y']} "
    if element.tag == "td" and re.match(r"h\d", attrs.get("class", "")):
        yield f" step {classes[0][1:]} {' '.join(_HEAT[name] for name in classes[1:])} "


def _beyond(text: str, label: str) -> str:
    """A label without the text of its element, with which it has to begin."""
    rest = label.removeprefix(text)
    return label if rest[:1] == "%" else rest


def without_fixed(text: str) -> str:
    """The text without the numbers that are no data."""
    for pattern in FIXED:
        text = re.sub(pattern, " ", text)
    return text


def numbers(text: str, names: re.Pattern[str]) -> list[str]:
    """The numbers in a text. Names are no numbers, even if they contain some."""
    return _NUMBER.findall(without_fixed(names.sub(" ", " ".join(text.split()))))


def results(text: str, names: re.Pattern[str], told: frozenset[str], *, states: bool = True) -> list[str]:
    """The numbers, the names in `told`, and (with `states`) the words for states in a text, in order."""
    text = _LABELED.sub(lambda one: one[1] if _tells(one[1], names) else " ", " ".join(text.split()))
    found: list[tuple[int, str]] = []

    def name(one: re.Match[str]) -> str:
        found.extend([(one.start(), one[0])] if one[0] in told else [])
        return "\N{SYMBOL FOR NULL}" * len(one[0])

    rest = names.sub(name, text)
    for pattern in FIXED:
        rest = re.sub(pattern, lambda one: " " * len(one[0]), rest)
    for sign in (_NUMBER, _STATE) if states else (_NUMBER,):
        found += [(one.start(), one[0].lower()) for one in sign.finditer(rest)]
    return [one for _, one in sorted(found)]


def _tells(label: str, names: re.Pattern[str]) -> bool:
    """True if a label has more than names."""
    return bool(results(label, names, frozenset()))


_LABELED = re.compile(rf"{LABEL[0]}([^{LABEL[1]}]*){LABEL[1]}")
