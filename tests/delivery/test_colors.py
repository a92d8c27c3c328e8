"""The color tokens of the site: text can be read on its background, in both schemes."""

from __future__ import annotations

import re

import pytest

from delivery.release.place import site_source
from delivery.report.page import tokens as report_tokens
from ib.models.benchmark import colors

CSS = (site_source() / "site_src" / "assets" / "base.css").read_text("utf-8")
TOKEN = re.compile(r"--ib-([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
PAIRS = [
    *((text, on) for text in ("ink", "quiet", "accent") for on in ("page", "panel", "accent-soft")),
    ("ink", "mark"),
    *((f"on-h{step}", f"h{step}") for step in range(6)),
]


def tokens() -> dict[str, tuple[str, str]]:
    return {name: (light, dark) for name, light, dark in TOKEN.findall(CSS)}


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "on"), PAIRS)
def test_text_has_the_contrast_of_aaa(text: str, on: str, scheme: int) -> None:
    """Each text color has at least 7:1 on each background on which it stands."""
    known = tokens()
    assert contrast(known[text][scheme], known[on][scheme]) >= 7


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_heat_steps_go_one_way(scheme: int) -> None:
    """Each heat step is darker (light scheme) or lighter (dark scheme) than the step before."""
    steps = [luminance(tokens()[f"h{step}"][scheme]) for step in range(6)]
    assert steps == sorted(steps, reverse=scheme == 0)
    assert len(set(steps)) == 6


def test_only_the_tokens_name_colors() -> None:
    """Outside the tokens, no sheet of the site has a color of its own."""
    for sheet in (site_source() / "site_src" / "assets").glob("*.css"):
        rest = TOKEN.sub("", sheet.read_text("utf-8"))
        assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;, )}])|\brgba?\(|\bhsla?\(", rest) == [], sheet.name


@pytest.mark.parametrize(("name", "known"), [*colors.TEXTS.items(), *colors.GROUNDS.items()])
def test_the_model_knows_the_other_tokens(name: str, known: colors.Shades) -> None:
    """Colors of a benchmark are compared with the values that the style sheet has."""
    assert tokens()[name] == (known.light, known.dark)


def test_the_contrast_of_the_model_is_that_of_the_guidelines() -> None:
    """The same contrast as here, for every pair of tokens."""
    values = sorted({one for pair in tokens().values() for one in pair})
    for one in values:
        for other in values:
            assert colors.contrast(one, other) == pytest.approx(contrast(one, other))
    assert colors.contrast("#000000", "#ffffff") == pytest.approx(21)


def test_the_colors_of_the_sheet_could_be_configured() -> None:
    """The accent and its ground in the sheet pass the check that a benchmark's own colors must pass."""
    (accent, soft) = (
        colors.Shades(light=light, dark=dark) for light, dark in (tokens()["accent"], tokens()["accent-soft"])
    )
    assert list(colors.faint(colors.Colors(accent=accent, soft=soft))) == []


def test_a_report_has_the_colors_of_the_site() -> None:
    """The one-file report carries every token that its sheet uses."""
    templates = site_source() / "site_src" / "templates"
    carried = TOKEN.findall(str(report_tokens(templates)))
    used = set(re.findall(r"var\(--ib-([a-z0-9-]+)\)", (templates / "report.css").read_text("utf-8")))
    assert used - {"mono", "sans", "serif"} <= {name for name, _, _ in carried}
