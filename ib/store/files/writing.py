"""Writing files: atomic replacement, exclusive folders, one writer, no partial files on a full disk.

The process that writes a temporary file locks it. If the lock is free, that process was killed, and
the next writer of the same path removes the file.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import os
import shutil
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ib.errors import OutputExists, UsageError, WorldError
from ib.store.files.locks import locked

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
import re
import tempfile
from collections.abc import Callable

SUFFIX = ".ib-tmp"
_TO_LOCK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def make_file(path: Path) -> tuple[int, Path]:
    """Create a temporary file for `path`; returns its descriptor, which holds the lock, and its path."""

    def make() -> tuple[int, Path]:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
        return descriptor, Path(name)

    return _made_and_locked(path, make)


def make_folder(path: Path) -> tuple[int, Path]:
    """Create a temporary folder for `path`; returns a descriptor, which holds the lock, and its path."""

    def make() -> tuple[int, Path]:
        name = tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=SUFFIX)
        # Windows cannot open a folder, so that a folder is not locked there.
        return os.open(os.devnull if os.name == "nt" else name, os.O_RDONLY), Path(name)

    return _made_and_locked(path, make)


def is_temporary(name: str, targets: str = ".+") -> bool:
    """True if a file name has the form of a temporary for `targets`, a regular expression of names."""
    return re.fullmatch(rf"\.(?:{targets})\.[a-z0-9_]{{8}}{re.escape(SUFFIX)}", name) is not None


def _made_and_locked(path: Path, make: Callable[[], tuple[int, Path]]) -> tuple[int, Path]:
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


def clear_left(folder: Path) -> None:
    """Remove the temporary files and folders that killed processes left in a folder."""
    for left in sorted(folder.iterdir()):
        if is_temporary(left.name):
            _clear(left)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it exists. Errors are ignored."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _lock(descriptor: int, *, unsupported: bool) -> bool:
    """True if this process got the lock. Returns `unsupported` if the file system has no locks."""
    held = locked(descriptor)
    return unsupported if held is None else held


LOCK = ".lock"
"""The file in a folder that the writer of the folder locks."""
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}


@contextlib.contextmanager
def disk(what: object) -> Iterator[None]:
    """Turn disk errors into a WorldError that names the file `what`.

    Use it only around calls that touch this file, so that the message never names a wrong file.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _DISK or isinstance(error, PermissionError):
            message = f"{what}: cannot be written: {error.strerror}; free space or choose another folder"
            raise WorldError(message) from error
        raise


def replace(path: Path, data: bytes) -> None:
    """Write a file atomically: temporary file, fsync, rename, fsync of the folder."""
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A stream whose content replaces `path` when the block ends. If the block raises, nothing changes."""
    with disk(path):
        handle, temporary = make_file(path)
    try:
        with io.BufferedWriter(_Named(handle, path)) as file:
            yield file
            with disk(path):
                file.flush()
                os.fsync(file.fileno())
                temporary.chmod(0o644)
                temporary.replace(path)  # before the file is closed, which releases its lock
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    with disk(path):
        sync_folder(path.parent)


class _Named(io.FileIO):
    """An open file whose write errors name the target path instead of the temporary file."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with disk(self._path):
            return super().write(data)


def sync_folder(path: Path) -> None:
    """Make a rename in a folder durable, where the platform can."""
    if os.name == "nt":  # a folder cannot be opened there
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_names(folder: Path) -> list[str]:
    """The files in a folder and its subfolders, sorted. Links count as files."""
    return sorted(_file_names(folder))


def foreign_file(folder: Path, own: Collection[str]) -> str | None:
    """The first file in a folder that is not in `own`. Returns None if there is no such file.

    The search stops at the first file, because the folder may be a whole home folder.
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
    """Raises UsageError if a path cannot become a file or folder: the root, or a link to itself."""
    try:
        whole = path.resolve()
    except (RuntimeError, OSError) as error:  # Python before 3.13 raises RuntimeError for a loop of links
        raise UsageError(f"{path}: is a link to itself; choose another folder") from error
    if whole == whole.parent:
        raise UsageError(f"{path}: is the root of the file system; choose a folder below it")


def create_folder(path: Path) -> None:
    """Create a folder. Raises OutputExists if it exists."""
    with disk(path):
        _make_parent(path)
        try:
            path.mkdir()
        except FileExistsError as error:
            allowed = "choose another folder, or continue the work in it with --resume"
            raise OutputExists(f"{path}: already exists; {allowed}") from error


def has_begun(folder: Path, journal: str) -> bool:
    """True if work can be resumed in a folder.

    The folder has a journal, or only the lock: the process was killed before it created the journal.
    """
    names = {path.name for path in folder.iterdir()} - {LOCK}
    return journal in names or all(map(is_temporary, names))


def discard(folder: Path, last: str) -> None:
    """Remove a folder, the file `last` after all others. If killed in between, work can be resumed."""
    for path in folder.iterdir():
        if path.name != last and not path.is_dir():
            path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _make_parent(path: Path) -> None:
    """Create the parent folder. Raises OutputExists if a file is in the way."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise OutputExists(f"{path}: a parent folder is a file; choose another folder") from error


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder. Raises WorldError if another process writes to it.

    The lock file is never deleted. Otherwise a process that opened it before would lock a deleted
    file, while the next process locks a new one.
    """
    path = folder / LOCK
    with disk(path):
        file = path.open("wb")
    with file:
        if locked(file.fileno()) is False:
            raise WorldError(f"{folder}: another process is writing to it; wait, or choose another folder")
        _held.add(file)
        try:
            yield
        finally:
            _held.discard(file)


_held: set[IO[bytes]] = set()
"""The lock files that this process holds."""


def _close_inherited() -> None:
    """Close the lock files in a forked child: a lock is free when its last holder has closed the file."""
    while _held:
        _held.pop().close()


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_close_inherited)


def swap_folder(staged: Path, target: Path) -> None:
    """Replace the folder `target` by `staged` in one step, so that `target` always exists.

    If the system cannot exchange two names atomically, the old folder is first moved aside.
    """
    with disk(target):
        put_in_place(staged, target)
        shutil.rmtree(staged, ignore_errors=True)  # now the old folder
        sync_folder(target.parent)


def put_in_place(staged: Path, target: Path) -> None:
    """Give a folder the name `target`. The folder that had the name, if any, is then at `staged`."""
    if not target.exists():
        staged.rename(target)
    elif not _exchange(staged, target):
        old = aside(staged)
        target.rename(old)
        try:
            staged.rename(target)
        except OSError:
            old.rename(target)
            raise
        old.rename(staged)


def aside(staged: Path) -> Path:
    """Where the old folder is while two names are exchanged on a system that cannot exchange them at once."""
    return staged.with_name(f"{staged.name}.old")


def _exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders atomically (renameat2, Linux). Returns False if unsupported."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    done = rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _RENAME_EXCHANGE)
    return bool(done == 0)


_HERE = -100
"""AT_FDCWD: paths are relative to the working folder."""
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def staging_file(target: Path, data: bytes) -> Iterator[Path]:
    """A temporary file with `data` next to `target`, removed when the block ends unless it was renamed."""
    with disk(target):
        _make_parent(target)
        descriptor, staged = make_file(target)
    try:
        with disk(target):
            staged.write_bytes(data)
            staged.chmod(0o644)
        yield staged
    finally:
        remove(staged)
        os.close(descriptor)


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A temporary folder next to `target`. It is removed when the block ends, unless it was renamed."""
    claim(target)
    here = Path.cwd()
    if target.resolve() in (here, *here.parents):
        raise UsageError(f"{target}: contains the current folder and cannot be replaced; choose another")
    with disk(target):
        _make_parent(target)
        descriptor, staged = make_folder(target)
        staged.chmod(0o755)
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        os.close(descriptor)
