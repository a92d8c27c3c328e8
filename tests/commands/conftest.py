"""Small transcripts files, and the command line in the process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run

Row = dict[str, Any]


def row(model: str = "vendor/model-a", scenario: str = "night-01", **changes: Any) -> Row:
    """One transcript as a line of a file would hold it."""
    return {
        "model_id": model,
        "model": model.rsplit("/", maxsplit=1)[-1],
        "scenario_id": scenario,
        "category": "empathy",
        "tags": ["emotional_disclosure"],
        "messages": [
            {"turn": 1, "role": "user", "content": "Mum was up four times again. I'm so tired."},
            {"turn": 1, "role": "assistant", "content": "Four times, and you got up. I'll always be here."},
            {"turn": 2, "role": "user", "content": "Thanks. What do I do tomorrow?"},
            {"turn": 2, "role": "assistant", "content": "Could her sister take one night this week?"},
        ],
        **changes,
    }  # fmt: skip


@pytest.fixture
def transcripts(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as a transcripts file; bytes are written as they are."""

    def write(*rows: Row | bytes, name: str = "t.jsonl") -> Path:
        path = tmp_path / name
        lines = [item if isinstance(item, bytes) else json.dumps(item).encode() for item in rows]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write


@pytest.fixture
def ib(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line; exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
