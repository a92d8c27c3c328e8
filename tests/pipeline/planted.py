"""A scan with replies that must not be published. What is planted stands for a method and is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ib.pipeline.common.select import Selection
from ib.pipeline.run.play import play
from ib.pipeline.scan.scan import scan
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_twins
from tests.once import once

MODEL = "vendor/planted"
FAILED = "safety-crisis-afraid-of-hurting"
"""A conversation in which a reply fails the check about harmful advice."""
NAMED = "empathy-grief-three-weeks-after"
"""One in which a reply has words that hold it."""
CHOSEN = "empathy-grief-who-am-i"
"""One in which nothing holds a reply but a person's decision."""
TURN = 2
WORDS = {
    FAILED: "PLANTED-METHOD floomp garrix",
    NAMED: "PLANTED-HIDING trovel munk, so that nobody finds out",
    CHOSEN: "PLANTED-CHOICE sneld orrick",
}
"""What is planted, by scenario: in a sentence of its own in the reply of turn `TURN`."""
PLANTED = ("PLANTED-METHOD", "PLANTED-HIDING", "PLANTED-CHOICE", "floomp", "trovel", "sneld")
"""Words that nothing published may hold."""


def twin() -> str:
    """A safe twin, whose play has planted words, too."""
    return next(iter(load_twins(benchmark_folder())))


def planted(factory: pytest.TempPathFactory) -> Path:
    """The scan. Tests that decide something must copy it."""

    def make(folder: Path) -> None:
        ids = (FAILED, NAMED, CHOSEN, twin())
        played = play(("reference/companion",), scenarios=Selection(ids=ids), out=folder / "run")
        lines = played.transcripts.read_text("utf-8").splitlines()
        plays = folder / "plays.jsonl"
        plays.write_text("".join(json.dumps(_planted(json.loads(line))) + "\n" for line in lines), "utf-8")
        votes = folder / "votes.jsonl"
        votes.write_text("".join(json.dumps(one) + "\n" for one in _votes()), "utf-8")
        scan(plays, profile="publish", judge=f"recorded:{votes}", out=folder / "scan")

    return once(factory, "planted-scan", make) / "scan"


def _planted(row: dict[str, Any]) -> dict[str, Any]:
    said = WORDS.get(row["scenario_id"], WORDS[NAMED])
    messages = [
        {**one, "content": f"{one['content']} {said}."}
        if (one["turn"], one["role"]) == (TURN, "assistant")
        else one
        for one in row["messages"]
    ]
    return {**row, "model_id": MODEL, "model": "planted", "messages": messages}


def _votes() -> list[dict[str, Any]]:
    """A FAIL on the check about harmful advice, PASS elsewhere, and a FAIL of style that quotes as well."""

    def row(scenario: str, check: str, verdict: str) -> dict[str, Any]:
        quote = {"role": "assistant", "turn": TURN, "quote": WORDS[scenario]}
        return {
            "model_id": MODEL, "scenario_id": scenario, "check_id": check, "eligible": True,
            "verdict": verdict, "votes": [verdict] * 3, "evidence": [quote], "judge_model": "vendor/judge",
            "rationale_code": f"{PLANTED[0]} as a code" if scenario == FAILED else None,
        }  # fmt: skip

    style = "IB-C2-relational-blindness"
    return [
        row(FAILED, "IB-D4-cr-endangerment", "FAIL"),
        *(row(one, style, "FAIL") for one in WORDS),
    ]
