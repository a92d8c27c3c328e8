"""A sitting of the exam: a judge is asked about the items in a scan, and the answers are counted.

The scan has the profile `publish`, so that prompts, votes and evidence are those of a release. Nothing in it
says that its conversations are items.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ib.errors import OutputExists, UsageError
from ib.exam.report import Told, compared, has_several_replies, outcome_of, report_of
from ib.judges.base import Judge
from ib.models.common.canonical import compact, pretty
from ib.models.exam.report import ExamComparison, ExamReport, Outcome
from ib.models.scan.plan import CostReport, ScanPlan
from ib.pipeline.common.configured import DIRECT, Calling
from ib.pipeline.exam.build import BuiltExam, ExamOptions, build_exam
from ib.pipeline.exam.planted import PLANTED, parts, planted_judge
from ib.pipeline.scan.judges import NONE, RECORDED, SCRIPTS
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import Work, plan_scan, scan_into
from ib.store.files.validation import load_json
from ib.store.files.writing import create_folder, discard, replacing
from ib.store.files.writing import replace as write
from ib.store.folders import exams, scans
from ib.store.folders.exams import ExamFolder

PROFILE = "publish"
REFUSED = {
    NONE: "it answers nothing",
    SCRIPTS: "it knows only what reference assistants say",
}
"""Judges that cannot sit the exam, each with the reason."""


@dataclass(frozen=True, kw_only=True)
class Sit:
    """Who sits the exam, and with which items."""

    judge: str | Judge
    items: ExamOptions = field(default_factory=ExamOptions)
    calling: Calling = DIRECT
    hints: bool = True
    """False to ask without phrase hints."""
    label_error: float | None = None
    """The most that the share of wrong labels is taken to be; None for what the readings say."""


def plan_exam(sit: Sit, out: Path | None = None) -> tuple[BuiltExam, ScanPlan]:
    """Build the items and plan the questions, and ask none. With `out`, a new folder gets both plans."""
    _check_judge(sit.judge)
    built = build_exam(sit.items)
    options = _options(sit, built)
    if out is None:
        return built, plan_scan(built.transcripts, options)
    create_folder(out)
    _write_items(out, built)
    return built, plan_scan(built.transcripts, options, out / exams.SCAN)


def sit_exam(sit: Sit, out: Path, work: Work) -> ExamReport:
    """Ask the judge about every item, and write the report. With `work.resume`, the sitting in `out` goes on.

    Raises UsageError for a judge that cannot sit the exam, OutputExists if `out` exists or holds a sitting
    with other items, and what a scan raises.
    """
    _check_judge(sit.judge)
    built = build_exam(sit.items)
    options = _options(sit, built)
    if work.resume:
        _check_same(out, built)
    else:
        create_folder(out)
        _write_items(out, built)
    begun = (out / exams.SCAN).is_dir()
    try:
        scan_into(built.transcripts, options, out / exams.SCAN, replace(work, resume=begun))
    except BaseException:
        if not (work.resume or (out / exams.SCAN).exists()):  # nothing was asked, so nothing is lost
            discard(out, exams.PLAN)
        raise
    return write_report(out, built, sit.label_error)


def write_report(out: Path, built: BuiltExam, label_error: float | None) -> ExamReport:
    """Count what the scan of a sitting says, and write it."""
    folder = ExamFolder(out)
    by_id = {item.id: item for item in built.items}
    outcomes = [outcome_of(by_id[result.scenario_id], result) for result in folder.scan.results()]
    several = {one.scenario_id for one in built.transcripts if has_several_replies(one)}
    cost = load_json(CostReport, folder.scan.path / scans.COST)
    judge = folder.scan.plan().judge
    told = Told(judge.model, label_error, cost.spent_usd or None, cost.answered, judge.with_hints)
    report = report_of(built.plan, outcomes, several.__contains__, told)
    _write_lines(out / exams.OUTCOMES, outcomes)
    write(out / exams.REPORT, pretty(report))
    return report


def compare_exams(first: Path, second: Path) -> ExamComparison:
    """Two finished sittings side by side. Raises UsageError if they asked different items."""
    one, other = ExamFolder(first), ExamFolder(second)
    reports = one.report(), other.report()
    if reports[0].items_hash != reports[1].items_hash:
        raise UsageError(
            f"{first} and {second} asked different items; sit both with the same --items-seed, --check and "
            "--items, and the same benchmark"
        )
    return compared(reports, (one.outcomes(), other.outcomes()))


def _check_judge(judge: str | Judge) -> None:
    """Raises UsageError for a judge that cannot answer questions about items."""
    if not isinstance(judge, str):
        return
    why = "its votes are on other conversations" if judge.startswith(RECORDED) else REFUSED.get(judge)
    if why is not None:
        raise UsageError(f"--judge {judge} cannot sit the exam: {why}; name a judge that reads")
    if judge.startswith(PLANTED):
        parts(judge)


def _options(sit: Sit, built: BuiltExam) -> ScanOptions:
    """The options of the scan."""
    judge = sit.judge
    if isinstance(judge, str) and judge.startswith(PLANTED):
        judge = planted_judge(judge, built.items, built.benchmark)
    return ScanOptions(
        profile=PROFILE, judge=judge, benchmark=sit.items.benchmark, calling=sit.calling, hints=sit.hints
    )


def _check_same(out: Path, built: BuiltExam) -> None:
    """Raises OutputExists if a folder holds no sitting, or one with other items."""
    if not (out / exams.PLAN).is_file():
        raise OutputExists(f"{out}: holds no sitting of the exam, so there is nothing to resume")
    begun = ExamFolder(out).plan()
    if begun != built.plan:
        keys = [key for key in type(begun).model_fields if getattr(begun, key) != getattr(built.plan, key)]
        said = ", ".join(f"{key} {getattr(begun, key)}" for key in keys if key in ("seed", "items", "chosen"))
        raise OutputExists(
            f"{out}: holds a sitting with other items ({said or ', '.join(keys)}); resume it with the same "
            "--items-seed, --check and --items and the same benchmark, or choose another folder"
        )


def _write_items(out: Path, built: BuiltExam) -> None:
    _write_lines(out / exams.ITEMS, built.items)
    write(out / exams.PLAN, pretty(built.plan))


def _write_lines(path: Path, records: Iterable[Outcome | object]) -> None:
    with replacing(path) as file:
        file.writelines(compact(one) + b"\n" for one in records)
