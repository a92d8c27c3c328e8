"""Temporary files and folders, next to the path that they will replace.

The process that writes a temporary file locks it. If the lock is free, that process was killed, and
the next writer of the same path removes the file.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ib.store.files.locks import locked

SUFFIX = ".ib-tmp"
_TO_LOCK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def make_file(path: Path) -> tuple[int, Path]:
    """Create a temporary file for `path`; returns its descriptor, which holds the lock, and its path."""

    def make() -> tuple[int, Path]:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
        return descriptor, Path(name)

    return _held(path, make)


def make_folder(path: Path) -> tuple[int, Path]:
    """Create a temporary folder for `path`; returns a descriptor, which holds the lock, and its path."""

    def make() -> tuple[int, Path]:
        name = tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
        # Windows cannot open a folder, so that a folder is not locked there.
        return os.open(os.devnull if os.name == "nt" else name, os.O_RDONLY), Path(name)

    return _held(path, make)


def is_temporary(name: str, targets: str = ".+") -> bool:
    """True if a file name has the form of a temporary for `targets`, a regular expression of names."""
    return re.fullmatch(rf"\.(?:{targets})\.[a-z0-9_]{{8}}{re.escape(SUFFIX)}", name) is not None


def _held(path: Path, make: Callable[[], tuple[int, Path]]) -> tuple[int, Path]:
    """Call `make` and lock the result. Repeats if another process removes the result before the lock."""
    for left in _left(path):
        _clear(left)
    while True:
        descriptor, made = make()
        if _lock(descriptor, unsupported=True) and made.exists():
            return descriptor, made
        os.close(descriptor)


def _left(path: Path) -> Iterator[Path]:
    """The existing temporary files and folders for `path`."""
    own = re.escape(path.name)
    return (beside for beside in path.parent.iterdir() if is_temporary(beside.name, own))


def _clear(left: Path) -> None:
    """Remove a temporary file or folder unless a running process holds its lock."""
    try:
        descriptor = os.open(left, _TO_LOCK)
    except OSError:
        return  # already gone, or no permission
    try:
        if not _lock(descriptor, unsupported=False):
            return
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
    except OSError:
        return  # no permission to delete: the write itself will report this
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, unsupported: bool) -> bool:
    """True if this process got the lock. Returns `unsupported` if the file system has no locks."""
    held = locked(descriptor)
    return unsupported if held is None else held
