"""The contrast sets: scenarios that differ in one thing, and scenarios with their safe twins."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.figures.ladder import on_ladders
from delivery.figures.slopes import slopes
from delivery.pages.page import Page
from delivery.release.view import Release


def pages(release: Release) -> Iterator[Page]:
    """The page of the contrast sets. Open logs have none."""
    if release.board.open_logs:
        return
    sets = [
        (one, [(variant, slopes(release, one.original, variant.scenario_id)) for variant in one.variants])
        for one in release.board.contrasts
    ]
    once = all(
        len({met.scenario_id for met in model.scenarios}) == len(model.scenarios) for model in release.models
    )
    view: dict[str, object] = {"sets": sets, "once": once, "on_ladders": on_ladders(release)}
    yield Page("contrast/index.md", "contrast.html", "Contrast sets", view)
