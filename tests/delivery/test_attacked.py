"""Over 300 payloads in every text of a release: pages and data stay what plain words make of them."""

from __future__ import annotations

import csv
import html
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest

from delivery.build import links
from delivery.words import escape
from tests.delivery import attacked
from tests.delivery.payloads import PAYLOADS

HARMLESS = re.compile(r"[A-Za-z0-9._/-]+")
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")
DATA = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True)
class Pair:
    """The same site twice: from payloads, and from plain words."""

    hostile: Path
    plain: Path

    def files(self, suffix: str) -> list[str]:
        """The files of the hostile site, by path."""
        found = self.hostile.rglob(f"*{suffix}")
        return sorted(path.relative_to(self.hostile).as_posix() for path in found if path.is_file())


@pytest.fixture(scope="module", params=[False, True], ids=["plays", "open logs"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Both sites, of plays and of open logs."""
    folder = tmp_path_factory.mktemp("attacked")
    told = {"hostile": attacked.HOSTILE, "plain": attacked.PLAIN}
    made = {
        name: attacked.write(folder / name, texts, open_logs=request.param) for name, texts in told.items()
    }
    assert sorted(path.name for path in folder.iterdir()) == ["hostile", "plain"]
    return Pair(made["hostile"], made["plain"])


def test_there_are_over_300_payloads() -> None:
    """No payload occurs twice."""
    assert len(set(PAYLOADS)) == len(PAYLOADS) > 300


STYLED = (
    ("mark", (), ""),
    ("b", (), ""),
    *(("span", ("class",), f"ib-{what}") for what in ("off", "bullet", "number")),
)
"""Elements in which the words of a reply may stand: quoted, bold, an item of a list, or a mark of these."""


def test_payloads_make_no_element_and_no_attribute(pair: Pair) -> None:
    """Each page has the elements, attributes and classes that it has with plain words, or those of STYLED."""
    pages = pair.files(".html")
    assert len(pages) > 50
    for name in pages:
        hostile, plain = (_skeleton(site / name) for site in (pair.hostile, pair.plain))
        if name == "scenarios/index.html":  # sorted by titles, which are payloads
            hostile, plain = sorted(hostile), sorted(plain)
        assert hostile == plain, name


def _skeleton(page: Path) -> list[tuple[str, tuple[str, ...], str]]:
    """Every tag of a page with the names of its attributes and its classes."""
    tags = links._fast(page.read_text("utf-8"))
    assert tags is not None, f"{page.name} is not well-formed"
    found = [(tag, tuple(sorted(values)), values.get("class", "")) for tag, values in tags]
    return [one for one in found if one not in STYLED]


def test_payloads_make_no_file(pair: Pair) -> None:
    """The site has the files that it has with plain words, and nothing of either site lies outside."""
    plain = {path.relative_to(pair.plain).as_posix() for path in pair.plain.rglob("*")}
    hostile = {path.relative_to(pair.hostile).as_posix() for path in pair.hostile.rglob("*")}
    assert hostile == plain
    assert all(HARMLESS.fullmatch(name) for name in hostile)
    assert {path.name for path in pair.hostile.parent.iterdir()} == {"release", "benchmark", "site"}


def test_no_cell_is_a_formula(pair: Pair) -> None:
    """A spreadsheet computes nothing from a cell, except plain numbers below zero."""
    for name in pair.files(".csv"):
        with (pair.hostile / name).open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                assert not [cell for cell in row if cell.startswith(FORMULA) and not _number(cell)], name


def _number(cell: str) -> bool:
    return re.fullmatch(r"-\d+(\.\d+)?(e-?\d+)?", cell) is not None


def test_data_for_programs_is_whole(pair: Pair) -> None:
    """Every JSON file, the JSON in pages and the sitemap can be read. No JSON ends its script element."""
    for name in pair.files(".json"):
        json.loads((pair.hostile / name).read_bytes())
    for name in pair.files(".html"):
        for text in DATA.findall((pair.hostile / name).read_text("utf-8")):
            assert "<" not in text
            json.loads(text)
    for name in pair.files("sitemap.xml"):
        ET.parse(pair.hostile / name)  # noqa: S314 - the file is our own


def test_the_search_shows_no_markup_of_a_payload(pair: Pair) -> None:
    """The index, which the search writes into the page, has the elements of the plain one."""
    hostile, plain = (
        json.loads((site / "search" / "search_index.json").read_bytes())["docs"]
        for site in (pair.hostile, pair.plain)
    )
    assert len(hostile) == len(plain) > 50
    for field in ("title", "text"):
        tags = (
            {tag for doc in docs for tag in re.findall(r"<\s*/?\s*[a-z!?]+", doc[field])}
            for docs in (hostile, plain)
        )
        assert next(tags) == next(tags)


@pytest.mark.parametrize("text", [*PAYLOADS, "lone \ud83d surrogate"])
def test_a_payload_reads_as_it_was_said(text: str) -> None:
    """Escaped text contains no character of markup, and a browser shows the text; controls become marks."""
    written = str(escape.entity(text))
    assert not set(written) & set('<>"`={}[]|*_\\\r\x00')
    assert html.unescape(written) == seen(text)


def seen(text: str) -> str:
    """A text as a page shows it: unchanged, but characters that hide are marks."""
    return "".join(
        f"[U+{ord(char):04X}]" if escape._hidden(char) and not escape._joins(text, at) else char
        for at, char in enumerate(text)
    )
