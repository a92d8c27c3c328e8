"""Loading what the exam for judges knows about the texts of the checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from ib.errors import DataError, Finding
from ib.exam.texts.bases import Base, BaseProblem, bases_of, is_asked
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.exam import CheckExam
from ib.models.benchmark.pilot import Written, WrittenExchange
from ib.models.exam.items import ExamItem
from ib.models.exam.readings import ExamReading
from ib.store.benchmark.loading import label
from ib.store.files.places import finding_at
from ib.store.files.reading import raw_lines
from ib.store.files.validation import load_yaml, model_of_line

FOLDER = "exam"
READINGS = f"{FOLDER}/readings.jsonl"
"""What readers saw in items."""
WRITTEN = "pilot/written.yaml"


def load_exams(root: Path) -> dict[str, CheckExam]:
    """What the exam knows about each check that has a file, by check."""
    return {one.check: one for one in _exams(root).values()}


def load_bases(root: Path, benchmark: Benchmark, chosen: Collection[str]) -> Mapping[str, tuple[Base, ...]]:
    """The texts of the chosen checks, by check. There are none of a check that no judge is asked about.

    Raises DataError with all findings if an exam file is about no check, or does not fit the texts.
    """
    exams = _exams(root)
    written = _written(root)
    findings = list(_misplaced(exams, benchmark))
    places = {one.check: (path, one) for path, one in exams.items()}
    bases: dict[str, tuple[Base, ...]] = {}
    for check in (benchmark.checks[name] for name in chosen):
        path, knows = places.get(check.id, (root / FOLDER, CheckExam(check=check.id)))
        try:
            bases[check.id] = bases_of(check, knows, written) if is_asked(check) else ()
        except BaseProblem as problem:
            findings.append(finding_at(path, label(path), problem.key, problem.found, problem.allowed))
    if findings:
        raise DataError(findings)
    return bases


def load_readings(root: Path, checks: Mapping[str, Check]) -> tuple[ExamReading, ...]:
    """What readers saw in items of the exam, if the benchmark has such a file."""
    path = root / READINGS
    return read_readings(path, checks) if path.is_file() else ()


def read_readings(path: Path, checks: Mapping[str, Check]) -> tuple[ExamReading, ...]:
    """The readings of a file.

    Raises DataError with all findings: lines that are no reading, of a check that is not there, or of an item
    that the same reader has read in another line.
    """
    name = label(path)
    found: dict[tuple[str, str], ExamReading] = {}
    findings: list[Finding] = []
    for number, line in raw_lines(path, name):
        row = model_of_line(ExamReading, line, name, number)
        if isinstance(row, list):
            findings += row
        elif row.check not in checks:
            told = f"the benchmark has no check {row.check}"
            findings.append(Finding.at(name, number, "check", told, "the id of a check"))
        elif (row.item, row.reader) in found:
            told = f"{row.reader} has read {row.item} in another line"
            findings.append(Finding.at(name, number, "reader", told, "one line for each reader and item"))
        else:
            found[row.item, row.reader] = row
    if findings:
        raise DataError(findings)
    return tuple(found.values())


def stale_readings(
    root: Path, checks: Mapping[str, Check], items: Iterable[ExamItem], bases: Iterable[Base]
) -> Iterator[Finding]:
    """Readings of items that are no longer built, or no longer with that verdict.

    `items` are all items of the texts, also those that are in no rate, and `bases` the texts.
    """
    built = {one.id: (one.operator, one.base, one.must_fail) for one in items}
    fails = {one.id: one.fails for one in bases}
    for number, one in enumerate(load_readings(root, checks), start=1):
        found = built.get(one.item)
        if found != (one.operator, one.base, one.must_fail) or fails.get(one.base) is not one.base_fails:
            told = f"{one.operator} of {one.base} is no longer built with this text and verdict"
            way = "delete the line, or let readers judge the item again"
            yield Finding.at(label(root / READINGS), number, "item", told, way)


def _misplaced(exams: Mapping[Path, CheckExam], benchmark: Benchmark) -> Iterator[Finding]:
    """Files about no check, and files whose name is not that of their check, so that each has one."""
    for path, one in exams.items():
        if one.check not in benchmark.checks:
            found, allowed = f"the benchmark has no check {one.check}", "the id of a check"
            yield finding_at(path, label(path), ("check",), found, allowed)
        elif path.stem != one.check:
            found = f"{one.check} in a file of another name"
            yield finding_at(path, label(path), ("check",), found, f"name the file {one.check}.yaml")


def _exams(root: Path) -> dict[Path, CheckExam]:
    folder = root / FOLDER
    return {path: load_yaml(CheckExam, path) for path in sorted(folder.glob("*.yaml"))}


def _written(root: Path) -> tuple[WrittenExchange, ...]:
    path = root / WRITTEN
    return load_yaml(Written, path).exchanges if path.is_file() else ()
