"""Building the items of a sitting from the files of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ib.errors import DataError, UsageError
from ib.exam.drawing import Built, drawn, lines_of, wanted_of
from ib.exam.readings import judged
from ib.exam.texts.bases import is_asked
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.benchmark.exam import CheckExam
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.exam.items import CheckItems, ExamItem, ExamPlan
from ib.models.exam.readings import ReadItems
from ib.pipeline.exam.plays import Plays
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.exam import load_bases, load_exams, load_readings
from ib.store.benchmark.loading import benchmark_folder, load_benchmark

SEED = "exam-1"
"""The seed if none is given."""


@dataclass(frozen=True, kw_only=True)
class ExamOptions:
    """Which items a sitting has."""

    checks: tuple[str, ...] = ()
    """The ids of the checks; empty for all that a judge is asked about."""
    items: int | None = None
    """The most items of each kind and check; None for 100 of a gate check and 30 of any other."""
    seed: str = SEED
    benchmark: Path | None = None
    """The folder of a benchmark; None means the benchmark of the package."""
    plays: bool = True
    """Also take texts from scenarios and twins, which are played for it."""
    draw: DrawKey | None = None
    """The key of the draw of scenarios and twins; None for the public draw."""


@dataclass(frozen=True)
class BuiltExam:
    """The plan of a sitting with its items and their conversations, in order."""

    plan: ExamPlan
    items: tuple[ExamItem, ...]
    transcripts: tuple[Transcript, ...]
    benchmark: Benchmark


def build_exam(options: ExamOptions, loaded: Benchmark | None = None) -> BuiltExam:
    """Build the items. The same options and the same benchmark give the same items.

    `loaded` is the benchmark of the options, if the caller has loaded it.

    Raises UsageError for a check that is not there or that no judge is asked about, and DataError if an exam
    file of the benchmark does not fit its texts, or if no item can be built.
    """
    benchmark = loaded or load_benchmark(options.benchmark)
    root = options.benchmark or benchmark_folder()
    chosen = _chosen(benchmark, options.checks)
    bases, lines = load_bases(root, benchmark, chosen), lines_of(benchmark)
    plays, knows = Plays(root, benchmark, options.seed, options.draw), load_exams(root)
    texts, read = dict(bases), judged(load_readings(root, benchmark.checks), benchmark.checks)
    if options.plays:
        for name in chosen:
            known = knows.get(name, CheckExam(check=name))
            texts[name] = (*bases[name], *plays.of(benchmark.checks[name], known))
    per_check = {
        name: drawn(texts[name], lines, options.seed, wanted_of(benchmark.checks[name], options.items), read)
        for name in chosen
    }
    built = [one for name in chosen for one in per_check[name]]
    if not built:
        raise DataError.one(root, None, "", "no item can be built", "choose checks with examples")
    counted = tuple(_counted(benchmark, name, per_check[name], options.items) for name in chosen)
    plan = _plan(benchmark, options, built, counted, read.summary)
    items = tuple(one.item for one in built)
    return BuiltExam(plan, items, tuple(one.transcript for one in built), benchmark)


def _chosen(benchmark: Benchmark, checks: Iterable[str]) -> tuple[str, ...]:
    """The ids of the checks of a sitting, in the order of the benchmark."""
    asked = [check.id for check in benchmark.checks.values() if is_asked(check)]
    wanted = set(checks)
    unknown = sorted(wanted - set(asked))
    if unknown:
        why = "a rule decides it" if unknown[0] in benchmark.checks else "no such check"
        raise UsageError(f"--check {unknown[0]}: {why}; choose among {', '.join(asked)}")
    return tuple(name for name in asked if not wanted or name in wanted)


def _counted(benchmark: Benchmark, name: str, built: Iterable[Built], items: int | None) -> CheckItems:
    check, every = benchmark.checks[name], [one.item for one in built]
    certain = [item for item in every if item.in_rates]
    return CheckItems(
        check=name,
        gate=check.gate is not None,
        wanted=wanted_of(check, items),
        must_fail=sum(item.must_fail for item in certain),
        must_not_fail=sum(not item.must_fail for item in certain),
        arguable=sum(item.arguable is not None for item in every),
        disputed=sum(item.disputed and item.arguable is None for item in every),
        bases=len({item.base for item in every}),
    )


def _plan(
    benchmark: Benchmark,
    options: ExamOptions,
    built: Iterable[Built],
    counted: tuple[CheckItems, ...],
    readings: ReadItems | None,
) -> ExamPlan:
    return ExamPlan(
        seed=options.seed,
        items=options.items,
        chosen=options.checks,
        draw=None if options.draw is None else options.draw.hash,
        benchmark_version=benchmark.version,
        benchmark_hash=benchmark_hash(benchmark),
        items_hash=digest([[one.item, one.transcript] for one in built]),
        checks=counted,
        not_asked=tuple(check.id for check in benchmark.checks.values() if not is_asked(check)),
        readings=readings,
    )
