"""The list of models, the page of each model, and its evidence by check."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.references import Assistant, of_models
from delivery.release import Release
from delivery.rows import Row, rows_of
from ib.models.base import BUCKET_NAMES, Bucket
from ib.models.leaderboard import ModelEntry


def pages(release: Release) -> Iterator[Page]:
    """The pages of all models."""
    scripts = of_models(release)
    yield Page("models/index.md", "models.html", "Models")
    for model in release.models:
        rows = rows_of(release, model)
        yield _model(release, model, rows, scripts.get(model.slug))
        yield from (_quotes(model, row) for row in rows if row.items)


def _model(release: Release, model: ModelEntry, rows: list[Row], script: Assistant | None) -> Page:
    groups = [(b, BUCKET_NAMES[b], [row for row in rows if row.check.bucket is b]) for b in Bucket]
    view: dict[str, object] = {
        "model": model,
        "script": script,
        "groups": [group for group in groups if group[2]],
        "failing": [row for row in rows if row.entry.failures.k],
        "opened": [gate for gate in release.board.open_gates if gate.model_id == model.model_id],
        "alarms": release.evidence[model.slug].alarms,
        "joined": [(met, group) for met in model.scenarios for group in met.joined],
    }
    return Page(f"models/{model.slug}.md", "model.html", model.model, view)


def _quotes(model: ModelEntry, row: Row) -> Page:
    path, title = f"models/{model.slug}/{row.check.id}.md", f"{model.model}: {row.check.name}"
    return Page(path, "quotes.html", title, {"model": model, "row": row}, search=False)
