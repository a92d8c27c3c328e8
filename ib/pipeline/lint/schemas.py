"""Linting the first line of YAML files, which names the schema that editors check the file against."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ib.errors import Finding, Level
from ib.models.schema_names import FILES, FOLDER, schema_line
from ib.store.benchmark.loading import label


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
