"""What is expensive to make, and is made once a run: the processes of pytest-xdist share its folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder that `make` fills, made by the first process that asks for it. Tests must not change it.

    `make` is given a new and empty folder. What a process left behind when it failed is made again.
    """
    own = factory.getbasetemp()
    run = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    place = run / "once"
    place.mkdir(exist_ok=True)
    folder, finished = place / name, place / f"{name}.finished"
    with FileLock(place / f"{name}.lock"):
        if not finished.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            finished.touch()
    return folder
