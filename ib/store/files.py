"""Writing: atomic replacement, exclusive folders, one writer, and a full disk that harms nothing."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ib.errors import OutputExists, WorldError

_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}


@contextlib.contextmanager
def disk(what: object) -> Iterator[None]:
    """Turn the failures of a disk into a WorldError that says which file they met."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK or isinstance(error, PermissionError):
            message = f"{what}: could not be written: {error.strerror}; free space or choose another place"
            raise WorldError(message) from error
        raise


def replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: temporary file, fsync, rename, fsync of the folder."""
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A stream whose content becomes `path` when the block ends well, and leaves no trace if not."""
    with disk(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make a rename in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def create_folder(path: Path) -> None:
    """Create a folder that must not exist yet."""
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.mkdir()
        except FileExistsError as error:
            message = f"{path}: exists already; choose another folder, or go on with --resume"
            raise OutputExists(message) from error


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; WorldError where another process writes into it."""
    path = folder / ".lock"
    with disk(path), path.open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WorldError(f"{folder}: another process is writing into it") from error
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def swap_folder(staged: Path, target: Path) -> None:
    """Put a finished folder in the place of another: the old one stays until the new one stands."""
    with disk(target):
        old = target.with_name(f".{target.name}.old")
        if old.exists() and not target.exists():
            old.rename(target)  # a swap that was cut off between its two renames
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        try:
            staged.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        sync_folder(target.parent)
        shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder beside `target` to build in; gone when the block ends, unless it was renamed."""
    with disk(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        staged.chmod(0o755)
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)
