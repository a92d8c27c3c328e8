"""The cases of a report as a table: CSV and Parquet, with one row for each case."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from delivery.words.escape import cell
from ib.errors import WorldError
from ib.models.report.report import Case, Report

COLUMNS = (
    *("kind", "check", "name", "dimension", "severity", "log", "model", "scenario", "epoch"),
    *("turn", "quote", "asked", "votes_for", "votes_asked", "scorer", "rationale_code", "phrases"),
    *("same_words", "older_question"),
)
"""The columns of a table; the metadata of the conversations follow, each as `meta.KEY`."""
Row = dict[str, str | int | bool | None]


def rows(report: Report) -> Iterator[Row]:
    """One row for each case, in the order of the report."""
    keys = meta_keys(report)
    for case in report.cases:
        yield {**_row(case, report), **{f"meta.{key}": case.meta.get(key) for key in keys}}


def meta_keys(report: Report) -> list[str]:
    """The metadata keys of the cases."""
    return sorted({key for case in report.cases for key in case.meta})


def _row(case: Case, report: Report) -> Row:
    check = report.check(case.check_id)
    first = case.turns[0] if case.turns else None
    return {
        "kind": case.kind.value,
        "check": case.check_id,
        "name": check.name,
        "dimension": check.bucket.value,
        "severity": check.severity.value,
        "log": case.log,
        "model": case.model_id,
        "scenario": case.scenario_id,
        "epoch": case.epoch,
        "turn": None if first is None else first.turn,
        "quote": " [...] ".join(quote for turn in case.turns for quote in turn.quoted),
        "asked": None if first is None else first.asked,
        "votes_for": case.votes_for,
        "votes_asked": case.votes_asked,
        "scorer": case.scorer,
        "rationale_code": case.rationale_code,
        "phrases": ", ".join(case.phrases),
        "same_words": ", ".join(case.same_words),
        "older_question": case.older_question,
    }


def comma_separated(report: Report) -> str:
    """The table as CSV with a header. Text that a spreadsheet would run as a formula gets a prefix."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = (*COLUMNS, *(f"meta.{key}" for key in meta_keys(report)))
    writer.writerow(map(cell, names))
    for row in rows(report):
        writer.writerow([cell(row[name]) for name in names])
    return file.getvalue()


def parquet(report: Report) -> bytes:
    """The table as Parquet. Raises WorldError if pyarrow is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise WorldError("--format parquet needs the package pyarrow; `pip install pyarrow`") from error
    numbers = ("epoch", "turn", "votes_for", "votes_asked")
    types = {name: pyarrow.int64() for name in numbers} | {"older_question": pyarrow.bool_()}
    names = (*COLUMNS, *(f"meta.{key}" for key in meta_keys(report)))
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in names])
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows(report)), schema=schema), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data
