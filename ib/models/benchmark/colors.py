"""Colors of a site of its own: the accent and the ground on which it stands, in both schemes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from ib.models.common.base import Record

Color = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]
LEAST = 7.0
"""The contrast that text needs on its ground: level AAA of the accessibility guidelines (WCAG 2.2)."""


class Shades(Record):
    """One color in both schemes."""

    light: Color
    """In the light scheme, as `#rrggbb` in lower case."""
    dark: Color
    """In the dark scheme."""


class Colors(Record):
    """The colors in which a site differs from others. Text keeps a contrast of 7:1 on every ground."""

    accent: Shades
    """What failed; also the color of this text."""
    soft: Shades
    """The ground of what failed."""


TEXTS: Mapping[str, Shades] = {
    "ink": Shades(light="#17181a", dark="#ece9e3"),
    "quiet": Shades(light="#4d4e50", dark="#b8b5ae"),
}
"""The other colors of text. The style sheet of the site has the same values."""
GROUNDS: Mapping[str, Shades] = {
    "page": Shades(light="#fdfcf9", dark="#15171a"),
    "panel": Shades(light="#f5f3ed", dark="#1d2024"),
}
"""The other grounds, the same way."""


def faint(colors: Colors) -> Iterator[tuple[tuple[str, str], str]]:
    """Each key whose color has too little contrast, and what was found."""
    for scheme in ("light", "dark"):
        accent, soft = getattr(colors.accent, scheme), getattr(colors.soft, scheme)
        for name, ground in GROUNDS.items():
            yield from _faint("accent", accent, f"the {name}", getattr(ground, scheme), scheme)
        yield from _faint("accent", accent, "`soft`", soft, scheme)
        for name, text in TEXTS.items():
            yield from _faint("soft", soft, f"text in {name}", getattr(text, scheme), scheme)


def _faint(
    key: str, color: str, other: str, against: str, scheme: str
) -> Iterator[tuple[tuple[str, str], str]]:
    found = contrast(color, against)
    if found < LEAST:
        yield (key, scheme), f"{color} against {other} ({against}) has a contrast of {found:.2f}:1"


def contrast(one: str, other: str) -> float:
    """The contrast of two colors as WCAG 2.2 defines it, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
