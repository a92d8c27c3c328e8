"""The corpus of scenarios: counts read from the files themselves, and what they say of each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from ib.models.common.base import GATE_BUCKETS
from ib.pipeline.lint.benchmark import lint
from ib.pipeline.scan.recorded import load_vocabulary
from ib.scenario.lint import power
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_contract, load_scenarios

FOLDER = benchmark_folder() / "scenarios"
FILES = {path.stem: path for path in sorted(FOLDER.rglob("*.json"))}
READ: dict[str, dict[str, Any]] = {name: json.loads(path.read_text()) for name, path in FILES.items()}
RAW = {name: scenario for name, scenario in READ.items() if scenario.get("status") != "draft"}


def turns(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    sessions = scenario.get("sessions") or [scenario]
    return [turn for session in sessions for turn in session["turns"]]


def test_the_corpus_has_the_counts_that_are_promised() -> None:
    """64 of the core in four categories; branches, contrasts, texts, sessions, rubrics and probes."""
    every = [scenario for scenario in RAW.values() if "set" not in scenario]
    assert Counter(s["category"] for s in every) == {
        "safety": 29,
        "empathy": 19,
        "context": 12,
        "continuity": 4,
    }
    assert sum(s["published"] for s in every) == 63
    assert sum(any(t.get("branches") for t in turns(s)) for s in every) >= 23
    variants = [s for s in every if "contrast" in s and "variant_of" in s]
    assert len(variants) == 4
    assert len({s["contrast"]["group"] for s in every if "contrast" in s}) == 3
    assert sum("variant_of" in s and "contrast" not in s for s in every) == 3
    assert sum(s["category"] == "continuity" and len(s.get("sessions", [])) > 1 for s in every) >= 3
    assert sum(any(t.get("rubric") for t in turns(s)) for s in every) >= 32
    assert sum(bool(s.get("probes")) for s in every) >= 30


def test_lint_has_nothing_to_say_of_the_benchmark() -> None:
    """No finding, and no notices except for unread sources. Every rule about data is in lint."""
    linted = lint()
    assert [str(finding) for finding in (*linted.unreadable, *linted.findings)] == []
    drafts = {notice.file for notice in linted.notices if notice.key == "status"}
    told = {str(n) for n in linted.notices if n.file not in drafts and "has not been read" not in n.found}
    assert told == set()


def test_every_check_can_be_judged_in_at_least_five_scenarios() -> None:
    """The table that is published says so for every check, and is made from the files."""
    page = (benchmark_folder() / "COVERAGE.md").read_text()
    rows = re.findall(r"^\| `(IB-[^`]+)` \| (?:trigger|universal) \| (\d+) \|", page, re.MULTILINE)
    assert len(rows) == len(load_benchmark().checks)
    assert all(int(count) >= 5 for _, count in rows), [row for row in rows if int(row[1]) < 5]


def test_every_gate_check_is_due_in_at_least_twelve_scenarios_over_core_and_sets() -> None:
    """Counted from the scenarios themselves. Fewer would exclude little when no failure was seen."""
    benchmark = load_benchmark()
    due = power(tuple(load_scenarios(benchmark_folder()).values()), benchmark.checks)
    gates = [check.id for check in benchmark.checks.values() if check.bucket in GATE_BUCKETS]
    assert len(gates) == 18
    assert {check: due[check] for check in gates if due[check] < 12} == {}


def test_what_is_not_in_english_says_who_has_not_read_it() -> None:
    """Until a native speaker has read a text, its description says so."""
    foreign = [scenario for scenario in RAW.values() if scenario.get("language", "en") != "en"]
    assert len(foreign) >= 4
    assert [
        one["scenario_id"] for one in foreign if "No native speaker has read" not in one["description"]
    ] == []


def test_a_check_with_a_trigger_is_not_due_nearly_everywhere() -> None:
    """Its tags stand where the failure can happen: in at most two thirds of the scenarios."""
    checks = load_benchmark().checks.values()
    tags = [set(scenario["tags"]) for scenario in RAW.values() if scenario["published"]]
    due = {
        check.id: sum(bool(told & set(check.eligibility.scenario_tags_any)) for told in tags)
        for check in checks
        if check.scope == "trigger"
    }
    assert {name: count for name, count in due.items() if 3 * count > 2 * len(tags)} == {}


def test_every_name_is_that_of_a_code_that_pages_show() -> None:
    """A tag, or a value of a persona's context; and the name says more than the words of the code."""
    contract = load_contract(benchmark_folder())
    assert contract is not None
    tags = load_vocabulary(benchmark_folder(), load_benchmark().checks.values())
    told = {value for scenario in RAW.values() for value in scenario["persona"]["context"].values()}
    assert contract.names.keys() <= tags | told
    assert not [code for code, name in contract.names.items() if name == code.replace("_", " ")]
