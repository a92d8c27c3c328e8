"""Paths as callers give them, and where runs and scans go that were given no folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

AnyPath = str | Path
"""A path as a caller gives it."""
RESULTS = Path("results")


def path_of(given: AnyPath | None) -> Path | None:
    """A path, or None where none was given."""
    return None if given is None else Path(given)


def default_folder(kind: str, plan_hash: str) -> Path:
    """A new name under `results/`, from the time and the hash of the plan."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return RESULTS / f"{kind}-{stamp}-{plan_hash[:8]}"
