"""The list of models, the page of each model with its parts, and its evidence by check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from delivery.conversation.gaps import evidence_in_place
from delivery.conversation.moments import Moment, Side, exchange
from delivery.figures.profile import profile
from delivery.figures.rows import Row, groups, rows_of
from delivery.figures.units import units
from delivery.pages.page import Page
from delivery.release.references import Assistant, of_models
from delivery.release.transcripts import plays
from delivery.release.view import Release
from ib.board.figures.slugs import quotes_path
from ib.models.common.base import Verdict
from ib.models.release.leaderboard import EvidenceItem, ModelEntry

MOST_WHOLE, MOST = 24_000, 44_000
"""After so many characters, a page of evidence shows only the parts around the quotes, and then only links to
transcripts: a page has at most 25 kB compressed."""
GRAVEST = 4
"""How many failed checks the first figure of a model's page shows: they fit the first screen of a phone."""
FRAME = 300
"""About how many characters the frame of a verdict takes, compressed like its words."""


def pages(release: Release) -> Iterator[Page]:
    """The pages of all models."""
    scripts = of_models(release)
    yield Page("models/index.md", "models.html", "Models")
    for model in release.models:
        rows = rows_of(release, model)
        yield _model(release, model, rows, scripts.get(model.slug))
        yield from _parts(release, model, rows)
        yield from (_quotes(release, model, row) for row in rows if row.items)


def _model(release: Release, model: ModelEntry, rows: list[Row], script: Assistant | None) -> Page:
    view: dict[str, object] = {
        "model": model,
        "script": script,
        "groups": groups(rows),
        "asked": release.asked,
        "most": GRAVEST,
        "quoted": {(item.check_id, item.scenario_id, item.epoch) for row in rows for item in row.items},
        "opened": [gate for gate in release.board.open_gates if gate.model_id == model.model_id],
        "alarms": release.evidence[model.slug].alarms,
        "shown": () if release.board.open_logs else profile(release, model),
        "example": _example(release, model, rows),
        "units": {} if release.board.open_logs else units(release, model),
        "fewest": release.benchmark.scoring.support.count_only_below,
        "joined": [(met, group) for met in model.scenarios for group in met.joined],
    }
    return Page(f"models/{model.slug}.md", "model.html", model.model, view)


@dataclass(frozen=True)
class Example:
    """One failure of a model in words."""

    row: Row
    item: EvidenceItem
    turn: int
    side: Side


def _example(release: Release, model: ModelEntry, rows: Sequence[Row]) -> Example | None:
    """The first case of the check that failed most often, of those whose words are shown without asking."""
    open_rows = (row for row in rows if row.entry.failures.k and not row.veiled)
    for row in sorted(open_rows, key=lambda one: -one.entry.failures.k):
        for item in row.items:
            transcript = release.transcript(model, item.scenario_id, item.epoch)
            found = None if transcript is None or item.contested else exchange(item, transcript)
            if found is not None and item.verdict is Verdict.FAIL:
                return Example(row, item, *found)
    return None


def _parts(release: Release, model: ModelEntry, rows: list[Row]) -> Iterator[Page]:
    """What few readers of the model's page need, each on a page of its own."""
    folder, carried = f"models/{model.slug}", any(plays(release, model))
    view = {"model": model, "groups": groups(rows), "carried": carried}
    parts = [
        ("counts", "counts.html", "All counts"),
        ("scenarios", "played.html", "Scenarios and transcripts"),
    ]
    if model.supplement is not None:
        parts.append(("supplement", "supplement.html", "Other measures"))
    for name, template, title in parts:
        yield Page(f"{folder}/{name}.md", template, f"{title}: {model.model}", view, search=False)


def _quotes(release: Release, model: ModelEntry, row: Row) -> Page:
    """The evidence of a model on a check. A page with much evidence shows the first cases in full."""
    path, title = (
        f"{quotes_path(model.slug, row.check.id).rstrip('/')}.md",
        f"{model.model}: {row.check.name}",
    )
    cases, listed, size = [], [], 0
    for item in row.items:
        found = evidence_in_place(release, model, item)
        if found and size > MOST:
            listed.append(item)
            continue
        cases.append((item, size + _letters(found) < MOST_WHOLE))
        size += _letters(found, folded=cases[-1][1])
    view = {"model": model, "row": row, "cases": cases, "listed": listed}
    return Page(path, "quotes.html", title, view, search=False)


def _letters(found: Sequence[Moment], *, folded: bool = True) -> int:
    """About how many characters the moments of a verdict add to a page."""
    parts = [part for one in found for part in one.parts if folded or not part.folded]
    asked = sum(len(one.asked or "") for one in found)
    return asked + FRAME + sum(len(piece.text) for part in parts for piece in part.pieces)
