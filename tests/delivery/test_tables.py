from __future__ import annotations

import csv
import io
import json

import pytest

from delivery.tables import TABLES
from tests.delivery import sample


@pytest.mark.parametrize("name", [name for name, _ in TABLES])
def test_the_twins_of_a_table_hold_the_same(projected: dict[str, str], name: str) -> None:
    """CSV and JSON of a table have the same rows and columns, and the JSON carries the canary."""
    document = json.loads(projected[f"data/{name}.json"])
    rows = list(csv.DictReader(io.StringIO(projected[f"data/{name}.csv"], newline="")))
    assert document["canary"] == sample.benchmark().canary
    assert len(rows) == len(document["rows"]) > 0
    for row, twin in zip(rows, document["rows"], strict=True):
        assert row.keys() == twin.keys()
        assert {key: row[key] for key in row if key.endswith("_id")} == {
            key: twin[key] for key in twin if key.endswith("_id")
        }


def test_no_cell_is_a_formula(projected: dict[str, str]) -> None:
    """A spreadsheet runs nothing that a model or its name says."""
    for name, _ in TABLES:
        for row in csv.reader(io.StringIO(projected[f"data/{name}.csv"], newline="")):
            assert not [cell for cell in row if cell.startswith(("=", "+", "@", "-"))]
