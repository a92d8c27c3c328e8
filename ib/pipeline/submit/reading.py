"""Reading the folder of a submission: its manifest, its conversations, and the plays that failed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from ib.errors import DataError, Finding, Findings, Place
from ib.models.conversation.transcript import Transcript
from ib.models.report.submission import Submission
from ib.models.scan.run import Incomplete
from ib.store.files.clock import today
from ib.store.files.places import finding_at
from ib.store.files.reading import raw_lines
from ib.store.files.validation import load_json, load_yaml, model_of_line
from ib.store.folders.logfiles import foreign_log
from ib.store.folders.runs import INCOMPLETE
from ib.store.folders.transcripts import problems

MANIFESTS = ("submission.yaml", "submission.json")
TRANSCRIPTS = re.compile(r"(?:.+\.)?transcripts\.jsonl(?:\.gz)?")
"""The names of files of conversations."""


@dataclass(frozen=True)
class Placed:
    """A conversation, and where it stands in the folder."""

    transcript: Transcript
    file: str
    line: int


@dataclass(frozen=True)
class SubmissionFolder:
    """What a folder holds."""

    path: Path
    manifest_path: Path
    manifest: Submission
    plays: tuple[Placed, ...]
    faults: tuple[Incomplete, ...]
    read: tuple[Path, ...]
    """Every file that was read."""


def read_submission(folder: Path, checks: Mapping[str, object]) -> SubmissionFolder:
    """Read a submission. Raises DataError with all findings about all of its files.

    `checks` are those of the benchmark.
    """
    findings = Findings()
    manifest_path = _manifest_path(folder)
    manifest = None
    try:
        manifest = _manifest(manifest_path)
    except DataError as error:
        findings.extend(error.findings)
    files = sorted(path for path in folder.iterdir() if TRANSCRIPTS.fullmatch(path.name))
    if not files:
        found = "has no file of conversations"
        findings.add(Finding.at(folder, None, "", found, "transcripts.jsonl, or NAME.transcripts.jsonl.gz"))
    plays = [one for path in files for one in _plays(path, checks, findings)]
    faults_path = folder / INCOMPLETE
    faults = _faults(faults_path, findings) if faults_path.is_file() else []
    if findings or manifest is None:
        raise DataError(findings)
    read = (manifest_path, *files, *([faults_path] if faults_path.is_file() else []))
    return SubmissionFolder(folder, manifest_path, manifest, tuple(plays), tuple(faults), read)


def at_key(path: Path, key: str, found: str, allowed: str) -> DataError:
    """A DataError about a key of a manifest, with its line."""
    return DataError([finding_at(path, str(path), key.split("."), found, allowed)])


def _manifest_path(folder: Path) -> Path:
    """The manifest of a folder. Raises DataError if there is none, or if there are two."""
    there = [folder / name for name in MANIFESTS if (folder / name).is_file()]
    if len(there) == 1:
        return there[0]
    found = "is missing" if not there else f"stands beside {there[1].name}"
    raise DataError.one(folder / MANIFESTS[0], None, "", found, "one manifest, as docs/submit.md shows it")


def _manifest(path: Path) -> Submission:
    """The manifest of a file. Raises DataError with all findings."""
    manifest = load_yaml(Submission, path) if path.suffix == ".yaml" else load_json(Submission, path)
    last: date = today()
    if manifest.played_to > last:
        raise at_key(path, "played_to", f"{manifest.played_to} is to come", f"a day up to {last}")
    return manifest


def _plays(path: Path, checks: Mapping[str, object], findings: Findings) -> list[Placed]:
    """The conversations of a file; findings about its other lines are added to `findings`."""
    name, plays, count = str(path), [], 0
    try:
        for number, raw in raw_lines(path, name):
            count += 1
            parsed = model_of_line(Transcript, raw, name, number)
            if isinstance(parsed, Transcript):
                wrong = [
                    replace(one, place=Place(name, number, one.place.path))
                    for one in problems(parsed, checks)
                ]
                findings.extend(wrong)
                plays += [] if wrong else [Placed(parsed, path.name, number)]
                continue
            foreign = foreign_log(raw, name, number) if count == 1 else None
            findings.extend(parsed if foreign is None else [foreign])
            if foreign is not None:
                break
    except DataError as error:
        findings.extend(error.findings)
    if not count:
        findings.add(Finding.at(name, None, "", "has no conversation", "at least one line"))
    return plays


def _faults(path: Path, findings: Findings) -> list[Incomplete]:
    """The plays of a file that ended with a fault."""
    faults = []
    for number, raw in raw_lines(path, str(path)):
        parsed = model_of_line(Incomplete, raw, str(path), number)
        if isinstance(parsed, Incomplete):
            faults.append(parsed)
        else:
            findings.extend(parsed)
    return faults
