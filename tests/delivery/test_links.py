from __future__ import annotations

from pathlib import Path

import pytest

from delivery.build import links
from delivery.build.policy import with_policy

PLANTED = [
    ('<a href="../nowhere/">x</a>', "points to no file"),
    ('<a href="other.html#gone">x</a>', "points to an id"),
    ('<a href="#gone">x</a>', "points to an id"),
    ('<a href="folder">x</a>', "points to no file"),
    ('<a href="http://example.org/">x</a>', "is not https"),
    ('<a href="javascript:x">x</a>', "is not https"),
    ('<a href="//example.org/">x</a>', "is not https"),
    ('<a href="java&#115;cript&#58;x">x</a>', "is not https"),
    ('<script src="https://example.org/x.js"></script>', "from another site"),
    ('<link rel="stylesheet" href="//example.org/x.css">', "from another site"),
    ('<link rel="preconnect" href="https://example.org">', "from another site"),
    ('<img src="https://example.org/x.png">', "from another site"),
    ('<img srcset="ok.png 1x, https://example.org/x.png 2x" src="ok.png">', "from another site"),
    ('<iframe src="https://example.org/"></iframe>', "from another site"),
    ('<form action="https://example.org/"></form>', "from another site"),
    ('<p id="a"></p><p id="a"></p>', "used more than once"),
]
HEAD = with_policy('<meta charset="utf-8">')
SOUND = f"""{HEAD}
<a href="other.html#here">x</a> <a href="folder/">x</a> <a href="./">x</a> <a href="/other.html">x</a>
<a href="https://example.org/#x">x</a> <a href="#">x</a> <a href="?q=x">x</a>
<a href="other.html?q=1#h%65re">x</a>
<img src="ok.png"> <img src="data:image/png;base64,AA=="> <link rel="canonical" href="https://example.org/">
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site without link problems."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text(HEAD + '<a href="../">up</a>')
    (tmp_path / "other.html").write_text(HEAD + '<p id="here"></p>')
    (tmp_path / "ok.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(SOUND)
    return tmp_path


def test_a_sound_site_has_no_findings(folder: Path) -> None:
    """Internal links, fragments, https links for the reader and embedded images are allowed."""
    assert links.check(folder) == []


@pytest.mark.parametrize(("html", "what"), PLANTED)
def test_a_planted_fault_is_found(folder: Path, html: str, what: str) -> None:
    """Each broken link, foreign resource or repeated id is the only finding, with its page."""
    (folder / "index.html").write_text(SOUND + html)
    (finding,) = links.check(folder)
    assert finding.path == "index.html"
    assert what in finding.what


@pytest.mark.parametrize(
    "css", ["@import 'https://example.org/x.css';", "p { background: url(//example.org/x) }"]
)
def test_a_style_sheet_loads_nothing_foreign(folder: Path, css: str) -> None:
    """Style sheets are checked too."""
    (folder / "x.css").write_text(css)
    (finding,) = links.check(folder)
    assert (finding.path, "from another site" in finding.what) == ("x.css", True)


def test_pages_call_only_the_numbers_of_the_frame(folder: Path) -> None:
    """A page may call what the line of help on every page calls, and no other number."""
    (folder / "404.html").write_text(HEAD + '<a href="tel:116123">Call</a> <a href="sms:116123">text</a>')
    (folder / "index.html").write_text(SOUND + '<a href="tel:116123">Call</a>')
    assert links.check(folder) == []
    (folder / "index.html").write_text(SOUND + '<a href="tel:988">Call</a>')
    (finding,) = links.check(folder)
    assert (finding.path, "tel:988" in finding.what) == ("index.html", True)


def test_an_empty_folder_is_not_a_sound_site(tmp_path: Path) -> None:
    """A folder without HTML pages is a finding, because nothing was checked."""
    assert [finding.what for finding in links.check(tmp_path)] == ["no HTML page in this folder"]


def test_the_built_site_is_sound(site: Path) -> None:
    """The built sample has no broken links and loads nothing from other sites."""
    assert links.check(site) == []
