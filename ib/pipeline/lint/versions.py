"""Linting what files say of themselves: the schema in their first line, and the version of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ib.errors import Finding, Level
from ib.models.benchmark.version import SHARED, ClosedVersion, Difference, kind_of, order
from ib.models.schemas import FILES, FOLDER, schema_line
from ib.store.benchmark.loading import label
from ib.store.benchmark.versions import (
    NOTES,
    VERSION,
    Content,
    closed_versions,
    items,
    load_contents,
    load_notes,
)
from ib.store.files.places import finding_at


def unnamed_schemas(root: Path) -> Iterator[Finding]:
    """Notices for YAML files whose first line does not name their schema."""
    if not (root / FOLDER).is_dir():
        found = f"has no folder `{FOLDER}`, so editors cannot check files as you type"
        yield _notice(root, None, found, "copy this folder from the benchmark of the package")
        return
    for pattern in FILES:
        for path in sorted(root.glob(pattern)):
            wanted = schema_line(path.relative_to(root).as_posix())
            if path.suffix == ".yaml" and _first_line(path) != wanted:
                found = "the first line does not name the schema of the file"
                yield _notice(path, 1, found, f"write `{wanted}`")


def _notice(path: Path, line: int | None, found: str, cure: str) -> Finding:
    return Finding.at(label(path), line, "", found, cure, Level.NOTICE)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline().rstrip()


def version_problems(root: Path, version: str | None) -> Iterator[Finding]:
    """Items that differ from the closed version that VERSION names, and versions and notes that do not fit.

    Raises DataError if a file of versions cannot be read.
    """
    closed = closed_versions(root)
    known = {*closed, *(() if version is None else (version,))}
    for named in sorted(load_notes(root).notes.keys() - known):
        found = f"there is no version {named}"
        allowed = f"one of {', '.join(sorted(known, key=order)) or 'no version'}"
        yield finding_at(root / NOTES, label(root / NOTES), ("notes", named), found, allowed)
    file, newest = label(root / VERSION), next(reversed(closed), None)
    if version is None:
        level = Level.NOTICE if newest is None else Level.ERROR
        yield Finding.at(file, None, "", "is missing", "write the version into it, such as 1.0.0", level)
    elif newest is not None and order(version) < order(newest):
        found = f"found {version}, but version {newest} is closed"
        yield Finding.at(file, 1, "", found, f"{newest} or a higher version")
    elif version == newest:
        yield from _differences(root, closed[version])


def _differences(root: Path, closed: ClosedVersion) -> Iterator[Finding]:
    """Every item that is not as it was when the version was closed."""
    contents = load_contents(root)
    difference = Difference(closed.items, items(contents))
    since = f"since version {closed.version} was closed"
    cure = f"raise the version in {label(root / VERSION)}, or undo the change"
    for name in difference.added:
        yield from _told(contents, name, (), f"is new {since}", cure)
    for name in difference.removed:
        if kind_of(name) not in SHARED:
            yield Finding.at(label(root / VERSION), 1, "", f"{name} is gone {since}", cure)
    for name, keys in difference.changed.items():
        changed = f"{', '.join(keys)} changed {since}"
        yield from _told(contents, name, keys[:1], changed, cure)


def _told(
    contents: Mapping[str, Content], name: str, keys: tuple[str, ...], found: str, cure: str
) -> Iterator[Finding]:
    """A finding in the file of an item. None for a shared item, whose parts are in items with findings."""
    if kind_of(name) not in SHARED:
        path, _, within = contents[name]
        yield finding_at(path, label(path), (*within, *keys), found, cure)
