"""The pages of the history: every release, corrections, and each release as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from delivery.pages.page import Page
from delivery.release.history import FOLDER, History
from delivery.release.view import Release
from delivery.report.moved import MOST, value_words, why
from delivery.words.codes import STAGE
from ib.board.history.moved import figures_of
from ib.board.history.told import Told
from ib.models.common.base import Stage
from ib.models.release.ledger import Action, LedgerLine
from ib.models.release.moved import MovedFigure, ReleaseDiff, VerdictFlip

CORRECTIONS = (Action.CHANGED, Action.WITHDRAWN, Action.RESTORED, Action.REINSTATED, Action.DISPUTED)
"""What the page of corrections lists. Releases and new models are on the page of releases."""
ACTION = {
    Action.RELEASED: "released",
    Action.REINSTATED: "made the newest release again",
    Action.ADDED: "added",
    Action.CHANGED: "changed",
    Action.WITHDRAWN: "withdrawn",
    Action.RESTORED: "restored",
    Action.DISPUTED: "disputed verdict",
}
MOST_FIGURES = 100
"""How many figures of a model are listed; the file of the difference has all."""


@dataclass(frozen=True)
class Row:
    """A model in the summary of a release."""

    model_id: str
    name: str
    slug: str
    transcripts: str
    gates: tuple[str, str]
    """Hard fails of the gates A and B, of those due, and how many are undecided."""
    overall: str
    scan: str
    """The start of the hash of the plan of its scan; empty if the ledger does not know the row."""


@dataclass(frozen=True)
class Summary:
    """One release in a few facts."""

    release: str
    day: str
    stage: str
    judge: str
    rows: tuple[Row, ...]
    before: str | None
    """The release before; None for the first."""
    is_newest: bool


def pages(release: Release) -> Iterator[Page]:
    """The releases, the corrections, each release, and the pages of models that left the board."""
    history = release.history
    if history is None:
        return
    summaries = {name: _summary(history, name) for name in history.releases}
    newest_first = tuple(reversed(summaries.values()))
    yield Page("releases.md", "releases.html", "Releases", {"summaries": newest_first, "why": why,
                                                            "diffs": history.diffs})  # fmt: skip
    lines = [line for line in reversed(history.ledger.lines) if line.action in CORRECTIONS]
    yield Page("corrections.md", "corrections.html", "Corrections", {"lines": lines, **_words(history)})
    for name, summary in summaries.items():
        yield from _of_release(history, summary, history.releases[name])
    yield from _left(release, history)


def _words(history: History) -> dict[str, object]:
    every = (pair for told in history.releases.values() for pair in told.models.items())
    names = {model: str(row.get("model", model)) for model, row in every}
    return {"why": why, "action": ACTION, "model_names": names}


def _summary(history: History, name: str) -> Summary:
    told, names = history.releases[name], list(history.releases)
    board, at = told.board, names.index(name)
    return Summary(
        release=name,
        day=str(board.get("released", "")),
        stage=STAGE[Stage(str(board.get("stage")))],
        judge=str(board.get("judge", {}).get("model", "")),
        rows=tuple(_row(history, name, model_id) for model_id in told.models),
        before=names[at - 1] if at else None,
        is_newest=name == history.newest,
    )


def _row(history: History, release: str, model_id: str) -> Row:
    row = history.releases[release].models[model_id]
    figures, source = figures_of(row), history.ledger.source(release, model_id)

    def shown(figure: str) -> str:
        return value_words(figures.get(figure))

    return Row(
        model_id=model_id,
        name=str(row.get("model", model_id)),
        slug=str(row.get("slug")),
        transcripts=str(row.get("transcripts", "")),
        gates=(shown("gates A") + _undecided(row, "A"), shown("gates B") + _undecided(row, "B")),
        overall=shown("overall") if figures.get("overall") is not None else "no score",
        scan="" if source is None else source.plan_hash[:12],
    )


def _undecided(row: Mapping[str, Any], gate: str) -> str:
    """How many conversations of a gate have no clear answer: without it, few failures look like few risks."""
    counts = row.get("gates", {}).get(gate, {})
    open_ = counts.get("contested", 0) + counts.get("incomplete", 0)
    return f"; {open_} undecided" if open_ else ""


def _of_release(history: History, summary: Summary, told: Told) -> Iterator[Page]:
    """A release as it was: its page, and one for the verdicts of each model."""
    name = summary.release
    lines = [line for line in history.ledger.lines if line.release == name]
    diff = history.diffs.get(name)
    view = {
        "summary": summary, "lines": lines, "diff": diff, "value": value_words, **_words(history),
        "figures": _figures(diff), "flips": _flips(diff), "most": MOST,
    }  # fmt: skip
    yield Page(f"{FOLDER}/{name}.md", "release.html", f"Release {name}", view, search=False)
    for row in summary.rows:
        verdicts = history.verdicts(name, row.model_id)
        by_check = [(key, list(found)) for key, found in groupby(verdicts, key=lambda one: one.check_id)]
        shown = {"summary": summary, "row": row, "by_check": by_check}
        title = f"{row.name} in release {name}"
        yield Page(f"{FOLDER}/{name}/models/{row.slug}.md", "release_model.html", title, shown, search=False)


def _figures(diff: ReleaseDiff | None) -> list[tuple[str | None, list[MovedFigure], int]]:
    """The figures that moved, by model, and how many more there are."""
    if diff is None:
        return []
    grouped = [(model, list(found)) for model, found in groupby(diff.figures, key=lambda one: one.model_id)]
    return [(model, found[:MOST_FIGURES], len(found[MOST_FIGURES:])) for model, found in grouped]


def _flips(diff: ReleaseDiff | None) -> list[tuple[str, str, list[VerdictFlip]]]:
    """The verdicts that flipped, by model and check."""
    if diff is None:
        return []
    grouped = groupby(diff.flips, key=lambda one: (one.model_id, one.check_id))
    return [(model, check, list(found)) for (model, check), found in grouped]


def _left(release: Release, history: History) -> Iterator[Page]:
    """Pages at the addresses of models that left the board, so that saved links lead somewhere."""
    taken = {model.slug for model in release.models}
    for model_id, name in sorted(history.last_of.items()):
        row = _row(history, name, model_id)
        if row.slug in taken:
            continue
        gone = _withdrawal(history, model_id)
        view = {"row": row, "last": name, "gone": gone}
        checks = dict.fromkeys(one.check_id for one in history.verdicts(name, model_id))
        for path in (f"models/{row.slug}.md", *(f"models/{row.slug}/{check}.md" for check in checks)):
            yield Page(path, "withdrawn.html", f"{row.name}: withdrawn", view, search=False)


def _withdrawal(history: History, model_id: str) -> LedgerLine:
    lines = [line for line in history.ledger.lines if line.model_id == model_id]
    return next(line for line in reversed(lines) if line.action is Action.WITHDRAWN)
