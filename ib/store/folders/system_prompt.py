"""Loading the system prompt under which scenarios are played."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ib.errors import DataError
from ib.scenario.playing import SystemPrompt
from ib.store.files.reading import decode, read_bytes
from ib.store.folders import runs


def own_prompt_hash(root: Path) -> str | None:
    """The hash of a benchmark's system prompt. Returns None if it has none: a scan does not need it."""
    path = root / runs.SYSTEM_PROMPT
    return load_system_prompt(path).hash if path.is_file() else None


def load_system_prompt(path: Path) -> SystemPrompt:
    """The system prompt of a file, with the SHA-256 of the file.

    Raises DataError if it cannot be read or is empty.
    """
    data = read_bytes(path)
    text = decode(data, str(path)).strip()
    if not text:
        raise DataError.one(path, None, "", "is empty", "write the system prompt into it")
    return SystemPrompt(text, hashlib.sha256(data).hexdigest())
