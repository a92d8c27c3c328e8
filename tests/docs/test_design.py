"""Each page of design/ says what was decided, why, at what price, and which test keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "design").glob("[0-9]*.md"))
INDEX = (ROOT / "design" / "index.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`((?:tests|ib|benchmark|tools|plugins)/[\w./-]+)(?:::(\w+))?`")


def test_the_index_lists_every_page_in_order() -> None:
    """A page that the index leaves out is not found by anybody."""
    listed = re.findall(r"^\| \[(\d+)\]\((\S+)\) \| \S.*\. \|$", INDEX, re.MULTILINE)
    assert [name for _, name in listed] == [path.name for path in PAGES]
    numbers = [number for number, _ in listed]
    assert numbers == sorted({path.name[:3] for path in PAGES}), "a number is used once"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_its_four_parts(path: Path) -> None:
    """And its number in the title."""
    page = path.read_text(encoding="utf-8")
    assert page.startswith(f"# {path.name[:3]}: ")
    for part in ("**Decision.**", "**Reason.**", "**Price.**", "**Kept by** "):
        assert page.count(part) == 1


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_a_page_names_is_there(path: Path) -> None:
    """Modules move and tests are renamed; the page follows."""
    page = path.read_text(encoding="utf-8")
    assert NAMED.search(page.split("**Kept by** ")[1])
    for name, test in NAMED.findall(page):
        assert (ROOT / name).exists(), name
        assert not test or f"def {test}(" in (ROOT / name).read_text(encoding="utf-8"), test
