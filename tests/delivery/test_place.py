"""Where the site is served: canonical links, sitemap, 404 page, citation, and texts for programs."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import tomllib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from delivery.build import links
from delivery.build.mkdocs import build_time
from delivery.build.robots import texts
from delivery.release.frame import bibtex, frame
from delivery.release.place import NOWHERE, Place, site_source
from delivery.release.view import Release
from delivery.sync_web_bench import build
from ib.commands.site import site as command
from ib.errors import UsageError
from ib.models.common.base import Stage
from tests.delivery import sample

URL = "https://example.org/repo/"
BOARD, EVIDENCE = sample.release()
RELEASE = Release(BOARD, EVIDENCE, sample.benchmark(), sample.background())


@pytest.fixture(scope="module")
def placed(release_folder: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's site for an address below the root of its host."""
    out = tmp_path_factory.mktemp("placed") / "site"
    build(release_folder, sample.benchmark(), out, root, Place(URL, "https://example.org/source"))
    return out


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/",
        "example.org",
        "https://example.org/?x",
        "https://example.org/#x",
        'https://e.org/"',
    ],
)
def test_only_a_plain_https_address_is_taken(address: str) -> None:
    """Any other address is wrong usage, and the message shows it."""
    with pytest.raises(UsageError, match="the site address is"):
        Place(url=address)
    with pytest.raises(UsageError, match="the source address is"):
        Place(source=address)


def test_the_address_may_come_from_the_environment(release_folder: Path, tmp_path: Path) -> None:
    """IB_SITE_URL and IB_SOURCE_URL stand for the options, with the same rules."""
    arguments = ["build", "--release", str(release_folder), "--out", str(tmp_path / "site")]
    for name in ("IB_SITE_URL", "IB_SOURCE_URL"):
        result = CliRunner().invoke(command, arguments, env={name: "ftp://example.org/"})
        assert isinstance(result.exception, UsageError)
        assert "ftp://example.org/" in str(result.exception)


def test_each_page_names_its_own_address(placed: Path) -> None:
    """The canonical link and the address for link previews are those of the page."""
    for path in ("", "models/alder/", "methodology/"):
        text = (placed / path / "index.html").read_text("utf-8")
        assert f'<link rel="canonical" href="{URL}{path}">' in text
        assert f'<meta property="og:url" content="{URL}{path}">' in text


def test_the_sitemap_lists_the_pages_that_may_be_found(placed: Path) -> None:
    """Every page without noindex, and no other."""
    found = set(re.findall(r"<loc>(.*?)</loc>", (placed / "sitemap.xml").read_text("utf-8")))
    wanted = {
        URL + page.parent.relative_to(placed).as_posix().removeprefix(".").strip("/") + "/"
        for page in placed.rglob("index.html")
        if '<meta name="robots" content="noindex">' not in page.read_text("utf-8")
    }
    assert found == {address.replace("repo//", "repo/") for address in wanted}
    assert f"{URL}models/alder/" in found


def test_the_404_page_works_below_the_root(placed: Path) -> None:
    """Its links and files are absolute, with the path of the site, and the check follows them there."""
    text = (placed / "404.html").read_text("utf-8")
    inside = [
        a
        for a in re.findall(r'(?:href|src)="([^"]*)"', text)
        if not a.startswith(("https", "tel:", "sms:", "#"))
    ]
    assert len(inside) > 10
    assert [address for address in inside if not address.startswith("/repo/")] == []
    assert links.check(placed) == []
    (placed / "404.html").write_text(text.replace("/repo/models/", "/models/"), "utf-8")
    assert {finding.what for finding in links.check(placed)} == {"'/models/' points to no file of this site"}
    (placed / "404.html").write_text(text, "utf-8")


def test_without_an_address_nothing_pretends_one(site: Path) -> None:
    """No canonical link, no sitemap, no structured data; robots.txt names no sitemap."""
    home = (site / "index.html").read_text("utf-8")
    assert "canonical" not in home
    assert "ld+json" not in home
    assert not (site / "sitemap.xml").exists()
    assert "Sitemap" not in (site / "robots.txt").read_text("utf-8")


def test_the_first_page_describes_a_dataset(placed: Path) -> None:
    """As JSON-LD, with the stage in the name, absolute addresses, and no quote of a model."""
    (text,) = re.findall(
        r'<script type="application/ld\+json">(.*?)</script>', (placed / "index.html").read_text("utf-8")
    )
    found = json.loads(text)
    assert (found["@type"], found["identifier"]) == ("Dataset", BOARD.results_hash)
    assert "demonstration" in found["name"]
    address = found["distribution"][0]["contentUrl"]
    assert (placed / address.removeprefix(URL)).is_file()
    assert sample.QUOTED not in text


def test_link_previews_quote_nobody(placed: Path) -> None:
    """Titles and descriptions for link previews have no words of a conversation, on any page."""
    for page in placed.rglob("*.html"):
        for content in re.findall(
            r'<meta (?:property="og:|name=")[^>]*content="([^"]*)"', page.read_text("utf-8")
        ):
            assert sample.QUOTED not in content


def test_every_page_has_a_footer(placed: Path) -> None:
    """Release, stage, date, version, license, citation, source and contact, on the 404 page too."""
    for page in placed.rglob("*.html"):
        footer = html.unescape(page.read_text("utf-8")).split('<footer class="ib-footer">')[1]
        names = re.findall(r"<dt>(.*?)</dt>", footer)
        assert names == [
            "Release",
            "Stage",
            "Date",
            "Benchmark",
            "License",
            "How to cite",
            "Source and contact",
        ]
        assert BOARD.results_hash[:12] in footer
        assert footer.count("https://example.org/source") == 1


def test_the_date_is_that_of_the_release(
    placed: Path, projected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the footer, the structured data, the citation, the data files and llms.txt; never the build's."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    assert frame(RELEASE, NOWHERE)["date"] == "2026-11-22"
    for page in placed.rglob("*.html"):
        assert "<dt>Date</dt> <dd>2026-11-22</dd>" in html.unescape(page.read_text("utf-8"))
    assert '"datePublished": "2026-11-22"' in (placed / "index.html").read_text("utf-8")
    assert "  year = {2026},\n  date = {2026-11-22}," in bibtex(RELEASE, NOWHERE)
    assert "Release 444444444444 of 2026-11-22." in projected["llms.txt"]
    for name in ("gates", "twins"):
        assert json.loads(projected[f"data/{name}.json"])["released"] == "2026-11-22"
        head, *rows = csv.reader(io.StringIO(projected[f"data/{name}.csv"]))
        assert rows
        assert {row[head.index("released")] for row in rows} == {"2026-11-22"}


def test_every_caption_and_every_figure_has_the_date(projected: dict[str, str]) -> None:
    """A picture of a table or a figure shows no footer, so that each says the day itself.

    The list of scenarios shows what the benchmark has, and no result of the release.
    """
    captions, figures = 0, 0
    for name, text in projected.items():
        if name == "scenarios/index.md":
            continue
        said = html.unescape(text)
        for caption in re.findall(r"<caption>(.*?)</caption>", said, re.DOTALL):
            captions += 1
            assert "2026-11-22" in caption, f"{name}: {caption}"
        for foot in re.findall(r'<p class="ib-figure__foot">(.*?)</p>', said, re.DOTALL):
            figures += 1
            assert "of 2026-11-22" in foot, name
    assert captions > 50
    assert figures > 5


def test_the_time_of_a_build_is_the_day_of_the_release(
    placed: Path, release_folder: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless SOURCE_DATE_EPOCH states another time, so that two builds on two days give the same bytes."""
    assert build_time(BOARD) == datetime(2026, 11, 22, tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795305600")
    place = Place(URL, "https://example.org/source")
    build(release_folder, sample.benchmark(), tmp_path / "site", root, place)
    names = {path.relative_to(placed) for path in placed.rglob("*") if path.is_file()}
    assert names == {p.relative_to(tmp_path / "site") for p in (tmp_path / "site").rglob("*") if p.is_file()}
    differing = {n for n in names if (placed / n).read_bytes() != (tmp_path / "site" / n).read_bytes()}
    assert differing == set()


def test_the_title_says_that_it_is_a_demonstration(site: Path, research_site: Path) -> None:
    """In the title of every page of a demonstration, and in that of no other release."""
    for folder, is_demo in ((site, True), (research_site, False)):
        for page in folder.rglob("*.html"):
            text = page.read_text("utf-8")
            assert text.split("<title>")[1].startswith("DEMONSTRATION: ") is is_demo
            listed = '<meta name="robots" content="noindex">' not in text
            assert ('og:title" content="DEMONSTRATION: ' in text) is (is_demo and listed)


def test_the_citation_is_that_of_the_repository() -> None:
    """CITATION.cff has the version and the license of the package; BibTeX repeats its title and author."""
    cited = yaml.safe_load((site_source() / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((site_source() / "pyproject.toml").read_text("utf-8"))["project"]
    assert [cited[key] for key in ("version", "license", "keywords")] == [
        project[key] for key in ("version", "license", "keywords")
    ]
    said = bibtex(RELEASE, Place(URL))
    assert cited["title"].lower() in said.lower()
    assert cited["authors"][0]["name"] in said
    assert f"url = {{{URL}}}" in said
    assert "demonstration" in said
    assert "demonstration" not in bibtex(
        replace(RELEASE, board=BOARD.model_copy(update={"stage": Stage.RESEARCH})), NOWHERE
    )


def test_texts_for_programs_name_pages_that_exist(placed: Path) -> None:
    """robots.txt names the sitemap; llms.txt has the stage, the canary, and links that work."""
    assert f"Sitemap: {URL}sitemap.xml" in texts(RELEASE, Place(URL))["robots.txt"]
    said = (placed / "llms.txt").read_text("utf-8")
    assert BOARD.canary in said
    assert "Demonstration, not a result about any product." in said
    for address in re.findall(r"\]\((.*?)\)", said):
        assert (placed / address.removeprefix(URL) / "index.html").is_file()
