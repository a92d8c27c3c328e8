"""Writing: atomic replacement, exclusive folders, one writer, and a full disk that harms nothing."""

from __future__ import annotations

import contextlib
import ctypes
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
    with replacing(path) as file:
        file.write(data)


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
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir()
        except NotADirectoryError as error:
            raise OutputExists(f"{path}: lies under a file; choose another folder") from error
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
    """Put a finished folder in the place of another in one step, so that there always is one.

    Where the system cannot exchange two names, the old folder is moved aside for the moment between.
    """
    with disk(target):
        if not target.exists():
            staged.rename(target)
        elif not _exchange(staged, target):
            old = staged.with_name(f"{staged.name}.old")
            target.rename(old)
            try:
                staged.rename(target)
            except OSError:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(staged, ignore_errors=True)  # now what was there before
        sync_folder(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change their names atomically (renameat2, Linux); False where that is not known."""
    libc = ctypes.CDLL(None, use_errno=True)
    rename = getattr(libc, "renameat2", None)
    if rename is None:
        return False
    done = rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _RENAME_EXCHANGE)
    return bool(done == 0)


_HERE = -100
"""AT_FDCWD: paths are relative to the working folder."""
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder beside `target` to build in; gone when the block ends, unless it was renamed."""
    with disk(target):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise OutputExists(f"{target.parent}: is a file; choose another folder") from error
        staged = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        staged.chmod(0o755)
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)
