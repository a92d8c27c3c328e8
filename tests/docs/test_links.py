"""Every relative link in the pages of this repository leads to a file, and to a heading in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "design/*.md", "benchmark/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(page: str) -> str:
    """The page without its code, in which brackets mean something else."""
    return re.sub(r"```.*?```|`[^`\n]+`", "", page, flags=re.DOTALL)


def anchors(page: str) -> Iterator[str]:
    """The addresses of the headings, as GitHub and mkdocs make them."""
    for heading in re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", page, flags=re.DOTALL), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """A file that moved or a heading that was renamed is named here."""
    for link in LINK.findall(prose(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), f"{link}: no such file"
        if anchor:
            assert anchor in set(anchors(target.read_text(encoding="utf-8"))), f"{link}: no such heading"


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_every_page_can_be_found(path: Path) -> None:
    """Each page of docs/ is linked from the README, from CONTRIBUTING or from another page."""
    others = [page for page in PAGES if page != path]
    assert any(
        (page.parent / link.partition("#")[0]).resolve() == path
        for page in others
        for link in LINK.findall(prose(page.read_text(encoding="utf-8")))
    )
