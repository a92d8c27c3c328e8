"""The checks of few models are dots with intervals, and those of many a heatmap."""

from __future__ import annotations

import gzip

import pytest

from delivery.build.render import render
from delivery.figures.dots import dots
from delivery.pages.leaderboard import pages
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from tests.delivery import reading, sample
from tests.delivery.test_escape import shown


def of(count: int) -> Release:
    """The sample with so many models; one of them attacks the page."""
    return Release(*sample.many(count), sample.benchmark(), sample.background())


def rendered(release: Release) -> str:
    """The leaderboard page."""
    ((_, text),) = render(release, pages(release), site_source() / "site_src" / "templates", NOWHERE)
    return text


@pytest.mark.parametrize(
    ("count", "figure"),
    [(1, "by-check"), (2, "by-check"), (4, "by-check"), (5, "heatmap"), (8, "heatmap"), (20, "heatmap")],
)
def test_the_number_of_models_decides(count: int, figure: str) -> None:
    """Up to four models stand below each other in the row of a check; from five on there is a heatmap."""
    text = rendered(of(count))
    figures = {one.attrs["id"]: one for one in reading.read(reading.body(text)).all("figure")}
    assert {"by-check", "heatmap"} & figures.keys() == {figure}
    assert len(gzip.compress(text.encode(), mtime=0)) < 36_000
    rows = figures[figure].all("tr")
    names = {shown(model.model) for model in of(count).models}
    if figure == "by-check":
        (one, *_) = (row.all("div", "ib-lane") for row in rows if row.all("td"))
        assert {lane.all("span")[0].text for lane in one} == names
    else:
        assert {link.text for link in rows[0].all("a")} == names
        assert "8*" in figures["heatmap"].text  # only listed phrases were looked for


def test_every_check_is_in_one_group() -> None:
    """No check is left out: those of too few cases and those that nobody failed are folded."""
    release = of(3)
    found = dots(release)
    assert found is not None
    ids = [line.check.id for group in (found.failed, found.sparse, found.passed) for line in group]
    assert sorted(ids) == sorted(release.benchmark.checks)
    assert all(
        any(lane.found and lane.found.entry.failures.k for lane in line.lanes) for line in found.failed
    )
    assert not any(lane.found and lane.found.entry.failures.k for line in found.passed for lane in line.lanes)


@pytest.mark.parametrize("failed", [0, 2])
def test_a_check_with_few_cases_is_folded_unless_it_failed(failed: int) -> None:
    """Four cases of each model make no share. A failure among them is shown, without a dot."""
    board, evidence = sample.many(2)
    check_id = board.models[0].blindspots[0].check_id
    few = tuple(
        model.model_copy(
            update={
                "blindspots": tuple(
                    one.model_copy(update={"failures": sample.rate(failed, 4), "not_run": 0})
                    if one.check_id == check_id
                    else one
                    for one in model.blindspots
                )
            }
        )
        for model in board.models
    )
    board = board.model_copy(update={"models": few})
    found = dots(Release(board, evidence, sample.benchmark(), sample.background()))
    assert found is not None
    lines = {line.check.id: line for line in (found.failed if failed else found.sparse)}
    assert [lane.found.strip for lane in lines[check_id].lanes if lane.found] == [None, None]
