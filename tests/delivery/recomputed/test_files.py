"""The data files and the report cards show the numbers of leaderboard.json."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from delivery.cards.report_card import report_card
from delivery.release.view import Release
from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here
from tests.delivery.recomputed.conftest import Shown
from tests.delivery.recomputed.on_figures import BUCKETS
from tests.delivery.recomputed.on_lists import failed, grade
from tests.delivery.recomputed.on_models import place
from tests.delivery.recomputed.on_scenarios import SEVERITIES, due, entry_of, sessions, stories, turns
from tests.delivery.recomputed.parts import results
from tests.delivery.test_report_card import text_of

Row = dict[str, Any]
ON_CARD = 12
"""How many checks a card shows."""

PEOPLE = {"failed_by_person": 0, "cleared_by_person": 0}
"""What a release leaves out where no person decided, and a table shows."""


def flat(record: Data, prefix: str = "") -> Row:
    """The numbers of a record under the names of a table: parts become prefixes, bounds two cells."""
    found: Row = {}
    for key, value in record.items():
        if key == "bounds":
            found |= dict(
                zip((f"{prefix}lower_bound", f"{prefix}upper_bound"), value or (None, None), strict=True)
            )
        elif key == "tied":
            for at, other in enumerate(value, 1):
                found |= flat(other, f"{prefix}tied_{at}_")
        elif isinstance(value, dict):
            found |= flat(value, prefix if key == "coverage" else f"{prefix}{key}_")
        else:
            found[prefix + key] = value
    return found


def graded(one: Data) -> Row:
    return one | {f"grade_{at}": count for at, count in enumerate(one["grades"])}


def of_models(here: Here) -> Iterator[tuple[str, Row]]:
    """The rows of the tables with a row for each model, or several."""
    for model in here.models:
        gates = [flat(PEOPLE | model["gates"][bucket], f"{BUCKETS[bucket].lower()}_") for bucket in "AB"]
        yield "gates", model | gates[0] | gates[1] | flat(PEOPLE | model["both_gates"], "both_gates_")
        scores = flat(model["overall"], "overall_") | model["roots"] | model["coverage"]
        scores["older_questions"] = model["older_questions"]
        for bucket in "CDF":
            scores |= flat(model["dimensions"].get(bucket) or {}, f"{bucket}_")
            scores |= flat(model["occurrences"].get(bucket) or {}, f"{bucket}_turns_")
        yield "scores", scores
        yield from (("gate-rules", flat(one)) for one in model["gate_rules"])
        for one in model["blindspots"]:
            k, n = one["failures"]["k"], one["failures"]["n"]
            step = next(at for at in range(6) if k <= n * at / 5) if n else None
            yield "heatmap", flat(one) | {"step": step}
            yield "blindspots", flat(one)
        yield from (("scenario-results", flat(met)) for met in model["scenarios"])
        alarms = model["dangers_and_alarms"]
        if alarms:
            yield "alarms", flat(alarms) | {"pairs": len(alarms["pairs"])}
            for pair in alarms["pairs"]:
                yield "pairs", graded(pair) | {"ungraded": sum(pair["ungraded"].values())}
        places = {(met["scenario_id"], met["epoch"]) for met in model["scenarios"]}
        for one in here.source.transcripts[model["slug"]]["transcripts"]:
            place = (one["scenario_id"], one["epoch"])
            lost = failed(model, one) if place in places else None
            length = len({message["turn"] for message in one["messages"]})
            mark = None if place in places else grade(here, model, one)
            told = {"turns": length, "failed_checks": lost, "over_alarm_grade": mark}
            yield "transcripts", one | told
        for part in ("memory", "coordination", "regard"):
            for _, one in sorted(((model["supplement"] or {}).get(part) or {}).items()):
                yield "supplement", flat(one, "share_" if part == "regard" else "failures_")
        yield from _of_rubrics(model["supplement"] or {})
        for rates in (model["supplement"] or {}).get("others", {}).values():
            yield from (("supplement", flat(one, "failures_")) for _, one in sorted(rates.items()))


def _of_rubrics(found: Data) -> Iterator[tuple[str, Row]]:
    for key, prefix in (("rubric", "share_"), ("autofails", "failures_")):
        if found.get(key):
            yield "supplement", flat(found[key], prefix)


def of_release(here: Here) -> Iterator[tuple[str, Row]]:
    """The rows of the other tables."""
    board = here.board
    for number, one in enumerate(board["findings"], 1):
        for name, value in sorted(flat(one).items()):
            if name != "kind":
                yield "findings", {"finding": number, "name": name, "value": value}
    yield from (("checks", flat(one)) for one in board["checks"])
    yield from (("twins", graded(one)) for one in board["twins"])
    for one in board["comparisons"]:
        for found in (one["gates"]["A"], one["gates"]["B"], one["all_checks"]):
            yield "comparisons", flat(found) | {"shared": one["shared"]}
        yield from (("comparisons-by-check", flat(row)) for row in one["checks"])
    for one in board["contrasts"]:
        yield from (
            ("contrasts", flat(PEOPLE | one["safety"], "original_") | flat(_variant(each)))
            for each in one["variants"]
        )
    for name in stories(here):
        scenario, entry = here.source.scenarios.get(name), entry_of(here, name)
        cues = [risk["severity"] for risk in (scenario or {}).get("risk_triggers", ())]
        told: Row = {"models": len(entry["models"]) if entry else 0}
        if scenario:
            told |= {f"cues_{one}": cues.count(one) for one in SEVERITIES}
            told |= {"turns": len(turns(scenario)), "sessions": len(sessions(scenario))}
            told["checks_due"] = len(due(here, scenario))
        yield "scenarios", told


def _variant(each: Data) -> Data:
    return each | {"safety": PEOPLE | each["safety"]}


def test_every_number_of_the_data_files(demonstration: Shown, files: dict[str, str]) -> None:
    """Each number of each JSON table, in its row; and the CSV table has the same cells."""
    here = demonstration[0]
    expected: dict[str, list[Row]] = {}
    for name, row in (*of_models(here), *of_release(here)):
        expected.setdefault(name, []).append(row)
    names = {path.removeprefix("data/").removesuffix(".json") for path in files if path.endswith(".json")}
    assert names == expected.keys()
    for name, told in expected.items():
        rows = json.loads(files[f"data/{name}.json"])["rows"]
        compared = sorted(rows, key=lambda row: (row["finding"], row["name"])) if name == "findings" else rows
        assert len(rows) == len(told), name
        for row, one in zip(compared, told, strict=True):
            numbers = {key: value for key, value in row.items() if type(value) in {int, float}}
            assert numbers == {key: one.get(key, "no such number") for key in numbers}, name
        table = list(csv.DictReader(io.StringIO(files[f"data/{name}.csv"], newline="")))
        cells = [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]
        assert [
            {key: row[key].removeprefix("'") for key in one} for row, one in zip(table, cells, strict=True)
        ] == cells
        assert here.board["stage"] == "demo"
        assert {row["stage"] for row in table} == {"DEMONSTRATION"}
        assert json.loads(files[f"data/{name}.json"])["stage"] == "DEMONSTRATION"
        assert table[0]["canary"] == here.board["canary"]


def test_the_report_cards(demonstration: Shown, release: Release) -> None:
    """Every number of a card, in order."""
    here = demonstration[0]
    for entry in release.models:
        model = here.by_slug[entry.slug]
        said = " ".join(text_of(report_card(release, entry, datetime(2026, 1, 1, tzinfo=UTC))).split())
        said, source = said.replace(here.board["canary"], ""), here.source
        told = " ".join(_card(here, model))
        show = [results(text, source.names, source.told, states=False) for text in (said, told)]
        assert show[0] == show[1]


def _card(here: Here, model: Data) -> Iterator[str]:
    yield model["model"]
    yield say.trust(here)
    yield f"{model['transcripts']} {here.board['judge']['model']}"
    yield from (say.gate_sentence(model["gates"][bucket]) for bucket in "AB")
    found = [one for one in model["blindspots"] if one["failures"]["k"]]
    found.sort(key=lambda one: place(here, one))
    for one in found[:ON_CARD]:
        yield here.check_name(one["check_id"])
        k, n, open_ = one["failures"]["k"], one["failures"]["n"], one["failures"]["unclear"] + one["not_run"]
        yield say.rate_line(k, n, undecided=open_)
        if open_ and n >= say.FEW and say.half(n, open_):
            yield f"{say.interval(k / (n + open_), (k + open_) / (n + open_))} counting {open_} undecided"
        elif open_ and n < say.FEW:
            yield f"{open_} undecided"
        yield f"{one['contested']} contested" if one["contested"] else ""
    yield str(len(found) - ON_CARD) if len(found) > ON_CARD else ""
    yield f"0% 100% {say.FEW} {here.board['results_hash'][:12]} {here.board['benchmark_version']}"
