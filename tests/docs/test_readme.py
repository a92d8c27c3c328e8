"""The README tells the numbers of today."""

from __future__ import annotations

from pathlib import Path

from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.characters import character_paths
from ib.store.scenarios import load_scenarios

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
IN_WORDS = {6: "six", 7: "seven", 8: "eight"}


def test_the_readme_counts_right() -> None:
    """Checks, published scenarios and reference assistants."""
    root = benchmark_folder()
    published = [scenario for scenario in load_scenarios(root).values() if scenario.published]
    assert f"asks {len(load_benchmark().checks)} narrow questions" in README
    assert f"plays {len(published)} scenarios against" in README
    assert f"{IN_WORDS[len(character_paths(root))]} reference assistants" in README
