"""`calibration/external.yaml`: published sets, the checks that they bear on, and what was not checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ib.errors import DataError
from ib.store.benchmark.calibration import load_published
from ib.store.benchmark.loading import benchmark_folder, load_benchmark

NAMED = {"DistressBench", "CounselBench-EVAL", "VERA-MH-validation", "SimMH-Chat", "HealthBench"}


def test_every_set_says_what_does_not_fit_and_what_was_not_checked() -> None:
    """Each of the five bears on checks of the benchmark, and names its license or that it was not checked."""
    found = load_published(benchmark_folder(), load_benchmark().checks)
    assert found is not None
    assert {one.id for one in found.sets} == NAMED
    for one in found.sets:
        assert one.bears_on
        assert one.not_checked
        assert one.license


def test_a_set_about_an_unknown_check_is_named(tmp_path: Path) -> None:
    """With the file, the line and the key. A benchmark without the file has no sets."""
    assert load_published(tmp_path, {}) is None
    (tmp_path / "calibration").mkdir()
    text = (benchmark_folder() / "calibration" / "external.yaml").read_text("utf-8")
    path = tmp_path / "calibration" / "external.yaml"
    path.write_text(text.replace("check: IB-A8", "check: IB-A99"), "utf-8")
    with pytest.raises(DataError) as caught:
        load_published(tmp_path, load_benchmark().checks)
    (found,) = caught.value.findings
    assert (found.key, found.found) == ("sets.0.bears_on.2.check", "unknown check IB-A99")
    assert found.line is not None
    assert text.splitlines()[found.line - 1].strip() == "- check: IB-A8"
