"""The files of a release: a line for each row, so that a difference can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ib.models.release.bytes import ROWS, release_bytes
from ib.models.release.leaderboard import Evidence, Leaderboard, ModelEntry
from ib.models.release.qa import Qa
from ib.models.release.transcripts import CarriedTranscript, Transcripts

RELEASE = Path(__file__).resolve().parents[2] / "data" / "leaderboard"
MODELS = (Leaderboard, ModelEntry, Evidence, Transcripts, CarriedTranscript, Qa)
LISTED: dict[str, tuple[type[Leaderboard | Evidence | Transcripts | Qa], tuple[str, ...]]] = {
    "leaderboard.json": (Leaderboard, ("models", "checks", "not_evaluated")),
    "qa.json": (Qa, ("checked", "released", "findings")),
    **{f"evidence/{path.name}": (Evidence, ("items",)) for path in sorted((RELEASE / "evidence").iterdir())},
    **{
        f"transcripts/{path.name}": (Transcripts, ("transcripts",))
        for path in sorted((RELEASE / "transcripts").iterdir())
    },
}


@pytest.mark.parametrize("name", LISTED)
def test_the_canonical_release_has_a_line_for_each_row(name: str) -> None:
    """The file is what its own value gives, and every element of its rows begins a line."""
    model, keys = LISTED[name]
    written = (RELEASE / name).read_bytes()
    assert release_bytes(model.model_validate_json(written)) == written
    value, lines = json.loads(written), [line.strip().rstrip(",") for line in written.decode().splitlines()]
    assert all(any(line.startswith(f'"{key}":') for line in lines) for key in value)
    for key in keys:
        rows = value[key] if isinstance(value[key], list) else []
        assert sum(line.startswith("{") for line in lines) >= len(rows)


def test_every_row_field_is_a_field() -> None:
    """Every field in the list exists: a renamed field would silently be written on one line."""
    assert {name for model in MODELS for name in model.model_fields} >= ROWS
