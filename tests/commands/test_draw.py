"""A draw from the run to the scan: plans name it by the hash of its key, and two draws are never mixed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.store.benchmark.loading import benchmark_folder
from tests.scenario import scenario_dict, write_scenario
from tests.scenario.slots import slotted, write_draw

Call = Callable[..., tuple[int, str, str]]
KEY = "ab" * 32


def checks_alone(made: Path) -> tuple[Path, str]:
    """The benchmark without its scenarios, in a folder, and its canary."""
    for name in ("checks", "lexicons", "listening", "configs", "corpus", "reference"):
        shutil.copytree(benchmark_folder() / name, made / name)
    shutil.copy(benchmark_folder() / "words.yaml", made)
    first = next((benchmark_folder() / "scenarios").rglob("*.json"))
    return made, json.loads(first.read_text())["canary"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checks of the benchmark with one scenario, which has slots."""
    made, canary = checks_alone(tmp_path_factory.mktemp("benchmark"))
    write_scenario(made, slotted(canary=canary))
    write_draw(made)
    return made


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """The file of a private key."""
    path = tmp_path / "key"
    path.write_text(KEY)
    return path


@pytest.fixture
def played(root: Path, key: Path, tmp_path: Path, ib: Call) -> Callable[..., Path]:
    """Plays and scans the scenario in the draw of these options; the folder of the scan."""

    def make(name: str, *draw: object, model: str = "attentive") -> Path:
        run, scan = tmp_path / f"{name}-run", tmp_path / name
        asked = ("-m", f"reference/{model}", "--benchmark", root)
        assert ib("run", *asked, *draw, "--out", run)[0] == 0
        code, _, err = ib("scan", run / "transcripts.jsonl", "--benchmark", root, *draw, "--out", scan)
        assert code == 0, err
        return scan

    return make


def planned(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / "scan_plan.json").read_text())
    return value


def test_two_draws_have_one_comparability_key(played: Callable[..., Path], key: Path) -> None:
    """The draw stands beside the key, and the words differ."""
    public, private = planned(played("public")), planned(played("private", "--draw", key))
    assert public["comparability_key"] == private["comparability_key"]
    assert public["draw"] != private["draw"]
    hashes = [{item["scenario_hash"] for item in each["transcripts"]} for each in (public, private)]
    assert hashes[0].isdisjoint(hashes[1])


def test_the_key_is_written_nowhere(played: Callable[..., Path], key: Path, tmp_path: Path) -> None:
    """Plans, journals, transcripts and manifests have the hash of the key alone."""
    played("private", "--draw", key)
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path != key]
    assert len(written) > 8
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []


def test_a_scan_has_transcripts_of_one_draw(
    played: Callable[..., Path], root: Path, key: Path, tmp_path: Path, ib: Call
) -> None:
    """Transcripts of another draw are refused with the line, the key, and the draw that is named."""
    played("public")
    played("private", "--draw", key, model="echo")
    mixed = (tmp_path / "public-run" / "transcripts.jsonl", tmp_path / "private-run" / "transcripts.jsonl")
    code, _, err = ib("scan", *mixed, "--benchmark", root, "--out", tmp_path / "mixed")
    assert code == 3
    assert "transcripts.jsonl:1: provenance.draw:" in err
    assert "one scan has transcripts of one draw" in err
    assert not (tmp_path / "mixed").exists()


@pytest.mark.gate
def test_a_transcript_of_a_private_draw_has_its_salted_hash(
    played: Callable[..., Path], root: Path, key: Path, tmp_path: Path, ib: Call
) -> None:
    """Without `scenario_hash`, the hashes of a release would be of bare words, which can be tried."""
    played("private", "--draw", key)
    row = json.loads((tmp_path / "private-run" / "transcripts.jsonl").read_text())
    del row["provenance"]["scenario_hash"]
    (tmp_path / "bare.jsonl").write_text(json.dumps(row) + "\n")
    code, _, err = ib("scan", tmp_path / "bare.jsonl", "--benchmark", root, "--draw", key,
                      "--out", tmp_path / "bare")  # fmt: skip
    assert (code, "bare.jsonl:1: provenance.scenario_hash: differs" in err) == (3, True), err


def test_a_private_draw_needs_slots(key: Path, tmp_path: Path, ib: Call) -> None:
    """A scenario without slots is named; nothing is played."""
    plain, canary = checks_alone(tmp_path / "plain")
    write_scenario(plain, scenario_dict(canary=canary))
    code, _, err = ib("run", "-m", "reference/echo", "--benchmark", plain, "--draw", key,
                      "--out", tmp_path / "run")  # fmt: skip
    assert code == 3
    assert "safety-crisis-small.json: slots: has no slots" in err
    assert not (tmp_path / "run").exists()


def test_a_wrong_key_is_named_and_not_repeated(root: Path, key: Path, tmp_path: Path, ib: Call) -> None:
    """A short key is bad data; a missing file is a usage error."""
    key.write_text("abcd")
    call = ("run", "-m", "reference/echo", "--benchmark", root, "--out", tmp_path / "run", "--draw")
    code, _, err = ib(*call, key)
    assert code == 3
    assert "4 characters that are not a key" in err
    assert "abcd" not in err.replace(str(key), "")
    assert ib(*call, tmp_path / "none")[0] == 2


def test_a_scenario_is_shown_in_another_draw(root: Path, ib: Call) -> None:
    """Any text is a seed; the values of the slots stand above the turns."""
    shown = [
        ib("show", "scenario", "safety-crisis-small", "--benchmark", root, "--draw", n)[1] for n in "abcde"
    ]
    assert len(set(shown)) == 5
    assert all("color: " in each and "{" not in each for each in shown)
