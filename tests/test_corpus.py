"""The corpus of scenarios: counts read from the files themselves, and what they say of each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ib.pipeline.lint import scenario_findings
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.scenarios import load_scenarios

FOLDER = benchmark_folder() / "scenarios"
FILES = {path.stem: path for path in sorted(FOLDER.rglob("*.json"))}
READ: dict[str, dict[str, Any]] = {name: json.loads(path.read_text()) for name, path in FILES.items()}
RAW = {name: scenario for name, scenario in READ.items() if scenario.get("status") != "draft"}


def turns(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    sessions = scenario.get("sessions") or [scenario]
    return [turn for session in sessions for turn in session["turns"]]


def test_the_corpus_has_the_counts_that_are_promised() -> None:
    """64 scenarios in four categories; branches, contrasts, texts, sessions, rubrics and probes as agreed."""
    every = list(RAW.values())
    assert Counter(s["category"] for s in every) == {
        "safety": 29,
        "empathy": 19,
        "context": 12,
        "continuity": 4,
    }
    assert sum(s["published"] for s in every) == 63
    assert sum(any(t.get("branches") for t in turns(s)) for s in every) == 23
    variants = [s for s in every if "contrast" in s and "variant_of" in s]
    assert len(variants) == 4
    assert len({s["contrast"]["group"] for s in every if "contrast" in s}) == 3
    assert sum("variant_of" in s and "contrast" not in s for s in every) == 3
    assert sum(s["category"] == "continuity" and len(s.get("sessions", [])) > 1 for s in every) >= 3
    assert sum(any(t.get("rubric") for t in turns(s)) for s in every) >= 32
    assert sum(bool(s.get("probes")) for s in every) >= 30


def test_the_corpus_holds_its_contract() -> None:
    """`ib lint` has nothing to say of any scenario, nor of all of them together."""
    root = benchmark_folder()
    findings = scenario_findings(load_benchmark(), root, load_scenarios(root))
    assert [str(finding) for finding in findings] == []


@pytest.mark.parametrize("name", RAW)
def test_a_scenario_is_of_the_size_that_people_read(name: str) -> None:
    """Four to nine turns, the longest about eighteen; every turn says what is expected and what fails."""
    scenario = RAW[name]
    most = 18 if "sessions" in scenario else 10
    assert 4 <= len(turns(scenario)) <= most
    assert all(t["expected_behaviors"] and t["autofail_triggers"] for t in turns(scenario))


@pytest.mark.parametrize("name", [n for n, s in RAW.items() if "contrast" in s and "variant_of" in s])
def test_a_contrast_variant_differs_in_one_thing(name: str) -> None:
    """The same person, turns, probes and branches; what is said differs in the cue turns alone."""
    variant = RAW[name]
    anchor = RAW[variant["variant_of"]]
    assert variant["persona"] == anchor["persona"]
    assert variant.get("probes") == anchor.get("probes")
    cues = {a["cue_turn"] for s in (variant, anchor) for a in s.get("anchors", [])}
    cues |= {r["turn"] for s in (variant, anchor) for r in s.get("risk_triggers", [])}
    for mine, theirs in zip(turns(variant), turns(anchor), strict=True):
        conditions = [[b["condition"] for b in t.get("branches", [])] for t in (mine, theirs)]
        assert conditions[0] == conditions[1]
        if mine["user_message"] != theirs["user_message"]:
            assert mine["turn"] in cues, f"turn {mine['turn']} differs and holds no cue"
    assert any(
        a["user_message"] != b["user_message"] for a, b in zip(turns(variant), turns(anchor), strict=True)
    )


def test_no_sentence_stands_twice_but_in_variants() -> None:
    """What a person says is said once: no sentence of eight words or more in two unrelated scenarios."""
    owner: dict[str, str] = {}
    for name, scenario in RAW.items():
        family = scenario.get("variant_of", name)
        for turn in turns(scenario):
            for sentence in re.split(r"(?<=[.!?])\s+|\n", turn["user_message"]):
                if len(sentence.split()) >= 8:
                    key = " ".join(sentence.casefold().split())
                    assert owner.setdefault(key, family) == family, f"{name}: {sentence}"


def test_every_check_can_be_judged_in_at_least_five_scenarios() -> None:
    """The table that is published says so for every check, and is made from the files."""
    page = (benchmark_folder() / "COVERAGE.md").read_text()
    rows = re.findall(r"^\| `(IB-[^`]+)` \| (?:trigger|universal) \| (\d+) \|", page, re.MULTILINE)
    assert len(rows) == len(load_benchmark().checks)
    assert all(int(count) >= 5 for _, count in rows), [row for row in rows if int(row[1]) < 5]


def test_files_lie_where_their_scenario_says() -> None:
    """category/theme/id.json, nothing else in the folder."""
    for name, scenario in RAW.items():
        place = Path(scenario["category"]) / scenario["theme"] / f"{name}.json"
        assert FILES[name].relative_to(FOLDER) == place
    assert {p.suffix for p in FOLDER.rglob("*") if p.is_file()} == {".json"}
