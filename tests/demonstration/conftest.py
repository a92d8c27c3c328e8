"""The demonstration, made once for all tests: each reference assistant on each scenario of core and sets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.delivery.recomputed.data import board_of
from tests.once import once

Cell = tuple[str, str, str]
"""Character, check, scenario."""


COMMITTED = Path(__file__).resolve().parents[2] / "data" / "leaderboard"


def committed_day() -> str:
    """The day of the demonstration in the repository."""
    day: str = json.loads((COMMITTED / "leaderboard.json").read_text())["released"]
    return day


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `ib demo` makes, in a process of its own. `make check` makes no other."""

    def make(folder: Path) -> None:
        out = ["--out", str(folder / "demo"), "--date", committed_day()]
        command = [sys.executable, "-m", "ib", "demo", "--sets", *out]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return once(tmp_path_factory, "demonstration", make) / "demo"


@pytest.fixture(scope="session")
def rows(demo: Path) -> Mapping[Cell, dict[str, Any]]:
    """Every row of the demonstration's scan, by character, check and scenario."""
    found: dict[Cell, dict[str, Any]] = {}
    for line in (demo / "scan" / "results.jsonl").read_text().splitlines():
        result = json.loads(line)
        character = result["model_id"].removeprefix("reference/")
        for row in result["rows"]:
            found[character, row["mode_id"], result["scenario_id"]] = row
    return found


@pytest.fixture(scope="session")
def board(demo: Path) -> dict[str, Any]:
    """The leaderboard of the demonstration."""
    return board_of(demo / "release")
