"""Writing: atomic replacement, exclusive folders, one writer, and a full disk that harms nothing."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import io
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ib.errors import OutputExists, UsageError, WorldError
from ib.store.temporaries import is_temporary, make_file, make_folder

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

LOCK = ".lock"
"""The file of a folder that its one writer locks."""
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}


@contextlib.contextmanager
def disk(what: object) -> Iterator[None]:
    """Turn the failures of a disk into a WorldError that says which file they met.

    It goes round the calls that touch that file alone: a failure of any other has its own name.
    """
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
        handle, temporary = make_file(path)
    try:
        with io.BufferedWriter(_Named(handle, path)) as file:
            yield file
            with disk(path):
                file.flush()
                os.fsync(file.fileno())
                temporary.chmod(0o644)
                temporary.replace(path)  # before the file is closed, which gives its lock up
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    with disk(path):
        sync_folder(path.parent)


class _Named(io.FileIO):
    """An open file whose failures say which path its bytes are for."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with disk(self._path):
            return super().write(data)


def sync_folder(path: Path) -> None:
    """Make a rename in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_names(folder: Path) -> list[str]:
    """The files in a folder and below it, sorted; a link is a file, wherever it leads."""
    return sorted(_file_names(folder))


def foreign_file(folder: Path, own: Collection[str]) -> str | None:
    """A file of a folder that is not one of `own`, or None. It would be lost with the folder.

    The search ends at the first one: the folder may be somebody's whole home.
    """
    return next((name for name in _file_names(folder) if name not in own), None)


def _file_names(folder: Path) -> Iterator[str]:
    for at, below, files in os.walk(folder):
        below.sort()
        here = Path(at)
        links = (name for name in below if (here / name).is_symlink())
        for name in sorted([*files, *links]):
            yield (here / name).relative_to(folder).as_posix()


def claim(path: Path) -> None:
    """UsageError if a path cannot be the place of a new file or folder: it is the root of the file system."""
    try:
        whole = path.resolve()
    except (RuntimeError, OSError) as error:  # RuntimeError is how Python before 3.13 names a loop
        raise UsageError(f"{path}: is a link that leads to itself; choose another folder") from error
    if whole == whole.parent:
        raise UsageError(f"{path}: is the root of the file system; choose a folder below it")


def create_folder(path: Path) -> None:
    """Create a folder that must not exist yet."""
    with disk(path):
        _make_parent(path)
        try:
            path.mkdir()
        except FileExistsError as error:
            allowed = "choose another folder, or go on with --resume where something has begun in it"
            raise OutputExists(f"{path}: exists already; {allowed}") from error


def has_begun(folder: Path, journal: str) -> bool:
    """True if work can be resumed in a folder.

    It holds a journal, or nothing but the lock: it was created, and the process was killed before
    the journal was made.
    """
    names = {path.name for path in folder.iterdir()} - {LOCK}
    return journal in names or all(map(is_temporary, names))


def discard(folder: Path, last: str) -> None:
    """Remove a folder, its file `last` after all others: a kill in between leaves what can be resumed."""
    for path in folder.iterdir():
        if path.name != last and not path.is_dir():
            path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _make_parent(path: Path) -> None:
    """The folder that a new one will lie in; OutputExists where a file stands in the way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise OutputExists(f"{path}: lies under a file; choose another folder") from error


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; WorldError where another process writes into it.

    The file stays: one who had opened it before it was unlinked would hold the lock of a file
    without a name, beside the next one, who makes a new file.
    """
    path = folder / LOCK
    with disk(path):
        file = path.open("wb")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WorldError(f"{folder}: another process is writing into it") from error
        yield


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
    claim(target)
    here = Path.cwd()
    if target.resolve() in (here, *here.parents):
        raise UsageError(f"{target}: holds the current folder and cannot be replaced; choose another folder")
    with disk(target):
        _make_parent(target)
        descriptor, staged = make_folder(target)
        staged.chmod(0o755)
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        os.close(descriptor)
