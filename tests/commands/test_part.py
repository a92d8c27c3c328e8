"""A scan of a part of the work: some checks, some transcripts; and a run of some scenarios."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.scan.part import Part
from ib.pipeline.scan.scan import scan as scan_in_python
from ib.store.folders import scans
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
ROWS = (
    row("v/a", "night-01"),
    row("v/a", "night-02", category="safety"),
    row("v/b", "night-01"),
    row("v/b", "night-02", category="safety"),
)
PHRASES = "IB-C2-minimizing"
"""A check whose phrases a smoke scan looks for."""
JUDGED = "IB-A1"
"""A check that a smoke scan does not ask."""


def results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / scans.RESULTS).read_text().splitlines()]


def plan(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / scans.PLAN).read_text())
    return value


def reasons(folder: Path, state: str = "not_run") -> dict[str, str]:
    """The reason of each check without a verdict, in the first result."""
    return {each["mode_id"]: each["reason"] for each in results(folder)[0]["rows"] if each["state"] == state}


def test_one_check_is_judged_and_the_others_say_why_not(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Checks of the profile that are not selected are not_run with the reason `selection`."""
    path = transcripts(*ROWS)
    assert ib("scan", path, "--check", PHRASES, "--out", tmp_path / "part")[0] == 0
    assert ib("scan", path, "--out", tmp_path / "whole")[0] == 0
    part, whole = plan(tmp_path / "part"), plan(tmp_path / "whole")
    assert [check["check_id"] for check in part["checks"] if check["selected"]] == [PHRASES]
    assert len(part["checks"]) == len(whole["checks"])
    assert part["part"]["checks"] == [PHRASES]
    assert part["comparability_key"] != whole["comparability_key"]
    left_out = reasons(tmp_path / "part")
    asked = {check["check_id"] for check in whole["checks"] if check["selected"]}
    assert {left_out[check] for check in asked & set(left_out) - {PHRASES}} == {"selection"}
    assert {left_out[check] for check in set(left_out) - asked} == {"profile"}
    assert "selection" not in reasons(tmp_path / "whole").values()


def test_a_dimension_is_the_same_as_all_its_checks(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Both select the same checks, so their rows may share a table."""
    path = transcripts(*ROWS)
    assert ib("scan", path, "--bucket", "F", "--out", tmp_path / "bucket")[0] == 0
    first = plan(tmp_path / "bucket")
    named = [check["check_id"] for check in first["checks"] if check["selected"]]
    assert named
    assert all(check.startswith("IB-F") for check in named)
    options = [word for check in (*named[::-1], named[0]) for word in ("--check", check)]
    assert ib("scan", path, *options, "--out", tmp_path / "named")[0] == 0
    second = plan(tmp_path / "named")
    assert first["comparability_key"] == second["comparability_key"]
    assert second["part"]["checks"] == sorted(named)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--limit", 3), [("v/a", "night-01"), ("v/a", "night-02"), ("v/b", "night-01")]),
        (("-s", "night-02"), [("v/a", "night-02"), ("v/b", "night-02")]),
        (("-c", "safety", "--limit", 1), [("v/a", "night-02")]),
        (("-c", "safety", "-c", "empathy", "-s", "night-01"), [("v/a", "night-01"), ("v/b", "night-01")]),
        (("--limit", 99), [(each["model_id"], each["scenario_id"]) for each in ROWS]),
    ],
)
@pytest.mark.parametrize("judge", [(), ("--profile", "publish", "--judge", "lexical")], ids=["none", "judge"])
def test_some_transcripts_are_judged(
    ib: Call, transcripts: Write, tmp_path: Path, options: Any, expected: Any, judge: Any
) -> None:
    """The first of those that fit, in plan order; the folder holds no others, whatever the order of lines."""
    out = tmp_path / "scan"
    code, _, err = ib("scan", transcripts(*reversed(ROWS)), *judge, *options, "--out", out)
    assert code == 0, err
    for found in (plan(out)["transcripts"], results(out)):
        assert [(each["model_id"], each["scenario_id"]) for each in found] == expected
    written = (out / scans.TRANSCRIPTS).read_text().splitlines()
    assert [json.loads(line)["model_id"] for line in written] == [model for model, _ in expected]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--check", "IB-C2-minimising"), "did you mean IB-C2-minimizing"),
        (("--check", JUDGED), f"the profile does not ask {JUDGED}"),
        (("--bucket", "A"), "--bucket A selects no check"),
        (("--check", PHRASES, "--bucket", "F"), "selects no check"),
        (("-s", "nigth-01"), "did you mean night-01"),
        (("-c", "saftey"), "did you mean safety"),
        (("-c", "safety", "-s", "night-01"), "none of 4 transcripts fits all of -s night-01 -c safety"),
        (("--limit", "0"), "--limit"),
        (("--bucket", "E"), "--bucket"),
    ],
)
def test_a_part_that_matches_nothing_is_an_error(
    ib: Call, transcripts: Write, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    """Exit 2 with the nearest names; nothing is written."""
    code, _, err = ib("scan", transcripts(*ROWS), *options, "--out", tmp_path / "scan")
    assert (code, said in err) == (2, True), err
    assert not (tmp_path / "scan").exists()


@pytest.mark.parametrize("options", [("--check", PHRASES), ("--limit", 2), ("-s", "night-01")])
def test_a_part_is_never_more_than_a_demonstration(
    ib: Call, transcripts: Write, tmp_path: Path, options: tuple[object, ...]
) -> None:
    """The gate recomputes the part, and says which options made it."""
    out = tmp_path / "scan"
    assert ib("scan", transcripts(*ROWS[::2]), *options, "--out", out)[0] == 0
    code, said, err = ib("qa", out, "--stage", "research")
    assert (code, "granted: demo" in said) == (1, True)
    assert f"scan again without {' '.join(map(str, options))}" in err
    assert "recomputed" not in err
    assert "agree" not in err


def test_a_part_is_named_in_the_words_of_a_scan(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Whoever reads the summary knows that it is a part."""
    _, said, _ = ib("scan", transcripts(*ROWS), "--limit", 1, "--dry-run")
    assert "planned 1 transcript, profile smoke, judge none, only --limit 1" in said


def test_python_takes_a_part(transcripts: Write, tmp_path: Path) -> None:
    """The parameter `part` mirrors the options."""
    part = Part(checks=(PHRASES,), limit=1)
    folder = scan_in_python(transcripts(*ROWS), out=tmp_path / "scan", part=part)
    assert folder.plan().part == part
    assert len(results(tmp_path / "scan")) == 1
