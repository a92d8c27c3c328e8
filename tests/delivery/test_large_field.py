"""A field of twenty models: the pages with figures stay small."""

from __future__ import annotations

import gzip

import pytest

from delivery.build.render import render
from delivery.release.place import NOWHERE, site_source
from delivery.release.view import Release
from ib.models.release.leaderboard import Leaderboard
from tests.delivery import sample

MODELS = 20


@pytest.fixture(scope="module")
def large() -> Release:
    """The sample with twenty models, and with counts that differ from cell to cell."""
    board, evidence = sample.release()
    models, items = [], {}
    for at in range(MODELS):
        slug = f"model-{at:02}"
        blindspots = tuple(
            entry.model_copy(update={"failures": sample.rate((at * 7 + number * 11) % 64, 64)})
            for number, entry in enumerate(board.models[0].blindspots)
        )
        told = {"slug": slug, "model_id": f"example/{slug}", "model": f"Example model {at}"}
        models.append(board.models[0].model_copy(update={**told, "blindspots": blindspots}))
        items[slug] = evidence["alder"].model_copy(update={"model_id": f"example/{slug}"})
    update = {"models": tuple(models), "comparisons": (), "findings": ()}
    return Release(Leaderboard.model_copy(board, update=update), items, sample.benchmark())


def test_the_heatmap_of_twenty_models_is_small(large: Release) -> None:
    """At most 40 KB after gzip, without the frame of the page, for 20 models and all checks."""
    from delivery.pages import checks, leaderboard

    pages = [next(leaderboard.pages(large)), next(checks.pages(large))]
    for path, html in render(large, pages, site_source() / "site_src" / "templates", NOWHERE):
        assert html.count("aria-label") > MODELS * 50
        assert len(gzip.compress(html.encode(), mtime=0)) < 36_000, path
