"""The page for caregivers: numbers with their sources, and a warning when they are old."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from delivery.pages.caregivers import FRESH, PURPOSES, lines_by_country, old_lines
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.models.benchmark.site import NEUTRAL
from tests.delivery import reading, sample


def release(**site: object) -> Release:
    """The sample with the rules of the benchmark of the package."""
    board, evidence = sample.release()
    known = sample.background()
    return Release(board, evidence, sample.benchmark(), replace(known, **site) if site else known)  # type: ignore[arg-type]


def test_every_line_was_checked_and_is_shown(projected: dict[str, str]) -> None:
    """Each number whose source was read stands on the page, with its source, and no other number does."""
    tree = reading.read(reading.body(projected["caregivers.md"]))
    told = sample.benchmark().rules["base"].crisis_resources
    for resources in told.values():
        for one in resources:
            shown = one.checked is not None and one.purpose in PURPOSES
            assert (one.contact in [mark.text for mark in tree.all("strong")]) >= shown, one.name
    assert len([1 for place in lines_by_country(release()) for _ in place.lines]) == len(tree.all("dt"))
    assert {"US", "GB", "AU"} <= {place.country for place in lines_by_country(release())}


def test_old_numbers_are_named() -> None:
    """On the last day on which a check holds nothing is said, and a day later each country is."""
    oldest = min(place.checked for place in lines_by_country(release()))
    assert old_lines(release(), oldest + FRESH) == ()
    late = old_lines(release(), date(2100, 1, 1))
    assert len(late) == len(lines_by_country(release()))
    assert old_lines(release(), oldest + FRESH + timedelta(days=1))[0].startswith("crisis lines of ")


def test_the_page_says_that_its_numbers_are_old() -> None:
    """A release long after the check says so beside the numbers."""
    board, evidence = sample.release()
    late = board.model_copy(update={"released": date(2100, 1, 1)})
    pages = project(late, evidence, sample.benchmark(), sample.background(), sample.transcripts())
    assert "A number may have changed" in pages["caregivers.md"]


def test_another_benchmark_has_no_such_page() -> None:
    """A benchmark without a line of help shows no numbers, and warns of none."""
    board, evidence = sample.release()
    other = replace(sample.background(), site=NEUTRAL)
    assert "caregivers.md" not in project(board, evidence, sample.benchmark(), other, sample.transcripts())
    assert old_lines(release(site=NEUTRAL), date(2100, 1, 1)) == ()
