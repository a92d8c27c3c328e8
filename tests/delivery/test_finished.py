"""Finished HTML goes through mkdocs unread."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest

from delivery.sync_web_bench import build
from tests.delivery import sample


def test_no_body_reaches_the_markdown_parser(
    release_folder: Path, site: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser of Markdown gets an empty text for every page, and the pages are whole all the same."""
    read: list[str] = []
    parse = markdown.Markdown.convert

    def convert(self: markdown.Markdown, text: str) -> str:
        read.append(text)
        return str(parse(self, text))

    monkeypatch.setattr(markdown.Markdown, "convert", convert)
    build(release_folder, sample.benchmark(), tmp_path / "site", root)
    assert set(read) == {""}
    assert (tmp_path / "site" / "index.html").read_bytes() == (site / "index.html").read_bytes()


def test_only_files_that_pages_use_are_published(site: Path) -> None:
    """The site has no source maps and no word lists for the search in other languages."""
    names = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    assert [name for name in names if name.endswith(".map") or "/lunr/" in name] == []
