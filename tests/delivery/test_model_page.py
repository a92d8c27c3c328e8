"""The page of a model: its first figure, its folds, and the pages of its parts."""

from __future__ import annotations

import pytest

from delivery.build.render import render
from delivery.figures.profile import profile
from delivery.figures.rows import groups, rows_of
from delivery.pages import models
from delivery.pages.models import GRAVEST
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from delivery.words.counts import mean_line
from ib.models.common.base import Role
from ib.models.scan.rates import MeanScore
from tests.delivery import reading, sample
from tests.delivery.reading import Element


def page(projected: dict[str, str], path: str) -> Element:
    """The tree of a page."""
    return reading.read(reading.body(projected[f"{path}.md"]))


def test_the_first_figure_has_both_gates_and_the_gravest_failures(projected: dict[str, str]) -> None:
    """Nothing but the name and what was measured stands before it; the rows are those of the profile."""
    release = Release(*sample.release(), sample.benchmark())
    for model in release.models:
        tree = page(projected, f"models/{model.slug}")
        (card, plot) = tree.all("figure", "ib-figure")
        assert tree.text.index(model.transcripts.__str__()) < tree.text.index("Safety gate")
        names = [row.all("th")[0].all("a")[0].text for body in card.all("tbody") for row in body.all("tr")]
        wanted = [one.check.name for one in profile(release, model)]
        assert names == ["Safety gate", "Compliance gate", *wanted[:GRAVEST]]
        assert [row.all("a")[0].text for row in plot.all("tbody")[0].all("tr")] == wanted
        assert f"All {len(wanted)} failed checks" in card.text
        assert "Undecided: 1 contested, 1 incomplete" in card.text or "undecided: 1 contested" in card.text


def test_a_fold_says_how_many_checks_it_has_and_how_many_failed(projected: dict[str, str]) -> None:
    """The counts add up to all checks of the dimension, and every fold is closed at first."""
    release = Release(*sample.release(), sample.benchmark())
    folds = [one for one in page(projected, "models/alder").all("details") if one.all("table", "ib-table")]
    for group, fold in zip(groups(rows_of(release, release.models[0])), folds, strict=False):
        told, *outcomes = group.summary.replace(":", ",").split(", ")
        assert fold.all("summary")[0].text == f"{group.summary}: {group.name}"
        assert len(group.rows) == int(told.split()[0]) == sum(int(one.split()[0]) for one in outcomes)
        failed = [row for row in group.rows if row.entry.failures.k]
        assert f"{len(failed)} failed" in group.summary
        assert len(fold.all("tbody")[0].all("tr")) == len(group.rows)
    assert not [fold for fold in folds if "open" in fold.attrs]


def test_lists_that_few_read_have_pages_of_their_own(projected: dict[str, str]) -> None:
    """The page links to each, and each links back. The list of conversations has every transcript."""
    links = {one.attrs["href"] for one in page(projected, "models/hostile").all("a")}
    for part in ("counts", "scenarios", "supplement"):
        assert f"../../models/hostile/{part}/" in links
        assert "../../../models/hostile/" in {
            one.attrs["href"] for one in page(projected, f"models/hostile/{part}").all("a")
        }
    played = {one.attrs["href"] for one in page(projected, "models/hostile/scenarios").all("a")}
    for slug in ("night-shift-001", "two-errands-002"):
        assert f"../../../transcripts/hostile/{slug}/" in played
        assert f"../../../scenarios/{slug}/" in played


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "0.60 (95% interval 0.50 to 0.70; 2 conversations with a score, 1 without)"),
        ({"nulls": 0, "n": 1}, "0.60 (95% interval 0.50 to 0.70; 1 conversation with a score)"),
        (
            {"low": None, "high": None, "n_families": 1},
            "0.60 (one scenario family, so no interval can be computed; "
            "2 conversations with a score, 1 without)",
        ),
        (
            {"low": None, "high": None},
            "0.60 (all scenario families score the same, so no interval can be computed; "
            "2 conversations with a score, 1 without)",
        ),
        ({"mean": None, "n": 0, "nulls": 63}, "no score in any of 63 conversations"),
        (
            {"mean": None, "n": 6, "nulls": 57},
            "no mean is shown: 6 conversations with a score, 57 without",
        ),
    ],
)
def test_a_mean_says_why_it_has_no_interval(given: dict[str, object], said: str) -> None:
    """With its interval and the conversations behind it; without a score there is no number."""
    found: MeanScore = sample.mean(0.6).model_copy(update=given)
    assert mean_line(found) == said


def test_a_case_that_is_only_listed_leads_to_its_first_quoted_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order of its quotes; words of the caregiver are no quote of a failure."""
    monkeypatch.setattr("delivery.pages.models.MOST", -1)
    board, evidence = sample.release()
    items = tuple(
        item.model_copy(update={"quotes": (item.quotes[1].model_copy(update={"turn": 9}), *item.quotes)})
        for item in evidence["alder"].items
    )
    evidence["alder"] = evidence["alder"].model_copy(update={"items": items})
    release = Release(board, evidence, sample.benchmark(), sample.background(), sample.transcripts())
    model = next(one for one in release.models if one.slug == "alder")
    for item in items:
        wanted = (one for one in models.pages(release) if one.path == f"models/alder/{item.check_id}.md")
        ((_, html),) = render(release, wanted, site_source() / "site_src" / "templates", NOWHERE)
        links = {one.attrs["id"]: one.all("a")[0].attrs["href"] for one in reading.read(html).all("li")}
        path = release.transcript_path(model, item.scenario_id, item.epoch)
        turns = [quote.turn for quote in item.quotes if quote.role is Role.ASSISTANT]
        assert links[release.case_id(item)] == f"../../../{path}#turn-{min(turns)}"
