"""Sittings of the exam that go into a release: counted again from their scans, and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ib.board.evidence.leaks import LeakSearch
from ib.errors import Refused, UsageError
from ib.exam.report import has_several_replies, outcome_of
from ib.models.common.canonical import digest, pretty
from ib.models.release.exams import CarriedSitting, ExamSource
from ib.models.release.source import EXAMS
from ib.models.scan.plan import CostReport
from ib.pipeline.release.replay import replay_scan
from ib.pipeline.release.replayed import ReplayedScan
from ib.pipeline.release.source import shown_judge
from ib.store.files.leaks import load_leak_forms
from ib.store.files.validation import load_json
from ib.store.folders import exams, scans
from ib.store.folders.exams import ExamFolder
from ib.store.folders.sources import document, packed_document

AS_WRITTEN = "the files of a sitting as `ib exam` wrote them"


def with_exams(replayed: ReplayedScan, folders: Sequence[Path], benchmark: Path | None) -> ReplayedScan:
    """The scan of a release with sittings of the exam beside it.

    Raises Refused if a sitting does not follow from its scan, DataError if it is not finished or its files do
    not fit, and UsageError if one is given twice.
    """
    twice = [str(one) for one, count in Counter(map(Path.resolve, folders)).items() if count > 1]
    if twice:
        raise UsageError(f"--exam {twice[0]} is given twice")
    sittings = tuple(_carried(ExamFolder(one), replayed.benchmark_hash, benchmark) for one in folders)
    source = ExamSource(sittings=sittings)
    return replace(replayed, source={**replayed.source, EXAMS: packed_document(pretty(source))})


def stated_exams(release: Path) -> ExamSource | None:
    """The sittings of a release, as the release states them; None if it has none."""
    path = release / EXAMS
    return exams.carried(document(path), str(path)) if path.exists() else None


def problems(source: ExamSource | None) -> Iterator[str]:
    """What the sittings of a release contradict in themselves, in words."""
    for one in () if source is None else source.sittings:
        of = f"the sitting of {one.judge.model}"
        if len({outcome.id for outcome in one.outcomes}) != len(one.outcomes):
            yield f"{of} has an item twice"
        for check in one.plan.checks:
            own = [outcome for outcome in one.outcomes if outcome.check == check.check]
            sure = Counter(outcome.must_fail for outcome in own if outcome.in_rates)
            wanted = (check.must_fail, check.must_not_fail, check.arguable + check.disputed)
            if (sure[True], sure[False], len(own) - sure.total()) != wanted:
                yield f"{of} has other items of {check.check} than its plan"


def _carried(folder: ExamFolder, of_release: str, benchmark: Path | None) -> CarriedSitting:
    report, plan = folder.report(), folder.plan()
    scan, items = folder.scan, {one.id: one for one in folder.items()}
    said = {one.scenario_id: one for one, _ in scan.transcripts()}
    if digest([[item, said.get(name)] for name, item in items.items()]) != plan.items_hash:
        raise Refused(f"{folder.path}: the items are not those of its plan; nothing was published")
    today = plan.benchmark_hash == of_release
    if today:  # an older benchmark is not here, so its votes cannot be counted again
        _refuse_differing(folder, replay_scan(scan.path, benchmark))
    outcomes = tuple(outcome_of(items[result.scenario_id], result) for result in scan.results())
    if outcomes != folder.outcomes():
        raise Refused(f"{folder.path}: {exams.OUTCOMES} does not follow from its scan; nothing was published")
    cost = load_json(CostReport, scan.path / scans.COST)
    read = plan.readings and plan.readings.label_error
    return CarriedSitting(
        judge=shown_judge(scan.plan().judge, LeakSearch(load_leak_forms())),
        day=datetime.fromisoformat(scan.manifest().finished).date(),
        plan=plan,
        results_hash=scans.file_hash(scan.path / scans.RESULTS),
        outcomes=outcomes,
        several=tuple(name for name in items if has_several_replies(said[name])),
        label_error=None if report.label_error == read else report.label_error,
        dollars=cost.spent_usd or None,
        answered=cost.answered,
        replayed=today,
    )


def _refuse_differing(folder: ExamFolder, again: ReplayedScan) -> None:
    """Raises Refused if the results of a sitting do not follow from the replies of its judge."""
    found = [*again.results.rows_missing, *again.results.rows_differ]
    if found:
        raise Refused(f"{folder.path}: verdicts do not follow from the replies; nothing was published", found)
