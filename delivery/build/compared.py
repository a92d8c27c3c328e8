"""Comparing a built site with another build of the same release, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ib.errors import Finding
from ib.store.files.writing import file_names

HINT = "build the site again, with the addresses that it was built with"


def compare(site: Path, rebuilt: Path) -> Iterator[Finding]:
    """One finding for each file that differs, is missing, or is more. `rebuilt` is what the site should be.

    A link counts as another file than the one it leads to, because that may change by itself.
    """
    mine, theirs = set(file_names(site)), set(file_names(rebuilt))
    for name in sorted(mine | theirs):
        if name not in theirs:
            yield Finding.at(name, None, "", "is not part of the site of this release", "remove the file")
        elif name not in mine:
            yield Finding.at(name, None, "", "is missing", HINT)
        elif not _same(site / name, rebuilt / name):
            yield Finding.at(name, None, "", "differs from the site of this release", HINT)


def _same(one: Path, other: Path) -> bool:
    plain = not one.is_symlink() and one.is_file()
    return plain and one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
