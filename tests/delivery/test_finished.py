"""Finished HTML goes through mkdocs unread."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import markdown
import pytest

from delivery.sync_web_bench import build
from ib.errors import Refused
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


def test_front_matter_that_cannot_be_read_is_refused(
    release_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mkdocs would build the page without its title and its wish not to be listed, and say nothing."""
    monkeypatch.setattr("delivery.build.render.escape.title", lambda _: "\uffff")
    with pytest.raises(Refused, match=r"the front matter of .*\.md cannot be read"):
        build(release_folder, sample.benchmark(), tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_only_files_that_pages_use_are_published(site: Path) -> None:
    """The site has no source maps, no word lists for the search in other languages and no parts of pages."""
    names = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    assert [name for name in names if name.endswith(".map") or "/lunr/" in name] == []
    assert not (site / "partials").exists()


def test_own_scripts_are_small(site: Path) -> None:
    """All scripts of the site itself, the one that makes the search too, have at most 6 KB compressed."""
    own = sorted((site / "ib").glob("*.js"))
    assert [path.name for path in own] == ["search.js", "site.js"]
    assert sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in own) <= 6_000


def test_the_frame_of_a_page_is_small(site: Path) -> None:
    """What every page repeats, from its head to its footer without the body, has at most 4.2 KB."""
    for page in site.rglob("*.html"):
        start, _, rest = page.read_text("utf-8").partition("<article")
        frame = f"{start}<article{rest.rpartition('</article>')[2]}"
        data = re.sub(r'<script type="application/ld.json">.*?</script>', "", frame, flags=re.DOTALL)
        assert len(data.encode()) <= 4_200, page
        assert "\n\n" not in frame, page
