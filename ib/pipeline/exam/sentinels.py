"""Choosing the exam items that a scan may mix among its questions, and the exam to compare them with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ib.errors import DataError, UsageError
from ib.exam.texts.bases import is_asked
from ib.judges.base import Judge
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.exam.items import ExamItem
from ib.models.exam.report import Outcome
from ib.pipeline.exam.build import ExamOptions, build_exam
from ib.pipeline.exam.sit import PROFILE
from ib.pipeline.scan.sentinels import Sat, Sentinels, refuse_by_name
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders import exams, scans
from ib.store.folders.exams import ExamFolder

SHARE = 0.05
"""The share of the profile `publish`, if an exam is given."""


def sentinels_for(
    share: float | None,
    exam: Path | None,
    profile: str,
    judge: str | Judge,
    benchmark: Path | None = None,
) -> Sentinels | None:
    """The sentinels of a scan; None if it has none.

    `share` is the number of questions about sentinels per question of the scan; None for 0.05 with the
    profile `publish` and an exam, and for 0 otherwise. `exam` is the folder of the judge's sitting.

    Raises UsageError if an exam is given and not used, or for a judge that has no sentinels, and DataError if
    the exam is not finished, is of another benchmark, or has no item of a gate check.
    """
    if share is None:
        if exam is not None and profile != PROFILE:
            raise UsageError(
                f"--exam needs --sentinels with the profile {profile}; give a share such as 0.05"
            )
        share = 0.0 if exam is None else SHARE
    if not 0 <= share <= 1:
        raise UsageError(f"--sentinels is {share}; choose a number from 0 to 1")
    if not share:
        return None
    if isinstance(judge, str):
        refuse_by_name(judge)  # before items are built, which takes seconds
    world = load_benchmark(benchmark)
    return _built(share, world, benchmark) if exam is None else _sat(share, world, ExamFolder(exam))


def _built(share: float, world: Benchmark, benchmark: Path | None) -> Sentinels:
    """Sentinels from new items, with no exam to compare with."""
    gates = tuple(check.id for check in world.checks.values() if check.gate is not None and is_asked(check))
    built = build_exam(ExamOptions(checks=gates, benchmark=benchmark), world)
    pairs = zip(built.items, built.transcripts, strict=True)
    pool = tuple((item, one) for item, one in pairs if item.in_rates)
    return Sentinels(share=share, seed=built.plan.seed, pool=pool)


def _sat(share: float, world: Benchmark, folder: ExamFolder) -> Sentinels:
    """Sentinels from the items of an exam."""
    folder.report()
    plan = folder.plan()
    if plan.benchmark_hash != benchmark_hash(world):
        found = f"an exam of another benchmark ({plan.benchmark_version})"
        hint = f"a sitting with the checks and prompts of this scan ({world.version}); sit the exam again"
        raise DataError.one(folder.path / exams.PLAN, None, "benchmark_hash", found, hint)
    items = {one.id: one for one in folder.items() if _counts(world, one) and one.in_rates}
    said = {one.scenario_id: one for one, _ in folder.scan.transcripts() if one.scenario_id in items}
    outcomes = [one for one in folder.outcomes() if one.id in items]
    _check_whole(folder, items, said, outcomes)
    sat = Sat(
        report_hash=scans.file_hash(folder.path / exams.REPORT),
        judge=folder.scan.plan().judge,
        wrong=sum(one.wrong for one in outcomes),
        n=len(outcomes),
        place=str(folder.path),
    )
    pool = tuple((item, said[name]) for name, item in items.items())
    return Sentinels(share=share, seed=plan.seed, pool=pool, sat=sat)


def _counts(world: Benchmark, item: ExamItem) -> bool:
    return item.check in world.checks and world.checks[item.check].gate is not None


def _check_whole(
    folder: ExamFolder, items: Iterable[str], said: Iterable[str], outcomes: Iterable[Outcome]
) -> None:
    """Raises DataError if there is no item of a gate check, or an item without conversation or outcome."""
    wanted = set(items)
    if not wanted:
        found = "has no item of a gate check"
        raise DataError.one(folder.path / exams.ITEMS, None, "", found, "an exam with gate checks")
    for path, found_ids in (
        (folder.scan.path / scans.TRANSCRIPTS, set(said)),
        (folder.path / exams.OUTCOMES, {one.id for one in outcomes}),
    ):
        missing = sorted(wanted - found_ids)
        if missing:
            found = f"no line for the item {missing[0]}"
            raise DataError.one(path, None, "", found, "the files of a sitting as `ib exam` wrote them")
