"""The report card of a model: one page, the same figures, hostile names as text."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from delivery.cards.report_card import MOST, latin, report_card
from delivery.figures.profile import profile
from delivery.release.view import Release
from ib.models.common.base import Stage
from ib.models.release.leaderboard import ModelEntry
from tests.delivery import sample

MADE = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def release() -> Release:
    """The sample release."""
    board, evidence = sample.release()
    return Release(board, evidence, sample.benchmark())


def text_of(pdf: bytes) -> str:
    """The text of a PDF: the strings that its page draws."""
    return " ".join(part for _, part in placed(pdf))


def placed(pdf: bytes) -> list[tuple[float, str]]:
    """The strings that the page of a PDF draws, each with its height above the lower edge, in points."""
    drawn = b"".join(zlib.decompress(found) for found in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.S))
    parts = re.findall(rb"([\d.]+) Td (?:[\d. ]+ rg )?\(((?:\\.|[^()\\])*)\) Tj", drawn)
    return [(float(at), re.sub(rb"\\(.)", rb"\1", part).decode("latin-1")) for at, part in parts]


def test_a_card_is_one_page_with_the_figures_of_the_profile(release: Release) -> None:
    """Every check of the profile, its count and its interval, the stage, the canary and the release."""
    for model in release.models:
        pdf = report_card(release, model, MADE)
        assert pdf.count(b"/Type /Page\n") == 1
        said = " ".join(text_of(pdf).split())
        for row in profile(release, model)[:MOST]:
            assert " ".join(latin(row.check.name).split()) in said
            assert " ".join(latin(" ".join(row.said)).split()) in said
        assert "DEMONSTRATION" in said
        assert "conversations with a hard fail by one AI judge" in said
        assert (
            "1 AI judge, 3 to 5 votes, questions as worded today, 0 of 53 checks compared with people" in said
        )
        assert "mistakes: perhaps 0 to " in said
        assert "transcript" not in said, "a card counts conversations, as the pages do"
        assert release.board.canary in said
        assert "Release 444444444444 of 2026-11-22" in said


def crowded(model: ModelEntry) -> ModelEntry:
    """The model with failures, undecided cases and contested failures on every check."""
    rate = sample.rate(15000, 17000, unclear=3000)
    rows = (
        row.model_copy(update={"failures": rate, "contested": 1, "not_run": 0}) for row in model.blindspots
    )
    return model.model_copy(update={"blindspots": tuple(rows)})


def test_a_full_card_ends_above_its_legend(release: Release) -> None:
    """Contested and undecided cases are on the card as on the page, and leave room for the legend."""
    model = crowded(release.models[0])
    pdf = report_card(release, model, MADE)
    assert pdf.count(b"/Type /Page\n") == 1
    assert "75 to 90%, depending on 3000 undecided 1 contested" in " ".join(text_of(pdf).split())
    drawn = placed(pdf)
    (first,) = (at for at, (_, text) in enumerate(drawn) if text.startswith("k of n: failures among the n"))
    assert drawn[first - 1][1].endswith(" more, on the page of the model.")
    assert min(height for height, _ in drawn[:first]) > drawn[first][0] + 8
    assert "No dot: fewer than 5 cases, or fewer than half of those due decided." in " ".join(
        text_of(pdf).split()
    )


def test_votes_on_older_questions_carry_a_hatch(release: Release) -> None:
    """The strip on trust, each gate and each check with such a verdict say so and draw it."""
    model = release.models[0]
    gates = {
        name: gate.model_copy(update={"older_questions": gate.due}) for name, gate in model.gates.items()
    }
    rows = tuple(
        row.model_copy(update={"older_questions": one.n + one.unclear + row.not_applicable})
        for row in model.blindspots
        for one in (row.failures,)
    )
    older = model.model_copy(update={"gates": gates, "blindspots": rows})
    marked = replace(
        release, board=release.board.model_copy(update={"older_questions": 9, "models": (older,)})
    )
    pdf, plain = report_card(marked, older, MADE), report_card(release, model, MADE)
    said = text_of(pdf)
    shown = sum(latin(row.check.name) in said for row in profile(marked, older)[:MOST])
    assert said.count("older wording") >= 1 + len(gates) + shown
    assert clips(pdf) == 1 + len(gates) + shown
    assert ("older wording" in text_of(plain), clips(plain)) == (False, 0)


def clips(pdf: bytes) -> int:
    """How many hatches the page of a PDF has: each is drawn inside a box that cuts its lines."""
    drawn = b"".join(zlib.decompress(found) for found in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.S))
    return len(re.findall(rb" re W n", drawn))


def test_only_the_title_of_a_demonstration_says_so(release: Release) -> None:
    """The title of the PDF, which a viewer shows above the page, has the mark of the pages."""
    research = replace(release, board=release.board.model_copy(update={"stage": Stage.RESEARCH}))
    shown = (report_card(one, release.models[0], MADE) for one in (release, research))
    titles = [re.findall(rb"/Title \((.*?): ", pdf) for pdf in shown]
    assert titles == [[b"DEMONSTRATION"], [b"Report card"]]


def test_two_builds_give_the_same_bytes(release: Release) -> None:
    """The only time in a card is the one that it is given."""
    model = release.models[0]
    assert report_card(release, model, MADE) == report_card(release, model, MADE)
    assert report_card(release, model, MADE) != report_card(release, model, MADE.replace(year=2027))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Caf\u00e9 (9)\\", "Caf\u00e9 (9)\\"),
        ("\u4e2d\u202e", "[U+4E2D][U+202E]"),
        ("a\nb\x00\x80", "a[U+000A]b[U+0000][U+0080]"),
    ],
)
def test_letters_that_a_font_lacks_become_marks(text: str, shown: str) -> None:
    """No letter is dropped, and no control character reaches the PDF."""
    assert latin(text) == shown


def test_the_site_has_a_card_for_each_model(site: Path) -> None:
    """The page of a model links to its card."""
    for model in sample.release()[0].models:
        page = (site / "models" / model.slug / "index.html").read_text()
        assert f"models/{model.slug}/report-card.pdf" in page
        assert (site / "models" / model.slug / "report-card.pdf").read_bytes().startswith(b"%PDF-")
