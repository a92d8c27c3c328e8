"""Read two finished scans and compare them."""

from __future__ import annotations

from pathlib import Path

from ib.board.evidence.leaks import LeakSearch
from ib.board.figures.contrasts import Families
from ib.board.report.cases import log_name
from ib.board.report.compare import Version, compared, key_of
from ib.board.report.compared_sentences import least
from ib.errors import DataError, Refused
from ib.models.report.compared import Compared, Side
from ib.models.scan.plan import ScanPlan, instrument
from ib.pipeline.report.holding import holding_of
from ib.pipeline.report.report import benchmark_of
from ib.pipeline.scan.find import pairs
from ib.store.files.leaks import load_leak_forms
from ib.store.folders.scans import PLAN, RESULTS, ScanFolder


def compare_scans(
    first: Path,
    second: Path,
    *,
    models: tuple[str | None, str | None] = (None, None),
    show_user: bool = False,
    secrets: tuple[str, ...] = (),
    benchmark: Path | None = None,
) -> Compared:
    """Two finished scans of the same checks by the same judge, compared.

    `models` are the models of the first and the second scan, for a scan that has several. Raises DataError if
    a scan is not complete, if the two ask other things, or if a scan has several models and none is named.
    """
    folders = (ScanFolder(first), ScanFolder(second))
    for folder in folders:
        folder.manifest()
    plans = (folders[0].plan(), folders[1].plan())
    _refuse_samples(plans, folders)
    _same(plans, folders)
    known = benchmark_of(folders[0], plans[0], benchmark)
    leaks, families = LeakSearch(load_leak_forms(), secrets), Families()
    holdings = [holding_of(folder.path, benchmark, unasked=False) for folder in folders]
    sides = [
        _version(folder, plan, wanted, Version(known, leaks, held, show_user), families)
        for folder, plan, wanted, held in zip(folders, plans, models, holdings, strict=True)
    ]
    return compared(sides[0], sides[1], known, families)


def _refuse_samples(plans: tuple[ScanPlan, ScanPlan], folders: tuple[ScanFolder, ScanFolder]) -> None:
    """Raises DataError for a sample: tests count conversations, which were drawn with different
    probabilities."""
    for plan, folder in zip(plans, folders, strict=True):
        if plan.sample is not None:
            size = f"{plan.sample.n:,} of {plan.sample.conversations:,} conversations"
            found = f"the scan judged a sample, {size}"
            hint = "compare scans of all conversations; `ib report` has the rates of a sample"
            raise DataError.one(folder.path / PLAN, None, "sample", found, hint)


def _same(plans: tuple[ScanPlan, ScanPlan], folders: tuple[ScanFolder, ScanFolder]) -> None:
    """Raises DataError unless both scans ask the same, and the same judge answers."""
    one, other = (instrument(plan) for plan in plans)
    differ = [name for name in one if one[name] != other[name]]
    if differ:
        found = f"the scans differ in {', '.join(said_difference(name, plans) for name in differ)}"
        hint = f"scan both with the same profile, judge and checks; the first is {folders[0].path}"
        raise DataError.one(folders[1].path / PLAN, None, differ[0], found, hint)


def said_difference(name: str, plans: tuple[ScanPlan, ScanPlan]) -> str:
    """One difference of two plans, with both values if they are short."""
    if name == "judge" and plans[0].judge.model != plans[1].judge.model:
        return f"judge ({plans[0].judge.model}, {plans[1].judge.model})"
    values = tuple(getattr(plan, name) for plan in plans)
    if all(isinstance(value, str) and len(value) < 40 for value in values):
        return f"{name} ({values[0]}, {values[1]})"
    return name


def _version(
    folder: ScanFolder, plan: ScanPlan, wanted: str | None, version: Version, families: Families
) -> tuple[Side, Version]:
    """The conversations of one model of a scan."""
    model = _model(folder, plan, wanted)
    for transcript, result in pairs(folder):
        if result.model_id != model:
            continue
        if key_of(result) in version.failed:
            found = f"two conversations have the id {log_name(result)!r}"
            raise DataError.one(
                folder.path / RESULTS, None, "log_id", found, "an id for each, to pair them by"
            )
        version.add(transcript, result, families)
    if not version.failed:
        raise DataError.one(folder.path, None, "", f"has no conversation of {model}", "at least one")
    return Side(model_id=model, plan_hash=folder.plan_hash(), conversations=len(version.failed)), version


def _model(folder: ScanFolder, plan: ScanPlan, wanted: str | None) -> str:
    models = sorted({planned.model_id for planned in plan.transcripts})
    if wanted is None and len(models) == 1:
        return models[0]
    if wanted in models:
        return wanted
    found = f"has the models {', '.join(models)}" + (f", not {wanted}" if wanted else "")
    raise DataError.one(folder.path / PLAN, None, "transcripts", found, "name one with --first or --second")


def not_worse(found: Compared) -> None:
    """Raises Refused with the gate checks that got worse, or DataError if none could have been found worse.

    A test on fewer conversations than it needs passes whatever happens in them.
    """
    worse = [
        f"{check.check_id} ({check.name}): {check.worse} worse, {check.better} better of "
        f"{check.paired.n} in both; p {check.paired.adjusted:.2g} after Holm"
        for check in found.checks
        if check.is_worse and check.paired is not None
    ]
    if worse:
        raise Refused("the second scan is worse:", worse)
    tested = [check.paired.n_families for check in found.checks if check.tested and check.paired is not None]
    needed = least(len(tested)) if tested else 1
    if max(tested, default=0) < needed:
        why = "no gate check has a clear answer on a conversation of both scans"
        if tested:
            why = (
                f"no gate check has a clear answer on {needed} conversations of both scans, the least to test"
            )
        hint = "compare scans of the same conversations, with a profile and a judge that ask gate checks"
        raise DataError.one("--fail-on worse", None, "", why, hint)
