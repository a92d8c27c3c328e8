"""Read a finished scan into a report, and compare it with thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ib.board.evidence.leaks import LeakSearch
from ib.board.report.build import ReportTally
from ib.board.report.sampled import SampledTally, measured_bounds
from ib.board.report.thresholds import ANY, BuildGate, refuse_rates, thresholds
from ib.errors import DataError, Finding, Refused, UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.report.report import Report
from ib.models.report.threshold import Outcome
from ib.models.scan.plan import ScanPlan
from ib.pipeline.report.holding import holding_of
from ib.pipeline.scan.find import pairs
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.leaks import load_leak_forms
from ib.store.folders.scans import PLAN, RESULTS, ScanFolder


def report_of(
    scan: Path | ScanFolder,
    *,
    by: str | None = None,
    show_user: bool = False,
    fail_on: Iterable[str] = (),
    secrets: tuple[str, ...] = (),
    false_alarms: Mapping[str, float] | None = None,
    benchmark: Path | None = None,
) -> tuple[Report, tuple[Outcome, ...]]:
    """The report of a finished scan, and what each threshold of `fail_on` came to.

    `by` is a metadata key to group the conversations by, and `show_user` shows what persons said in logs,
    too. `secrets` are values that the report must not show, beside the known forms of keys. `false_alarms`
    has, for each check or for `any`, the upper bound of the share of conversations without the failure that
    the judge calls a failure; without it, the bound is that of the labels that the check was compared with,
    if any, and else not known.

    Raises UsageError for an expression that is no threshold, for one on a rate of a sampled scan, and for
    false alarms of an unknown check or of a scan that is no sample. Raises DataError if the scan is not
    complete, if it was made with another benchmark, or if no conversation has the key.
    """
    folder = scan if isinstance(scan, ScanFolder) else ScanFolder(scan)
    folder.manifest()
    plan = folder.plan()
    known = benchmark_of(folder, plan, benchmark)
    gate = _gate(fail_on, known, plan)
    sampled = _sampled(folder, plan, known, false_alarms or {})
    leaks, holding = LeakSearch(load_leak_forms(), secrets), holding_of(folder.path, benchmark, unasked=False)
    tally = ReportTally(known, leaks, holding, by, sampled, show_user=show_user)
    for transcript, result in pairs(folder):
        tally.add(transcript, result)
        gate.add(result)
    report = tally.report(plan, folder.plan_hash())
    if not report.conversations:
        raise DataError.one(
            folder.path / RESULTS, None, "", "has no conversation", "a report needs at least one; safe twins "
            "have no checks",
        )  # fmt: skip
    return report, gate.outcomes()


def gate_of(scan: ScanFolder, fail_on: Sequence[str], benchmark: Path | None = None) -> tuple[Outcome, ...]:
    """What each threshold came to, without a report. Raises as `report_of`."""
    plan = scan.plan()
    gate = _gate(fail_on, benchmark_of(scan, plan, benchmark), plan)
    for result in scan.results():
        gate.add(result)
    return gate.outcomes()


def _gate(fail_on: Iterable[str], known: Benchmark, plan: ScanPlan) -> BuildGate:
    listed = thresholds(fail_on, known.checks)
    if plan.sample is not None:
        refuse_rates(listed)
    return BuildGate(listed)


def _sampled(
    folder: ScanFolder, plan: ScanPlan, known: Benchmark, false_alarms: Mapping[str, float]
) -> SampledTally | None:
    """What keeps the answers of a sample; None if the scan is none."""
    if plan.sample is None:
        if false_alarms:
            raise UsageError("--false-alarms is about the rates of a sampled scan, and this scan is none")
        return None
    for name in false_alarms:
        if name != ANY and name not in known.checks:
            raise UsageError(
                f"--false-alarms {name}: no such check; give CHECK=SHARE, or SHARE for all checks"
            )
    every = dict.fromkeys(known.checks, false_alarms[ANY]) if ANY in false_alarms else {}
    measured = measured_bounds(known.checks.values(), plan.judge.identity)
    return SampledTally(plan.sample, folder.sample(), {**measured, **every, **false_alarms})


def benchmark_of(folder: ScanFolder, plan: ScanPlan, benchmark: Path | None) -> Benchmark:
    """The benchmark with the checks of a plan, drafts among them if the scan judged them.

    Raises DataError if the benchmark lacks a check.
    """
    loaded = load_benchmark(benchmark, drafts=None)
    planned = [check.check_id for check in plan.checks]
    unknown = [check_id for check_id in planned if check_id not in loaded.checks]
    if unknown:
        found = f"the benchmark has no check {', '.join(unknown)}"
        hint = "name the benchmark of the scan with --benchmark"
        raise DataError.one(folder.path / PLAN, None, "checks", found, hint)
    kept = {check_id: check for check_id, check in loaded.checks.items() if check_id in set(planned)}
    return loaded.model_copy(update={"checks": kept})


def hold(outcomes: Sequence[Outcome], scan: Path) -> None:
    """Raises Refused with what tripped, or DataError with what was not asked, if either is so."""
    tripped = [one.said for one in outcomes if one.tripped]
    missing = [one for one in outcomes if one.not_asked]
    if tripped:
        raise Refused("the build fails:", [*tripped, *(one.said for one in missing)])
    if missing:
        hint = "scan with a profile and a judge that ask it, or omit the threshold"
        raise DataError(Finding.at(scan, None, ("--fail-on",), one.said, hint) for one in missing)
