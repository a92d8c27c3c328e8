from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from delivery.build import links
from delivery.release import place
from delivery.release.background import Background
from delivery.release.frame import description
from delivery.release.place import site_source
from delivery.release.references import field
from delivery.release.view import Release
from delivery.sync_web_bench import build, project
from delivery.words.numbers import between
from ib.errors import DataError, Refused, UsageError
from ib.models.benchmark.figures import Recall, Unseen
from ib.models.benchmark.pilot import NoFailure, PilotFigures, PilotSummary
from ib.models.common.base import Bucket
from ib.models.release.bytes import release_bytes
from ib.models.release.qa import Qa, sealed
from ib.stats.intervals import rate_interval
from ib.store.folders.scans import file_hash
from tests.delivery import reading, sample
from tests.delivery.reading import Element
from tests.delivery.test_escape import shown

TAGS = frozenset(
    {
        *("svg", "title", "desc", "path", "text", "ol", "u", "textarea"),
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
    | {
        "h1",
        "h2",
        "h3",
        "h4",
        "li",
        "mark",
        "p",
        "q",
        "section",
        "span",
        "strong",
        "summary",
        "table",
        "tbody",
        "td",
    }
    | {"th", "thead", "tr", "ul", "label", "input"}
)
ATTRIBUTES = frozenset(
    {
        "type",
        "autocomplete",
        "spellcheck",
        "href",
        "id",
        "class",
        "scope",
        "tabindex",
        "title",
        "role",
        "aria-label",
        "rel",
        "data-search-exclude",
        "data-label",
        "data-v",
    }
    | {"viewbox", "preserveaspectratio", "d", "x", "y", "text-anchor", "aria-labelledby", "aria-hidden"}
    | {"focusable", "colspan", "data-sort", "readonly", "rows", "cols"}
)
BANNED = re.compile(r"\b(best|winners?|safest|recommended|medals?|(?<!not )rank(s|ed|ing)?)\b", re.IGNORECASE)
CRISIS = "help is available. Call or text 988 (US)."


def templates() -> list[Path]:
    return sorted((site_source() / "site_src").rglob("*.html"))


def bodies(projected: dict[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in projected.items():
        if path.endswith(".md"):
            yield path, reading.body(text)


def test_the_projection_is_pure(projected: dict[str, str]) -> None:
    """The same input gives the same files, in any order of models and evidence."""
    board, evidence = sample.release()
    known = sample.background()
    said = sample.transcripts()
    exams = sample.exams()
    assert project(board, evidence, sample.benchmark(), known, said, exams=exams) == projected
    turned = board.model_copy(update={"models": board.models[::-1], "scenarios": board.scenarios[::-1]})
    stories = dict(reversed(list(known.scenarios.items())))
    characters = dict(reversed(list(known.characters.items())))
    other = Background(stories, characters, known.twins, site=known.site)
    turned_said = dict(reversed(said.items()))
    order = dict(reversed(evidence.items()))
    found = project(turned, order, sample.benchmark(), other, turned_said, exams=exams)
    assert found == projected


def test_every_check_model_and_scenario_has_its_page(projected: dict[str, str]) -> None:
    """Every check, model and scenario of the leaderboard or the benchmark has a page."""
    for check_id in sample.benchmark().checks:
        assert f"checks/{check_id}.md" in projected
    for slug in ("alder", "birch", "hostile"):
        assert f"models/{slug}.md" in projected
    assert {"scenarios/night-shift-001.md", "scenarios/two-errands-002.md"} <= projected.keys()


def test_every_failure_links_to_its_quotes(projected: dict[str, str]) -> None:
    """Each check and model with evidence has a page with every assistant quote, letter for letter."""
    bare = project(*sample.release(), sample.benchmark(), sample.background())
    for slug, evidence in sample.release()[1].items():
        for item in evidence.items:
            path = f"models/{slug}/{item.check_id}.md"
            marked = [one.text for one in reading.read(reading.body(projected[path])).all("mark")]
            quoted = [one.text for one in reading.read(reading.body(bare[path])).all("blockquote")]
            for span in item.quotes:
                assert (shown(span.quote) in marked) is (span.role == "assistant")
                assert (shown(span.quote) in quoted) is (span.role == "assistant")


@pytest.mark.parametrize(
    ("check_id", "lexicon", "finds", "wrong"),
    [("IB-F2-availability-promise", "availability_promise", 9, 3), ("IB-A1", "ideation", 9, 3)],
)
def test_a_check_says_what_its_phrases_miss(check_id: str, lexicon: str, finds: int, wrong: int) -> None:
    """The page shows k of n with its interval, hints included."""
    figures = Unseen(hold=10, decided=6, proposed=3, near=20, near_decided=1, near_proposed=2)
    measured = Recall(written_by="nobody", lexicons={lexicon: figures})

    def page(recall: Recall | None) -> str:
        world = sample.benchmark().model_copy(update={"recall": recall})
        text = project(*sample.release(), world, sample.background())[f"checks/{check_id}.md"]
        return unescape(text)

    interval = between(*rate_interval(finds, 10))
    wanted = (
        f"The lexicon finds {finds} of 10 of them (95% interval {interval}). "
        f"It wrongly matches {wrong} of 20 near misses."
    )
    assert wanted in page(measured)
    assert wanted not in page(None)
    assert "The share of cases that the lexicon misses has not been measured." in page(None)


def test_a_check_says_whether_its_prompt_was_piloted() -> None:
    """With the figures of the present wording, the readers by name, and why nothing failed."""
    figures = PilotFigures(n=20, agreed=18, kappa=0.78, ac1=0.82)
    none = NoFailure(because="models", why="They do not do this.")
    pilot = PilotSummary(read_by=("A", "B"), checks={"IB-A1": figures}, no_failures={"IB-A5": none})
    world = sample.benchmark().model_copy(update={"pilot": pilot})
    projected = project(*sample.release(), world, sample.background())
    pages = {path: unescape(text) for path, text in projected.items()}
    read = (
        "Two language models (A and B), and no person, read the prompt on 20 replies and agreed on 18 of 20; "
        "Cohen’s kappa"
    )
    missing = "The prompt was not piloted with this wording."
    assert read in pages["checks/IB-A1.md"]
    assert missing not in pages["checks/IB-A1.md"]
    assert missing in pages["checks/IB-A5.md"]
    assert (
        "No recorded vote on two real models was a failure. They do not do this." in pages["checks/IB-A5.md"]
    )
    assert missing not in pages["checks/IB-B5.md"], "a rule decides it, so there is no prompt"


def test_a_check_says_that_no_clinician_reviewed_its_rules() -> None:
    """The page of every check says it where its rules begin."""
    pages = project(*sample.release(), sample.benchmark(), sample.background())
    checks = {path: text for path, text in pages.items() if path.startswith("checks/IB-")}
    said = 'id="definition">The rules</h2>\n<p class="ib-note">No clinician has reviewed these rules.</p>'
    assert len(checks) > 1
    assert [path for path, text in checks.items() if said not in text] == []


def test_hostile_text_adds_nothing_to_a_page(projected: dict[str, str]) -> None:
    """Pages contain only known tags and attributes, well nested, for any text of models and data."""
    for path, html in bodies(projected):
        for element in reading.read(html).all():
            assert element.tag in TAGS, f"{path}: <{element.tag}>"
            assert set(element.attrs) <= ATTRIBUTES, f"{path}: {sorted(element.attrs)}"
            assert not element.attrs.get("href", "").strip().lower().startswith(("javascript", "data", "//"))


def test_hostile_names_are_shown_as_they_are(projected: dict[str, str]) -> None:
    """The heading of a model page is the exact name, and the title contains no markup."""
    page = projected["models/hostile.md"]
    (heading,) = reading.read(reading.body(page)).all("h1")
    assert heading.text == sample.HOSTILE[1]
    assert 'title: "script script alert(2) /script"' in page.replace("/script script", "script script")


def test_words_of_the_caregiver_are_not_shown_as_evidence(projected: dict[str, str]) -> None:
    """Only quotes of the assistant are marked; what the caregiver said stands before them."""
    bare = project(*sample.release(), sample.benchmark(), sample.background())
    assert not [path for path, html in bodies(bare) if "words of the caregiver" in html]
    for path, html in bodies(projected):
        marks = reading.read(html).all("mark")
        assert not [mark for mark in marks if "words of the caregiver" in mark.text], path


def test_quotes_of_gate_checks_are_hidden_at_first(projected: dict[str, str]) -> None:
    """Quotes of gate checks, and of checks of severity S5, are hidden until the reader opens them."""
    for check in sample.benchmark().checks.values():
        page = projected.get(f"models/hostile/{check.id}.md")
        if page is not None and (check.gate is not None or check.severity == "S5"):
            tree = reading.read(reading.body(page))
            closed = [quote for veil in tree.all("details") for quote in veil.all("blockquote")]
            assert len(closed) == len(tree.all("blockquote"))
            assert not [veil for veil in tree.all("details") if "open" in veil.attrs]


def test_models_are_in_alphabetical_order(projected: dict[str, str]) -> None:
    """Rows and columns are sorted by the name of the model, and each page says so."""
    for path in ("leaderboard.md",):
        page = reading.read(reading.body(projected[path]))
        assert "alphabetical order, not ranked" in page.text
        for table in page.all("table"):
            rows = [row.all("div", "ib-lane") for row in table.all("tbody")[0].all("tr")]
            if any(rows):  # a row for each check, and in it a line for each model
                lists = [[lane.all("span")[0].text for lane in lanes] for lanes in rows]
            else:
                lists = [[row.all("th")[0].text for row in table.all("tbody")[0].all("tr")]]
            assert all(names == sorted(names, key=str.casefold) for names in lists)


def test_gates_come_before_scores(projected: dict[str, str]) -> None:
    """On the leaderboard, the table of hard fails comes first, and each table says that it demonstrates."""
    captions = [c.text for c in reading.read(reading.body(projected["leaderboard.md"])).all("caption")]
    told = [caption.removeprefix("DEMONSTRATION ").split()[0] for caption in captions]
    assert told == ["Gates:", "Mean", "Over-cautious", "How"]
    assert all(caption.startswith("DEMONSTRATION ") for caption in captions)


def test_what_is_counted_is_a_conversation(projected: dict[str, str]) -> None:
    """One noun for one thing: pages that count conversations call none of them a play."""
    for path in (
        "index",
        "leaderboard",
        "contrast/index",
        "compare/alder--birch",
        "models/alder",
        "methodology",
    ):
        text = reading.read(reading.body(projected[f"{path}.md"])).text
        assert "conversation" in text, path
        assert re.findall(r"[^.]*\bplays?\b[^.]*", text) == [], path


def test_a_page_of_evidence_says_which_release_its_rate_is_of(projected: dict[str, str]) -> None:
    """A picture of the rate of one check on one model shows that it demonstrates, and the day."""
    pages = [text for path, text in projected.items() if re.fullmatch(r"models/[^/]+/IB-[^/]+\.md", path)]
    assert pages
    for page in pages:
        (rate,) = (p.text for p in reading.read(reading.body(page)).all("p") if "Severity: " in p.text)
        assert re.search(r"DEMONSTRATION\. Release [0-9a-f]{12} of \d{4}-\d\d-\d\d\.$", rate)


def test_no_description_speaks_of_real_caregivers() -> None:
    """The text for search engines and language models says that the caregivers are invented."""
    board, evidence = sample.release()
    release = Release(board, evidence, sample.benchmark(), sample.background())
    said = f"{board.transcripts} conversations of 3 assistants (1 of them is a script) with invented family"
    assert f"{said} caregivers" in description(release)


def test_descriptions_count_as_the_first_page_does(projected: dict[str, str]) -> None:
    """Scripts are called scripts wherever a page or a file says what the release covers."""
    board, evidence = sample.release()
    release = Release(board, evidence, sample.benchmark(), sample.background())
    counted = f"{board.transcripts} conversations of {field(release)}"
    assert "script" in counted
    assert counted in description(release)
    assert counted in projected["llms.txt"]
    assert counted in reading.read(reading.body(projected["index.md"])).text


STANDARDS = {"accessibility.html": {"2", "4", "5", "400"}}
"""Figures of the accessibility guidelines, which are no results."""


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_templates_make_no_claims_of_their_own(path: Path) -> None:
    """Templates have no banned word, no unescaped output, no inline style or script, and no figures."""
    source = path.read_text("utf-8")
    assert not BANNED.search(source)
    assert not re.search(r"\|\s*safe\b|autoescape|\bstyle=|\bon[a-z]+=", source)
    assert "<script" not in source or path.parent.name == "theme"  # the frame's scripts are in its policy
    prose = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>|&[a-z]+;", " ", source, flags=re.DOTALL)
    assert set(re.findall(r"\d+", prose)) <= {"0", "1", "95", "988"} | STANDARDS.get(path.name, set())


QUOTES = {"blockquote", "q"}
"""Elements with words of people, models and laws, which are not the site's own."""


def own_words(element: Element) -> str:
    """The text of an element without what it quotes."""
    parts = (
        part if isinstance(part, str) else own_words(part)
        for part in element.parts
        if isinstance(part, str) or not (part.tag in QUOTES or "ib-verbatim" in part.classes)
    )
    return "".join(parts)


def test_no_page_praises_or_ranks(projected: dict[str, str]) -> None:
    """The words of every page, without quotes, have no banned word; neither has a title.

    A check's definition, examples and sources speak of replies, in which somebody may "know best".
    """
    for path, html in bodies(projected):
        words = own_words(reading.read(html))
        if path.startswith("checks/IB"):
            words, definition, _ = words.partition("\nThe rules\n")
            assert definition, path
        said = words + projected[path].split("---")[1]
        assert not BANNED.findall(said), path


def test_tables_have_captions_and_can_be_scrolled_by_keyboard(projected: dict[str, str]) -> None:
    """Every table has a caption and is in a labeled region that can be focused, or is in a figure."""
    for path, html in bodies(projected):
        tree = reading.read(html)
        figures = tree.all("figure", "ib-figure")
        in_figures = sum(len(figure.all("table")) for figure in figures)
        regions = [one for one in tree.all("div", "ib-scroll") if one.attrs["tabindex"] == "0"]
        captioned = [region for region in regions if "ib-heat-region" not in region.classes]
        assert len(captioned) + in_figures == len(tree.all("table")), path
        assert all(region.attrs["aria-label"] for region in regions)
        assert all(len(region.all("caption")) == 1 for region in captioned)


def test_every_figure_says_what_it_is(projected: dict[str, str]) -> None:
    """A figure has a title, a description, its n, its method, the release, the stage and its data."""
    seen = set()
    for path, html in bodies(projected):
        for figure in reading.read(html).all("figure", "ib-figure"):
            seen.add(figure.attrs["id"])
            (caption,) = figure.all("figcaption")
            assert caption.text.strip().startswith("DEMONSTRATION "), path
            (foot,) = figure.all("p", "ib-figure__foot")
            assert "Demonstration release 444444444444" in foot.text
            assert re.search(r"[Cc]ount(s are out of|ed over)|n = |by dimension", foot.text)
            assert re.search(r"95% intervals|no interval|without intervals", foot.text)
            names = {link.text for link in foot.all("a")}
            assert names
            assert {name.replace(".csv", ".json") for name in names if name.endswith(".csv")} <= names
            for drawing in figure.all("svg"):
                told = [one.text.strip() for tag in ("title", "desc") for one in drawing.all(tag)]
                assert len(told) == (2 if "role" in drawing.attrs else 0)
                assert told or drawing.attrs["aria-hidden"] == "true"
    figures = {"card", "drawn", "alarms-plot", "by-check", "split-votes"}
    assert seen >= {*figures, "profile-plot"}


def test_recorded_verdicts_are_labeled(projected: dict[str, str]) -> None:
    """If the judge is a recording, the methodology page says that it answered other prompts."""
    text = " ".join(reading.read(reading.body(projected["methodology.md"])).text.split())
    assert "Verdicts come from stored votes by " in text
    assert "recounted under this version’s rules" in text
    assert "older wording: another wording" not in text
    marked = project(*sample.with_older_questions(*sample.release()), sample.benchmark(), sample.background())
    text = " ".join(reading.read(reading.body(dict(marked)["methodology.md"])).text.split())
    assert "40 of 110 verdicts by votes answer an older wording: another wording than the prompts" in text


def test_open_questions_are_listed(projected: dict[str, str]) -> None:
    """The methodology page counts each list for auditors, and links to a page with all its rows."""
    tree = reading.read(reading.body(projected["methodology.md"]))
    (heading,) = [h.text for h in tree.all("h2") if h.text.startswith("Checks that were not")]
    assert heading.endswith("(1)")
    wanted = {"contradictions": 1, "voided-votes": 1, "open-gates": 2}
    for name, count in wanted.items():
        (entry,) = [
            one for one in tree.all("li") for link in one.all("a") if link.attrs["href"].endswith(f"/{name}/")
        ]
        assert entry.text.endswith(f": {count}")
        page = reading.read(reading.body(projected[f"methodology/{name}.md"]))
        assert sum(len(body.all("tr")) for body in page.all("tbody")) == count
        assert all("DEMONSTRATION" in caption.text for caption in page.all("caption"))


def test_mkdocs_passes_bodies_through(projected: dict[str, str], site: Path) -> None:
    """Markdown processing does not change the rendered HTML."""
    for path, body in bodies(projected):
        page = path.removesuffix(".md").removesuffix("index").rstrip("/")
        served = (site / page / "index.html").read_text("utf-8")
        assert body in served, path


def test_the_stage_and_the_crisis_line_are_on_every_page(site: Path, research_site: Path) -> None:
    """Every page, including the 404 page, shows first the stage and then the crisis line."""
    for folder, word in ((site, "DEMONSTRATION"), (research_site, "RESEARCH")):
        for page in folder.rglob("*.html"):
            html = page.read_text("utf-8")
            banner = html[html.index('<aside class="ib-banner"') : html.index("<header")]
            said = " ".join(re.sub(r"<[^>]*>", "", banner).split())
            assert -1 < said.index(word) < said.index(CRISIS) < said.index("findahelpline.com")
            assert 'href="tel:988"' in banner
            assert 'href="sms:988"' in banner
            assert "Not medical, legal or crisis advice" in html[html.index("<footer") :]


def test_no_page_has_a_script_of_its_own(site: Path) -> None:
    """All pages have the same scripts, which are those of the theme."""
    found = set()
    for page in site.rglob("index.html"):
        scripts = "".join(re.findall(r"<script.*?</script>", page.read_text("utf-8"), re.DOTALL))
        found.add(re.sub(r'"(?:\.\.?/?)+', '"', scripts))
    assert len(found) == 1


def test_quotes_are_not_in_the_search(site: Path) -> None:
    """The search index has models, checks and titles of scenarios, but no quotes and no markup."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    everything = json.dumps(index)
    assert [
        text for text in (sample.QUOTED, "alert(7)", "alert(11)", "indented code") if text in everything
    ] == []
    found = {entry["location"].split("#")[0] for entry in index["docs"]}
    assert {"models/alder/", "checks/IB-A1/"} <= found
    told = [entry for entry in index["docs"] if entry["location"].startswith("scenarios/night")]
    assert [entry["text"] for entry in told] == [told[0]["title"]]
    assert not [place for place in found if place.startswith("models/alder/IB")]
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z!?]+)", " ".join(e["title"] + e["text"] for e in index["docs"])))
    assert tags <= {"p", "li", "ul", "ol"}


def test_an_element_excluded_from_the_search_contains_no_element_of_its_own_tag(
    projected: dict[str, str],
) -> None:
    """The search plugin compares tag names: an inner element would end the exclusion of the outer."""
    for path, html in bodies(projected):
        for element in reading.read(html).all():
            if "data-search-exclude" in element.attrs:
                assert element.all(element.tag) == [], path


def test_quotes_are_kept_out_of_search_engines(site: Path) -> None:
    """Pages of quotes and scenarios have noindex; pages of checks do not."""
    quotes = next((site / "models" / "alder").glob("IB-*/index.html"))
    said = '<meta name="robots" content="noindex">'
    assert said in quotes.read_text("utf-8")
    assert said in (site / "scenarios" / "night-shift-001" / "index.html").read_text("utf-8")
    assert said not in (site / "checks" / "IB-A1" / "index.html").read_text("utf-8")


def test_pages_are_small(site: Path) -> None:
    """After gzip, a page has at most 25 KB, or 40 KB with a heatmap; the search index has at most 600 KB."""
    for page in site.rglob("*.html"):
        html = page.read_bytes()
        assert len(gzip.compress(html)) < (40_000 if b"ib-heat__group" in html else 25_000), page
    assert (site / "search" / "search_index.json").stat().st_size < 600_000


def test_the_published_files_are_the_released_bytes(site: Path, release_folder: Path) -> None:
    """leaderboard.json, qa.json and the evidence are copied byte for byte."""
    names = ["leaderboard.json", "qa.json", "evidence/alder.json", "evidence/hostile.json"]
    for name in names:
        assert (site / "data" / name).read_bytes() == (release_folder / name).read_bytes()


def test_a_rebuild_is_byte_identical(site: Path, release_folder: Path, root: Path, tmp_path: Path) -> None:
    """The same release gives the same site, which replaces the old one."""
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
    """A new site with broken links is refused, and the old site stays unchanged."""
    out = tmp_path / "old"
    shutil.copytree(site, out)
    (out / "index.html").write_text("old")
    monkeypatch.setattr(links, "check", lambda folder: [links.LinkFinding("index.html", "broken")])
    with pytest.raises(Refused, match=r"index.html: broken"):
        build(release_folder, sample.benchmark(), out)
    assert (out / "index.html").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["old"]


def test_a_folder_that_is_not_a_site_is_not_replaced(release_folder: Path, tmp_path: Path) -> None:
    """A folder with other files is never treated as an old site."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match=r"thesis\.txt, which is not part of a site"):
        build(release_folder, sample.benchmark(), tmp_path)
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.parametrize("name", ["thesis.txt", "data/evidence/thesis.txt", ".hidden/thesis.txt"])
def test_a_site_folder_with_other_files_is_not_replaced(
    site: Path, release_folder: Path, tmp_path: Path, name: str
) -> None:
    """A site folder with a file of the user, or without the list of its own files, is not replaced."""
    out = tmp_path / "site"
    shutil.copytree(site, out)
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("years of work")
    with pytest.raises(UsageError, match=f"{name}, which is not part of a site"):
        build(release_folder, sample.benchmark(), out)
    (out / ".ib-site").unlink()
    (out / name).unlink()
    with pytest.raises(UsageError, match=r"404\.html, which is not part of a site"):
        build(release_folder, sample.benchmark(), out)


def test_a_broken_release_is_reported_with_its_place(tmp_path: Path) -> None:
    """A missing or invalid file of a release raises DataError with its place."""
    with pytest.raises(DataError, match=r"qa.json: no such file"):
        build(tmp_path, sample.benchmark(), tmp_path / "out")
    folder = sample.write(tmp_path / "release")
    document = json.loads((folder / "leaderboard.json").read_text())
    (folder / "leaderboard.json").write_text(json.dumps(document | {"rank": 1}))
    qa = json.loads((folder / "qa.json").read_text())
    qa["released"]["leaderboard.json"] = file_hash(folder / "leaderboard.json")
    (folder / "qa.json").write_bytes(release_bytes(sealed(Qa.model_validate(qa))))
    with pytest.raises(DataError, match=r"leaderboard.json:1: rank: unknown key"):
        build(folder, sample.benchmark(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_each_dimension_is_on_a_model_page(projected: dict[str, str]) -> None:
    """The blindspot profile lists every check, grouped by dimension."""
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
    """mkdocs.yml and site_src are next to the package in a checkout, and inside the installed package."""
    assert (site_source() / "mkdocs.yml").is_file()
    assert (site_source() / "site_src" / "templates").is_dir()
    monkeypatch.setattr(place, "__file__", str(tmp_path / "delivery" / "release" / "place.py"))
    assert site_source() == tmp_path
    (tmp_path / "delivery" / "_site").mkdir(parents=True)
    assert site_source() == tmp_path / "delivery" / "_site"
