"""Replacing folders and files together: a release, its history, and the site that was built from it.

Several renames are not one step. So all new folders are complete before the first rename, and a journal
beside the first target names them. A later command that finds the journal finishes the replacement.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ib.errors import DataError
from ib.models.common.base import Record
from ib.models.common.canonical import pretty
from ib.store.files.locks import locked
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import model_of_json
from ib.store.files.writing import aside, disk, is_temporary, put_in_place, remove, replace, sync_folder


class _Swap(Record):
    """One folder or file that is to be replaced."""

    target: str
    """The path of the folder or file."""
    staged: str
    """The name of the new folder, which lies beside the target until it is renamed."""
    inode: int
    """The inode of the new folder, by which it is recognized under either name."""
    replaces: int | None
    """The inode of the old folder; null if there was none. Any other folder is left alone."""

    @property
    def place(self) -> Path:
        return Path(self.target)

    @property
    def beside(self) -> Path:
        return self.place.with_name(self.staged)

    @property
    def is_done(self) -> bool:
        """True if the new folder has the name of the target."""
        return _inode(self.place) == self.inode

    @property
    def is_ready(self) -> bool:
        """True if the new folder still lies beside the target, and the old one, if any, is at the target."""
        return _inode(self.beside) == self.inode and _inode(self.place) in (self.replaces, None)

    def back(self) -> None:
        """Give the new folder its first name, and the old folder, if there was one, its own."""
        old = aside(self.beside)
        if old.exists():  # an exchange in three renames was interrupted
            if self.is_done:
                self.place.rename(self.beside)
            old.rename(self.place)
        elif self.is_done and self.beside.exists():
            put_in_place(self.beside, self.place)
        elif self.is_done:
            self.place.rename(self.beside)


class _Journal(Record):
    """A replacement that has begun."""

    swaps: tuple[_Swap, ...]


def _inode(path: Path) -> int | None:
    plain = (path.is_dir() or path.is_file()) and not path.is_symlink()
    return path.stat().st_ino if plain else None


def journal_path(target: Path) -> Path:
    """The journal of a replacement, beside its first target."""
    return target.with_name(f".{target.name}.publishing")


def swap_together(*pairs: tuple[Path, Path]) -> None:
    """Replace each target, the second of a pair, by the new folder or file beside it: all of them, or none.

    If a rename fails, those before it are undone. If the process is killed, `finish` does the rest.
    """
    swaps = tuple(
        _Swap(
            target=str(target.absolute()),
            staged=staged.name,
            inode=staged.stat().st_ino,
            replaces=_inode(target),
        )
        for staged, target in pairs
    )
    journal = journal_path(swaps[0].place)
    os.sync()  # what the journal names must survive a loss of power too
    with _alone(journal.parent):
        try:
            replace(journal, pretty(_Journal(swaps=swaps)))
            for swap in swaps:
                with disk(swap.target):
                    put_in_place(swap.beside, swap.place)
        except BaseException:
            _undo(swaps)
            journal.unlink(missing_ok=True)
            raise
        _close(journal, swaps)


def finish(target: Path) -> str | None:
    """Finish a replacement that a killed process left. Returns what was done, or None without a journal.

    If a new folder is gone, or another one took the place of an old one, and none was renamed yet, nothing is
    replaced.
    """
    journal = journal_path(target.resolve() if target.is_symlink() else target.absolute())
    if not journal.is_file():
        return None
    with _alone(journal.parent):
        if not journal.is_file():
            return None  # another process finished it
        swaps = _read(journal)
        begun = any(swap.is_done for swap in swaps)
        lost = [swap for swap in swaps if not (swap.is_done or swap.is_ready)]
        if begun or not lost:
            for swap in swaps:
                if swap.is_ready:
                    with disk(swap.target):
                        put_in_place(swap.beside, swap.place)
        else:
            _undo(swaps)
        _close(journal, swaps)
    names = ", ".join(swap.target for swap in lost)
    if not lost:
        return f"finished an interrupted publication: {' and '.join(swap.target for swap in swaps)}"
    return f"an interrupted publication cannot be finished; not replaced: {names if begun else 'anything'}"


def _read(journal: Path) -> tuple[_Swap, ...]:
    """The folders that a journal names. Raises DataError unless each lies beside its target."""
    swaps = model_of_json(_Journal, decode(read_bytes(journal), str(journal)), str(journal)).swaps
    for number, swap in enumerate(swaps):
        if not is_temporary(swap.staged, re.escape(swap.place.name)):
            raise DataError.one(
                journal, None, f"swaps.{number}.staged", f"found {swap.staged!r}",
                "the name of a temporary folder of the target; delete the file, and publish again",
            )  # fmt: skip
    return swaps


def _undo(swaps: tuple[_Swap, ...]) -> None:
    """Take back every rename that was done, the last one first."""
    for swap in reversed(swaps):
        with contextlib.suppress(OSError):  # what stopped the replacement is raised by the caller
            swap.back()


def _close(journal: Path, swaps: tuple[_Swap, ...]) -> None:
    """End a replacement: sync the renames, remove the journal, and delete the folders that were replaced."""
    for swap in swaps:
        with disk(swap.target):
            sync_folder(swap.place.parent)
    journal.unlink(missing_ok=True)
    for swap in swaps:
        remove(swap.beside)
        remove(aside(swap.beside))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process replaces folders in `folder`. The lock ends with its process."""
    descriptor = os.open(os.devnull if os.name == "nt" else folder, os.O_RDONLY)
    try:
        locked(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)
