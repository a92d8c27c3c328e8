from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from delivery import links, sync_web_bench
from delivery.background import Background
from delivery.sync_web_bench import build, project, site_source
from delivery.words import between
from ib.errors import DataError, Refused, UsageError
from ib.models.base import Bucket
from ib.models.figures import Recall, Unseen
from ib.stats.intervals import wilson
from ib.store.scans import file_hash
from tests.delivery import reading, sample
from tests.delivery.test_escape import shown

TAGS = frozenset(
    {
        "a",
        "article",
        "blockquote",
        "br",
        "caption",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
    }
    | {"h1", "h2", "h3", "h4", "li", "p", "q", "section", "span", "strong", "summary", "table", "tbody", "td"}
    | {"th", "thead", "tr", "ul"}
)
ATTRIBUTES = frozenset(
    {"href", "id", "class", "scope", "tabindex", "role", "aria-label", "rel", "data-search-exclude"}
)
BANNED = re.compile(r"\b(best|winners?|safest|recommended|medals?|rank(s|ed|ing)?)\b", re.IGNORECASE)
CRISIS = "help is available. Call or text 988 (US)."


def templates() -> list[Path]:
    return sorted((site_source() / "site_src").rglob("*.html"))


def bodies(projected: dict[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in projected.items():
        if path.endswith(".md"):
            yield path, reading.body(text)


def test_the_projection_is_pure(projected: dict[str, str]) -> None:
    """The same values give the same files, and the order of models and evidence changes none of them."""
    board, evidence = sample.release()
    known = sample.background()
    assert project(board, evidence, sample.benchmark(), known) == projected
    turned = board.model_copy(update={"models": board.models[::-1], "scenarios": board.scenarios[::-1]})
    stories = dict(reversed(list(known.scenarios.items())))
    other = Background(stories, dict(reversed(list(known.characters.items()))))
    assert project(turned, dict(reversed(evidence.items())), sample.benchmark(), other) == projected


def test_every_check_model_and_scenario_has_its_page(projected: dict[str, str]) -> None:
    """Nothing that the leaderboard or the benchmark lists is without a page."""
    for check_id in sample.benchmark().checks:
        assert f"checks/{check_id}.md" in projected
    for slug in ("alder", "birch", "hostile"):
        assert f"models/{slug}.md" in projected
    assert {"scenarios/night-shift-001.md", "scenarios/two-errands-002.md"} <= projected.keys()


def test_every_failure_leads_to_its_quotes(projected: dict[str, str]) -> None:
    """Each check and model with evidence has a page with every quote of the assistant, letter for letter."""
    for slug, evidence in sample.release()[1].items():
        for item in evidence.items:
            page = reading.read(reading.body(projected[f"models/{slug}/{item.check_id}.md"]))
            quoted = [quote.text for quote in page.all("blockquote")]
            for span in item.quotes:
                assert (shown(span.quote) in quoted) is (span.role == "assistant")


@pytest.mark.parametrize(
    ("check_id", "lexicon", "finds", "wrong"),
    [("IB-F2-availability-promise", "availability_promise", 6, 1), ("IB-A1", "ideation", 9, 3)],
)
def test_a_check_says_what_its_phrases_miss(check_id: str, lexicon: str, finds: int, wrong: int) -> None:
    """k of n in unseen wording, with its interval; what is only proposed counts where a judge is asked."""
    figures = Unseen(hold=10, decided=6, proposed=3, near=20, near_decided=1, near_proposed=2)
    measured = Recall(written_by="nobody", lexicons={lexicon: figures})

    def page(recall: Recall | None) -> str:
        world = sample.benchmark().model_copy(update={"recall": recall})
        text = project(*sample.release(), world, sample.background())[f"checks/{check_id}.md"]
        return unescape(text)

    interval = between(*wilson(finds, 10))
    wanted = f"it finds {finds} (95 % interval {interval}); of 20 near misses it takes {wrong} for it"
    assert wanted in page(measured)
    assert wanted not in page(None)
    assert "How many cases it misses is not measured." in page(None)


def test_hostile_text_adds_nothing_to_a_page(projected: dict[str, str]) -> None:
    """Pages hold known tags and attributes alone, well nested, whatever models and data say."""
    for path, html in bodies(projected):
        for element in reading.read(html).all():
            assert element.tag in TAGS, f"{path}: <{element.tag}>"
            assert set(element.attrs) <= ATTRIBUTES, f"{path}: {sorted(element.attrs)}"
            assert not element.attrs.get("href", "").strip().lower().startswith(("javascript", "data", "//"))


def test_hostile_names_are_shown_as_they_are(projected: dict[str, str]) -> None:
    """The heading of a model's page is its name, letter for letter, and its title is harmless."""
    page = projected["models/hostile.md"]
    (heading,) = reading.read(reading.body(page)).all("h1")
    assert heading.text == sample.HOSTILE[1]
    assert 'title: "script script alert(2) /script"' in page.replace("/script script", "script script")


def test_words_of_the_caregiver_are_no_evidence(projected: dict[str, str]) -> None:
    """Only the assistant's words stand beside a failure."""
    assert not [path for path, html in bodies(projected) if "words of the caregiver" in html]


def test_quotes_of_gates_are_veiled(projected: dict[str, str]) -> None:
    """Words from checks that close a gate, or of the gravest severity, stay closed until opened."""
    for check in sample.benchmark().checks.values():
        page = projected.get(f"models/hostile/{check.id}.md")
        if page is not None and (check.gate is not None or check.severity == "S5"):
            tree = reading.read(reading.body(page))
            closed = [quote for veil in tree.all("details") for quote in veil.all("blockquote")]
            assert len(closed) == len(tree.all("blockquote"))
            assert not [veil for veil in tree.all("details") if "open" in veil.attrs]


def test_models_stand_in_alphabetical_order(projected: dict[str, str]) -> None:
    """Rows are sorted by the name of the model, and the page says so; there is no other order."""
    home = reading.read(reading.body(projected["index.md"]))
    for table in home.all("table"):
        names = [row.all("th")[0].text for row in table.all("tbody")[0].all("tr")]
        assert names == sorted(names, key=str.casefold)
        assert "alphabetical order" in table.all("caption")[0].text


def test_gates_come_before_scores(projected: dict[str, str]) -> None:
    """The first table of the home page is of hard fails; scores stand below it."""
    captions = [c.text for c in reading.read(reading.body(projected["index.md"])).all("caption")]
    assert [caption.split()[0] for caption in captions] == ["Hard", "Mean"]


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_templates_claim_nothing_by_themselves(path: Path) -> None:
    """No banned word, no unescaped output, no inline style or script, and no number that is not data."""
    source = path.read_text("utf-8")
    assert not BANNED.search(source)
    assert not re.search(r"\|\s*safe\b|autoescape|\bstyle=|<script|\bon[a-z]+=", source)
    prose = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>|&[a-z]+;", " ", source, flags=re.DOTALL)
    assert set(re.findall(r"\d+", prose)) <= {"0", "1", "95", "988"}


def test_tables_have_captions_and_can_be_scrolled_by_keyboard(projected: dict[str, str]) -> None:
    """Every table says what it is and stands in a region that takes the focus and has a name."""
    for path, html in bodies(projected):
        tree = reading.read(html)
        regions = [one for one in tree.all("div", "ib-scroll") if one.attrs["tabindex"] == "0"]
        assert sum(len(one.all("table")) for one in regions) == len(tree.all("table")), path
        for region in regions:
            assert region.attrs["aria-label"]
            assert len(region.all("caption")) == 1


def test_recorded_verdicts_are_named_as_such(projected: dict[str, str]) -> None:
    """Where the judge is a recording, the methodology says that it answered other prompts."""
    assert "another instrument" in projected["methodology.md"]


def test_open_questions_are_listed(projected: dict[str, str]) -> None:
    """Contradicted records, voided votes, open gates and checks not evaluated are shown with their number."""
    headings = [h.text for h in reading.read(reading.body(projected["methodology.md"])).all("h2")]
    for start, count in (
        ("Checks that were not", 1),
        ("Records that", 1),
        ("Fail votes", 1),
        ("Open gate", 2),
    ):
        (heading,) = [text for text in headings if text.startswith(start)]
        assert heading.endswith(f"({count})")


def test_mkdocs_passes_bodies_through(projected: dict[str, str], site: Path) -> None:
    """What was rendered is what is served, byte for byte: Markdown changed nothing."""
    for path, body in bodies(projected):
        page = path.removesuffix(".md").removesuffix("index").rstrip("/")
        served = (site / page / "index.html").read_text("utf-8")
        assert body in served, path


def test_the_stage_and_the_crisis_line_stand_on_every_page(site: Path, research_site: Path) -> None:
    """Every page, also the one for a wrong address, says the stage first, then where help is."""
    for folder, word in ((site, "DEMONSTRATION"), (research_site, "RESEARCH")):
        for page in folder.rglob("*.html"):
            html = page.read_text("utf-8")
            banner = html[html.index('<aside class="md-banner">') : html.index("<header")]
            assert -1 < banner.index(word) < banner.index(CRISIS) < banner.index("findahelpline.com")
            assert "Not medical, legal or crisis advice" in banner


def test_no_page_has_a_script_of_its_own(site: Path) -> None:
    """The scripts of a page are the theme's: the same on each, whatever the page quotes."""
    found = set()
    for page in site.rglob("index.html"):
        scripts = "".join(re.findall(r"<script.*?</script>", page.read_text("utf-8"), re.DOTALL))
        found.add(re.sub(r'"(?:\.\.?/?)+', '"', scripts))
    assert len(found) == 1


def test_quotes_are_not_in_the_search(site: Path) -> None:
    """The search knows models and checks; it holds no quote, and nothing in it is markup of a model."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    everything = json.dumps(index)
    assert [
        text for text in (sample.QUOTED, "alert(7)", "alert(11)", "indented code") if text in everything
    ] == []
    found = {entry["location"].split("#")[0] for entry in index["docs"]}
    assert {"models/alder/", "checks/IB-A1/"} <= found
    assert not [place for place in found if place.startswith("scenarios/night")]
    assert not [place for place in found if place.startswith("models/alder/IB")]
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z!?]+)", " ".join(e["title"] + e["text"] for e in index["docs"])))
    assert tags <= {"p", "li", "ul"}


def test_what_is_kept_from_the_search_holds_no_element_of_its_own_tag(projected: dict[str, str]) -> None:
    """The search plugin tells elements apart by tag: an inner one would end the exclusion of the outer."""
    for path, html in bodies(projected):
        for element in reading.read(html).all():
            if "data-search-exclude" in element.attrs:
                assert element.all(element.tag) == [], path


def test_quotes_are_kept_out_of_search_engines(site: Path) -> None:
    """Pages of quotes and scenarios say noindex; pages of checks do not."""
    quotes = next((site / "models" / "alder").glob("IB-*/index.html"))
    said = '<meta name="robots" content="noindex">'
    assert said in quotes.read_text("utf-8")
    assert said in (site / "scenarios" / "night-shift-001" / "index.html").read_text("utf-8")
    assert said not in (site / "checks" / "IB-A1" / "index.html").read_text("utf-8")


def test_pages_are_small(site: Path) -> None:
    """A page of the sample weighs less than 120 KB, and the search index less than 600 KB, uncompressed."""
    for page in site.rglob("*.html"):
        assert page.stat().st_size < 120_000, page
    assert (site / "search" / "search_index.json").stat().st_size < 600_000


def test_the_published_files_are_the_released_bytes(site: Path, release_folder: Path) -> None:
    """leaderboard.json, qa.json and the evidence are copied byte for byte."""
    names = ["leaderboard.json", "qa.json", "evidence/alder.json", "evidence/hostile.json"]
    for name in names:
        assert (site / "data" / name).read_bytes() == (release_folder / name).read_bytes()


def test_a_rebuild_is_byte_identical(site: Path, release_folder: Path, root: Path, tmp_path: Path) -> None:
    """The same release gives the same site, and replaces the one that stood there."""
    out = tmp_path / "again"
    shutil.copytree(site, out)
    (out / "index.html").write_text("left over")
    build(release_folder, sample.benchmark(), out, root)
    files = {p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert files == {p.relative_to(site): p.read_bytes() for p in site.rglob("*") if p.is_file()}
    assert [p.name for p in tmp_path.iterdir()] == ["again"]


def test_a_build_that_fails_changes_nothing(
    site: Path, release_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site whose links are broken is refused, and the old one stays."""
    out = tmp_path / "old"
    shutil.copytree(site, out)
    (out / "index.html").write_text("old")
    monkeypatch.setattr(links, "check", lambda folder: [links.LinkFinding("index.html", "broken")])
    with pytest.raises(Refused, match=r"index.html: broken"):
        build(release_folder, sample.benchmark(), out)
    assert (out / "index.html").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["old"]


def test_what_is_no_site_is_not_replaced(release_folder: Path, tmp_path: Path) -> None:
    """A folder with other things in it is never taken for an old site."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match=r"thesis\.txt is not a site's"):
        build(release_folder, sample.benchmark(), tmp_path)
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.parametrize("name", ["thesis.txt", "data/evidence/thesis.txt", ".hidden/thesis.txt"])
def test_nothing_is_lost_with_a_site(site: Path, release_folder: Path, tmp_path: Path, name: str) -> None:
    """A site in whose folder something else lies is not replaced, and neither is what only looks like one."""
    out = tmp_path / "site"
    shutil.copytree(site, out)
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("years of work")
    with pytest.raises(UsageError, match=f"{name} is not a site's"):
        build(release_folder, sample.benchmark(), out)
    (out / ".ib-site").unlink()
    (out / name).unlink()
    with pytest.raises(UsageError, match=r"404\.html is not a site's"):
        build(release_folder, sample.benchmark(), out)


def test_a_broken_release_is_named(tmp_path: Path) -> None:
    """A missing or ill-formed file of a release is bad data, with its place."""
    with pytest.raises(DataError, match=r"qa.json: no such file"):
        build(tmp_path, sample.benchmark(), tmp_path / "out")
    folder = sample.write(tmp_path / "release")
    document = json.loads((folder / "leaderboard.json").read_text())
    (folder / "leaderboard.json").write_text(json.dumps(document | {"rank": 1}))
    qa = json.loads((folder / "qa.json").read_text())
    qa["released"]["leaderboard.json"] = file_hash(folder / "leaderboard.json")
    (folder / "qa.json").write_text(json.dumps(qa))
    with pytest.raises(DataError, match=r"leaderboard.json:1: rank: unknown key"):
        build(folder, sample.benchmark(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_each_dimension_is_on_a_model_page(projected: dict[str, str]) -> None:
    """The blindspot profile has every check, grouped by dimension."""
    page = reading.read(reading.body(projected["models/alder.md"]))
    rows = {row.attrs["id"] for row in page.all("tr") if "id" in row.attrs}
    assert rows == set(sample.benchmark().checks)
    parts = {one.attrs["id"] for one in page.all("h3") if "id" in one.attrs}
    assert {part for part in parts if part.startswith("dimension")} == {
        f"dimension-{bucket}" for bucket in Bucket
    }


def test_the_source_of_the_site_is_found_in_checkout_and_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mkdocs.yml and site_src stand beside the package in a checkout, and inside it once installed."""
    assert (site_source() / "mkdocs.yml").is_file()
    assert (site_source() / "site_src" / "templates").is_dir()
    monkeypatch.setattr(sync_web_bench, "__file__", str(tmp_path / "delivery" / "sync_web_bench.py"))
    assert site_source() == tmp_path
    (tmp_path / "delivery" / "_site").mkdir(parents=True)
    assert site_source() == tmp_path / "delivery" / "_site"
