"""Comparing a built site with another build of the same release, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from delivery.build.links import LinkFinding
from ib.store.files.writing import file_names


def compare(site: Path, rebuilt: Path) -> Iterator[LinkFinding]:
    """One finding for each file that differs, is missing, or is more. `rebuilt` is what the site should be.

    A link counts as another file than the one it leads to, because that may change by itself.
    """
    mine, theirs = set(file_names(site)), set(file_names(rebuilt))
    for name in sorted(mine | theirs):
        if name not in theirs:
            yield LinkFinding(name, "is not part of the site of this release")
        elif name not in mine:
            yield LinkFinding(name, "is missing from the site of this release")
        elif not _same(site / name, rebuilt / name):
            yield LinkFinding(name, "differs from the site of this release")


def _same(one: Path, other: Path) -> bool:
    plain = not one.is_symlink() and one.is_file()
    return plain and one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
