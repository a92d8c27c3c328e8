"""Comparisons with labels that a check names: their items, counted again at each load."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ib.errors import DataError, Finding
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.calibration import FOLDER, CalibrationItem, MeasuredCalibration, PublishedSets
from ib.models.benchmark.check import Check
from ib.models.benchmark.wording import wording_hash
from ib.store.files.places import finding_at
from ib.store.files.reading import raw_lines, read_bytes
from ib.store.files.validation import load_yaml, model_of_line

WAY = "make the comparison again with `ib calibrate`, or delete `measured`"
KEY = ("calibration", "measured")
EXTERNAL = f"{FOLDER}/external.yaml"
"""What published sets of labels can do for which check."""
HINT = "the id of a check; `ib show check` lists all checks"


def calibration_problems(
    check: Check, benchmark: Benchmark, root: Path, path: Path, name: str
) -> Iterator[Finding]:
    """Findings about the comparison that a check names.

    `path` is the file of the check, and `name` its name in messages.
    """
    measured = check.calibration.measured
    if measured is None:
        return
    file = PurePosixPath(measured.file)
    if file.parent != PurePosixPath(FOLDER) or file.stem != check.id or not (root / file).is_file():
        found = f"there is no file {measured.file!r}, or it is not that of the check"
        yield finding_at(path, name, (*KEY, "file"), found, f"{FOLDER}/{check.id}.jsonl; {WAY}")
        return
    data = read_bytes(root / file, measured.file)
    items, findings = read_items(root / file, measured.file, check.id)
    yield from findings
    wanted: dict[tuple[str, ...], tuple[object, object]] = {
        ("sha256",): (measured.sha256, hashlib.sha256(data).hexdigest()),
        ("wording",): (measured.wording, measured.wording and wording_hash(check, benchmark)),
    }
    for key, (stated, counted) in wanted.items():
        if stated != counted:
            yield finding_at(path, name, (*KEY, *key), f"is {stated}, and it is {counted} today", WAY)
    if not findings:
        yield from (
            finding_at(path, name, ("calibration", *key), found, allowed)
            for key, found, allowed in _miscounted(check, measured, items)
        )


def load_published(root: Path, checks: Mapping[str, Check]) -> PublishedSets | None:
    """What published sets can do for which check; None if the benchmark does not say.

    Raises DataError with all findings, also if a set bears on a check that does not exist.
    """
    path = root / EXTERNAL
    if not path.is_file():
        return None
    found = load_yaml(PublishedSets, path, name=str(path))
    unknown = [
        finding_at(
            path, str(path), ("sets", at, "bears_on", number, "check"), f"unknown check {one.check}", HINT
        )
        for at, published in enumerate(found.sets)
        for number, one in enumerate(published.bears_on)
        if one.check not in checks
    ]
    if unknown:
        raise DataError(unknown)
    return found


def read_items(path: Path, name: str, check_id: str) -> tuple[list[CalibrationItem], list[Finding]]:
    """The items of a file, and findings about its lines. `name` is the name of the file in messages."""
    items: list[CalibrationItem] = []
    findings: list[Finding] = []
    seen: set[tuple[object, ...]] = set()
    for number, line in raw_lines(path, name):
        row = model_of_line(CalibrationItem, line, name, number)
        if isinstance(row, list):
            findings += row
            continue
        if row.check_id != check_id:
            findings.append(Finding.at(name, number, "check_id", f"found {row.check_id}", check_id))
        if row.played in seen:
            findings.append(
                Finding.at(name, number, "", "this conversation is listed twice", "one line each")
            )
        seen.add(row.played)
        items.append(row)
    if not items and not findings:
        findings.append(Finding.at(name, None, "", "has no item", "at least one line"))
    return items, findings


def _miscounted(
    check: Check, measured: MeasuredCalibration, items: list[CalibrationItem]
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Stated figures, and a note, that the items do not give: key, what was found, and what is allowed."""
    from ib.board.calibration.figures import calibration_figures  # few checks have one
    from ib.board.calibration.sentences import note

    known = {one.name for one in measured.annotators}
    strangers = sorted({label.by for item in items for label in item.labels} ^ known)
    if strangers:
        found = f"annotators and labels do not name the same people: {', '.join(strangers)}"
        yield ("measured", "annotators"), found, WAY
        return
    counted = calibration_figures(items, measured.annotators).model_dump(mode="json")
    stated = measured.figures.model_dump(mode="json")
    for key, found_there, found_here in _differing(stated, counted):
        found = f"says {found_there}, and {measured.file} gives {found_here}"
        yield ("measured", "figures", *key), found, WAY
    if stated == counted and check.calibration.note != (said := note(measured)):
        yield ("note",), "is not what the figures say", said


def _differing(
    stated: Mapping[str, Any], counted: Mapping[str, Any], key: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object, object]]:
    """Every value that differs, with its keys."""
    for name in sorted(stated.keys() | counted.keys()):
        one, other = stated.get(name), counted.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _differing(one, other, (*key, name))
        elif one != other:
            yield (*key, name), one, other
