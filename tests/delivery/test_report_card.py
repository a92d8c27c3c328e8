"""The report card of a model: one page, the same figures, hostile names as text."""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from delivery.charts.profile import profile
from delivery.counts import failed
from delivery.release import Release
from delivery.report_card import MOST, latin, report_card
from tests.delivery import sample

MADE = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def release() -> Release:
    """The sample release."""
    board, evidence = sample.release()
    return Release(board, evidence, sample.benchmark())


def text_of(pdf: bytes) -> str:
    """The text of a PDF: the strings that its page draws."""
    drawn = b"".join(zlib.decompress(found) for found in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.S))
    parts = re.findall(rb"\(((?:\\.|[^()\\])*)\) Tj", drawn)
    return " ".join(re.sub(rb"\\(.)", rb"\1", part).decode("latin-1") for part in parts)


def test_a_card_is_one_page_with_the_figures_of_the_profile(release: Release) -> None:
    """Every check of the profile, its count and its interval, the stage, the canary and the release."""
    for model in release.models:
        pdf = report_card(release, model, MADE)
        assert pdf.count(b"/Type /Page\n") == 1
        said = " ".join(text_of(pdf).split())
        for row in profile(release, model)[:MOST]:
            assert " ".join(latin(row.check.name).split()) in said
            assert " ".join(latin(failed(row.entry)).split()) in said
        assert "DEMONSTRATION" in said
        assert "conversations with a confirmed hard fail" in said
        assert "transcript" not in said, "a card counts conversations, as the pages do"
        assert release.board.canary in said
        assert "Release 444444444444 of 2026-11-22" in said


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
