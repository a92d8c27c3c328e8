"""The transcripts of the release by model: a page with all models, and a list of each model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from delivery.pages.page import Page
from delivery.release.transcripts import Play, left_out, plays
from delivery.release.view import Release
from ib.models.release.leaderboard import ModelEntry


@dataclass(frozen=True)
class Listed:
    """The transcripts of one model."""

    model: ModelEntry
    scenarios: tuple[Play, ...]
    """Without the safe twins."""
    twins: tuple[Play, ...]
    missing: int
    """How many transcripts the release does not carry."""

    @property
    def failing(self) -> int:
        """In how many transcripts at least one check failed."""
        return sum(bool(play.failed) for play in self.scenarios)


def pages(release: Release) -> Iterator[Page]:
    """One page for all models, and one for each model with transcripts."""
    listed = [_listed(release, model) for model in release.models]
    yield Page("transcripts/index.md", "transcripts.html", "Transcripts", {"listed": listed})
    for one in listed:
        if one.scenarios or one.twins:
            title = f"Transcripts of {one.model.model}"
            path = f"transcripts/{one.model.slug}.md"
            yield Page(path, "transcripts_of_model.html", title, {"of": one}, search=False)


def _listed(release: Release, model: ModelEntry) -> Listed:
    carried = plays(release, model)
    return Listed(
        model,
        tuple(play for play in carried if play.failed is not None),
        tuple(play for play in carried if play.failed is None),
        len(left_out(release, model)),
    )
