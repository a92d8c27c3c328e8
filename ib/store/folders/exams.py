"""The folder of a sitting of the exam: the names of its files, and reading them with validation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ib.errors import DataError
from ib.models.exam.items import ExamItem, ExamPlan
from ib.models.exam.report import ExamReport, Outcome
from ib.models.release.exams import ExamSource
from ib.store.files.reading import decode
from ib.store.files.validation import load_json, model_of_json
from ib.store.folders.scans import ScanFolder, load_lines

PLAN = "exam_plan.json"
ITEMS = "items.jsonl"
SCAN = "scan"
"""The folder of the scan in which the items were judged."""
OUTCOMES = "outcomes.jsonl"
REPORT = "report.json"
PAGE = "report.html"


@dataclass(frozen=True)
class ExamFolder:
    """A sitting on disk. Only a finished one has a report."""

    path: Path

    @property
    def scan(self) -> ScanFolder:
        return ScanFolder(self.path / SCAN)

    def plan(self) -> ExamPlan:
        return load_json(ExamPlan, self.path / PLAN)

    def items(self) -> tuple[ExamItem, ...]:
        return tuple(load_lines(ExamItem, self.path / ITEMS))

    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(load_lines(Outcome, self.path / OUTCOMES))

    def report(self) -> ExamReport:
        """The report. Raises DataError if the sitting is not finished."""
        path = self.path / REPORT
        if not path.is_file():
            found = "no such file, so the folder holds no finished sitting of the exam"
            raise DataError.one(path, None, "", found, "finish it with `ib exam --resume`")
        return load_json(ExamReport, path)


def carried(data: bytes, name: str) -> ExamSource:
    """The sittings that a release carries, from the unpacked document. Raises DataError with all findings."""
    return model_of_json(ExamSource, decode(data, name), name)


def sittings_in(folder: Path) -> tuple[ExamFolder, ...]:
    """Every finished sitting in the folders of a folder, by name."""
    return tuple(ExamFolder(path.parent) for path in sorted(folder.glob(f"*/{REPORT}")))
