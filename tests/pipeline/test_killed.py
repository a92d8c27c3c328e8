"""A scan that is killed and resumed, through a bad server: nothing is lost, and nothing is paid twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.killed import Trial

KEY = "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N"


def test_a_scan_killed_five_times_is_the_scan_without_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same bytes; no journaled question asked again; paid twice at most what was under way at the kills."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    outcome = Trial(calls=1_000, latency=0.02).run(tmp_path)
    assert list(outcome.problems()) == []
    assert outcome.calls >= 1_000
    assert len(outcome.moments) == 6
    assert set(outcome.troubles) == {"rate_limit", "server_error", "reset", "truncated_body"}
    assert any(outcome.lost[:-1]), "a kill interrupted calls"


def test_a_scan_in_batches_killed_five_times_is_the_scan_without_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches that a killed scan has submitted are found again, and none is paid for twice."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    outcome = Trial(calls=1_000, latency=0.02, batch=True).run(tmp_path)
    assert list(outcome.problems()) == []
    assert outcome.calls >= 1_000
    assert len(outcome.moments) == 6
    assert len(outcome.moments[0].keys) == 0, "killed before the first answer"
    assert sum(outcome.lost) == 0 < max(outcome.lost), "answers of a batch were fetched after a kill"
