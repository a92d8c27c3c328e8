"""Preparing the folder of a demonstration. Files that no demonstration made are never deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

from ib.errors import UsageError
from ib.store.files import LOCK, create_folder
from ib.store.temporaries import is_temporary

MARK = ".ib-demo"
MADE = frozenset((MARK, LOCK, "run", "scan", "release", "site"))
"""The names of all files and folders of a demonstration."""


def claim(out: Path) -> None:
    """Mark a new or empty folder as a demonstration. Raises UsageError if it holds other files."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose another folder with --out")
    there = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if {*there} - {LOCK} and MARK not in there:
        raise UsageError(f"{out} exists and is not a demonstration; choose another folder with --out")
    foreign = next((name for name in there if not _own(name)), None)
    if foreign is not None:
        raise UsageError(
            f"{out} holds {foreign}, which `ib demo` did not make; move it, or choose another --out"
        )
    if not out.exists():
        create_folder(out)
    (out / MARK).touch()


def _own(name: str) -> bool:
    """True if a demonstration creates a file of this name, or leaves it behind when it is killed."""
    return name in MADE or is_temporary(name, "release|site")


def clear(out: Path) -> None:
    """Remove an earlier demonstration. The mark stays, so that a killed `clear` can be repeated."""
    for path in out.iterdir():
        if path.name not in (MARK, LOCK):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
