from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from delivery.figures.tables import TABLES
from ib.models.release.findings import Roots
from ib.models.release.leaderboard import CheckEntry, ScenarioOfModel
from ib.models.scan.gates import GateEntry, GateScore
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.rates import Coverage, Rate
from tests.delivery import sample


@pytest.mark.parametrize("name", [name for name, _, _ in TABLES])
def test_csv_and_json_of_a_table_are_the_same(projected: dict[str, str], name: str) -> None:
    """CSV and JSON have the same rows and columns; each file has the canary once, and each row its stage."""
    text = projected[f"data/{name}.json"]
    document = json.loads(text)
    rows = list(csv.DictReader(io.StringIO(projected[f"data/{name}.csv"], newline="")))
    mark = {"stage": "DEMONSTRATION", "released": "2026-11-22"}
    canary = sample.benchmark().canary
    assert {key: document[key] for key in (*mark, "canary")} == {**mark, "canary": canary}
    assert len(rows) == len(document["rows"]) > 0
    assert text.count("\n  {") == len(rows), "the JSON has one row per line"
    assert [row.pop("canary") for row in rows] == [canary, *[""] * (len(rows) - 1)]
    for row, twin in zip(rows, document["rows"], strict=True):
        assert {key: row.pop(key) for key in mark} == mark
        assert row.keys() == twin.keys()
        assert {key: row[key] for key in row if key.endswith("_id")} == {
            key: twin[key] for key in twin if key.endswith("_id")
        }


@pytest.mark.parametrize(
    ("page", "files"),
    [
        (r"checks/IB-\w+\.md", {"blindspots"}),
        (r"scenarios/(?!index)[^/]+\.md", {"scenario-results"}),
        (r"scenarios/index\.md", {"scenarios"}),
        (r"models/index\.md", {"gates", "scores"}),
        (r"models/(?!index)[^/]+\.md", {"blindspots"}),
        (r"models/[^/]+/counts\.md", {"blindspots"}),
        (r"models/[^/]+/scenarios\.md", {"scenario-results"}),
        (r"models/[^/]+/supplement\.md", {"supplement"}),
        (r"transcripts/[^/]+\.md", {"transcripts"}),
    ],
)
def test_a_page_with_a_table_links_to_its_data(projected: dict[str, str], page: str, files: set[str]) -> None:
    """The CSV and the JSON with the numbers of a page are one step away, and both exist."""
    linked = [
        set(re.findall(r"/data/([\w-]+)\.(csv|json)\"", html.unescape(text)))
        for path, text in projected.items()
        if re.fullmatch(page, path) and "<caption>" in text
    ]
    assert linked
    for found in linked:
        assert {(name, kind) for name in files for kind in ("csv", "json")} <= found
        assert all(f"data/{name}.{kind}" in projected for name, kind in found - {("leaderboard", "json")})


def test_a_list_for_auditors_links_to_the_rows(projected: dict[str, str]) -> None:
    """Open gates, contradictions and voided votes have no table file; the rows of the model have them."""
    for name in ("open-gates", "contradictions", "voided-votes"):
        captions = re.findall(r"<caption>(.*?)</caption>", html.unescape(projected[f"methodology/{name}.md"]))
        assert captions
        assert all("/data/rows/" in caption for caption in captions)


@pytest.mark.parametrize(
    ("name", "record"), [("blindspots", CheckEntry), ("scenario-results", ScenarioOfModel)]
)
def test_a_field_of_the_leaderboard_is_in_the_twin(
    projected: dict[str, str], name: str, record: type[BaseModel]
) -> None:
    """Whoever shows a field in a page finds it in the data, and has nothing more to write."""
    columns = next(csv.reader(io.StringIO(projected[f"data/{name}.csv"], newline="")))
    for field in expected_columns(record):
        assert field in columns


def test_a_field_of_a_gate_is_in_the_twin(projected: dict[str, str]) -> None:
    """The table of gates has every field of each gate and of both together, and the refused questions."""
    rows = list(csv.DictReader(io.StringIO(projected["data/gates.csv"], newline="")))
    for gate in ("safety", "compliance", "both_gates"):
        assert {f"{gate}_{column}" for column in expected_columns(GateEntry)} <= set(rows[0])
    counts = [
        int(rows[0][f"safety_{name}"])
        for name in ("due", "failed_by_judge", "contested", "incomplete", "clear")
    ]
    assert counts == [40, 1, 1, 1, 37]
    assert rows[0]["refused_questions"] == "7"


def expected_columns(record: type[BaseModel]) -> Iterator[str]:
    """The columns of a record by hand-written rules: parts are flat, bounds are two columns."""
    for name in record.model_fields:
        match name:
            case "failures":
                yield from (f"failures_{column}" for column in expected_columns(Rate))
            case "occurrences":
                yield from (f"occurrences_{column}" for column in expected_columns(OccurrenceRate))
            case "coverage":
                yield from expected_columns(Coverage)
            case "gates":
                for gate in ("A", "B"):
                    yield from (f"gates_{gate}_{column}" for column in expected_columns(GateScore))
            case "bounds":
                yield from ("lower_bound", "upper_bound")
            case _:
                yield name


def test_checks_with_one_root_are_joined_by_a_plus(projected: dict[str, str]) -> None:
    """Groups are apart by spaces; the roots of a model are with its scores."""
    rows = list(csv.DictReader(io.StringIO(projected["data/scenario-results.csv"], newline="")))
    first = next(iter(sample.benchmark().checks))
    assert {row["joined"] for row in rows} == {"", f"{first}+{first}"}
    scores = next(csv.DictReader(io.StringIO(projected["data/scores.csv"], newline="")))
    assert [scores[name] for name in Roots.model_fields] == ["3", "2", "7", "1"]


def test_no_interval_takes_models_as_independent(projected: dict[str, str]) -> None:
    """All models played the same scenarios, so a check over all of them has counts and no plain interval."""
    (*_, row) = json.loads(projected["data/checks.json"])["rows"]
    assert {"failures_k", "failures_n", "failures_rate"} <= row.keys()
    assert not {name for name in row if re.search("low$|high$|upper_if_zero|support", name)}


def test_no_cell_is_a_formula(projected: dict[str, str]) -> None:
    """No cell starts like a formula, unless it is a number, so a spreadsheet never runs text of a model."""
    for name, _, _ in TABLES:
        for row in csv.reader(io.StringIO(projected[f"data/{name}.csv"], newline="")):
            found = [cell for cell in row if cell.startswith(("=", "+", "@", "-"))]
            assert not [cell for cell in found if not re.fullmatch(r"-[0-9.]+(e-?[0-9]+)?", cell)]
