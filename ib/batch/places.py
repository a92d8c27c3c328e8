"""Where a job keeps its files: a folder, or a prefix of a bucket."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from ib.store.files.addresses import Address, Located
from ib.store.files.writing import disk, is_temporary, make_file, replace, replacing, sync_folder


class Place(Protocol):
    """A folder or a prefix of a bucket. It can be pickled, and processes use it at the same time."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None if there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Write a whole file in one step; a file of the name is replaced."""

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Write a whole file in one step. Returns False, and changes nothing, if there is one of the name."""

    def writing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A stream whose content becomes the file when the block ends; nothing if the block raises."""

    def source(self, name: str) -> Located:
        """Where the file is."""

    def names(self, folder: str) -> set[str]:
        """The names of the files in a folder."""


@dataclass(frozen=True)
class LocalPlace:
    """A folder of this machine, or of a file system that several machines share."""

    path: Path

    def read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def put(self, name: str, data: bytes) -> None:
        replace(self.path / name, data)

    def put_if_absent(self, name: str, data: bytes) -> bool:
        target = self.path / name
        with disk(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = make_file(target)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                    temporary.chmod(0o644)
                    os.link(temporary, target)  # fails if the name is taken, in one step
            except FileExistsError:
                return False
            finally:
                temporary.unlink(missing_ok=True)
            sync_folder(target.parent)
        return True

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        target = self.path / name
        with disk(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            yield file

    def source(self, name: str) -> Path:
        return self.path / name

    def names(self, folder: str) -> set[str]:
        return {file.name for file in (self.path / folder).glob("*") if not is_temporary(file.name)}


@dataclass(frozen=True)
class BucketPlace:
    """A prefix of a bucket. A bucket has no folders to make and nothing to rename."""

    address: Address

    def read(self, name: str) -> bytes | None:
        return (self.address / name).read()

    def put(self, name: str, data: bytes) -> None:
        (self.address / name).put(data)

    def put_if_absent(self, name: str, data: bytes) -> bool:
        return (self.address / name).put_if_absent(data)

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        with tempfile.TemporaryDirectory(prefix="ib-shard-") as folder:
            whole = Path(folder) / "whole"
            with disk(whole), whole.open("wb") as file:
                yield file
            (self.address / name).upload(whole)

    def source(self, name: str) -> Address:
        return self.address / name

    def names(self, folder: str) -> set[str]:
        return (self.address / folder).names()


def place_at(where: Located) -> Place:
    """The place of a folder or an address."""
    return BucketPlace(where) if isinstance(where, Address) else LocalPlace(where.absolute())
