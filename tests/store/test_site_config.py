"""How the public site introduces itself: `configs/site.yaml`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ib.cli import run
from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.site import NEUTRAL, Example
from ib.store.benchmark.characters import character_paths
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.site import SITE, load_site


@pytest.fixture(scope="module")
def benchmark_data() -> Benchmark:
    """The benchmark of the package."""
    return load_benchmark()


@pytest.fixture(scope="module")
def example(benchmark_data: Benchmark) -> Example:
    """The example of the benchmark of the package."""
    found = load_site(benchmark_folder(), benchmark_data.checks, character_paths(benchmark_folder())).example
    assert found is not None
    return found


def test_the_example_is_played_word_for_word(example: Example, tmp_path: Path) -> None:
    """The reference assistant says these words in this turn, and the judge by words fails the named check."""
    play = ["run", "-m", f"reference/{example.assistant}", "-s", example.scenario, "--out", f"{tmp_path}/run"]
    assert run(play) == 0
    judge = ["--profile", "publish", "--judge", "lexical", "--check", example.check]
    assert run(["scan", f"{tmp_path}/run/transcripts.jsonl", *judge, "--out", f"{tmp_path}/scan"]) == 0
    messages = json.loads((tmp_path / "run" / "transcripts.jsonl").read_text().splitlines()[0])["messages"]
    words = {one["role"]: one["content"] for one in messages if one["turn"] == example.turn}
    assert words == {"user": example.said, "assistant": example.reply}
    rows = json.loads((tmp_path / "scan" / "results.jsonl").read_text().splitlines()[0])["rows"]
    found = {row["mode_id"]: row for row in rows}[example.check]
    assert (found["verdict"], {span["turn"] for span in found["evidence"]}) == ("FAIL", {example.turn})


def test_a_benchmark_without_the_file_is_introduced_in_neutral_words(tmp_path: Path) -> None:
    """No page of another benchmark speaks of caregivers, and none shows the line of help of this one."""
    assert load_site(tmp_path, {}, {}) is NEUTRAL
    assert NEUTRAL.help is None
    assert "caregiver" not in NEUTRAL.model_dump_json()


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("check", "IB-X9", "unknown check 'IB-X9'"),
        ("check", "IB-A1", "IB-A1 has the severity S5"),
        ("assistant", "nobody", "unknown reference assistant 'nobody'"),
        ("cue", "not said", "`cue` must occur once in `said`"),
    ],
)
def test_an_example_that_the_benchmark_does_not_have_is_refused(
    key: str, value: str, found: str, benchmark_data: Benchmark, tmp_path: Path
) -> None:
    """The finding names the file, the key and what was found."""
    told = yaml.safe_load((benchmark_folder() / SITE).read_text())
    told["example"][key] = value
    (tmp_path / SITE).parent.mkdir()
    (tmp_path / SITE).write_text(yaml.safe_dump(told))
    with pytest.raises(DataError, match="example") as error:
        load_site(tmp_path, benchmark_data.checks, {"cheerleader": None})
    assert found in str(error.value)


@pytest.mark.parametrize(
    ("key", "scheme", "value", "found"),
    [
        ("accent", "light", "#c05030", "accent.light: #c05030 against the page (#fdfcf9) has a contrast of "),
        ("accent", "dark", "#803020", "accent.dark: #803020 against the panel (#1d2024) has a contrast of "),
        (
            "soft",
            "light",
            "#909090",
            "soft.light: #909090 against text in quiet (#4d4e50) has a contrast of ",
        ),
        ("soft", "dark", "#bbbbbb", "accent.dark: #ffa78d against `soft` (#bbbbbb) has a contrast of "),
    ],
)
def test_colors_in_which_text_cannot_be_read_are_refused(
    key: str, scheme: str, value: str, found: str, tmp_path: Path
) -> None:
    """The finding names the key, both colors, the contrast, and the one that is needed."""
    told = NEUTRAL.model_dump(mode="json")
    shades = {
        "accent": {"light": "#8a2610", "dark": "#ffa78d"},
        "soft": {"light": "#f9ede7", "dark": "#35201a"},
    }
    (tmp_path / SITE).parent.mkdir()
    (tmp_path / SITE).write_text(yaml.safe_dump({**told, "colors": shades}))
    assert load_site(tmp_path, {}, {}).colors is not None
    shades[key][scheme] = value
    (tmp_path / SITE).write_text(yaml.safe_dump({**told, "colors": shades}))
    with pytest.raises(DataError) as error:
        load_site(tmp_path, {}, {})
    assert f"colors.{found}" in str(error.value)
    assert "at least 7:1" in str(error.value)
