"""Files in a bucket, named by addresses such as `s3://bucket/logs.parquet`.

fsspec and the package of the bucket are imported on use. Keys, regions and endpoints come from the
environment, as those packages read them; an address never holds a key.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from ib.errors import IbError, UsageError, WorldError

EXTRAS = {"s3": "s3", "gs": "gs"}
"""The protocols of buckets, each with the extra of this package that can open them."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_CONTENT = ("md5Hash", "crc32c", "ETag", "etag")
"""What buckets say about the content of an object, the best first."""
BLOCK = 8 << 20
"""How many bytes are fetched at once when a file is read."""


@dataclass(frozen=True)
class Address:
    """A file, or a folder, in a bucket. It can be pickled.

    Every method raises WorldError if the bucket cannot be reached, or if the package that opens it is
    missing.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    def __truediv__(self, name: str) -> Address:
        return Address(f"{self.text.rstrip('/')}/{name}")

    @property
    def suffix(self) -> str:
        """The end of the name, with its dot."""
        return PurePosixPath(self.text).suffix

    def is_file(self) -> bool:
        """True: a bucket has no pipes and no folders."""
        return True

    def open(self, mode: str = "rb") -> io.RawIOBase:
        """The file, opened for reading. Raises FileNotFoundError if there is none."""
        with self._asked() as (bucket, path):
            return _Fetched(self, bucket.open(path, mode, block_size=BLOCK, cache_type="readahead"))

    def size(self) -> int:
        """The size in bytes. Raises FileNotFoundError if there is no file."""
        with self._asked() as (bucket, path):
            return int(bucket.info(path)["size"])

    def content(self) -> tuple[str, str, int] | None:
        """What the bucket says about the content, without the name; None if it says nothing."""
        with self._asked() as (bucket, path):
            said = bucket.info(path)
        key = next((key for key in _CONTENT if said.get(key)), None)
        return None if key is None else (key, str(said[key]), int(said["size"]))

    def read(self) -> bytes | None:
        """The bytes of the file; None if there is none."""
        try:
            with self._asked() as (bucket, path):
                return bytes(bucket.cat_file(path))
        except FileNotFoundError:
            return None

    def put(self, data: bytes) -> None:
        """Write the whole file; one that is there is replaced."""
        with self._asked() as (bucket, path):
            bucket.pipe_file(path, data)

    def put_if_absent(self, data: bytes) -> bool:
        """Write the whole file by a conditional request. Returns False, without a change, if it is there."""
        try:
            with self._asked() as (bucket, path):
                bucket.pipe_file(path, data, mode="create")
        except FileExistsError:
            return False
        return True

    def upload(self, file: Path) -> None:
        """Write the whole file from one of this machine."""
        with self._asked() as (bucket, path):
            bucket.put_file(str(file), path)

    def names(self) -> set[str]:
        """The names of the files in this folder; empty if there is none."""
        with self._asked() as (bucket, path):
            return {str(found).rsplit("/", 1)[1] for found in bucket.find(path, maxdepth=1)}

    def matching(self) -> list[Address]:
        """The files that the address names, which may hold `*` and `?`, sorted."""
        protocol = self.text.partition("://")[0]
        with self._asked() as (bucket, path):
            return [Address(f"{protocol}://{str(found).lstrip('/')}") for found in sorted(bucket.glob(path))]

    @contextmanager
    def _asked(self) -> Iterator[tuple[Any, str]]:
        """The file system and the path in it."""
        with self.reached():
            try:
                from fsspec.core import url_to_fs

                known = url_to_fs(self.text, use_listings_cache=False)
            except ImportError as error:
                extra = EXTRAS.get(self.text.partition("://")[0], "s3")
                said = f"{self.text}: needs the package {error.name or 'fsspec'}"
                raise WorldError(f"{said}; install it with `pip install invisiblebench[{extra}]`") from error
            yield known

    @contextmanager
    def reached(self) -> Iterator[None]:
        """What goes wrong with the bucket becomes a WorldError. That a file is there, or is not, does not."""
        try:
            yield
        except (FileNotFoundError, FileExistsError, IbError):
            raise
        except Exception as error:  # each bucket has errors of its own
            said = (str(error).splitlines() or [""])[0][:200]
            hint = "check the address, the network, and the credentials in the environment"
            raise WorldError(f"{self.text}: {type(error).__name__}: {said}; {hint}") from error


class _Fetched(io.RawIOBase):
    """A file of a bucket that is being read, with the errors of its address."""

    def __init__(self, address: Address, file: Any) -> None:
        self._address, self._file = address, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with self._address.reached():
            return int(self._file.readinto(buffer))

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        self._file.close()
        super().close()


Located = Path | Address
"""A file or folder of this machine, or one in a bucket."""


def is_address(text: str) -> bool:
    """True if a text is an address, not a path."""
    return _ADDRESS.match(text) is not None


def located(text: str) -> Located:
    """A path, or an address of a bucket; `file://` is a path.

    Raises UsageError for another protocol, or for an address that holds a key.
    """
    if not is_address(text):
        return Path(text)
    parts = urlsplit(text)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if parts.scheme not in EXTRAS:
        raise UsageError(f"unknown protocol {parts.scheme}://; choose {', '.join(EXTRAS)} or file")
    if "@" in parts.netloc:
        raise UsageError("an address holds no key; put the key into the environment")
    if not parts.netloc:
        raise UsageError(f"{text} names no bucket; give {parts.scheme}://BUCKET/NAME")
    return Address(text)
