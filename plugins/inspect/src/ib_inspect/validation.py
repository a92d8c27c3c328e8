"""Validation files of Inspect Scout as labels for `ib calibrate`, and labels as a validation file.

    python -m ib_inspect.validation labels FILE --check ID > LABELS.jsonl
    python -m ib_inspect.validation cases LABELS.jsonl --check ID > FILE.jsonl

A case names a transcript, and its target is the verdict as a word. The first command reads each form of file
that Scout's validation pane writes; the second writes a file that the pane and `scout scan --validation`
read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspect_scout import ValidationCase, validation_set

from ib.errors import DataError, Finding, IbError
from ib.models.common.base import Verdict
from ib.models.review.labels import LabelRow
from ib.store.files.reading import raw_lines
from ib.store.files.validation import model_of_line

WORDS = tuple(str(verdict) for verdict in Verdict)


def labels(path: Path, check: str) -> list[LabelRow]:
    """The cases of a validation file as labels of one check.

    Raises DataError with every case that names no single transcript or has a target that is no verdict.
    """
    try:
        cases = validation_set(str(path)).cases
    except (OSError, ValueError) as error:
        raise DataError.one(path, None, "", str(error), "a validation file of Inspect Scout") from error
    made = [_label(path, number, case, check) for number, case in enumerate(cases, start=1)]
    findings = [one for one in made if isinstance(one, Finding)]
    if findings:
        raise DataError(findings)
    return [one for one in made if isinstance(one, LabelRow)]


def _label(path: Path, number: int, case: ValidationCase, check: str) -> LabelRow | Finding:
    place = f"case {number}"
    if not isinstance(case.id, str):
        return Finding.at(str(path), None, f"{place}.id", "is a list", "the id of one transcript")
    if case.target not in WORDS:
        found = f"is {json.dumps(case.target)[:80]}"
        return Finding.at(str(path), None, f"{place}.target", found, f"one of {', '.join(WORDS)}")
    return LabelRow.model_validate({"id": case.id, "check": check, "label": case.target})


def cases(path: Path, check: str) -> list[dict[str, Any]]:
    """The labels of one check as cases of a validation file. Raises DataError with every broken line."""
    read = [model_of_line(LabelRow, line, str(path), number) for number, line in raw_lines(path, str(path))]
    findings = [finding for one in read if isinstance(one, list) for finding in one]
    if findings:
        raise DataError(findings)
    rows = [one for one in read if isinstance(one, LabelRow) and one.check == check]
    return [{"id": one.id, "target": str(one.label)} for one in rows]


def main(arguments: list[str] | None = None) -> int:
    """The command line. Returns 3 for bad data, as `ib` does."""
    parser = argparse.ArgumentParser(prog="python -m ib_inspect.validation", description=__doc__)
    parser.add_argument("make", choices=("labels", "cases"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", required=True, help="the id of the check")
    given = parser.parse_args(arguments)
    try:
        for line in _lines(given.make, given.file, given.check):
            sys.stdout.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    except IbError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    return 0


def _lines(make: str, path: Path, check: str) -> Iterator[dict[str, Any]]:
    if make == "cases":
        yield from cases(path, check)
        return
    for row in labels(path, check):
        yield row.model_dump(mode="json", exclude_defaults=True)


if __name__ == "__main__":
    sys.exit(main())
