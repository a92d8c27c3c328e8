"""Linting the pilots of prompts: rows, written exchanges, and reasons for checks that were never failed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from pathlib import Path

from ib.errors import DataError, Finding
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.pilot import (
    OVER_ALARM,
    BaseRates,
    Changes,
    ItemPlace,
    NoFailures,
    PilotItem,
    ScreenedItem,
    Written,
)
from ib.store.benchmark.loading import label
from ib.store.benchmark.scenarios import twin_paths
from ib.store.files.places import finding_at
from ib.store.files.reading import raw_lines
from ib.store.files.validation import Model, load_yaml, model_of_line

PILOT = "pilot"
SCREENING = "screening"
OTHER = (OVER_ALARM,)
"""Questions that are piloted and are no check."""


def pilot_problems(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Errors in the files of pilots: unknown checks, items that are listed twice, and missing reasons."""
    folder = root / PILOT
    asked = {check.id for check in benchmark.checks.values() if check.prompt is not None} | {*OTHER}
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem.startswith(SCREENING):
            yield from _rows(path, ScreenedItem, lambda row: row.screen)
        elif path.stem in asked:
            yield from _rows(path, PilotItem, lambda row: row.check)
        else:
            found = f"no check {path.stem!r} asks a judge"
            yield Finding.at(label(path), None, "", found, "name the file after a check")
    rates = yield from _loaded(BaseRates, folder / "base_rates.yaml")
    reasons = yield from _loaded(NoFailures, folder / "no_failures.yaml")
    if rates is not None and reasons is not None:
        never = {name for name in rates.rates if name in asked and rates.none_failed(name)}
        yield from _reasons(folder / "no_failures.yaml", never, reasons)
    changes = yield from _loaded(Changes, folder / "changes.yaml")
    if changes is not None:
        yield from _named(folder / "changes.yaml", "changes", (one.check for one in changes.changes), asked)
    written = yield from _loaded(Written, folder / "written.yaml")
    if written is not None:
        names = (one.check for one in written.exchanges)
        yield from _named(folder / "written.yaml", "exchanges", names, asked)
        yield from _twins(folder / "written.yaml", written, twin_paths(root))


def _named(path: Path, key: str, names: Iterable[str], asked: Collection[str]) -> Iterator[Finding]:
    """Unknown checks in a list."""
    for index, name in enumerate(names):
        if name not in asked:
            allowed = "the id of a check that asks a judge"
            yield finding_at(path, label(path), (key, index, "check"), f"unknown check {name!r}", allowed)


def _twins(path: Path, written: Written, twins: Collection[str]) -> Iterator[Finding]:
    """Written exchanges of twins that do not exist."""
    for index, exchange in enumerate(written.exchanges):
        if exchange.twin is not None and exchange.twin not in twins:
            found = f"unknown twin {exchange.twin!r}"
            yield finding_at(path, label(path), ("exchanges", index, "twin"), found, "the id of a safe twin")


def _rows(path: Path, model: type[Model], about: Callable[[Model], str]) -> Iterator[Finding]:
    """Rows in the wrong file, and words or numbers that are listed twice."""
    file, seen = label(path), set[tuple[object, ...]]()
    for number, line in raw_lines(path, file):
        row = model_of_line(model, line, file, number)
        if isinstance(row, list):
            yield from row
            continue
        assert isinstance(row, ItemPlace)
        if about(row) != path.stem:
            yield Finding.at(file, number, "", f"is about {about(row)!r}", f"{path.stem!r}, as the file name")
        for key, what in (((row.batch, row.item), "this item is"), (row.place, "these words are")):
            if key in seen:
                yield Finding.at(file, number, "", f"{what} listed twice", "one line for each item")
            seen.add(key)


def _loaded(model: type[Model], path: Path) -> Generator[Finding, None, Model | None]:
    """The file as a model; None if it is not there or has errors, which are yielded."""
    if not path.is_file():
        return None
    try:
        return load_yaml(model, path, name=label(path))
    except DataError as error:
        yield from error.findings
        return None


def _reasons(path: Path, never: Collection[str], reasons: NoFailures) -> Iterator[Finding]:
    """Checks without a failure and without a reason, and reasons for checks that were failed."""
    for name in sorted(never - reasons.checks.keys()):
        found = f"no recorded vote failed {name}, and no reason is given"
        yield Finding.at(label(path), None, "checks", found, "say whether models or threshold is the reason")
    for name in sorted(reasons.checks.keys() - never):
        found = f"{name} was failed, or no vote on it is recorded"
        yield finding_at(path, label(path), ("checks", name), found, "delete this reason")
