"""After one model changes, pages without that model differ only in the line that names the release."""

from __future__ import annotations

from pathlib import Path

import pytest

from delivery.sync_web_bench import build
from tests.delivery import sample

OF_OTHERS = (
    "models/alder/",
    "models/birch/",
    "transcripts/alder/",
    "transcripts/birch/",
    "compare/alder--birch/",
)
OF_NONE = ("about/", "accessibility/", "limits/", "data/index.html", "404.html", "contrast/")


@pytest.fixture(scope="module")
def changed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the sample after one model changed."""
    board, _ = sample.release()
    models = tuple(
        one.model_copy(update={"truncated_turns": 77}) if one.slug == "hostile" else one
        for one in board.models
    )
    board = board.model_copy(update={"models": models, "results_hash": "9" * 64})
    folder = tmp_path_factory.mktemp("changed")
    build(sample.write(folder / "release", board=board), sample.benchmark(), folder / "site", root)
    return folder / "site"


def _changes(name: str, *sites: Path) -> list[str]:
    """The lines of a page that the second site has in place of those of the first."""
    before, after = ((site / name).read_text("utf-8").splitlines() for site in sites)
    return [new for old, new in zip(before, after, strict=True) if old != new]


def test_pages_without_the_changed_model_keep_their_lines(site: Path, changed: Path) -> None:
    """Only the lines that name the release are new: the footer, captions and the citation."""
    found = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    untouched = sorted(name for name in found if name.startswith((*OF_OTHERS, *OF_NONE)))
    assert len(untouched) > 15
    for name in untouched:
        lines = _changes(name, site, changed)
        assert lines, name
        assert [line for line in lines if "9" * 12 not in line] == [], name


def test_the_page_of_the_changed_model_says_what_changed(site: Path, changed: Path) -> None:
    """Without this change, the other test would compare equal sites."""
    lines = _changes("models/hostile/counts/index.html", site, changed)
    lines += _changes("models/hostile/index.html", site, changed)
    assert any("77" in line for line in lines)
