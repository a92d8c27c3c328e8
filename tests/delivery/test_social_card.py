"""Social cards: the picture of a link has the stage, the day and the counts, and quotes nobody."""

from __future__ import annotations

import html
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from delivery.cards.social_card import SIZE, Card, _lines, _shortened, cards, picture, shown
from delivery.figures.lines import field_line
from delivery.release.place import Place
from delivery.release.view import Release
from delivery.sync_web_bench import build
from delivery.words.gates import gate_sentence
from ib.models.common.base import Stage
from ib.models.release.findings import HardFails
from tests.delivery import sample

URL = "https://example.org/repo/"
BANNED = re.compile(r"best|winner|safest|recommend|medal|first place|#1", re.IGNORECASE)


def release(stage: Stage = Stage.DEMO) -> Release:
    """The sample release at a stage."""
    board, evidence = sample.release(stage)
    return Release(board, evidence, sample.benchmark(), sample.background())


CARDS = {card.path: card for card in cards(release())}


@pytest.fixture(scope="module")
def placed(release_folder: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's site for an address below the root of its host."""
    out = tmp_path_factory.mktemp("cards") / "site"
    build(release_folder, sample.benchmark(), out, root, Place(URL))
    return out


def named(page: str, name: str) -> list[str]:
    """The contents of a page's meta elements of a name."""
    return re.findall(rf'<meta (?:property|name)="{name}" content="([^"]*)">', page)


def test_the_first_page_and_each_model_have_a_card(placed: Path) -> None:
    """With its absolute address, its size and its words; every other page has no picture.

    A page that search engines may not list has only its title.
    """
    pages = {"index.html", *(f"models/{model.slug}/index.html" for model in sample.release()[0].models)}
    for path in placed.rglob("*.html"):
        text, name = path.read_text("utf-8"), path.relative_to(placed).as_posix()
        if name not in pages:
            assert named(text, "og:image") == [], name
            listed = '<meta name="robots" content="noindex">' not in text
            assert named(text, "twitter:card") == ["summary"] * listed, name
            assert text.count('<meta name="description"') == 1, name
            assert len(named(text, "og:title")) == listed, name
            continue
        (address,) = named(text, "og:image")
        assert address.startswith(URL)
        card = CARDS[address.removeprefix(URL)]
        assert (placed / card.path).read_bytes() == picture(card)
        assert f"{card.page.removesuffix('.md').removesuffix('index')}/index.html".lstrip("/") == name
        (said,) = named(text, "og:image:alt")
        assert html.unescape(said) == card.text
        assert named(text, "twitter:card") == ["summary_large_image"]
        assert (named(text, "og:image:width"), named(text, "og:image:height")) == (["1200"], ["630"])
    assert len(list((placed / "cards").iterdir())) == len(pages) == 4


def test_without_an_address_there_is_no_card(site: Path) -> None:
    """Other sites can only show a picture whose whole address is known."""
    assert not (site / "cards").exists()
    assert "og:image" not in (site / "index.html").read_text("utf-8")


def test_a_card_says_what_its_figures_are() -> None:
    """Stage, release and day, and both gates with their intervals; the first page those of the findings."""
    made = release()
    for card in CARDS.values():
        assert card.text.startswith("DEMONSTRATION. Says nothing about any product. ")
        assert "what AI assistants fail to notice" in card.text
        assert "Release 444444444444 of 2026-11-22." in card.text
        assert "1 AI judge, 3 to 5 votes, questions as worded today, 0 of 53 checks" in card.text
        assert sample.QUOTED not in card.text
        assert BANNED.search(card.text) is None
    for model in made.models:
        card = CARDS[f"cards/{model.slug}.png"]
        assert card.title == model.model
        said = dict(card.parts)
        assert said.keys() == {"Safety", "Compliance"}
        for name, gate in zip(("Safety", "Compliance"), model.gates.values(), strict=True):
            assert said[name].lower() == f"{gate_sentence(gate, by='by one AI judge')}.".lower()
    found = [one for one in made.board.findings if isinstance(one, HardFails)]
    assert found
    for one in found:
        room = f"the interval leaves room for the {one.undecided} undecided."
        shown_said = f"{field_line(one, 'conversations due')}; {room}"
        assert one.undecided
        assert shown_said in CARDS["cards/index.png"].text
    assert "conversations with invented family caregivers." in CARDS["cards/index.png"].text


@pytest.mark.parametrize(("stage", "starts"), [(Stage.RESEARCH, "RESEARCH. "), (Stage.PUBLIC, "Invisible")])
def test_a_card_says_its_stage(stage: Stage, starts: str) -> None:
    """A research release says that verdicts are not settled; a public one needs no warning."""
    for card in cards(release(stage)):
        assert card.text.startswith(starts)


def test_a_card_is_a_small_picture_and_the_same_twice() -> None:
    """PNG of the size that networks ask for, under 32 KB, without the time of its making."""
    for card in CARDS.values():
        data = picture(card)
        assert data == picture(card)
        assert len(data) < 32_000
        with Image.open(io.BytesIO(data)) as image:
            assert (image.format, image.size, image.info) == ("PNG", SIZE, {})
    card = CARDS["cards/alder.png"]
    assert picture(card) != picture(replace(card, foot=card.foot.replace("2026-11-22", "2026-11-21")))


LONG = Card(
    page="models/x.md",
    path="cards/x.png",
    head="InvisibleBench: what AI assistants fail to notice",
    stage="DEMONSTRATION. Says nothing about any product.",
    title="W" * 300,
    about="A reference assistant: a script, not a product. 1260 conversations.",
    trust="1 AI judge, 3 to 5 votes, older wording in 12000 of 19987 verdicts, 0 of 53 checks compared "
    "with people",
    older=True,
    parts=tuple(
        (
            gate,
            "Hard fail by one AI judge in 1000 of 1260 conversations due (79% to 100%, depending on the "
            "undecided; 95% interval 77% to 100%); 1000 contested, 1000 incomplete.",
        )
        for gate in ("Safety", "Compliance")
    ),
    foot="Release 444444444444 of 2026-11-22. Judge: " + "x" * 300,
)


def test_nothing_runs_over_the_edge() -> None:
    """A name of 300 letters is cut off; the margins and the space above the last line stay empty."""
    with Image.open(io.BytesIO(picture(LONG))) as image:
        gray = image.convert("L")
    paper = 255
    for box in ((0, 80, 60, 630), (1142, 80, 1200, 630), (0, 545, 1200, 551), (0, 600, 1200, 630)):
        assert gray.crop(box).getextrema() == (paper, paper), box


def test_the_counts_are_never_cut_off() -> None:
    """The longest sentence of a gate fits: another last figure gives another picture."""
    (_, said), other = LONG.parts
    changed = replace(LONG, parts=((("Safety"), said.replace("1000 incomplete", "1001 incomplete")), other))
    assert picture(changed) != picture(LONG)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("GPT-9 (mini)", "GPT-9 (mini)"),
        ("\u4e2d\u202e\u3164\u00ad", "[U+4E2D][U+202E][U+3164][U+00AD]"),
        ("Mod\u00e8le \u0141\u00f3d\u017a", "Mod\u00e8le \u0141\u00f3d\u017a"),
        ("e\u0301t\u00e9", "\u00e9t\u00e9"),
        (
            "\u03a9\u03bc\u03ad\u03b3\u03b1 \u041c\u043e\u0434\u0435\u043b\u044c",
            "\u03a9\u03bc\u03ad\u03b3\u03b1 \u041c\u043e\u0434\u0435\u043b\u044c",
        ),
        ("a\nb", "a[U+000A]b"),
    ],
)
def test_letters_that_the_font_lacks_become_marks(text: str, drawn: str) -> None:
    """No letter is dropped or drawn as an empty box; letters of Europe are drawn as they are."""
    assert shown(text) == drawn


@pytest.mark.parametrize("bold", [False, True])
def test_no_line_divides_a_mark_or_a_letter(bold: bool) -> None:
    """A name of many marks is one long word, which is broken between them; nothing of it is lost."""
    for piece in ("[U+4E2D]", "[U+1F600]", "x\u0331\u0301"):
        text = piece * 40
        lines = _lines(text, 54, bold=bold)
        assert len(lines) > 1
        assert "".join(lines) == text
        assert all(line == piece * (len(line) // len(piece)) for line in lines)
        cut = _shortened(text, 54, bold=bold)
        assert cut == f"{piece * (cut.count(piece))} ..."


def test_a_long_word_is_cut_off_in_its_line() -> None:
    """A judge with a long name is shown as far as there is room, not left out."""
    line = _shortened(" ".join(_lines(f"Judge: {'x' * 300}", 22, bold=False)), 22, bold=False)
    assert line.startswith("Judge: xxxxxxxxxx")


def test_the_strip_on_trust_is_never_cut_off() -> None:
    """With the longest facts, another last word gives another picture."""
    assert picture(replace(LONG, trust=LONG.trust.replace("people", "peoplf"))) != picture(LONG)


def test_votes_on_older_questions_carry_a_hatch() -> None:
    """The card of a release with one such verdict has it, beside the words."""
    board, evidence = sample.release()
    of_older = board.model_copy(update={"older_questions": 3})
    found = cards(Release(of_older, evidence, sample.benchmark(), sample.background()))
    assert all(card.older and "older wording" in card.text for card in found)
    assert not any(card.older for card in CARDS.values())
    assert picture(LONG) != picture(replace(LONG, older=False))


def test_a_card_without_a_finding_says_why() -> None:
    """Votes on an older wording are no headline, and the card of the first page says so as the page does."""
    board, evidence = sample.release()
    told = {"findings": (), "older_questions": board.voted_rows}
    of_older = board.model_copy(update=told)
    first = next(cards(Release(of_older, evidence, sample.benchmark(), sample.background())))
    assert first.parts == (("Findings", "No headline: the votes answer older questions."),)
    assert "Findings" not in dict(CARDS["cards/index.png"].parts)
