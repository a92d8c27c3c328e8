"""Loading the system prompt under which scenarios are played."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ib.errors import DataError
from ib.scenario.playing import SystemPrompt
from ib.store import runs
from ib.store.reading import decode, read_bytes


def load_system_prompt(root: Path) -> SystemPrompt:
    """The system prompt of a benchmark, with the SHA-256 of its file."""
    path = root / runs.SYSTEM_PROMPT
    data = read_bytes(path)
    text = decode(data, str(path)).strip()
    if not text:
        raise DataError.one(path, None, "", "is empty", "write the system prompt into it")
    return SystemPrompt(text, hashlib.sha256(data).hexdigest())
