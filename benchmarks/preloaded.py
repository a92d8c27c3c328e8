"""A scan with a live judge in a process of its own. What it imports is loaded before the process starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import ib.commands.scan
import ib.judges.live  # noqa: F401 - imported ahead
from ib.cli import run
from ib.client import transport
from ib.store.benchmark.loading import load_benchmark

transport.known_provider("openai/judge")  # imports litellm
load_benchmark()  # keeps what it has read


def scan(arguments: list[str], log: str) -> None:
    """Run a command with its messages in a file, and end with its exit code."""
    with Path(log).open("w", encoding="utf-8") as file:
        sys.stdout = sys.stderr = file
        code = run(arguments)
    os._exit(code)
