"""The leaderboard: every model with its gates, scores and findings. Its order is no ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from delivery.figures.dots import dots
from delivery.figures.heat import heatmap
from delivery.figures.profile import profile
from delivery.pages.page import Page
from delivery.release.references import field, here
from delivery.release.view import Release
from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.leaderboard import ModelEntry


def pages(release: Release) -> Iterator[Page]:
    """The leaderboard. Models of open logs do not stand in one table."""
    if not release.board.open_logs:
        view: dict[str, object] = {"field": field(release), "here": here(release)}
        view |= {"heat": heatmap(release), "dots": dots(release)}
        view["ways"] = {
            (model.slug, gate): _way(release, model, gate)
            for model in release.models
            for gate in GATE_BUCKETS
        }
        view["alike"], view["apart"] = comparable(release.models)
        yield Page("leaderboard.md", "leaderboard.html", "Leaderboard", view)


def comparable(models: Sequence[ModelEntry]) -> tuple[list[ModelEntry], list[ModelEntry]]:
    """The models that played the same scenarios as most others did, and the rest, which has another table."""
    played = Counter(model.scenario_set_hash for model in models)
    common = max(played, key=lambda name: played[name], default="")
    return (
        [model for model in models if model.scenario_set_hash == common],
        [model for model in models if model.scenario_set_hash != common],
    )


def _way(release: Release, model: ModelEntry, gate: Bucket) -> str:
    """From the home page to the words of a model's gravest failure at a gate, or to its list of scenarios."""
    quoted = release.items(model)
    failed = (
        row.href for row in profile(release, model) if row.check.gate is gate and row.check.id in quoted
    )
    return next(failed, f"models/{model.slug}/scenarios/")
