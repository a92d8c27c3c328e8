"""Where runs and scans go that were given no folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path("results")


def default_folder(kind: str, plan_hash: str) -> Path:
    """A new name under `results/`, from the time and the hash of the plan."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return RESULTS / f"{kind}-{stamp}-{plan_hash[:8]}"
