"""Social cards: the picture that a link to the first page, or to the page of a model, shows elsewhere.

A card leaves its page behind, so it says itself what the figures are: the stage, the release, its day, counts
with intervals. It has no quote and no rank. Titles have the serif of the site, if it has their letters. All
else is in Lato, from the package mkdocs, which has Latin, Greek and Cyrillic letters; any other character of
a name becomes a mark such as [U+4E2D].
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from PIL import Image, ImageDraw, ImageFont

from delivery.figures.lines import field_line
from delivery.release.frame import STAGE_SAID, people, release_id
from delivery.release.place import site_source
from delivery.release.references import field, judge_name, of_models
from delivery.release.view import Release
from delivery.words.escape import mark
from delivery.words.gates import gate_statement
from delivery.words.trust import by_judge, no_headline, trust
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS
from ib.models.release.findings import HardFails
from ib.models.release.leaderboard import ModelEntry

SIZE = (1200, 630)
_LEFT, _RIGHT, _TOP, _RULE = 64, 1136, 28, 552
_INK, _QUIET, _LINE, _PAGE = 28, 82, 217, 255
"""Shades of gray, from 0 for black."""
_BAND = 76
"""The height of the band with the stage."""
_SHADES = 6
"""Shades in the file: enough for the edges of letters, and half the bytes of 256."""
_FONTS = {True: "lato-bold.woff", False: "lato-normal.woff"}
_SERIF = "serif.woff2"
"""The serif of the site, for titles in its letters; other titles have Lato."""
_PIECE = re.compile(r"\[U\+[0-9A-F]{4,6}\]|.[\u0300-\u036f]*", re.DOTALL)
"""What a line never divides: a mark, or a letter with its accents."""


@dataclass(frozen=True)
class Card:
    """What one card says."""

    page: str
    """The path of its page in the build folder."""
    path: str
    """The address of the picture inside the site."""
    head: str
    """Which benchmark this is, and what it is about."""
    stage: str
    """The stage in words; empty for a public release."""
    title: str
    about: str
    trust: str
    """Who judged, and how sure one can be."""
    older: bool
    """True if votes on an older wording are among them: they carry a hatch."""
    parts: tuple[tuple[str, str], ...]
    """Each a heading and a sentence."""
    foot: str

    @property
    def text(self) -> str:
        """Everything that the card says, for readers who do not see the picture."""
        parts = [f"{name}: {said}" for name, said in self.parts]
        trust = f"{self.trust[0].upper()}{self.trust[1:]}."
        told = (self.stage, f"{self.head}.", f"{self.title}.", self.about, trust, *parts, self.foot)
        return " ".join(filter(None, told))


def cards(release: Release) -> Iterator[Card]:
    """The card of the first page, and one of each model."""
    stage, foot = STAGE_SAID[release.board.stage], _foot(release)
    head = f"{release.background.site.name}: what AI assistants fail to notice"
    everyone = field(release)
    yield Card(
        page="index.md",
        path="cards/index.png",
        head=head,
        stage=stage,
        title=everyone[0].upper() + everyone[1:],
        about=f"{release.board.transcripts} conversations with {people(release)}.",
        trust=trust(release.board),
        older=release.board.older_questions > 0,
        parts=tuple(_found(release)),
        foot=foot,
    )
    for model in release.models:
        yield Card(
            page=f"models/{model.slug}.md",
            path=f"cards/{model.slug}.png",
            head=head,
            stage=stage,
            title=model.model,
            about=_about(release, model),
            trust=trust(release.board),
            older=release.board.older_questions > 0,
            parts=tuple(
                (BUCKET_NAMES[gate], gate_statement(model.gates[gate], by_judge(release.board.judge)))
                for gate in GATE_BUCKETS
            ),
            foot=foot,
        )


def _found(release: Release) -> Iterator[tuple[str, str]]:
    """What the release finds about each gate, or why it states nothing."""
    found = [one for one in release.board.findings if isinstance(one, HardFails)]
    if not found and release.board.older_questions:
        yield "Findings", f"{no_headline(release.board)}."
    for one in found:
        yield _over_all(release, one)


def _over_all(release: Release, found: HardFails) -> tuple[str, str]:
    """What the release finds about a gate, over all models."""
    said = field_line(found, "conversations due")
    open_ = found.undecided
    undecided = f"; the interval leaves room for the {open_} undecided" if open_ else ""
    return BUCKET_NAMES[found.gate], f"Hard fail {by_judge(release.board.judge)} in {said}{undecided}."


def _about(release: Release, model: ModelEntry) -> str:
    script = "A reference assistant: a script, not a product. " if model.slug in of_models(release) else ""
    return f"{script}{model.transcripts} conversations."


def _foot(release: Release) -> str:
    board = release.board
    release_said = f"Release {release_id(board)} of {board.released}."
    return f"{release_said} Not a ranking, not a certificate. Judge: {judge_name(board.judge)}."


def picture(card: Card) -> bytes:
    """The card as PNG. The same card gives the same bytes."""
    image = Image.new("L", SIZE, _PAGE)
    draw = ImageDraw.Draw(image)
    top = _TOP
    if card.stage:
        draw.rectangle((0, 0, SIZE[0], _BAND), fill=_INK)
        _write(draw, card.stage, 20, 30, most=1, bold=True, fill=_PAGE)
        top += _BAND
    _mark(draw, top + 11)
    _write(draw, card.head, top, 26, most=1, fill=_QUIET, left=_LEFT + 116)
    title = shown(card.title)
    top = _title(draw, title, top + 42)
    top = _write(draw, card.about, top + 2, 26, most=1)
    top = _trust(draw, card, top)
    for name, said in card.parts:
        top = _write(draw, name, top + 10, 26, most=1, bold=True)
        top = _write(draw, said, top, 25, most=2)
    draw.line((_LEFT, _RULE, _RIGHT, _RULE), fill=_LINE, width=2)
    _write(draw, card.foot, _RULE + 14, 20, most=1, fill=_QUIET)
    out = io.BytesIO()
    _in_shades(image).save(out, "PNG", optimize=True)
    return out.getvalue()


def _mark(draw: ImageDraw.ImageDraw, top: int) -> None:
    """The mark of the site: a gray line with a part in ink."""
    for start, end, shade in ((0, 38, _LINE), (38, 72, _INK), (72, 100, _LINE)):
        draw.rectangle((_LEFT + start, top, _LEFT + end, top + 12), fill=shade)


def _hatch(draw: ImageDraw.ImageDraw, left: int, top: int, size: int) -> None:
    """The mark of votes on an older wording: slanted lines in a box."""
    for at in range(-size, size, 7):
        draw.line(
            (left + max(at, 0), top + min(size, size + at), left + min(size, size + at), top + max(at, 0)),
            fill=_INK,
            width=2,
        )


def _trust(draw: ImageDraw.ImageDraw, card: Card, top: int) -> int:
    """Write who judged and how sure one can be, whole and in one line; returns the height below it."""
    left = _LEFT
    if card.older:
        _hatch(draw, _LEFT, top + 2, 24)
        left += 34
    said = card.trust[0].upper() + card.trust[1:]
    size = next((size for size in (26, 24, 22, 20) if _fits(said, size, bold=True, left=left)), 18)
    return _write(draw, said, top, size, most=1, bold=True, left=left)


def _title(draw: ImageDraw.ImageDraw, title: str, top: int) -> int:
    """Write the title as large as one line has room for; returns the height below it."""
    serif = set(title) <= _letters()
    if not serif:
        large = next((size for size in (66, 54) if len(_lines(title, size, bold=True)) == 1), 40)
        return _write(draw, title, top, large, most=2, bold=True)
    large = next((size for size in (62, 54, 46) if _serif(size).getlength(title) <= _RIGHT - _LEFT), 0)
    if not large:
        return _write(draw, title, top, 40, most=2, bold=True)
    draw.text((_LEFT, top), title, _INK, _serif(large))
    return top + round(large * 1.32)


def _in_shades(image: Image.Image) -> Image.Image:
    """The picture with a palette of evenly spaced shades."""
    top = _SHADES - 1
    found = image.point([round(value * top / 255) for value in range(256)])
    found.putpalette([round(shade * 255 / top) for shade in range(_SHADES) for _ in "rgb"])
    return found


def shown(text: str) -> str:
    """The text in the characters that the font has, with composed accents; any other becomes a mark."""
    return "".join(char if _known(char) else mark(char) for char in unicodedata.normalize("NFC", text))


def _write(  # noqa: PLR0913 - a paragraph has a place, a form and a limit
    draw: ImageDraw.ImageDraw,
    text: str,
    top: int,
    size: int,
    *,
    most: int,
    bold: bool = False,
    fill: int = _INK,
    left: int = _LEFT,
) -> int:
    """Write a paragraph of at most `most` lines; returns the height below it."""
    lines = _lines(shown(text), size, bold=bold, left=left)
    if len(lines) > most:
        lines = [*lines[: most - 1], _shortened(" ".join(lines[most - 1 :]), size, bold=bold, left=left)]
    for line in lines:
        draw.text((left, top), line, fill, _font(size, bold=bold))
        top += round(size * 1.32)
    return top


def _lines(text: str, size: int, *, bold: bool, left: int = _LEFT) -> list[str]:
    """The text in lines that fit. A word that is wider than a line is broken between its pieces."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if _fits(longer, size, bold=bold, left=left):
            lines[-1] = longer
            continue
        lines += [""] if lines[-1] else []
        for piece in _PIECE.findall(word):
            if not _fits(lines[-1] + piece, size, bold=bold, left=left):
                lines.append("")
            lines[-1] += piece
    return lines


def _shortened(line: str, size: int, *, bold: bool, left: int = _LEFT) -> str:
    """A line with dots at its end, for a text that goes on."""
    pieces = _PIECE.findall(line)
    while not _fits(f"{''.join(pieces)} ...", size, bold=bold, left=left):
        pieces.pop()
    return f"{''.join(pieces)} ..."


def _fits(text: str, size: int, *, bold: bool, left: int = _LEFT) -> bool:
    return _font(size, bold=bold).getlength(text) <= _RIGHT - left


@cache
def _serif(size: int) -> ImageFont.FreeTypeFont:
    path = site_source() / "site_src" / "assets" / "fonts" / _SERIF
    return ImageFont.truetype(io.BytesIO(path.read_bytes()), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _letters() -> frozenset[str]:
    """The letters of the serif, among those of Latin scripts."""
    font = _serif(20)
    lacking = bytes(font.getmask("\uffff"))
    found = (char for code in range(0x20, 0x250) if (char := chr(code)).isprintable())
    return frozenset(char for char in found if char == " " or bytes(font.getmask(char)) not in (lacking, b""))


@cache
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    file = resources.files("mkdocs") / "themes" / "readthedocs" / "css" / "fonts" / _FONTS[bold]
    # The basic layout depends on no other library, so the bytes of a card do not either.
    return ImageFont.truetype(io.BytesIO(file.read_bytes()), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _known(char: str) -> bool:
    """True if the character shows something, and the font has it."""
    font = _font(20, bold=False)
    drawn, lacking = (bytes(font.getmask(each)) for each in (char, "\uffff"))
    return char == " " or (char.isprintable() and any(drawn) and drawn != lacking)
