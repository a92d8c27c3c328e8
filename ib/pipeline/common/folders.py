"""Paths from callers, and the default folders of runs and scans."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

AnyPath = str | Path
"""A path from a caller of the Python API."""
RESULTS = Path("results")


def path_of(given: AnyPath | None) -> Path | None:
    """A `Path`, or None for None."""
    return None if given is None else Path(given)


def default_folder(kind: str, plan_hash: str) -> Path:
    """A new folder name in `results/`, from the time and the hash of the plan."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return RESULTS / f"{kind}-{stamp}-{plan_hash[:8]}"
