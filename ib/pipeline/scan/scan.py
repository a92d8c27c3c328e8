"""Scanning: judging transcripts and writing a scan folder. Planning ends before the first question."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from ib import __version__
from ib.errors import OutputExists, UsageError, WorldError
from ib.judges.base import Judge
from ib.models.common.canonical import compact, digest, pretty
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.conversation.transcript import Transcript
from ib.models.exam.sentinels import SentinelPlan
from ib.models.scan.part import WHOLE, Part, Sampling
from ib.models.scan.plan import CostReport, ScanManifest, ScanPlan
from ib.models.scan.second import SecondPlan
from ib.pipeline.common.callbacks import SILENT, Callbacks, CallWatch
from ib.pipeline.common.configured import UNLIMITED, Calling
from ib.pipeline.common.configured import USUAL as USUAL_SETTINGS
from ib.pipeline.common.costing import cost_words, few_at_once, second_words, spent_words
from ib.pipeline.common.folders import AnyPath, default_folder, path_of
from ib.pipeline.scan.batching import Batching, ask_in_batches, refuse_open
from ib.pipeline.scan.dispatch import Dispatcher
from ib.pipeline.scan.finished import check_sample, finished_plan, inputs_hash
from ib.pipeline.scan.judges import NONE
from ib.pipeline.scan.prepare import PreparedScan, ScanOptions, prepare_scan
from ib.pipeline.scan.results import cores, write_results
from ib.pipeline.scan.second import SHARE, SecondOptions
from ib.pipeline.scan.second_scan import ask_second
from ib.pipeline.scan.session import Lost, Session, lost_words
from ib.store.files.writing import create_folder, discard, has_begun, only_writer, replace, replacing
from ib.store.folders import scans
from ib.store.folders.batches import BATCHES, BatchList
from ib.store.folders.cache import cache_path
from ib.store.folders.calls import CALLS, CallList

if TYPE_CHECKING:  # slow to import, and needed only with sentinels
    from ib.pipeline.scan.sentinels import Sentinels


@dataclass(frozen=True, kw_only=True)
class Work:
    """How a prepared scan is executed. No setting changes a byte of the results."""

    resume: bool = False
    """Continue the scan in the folder."""
    workers: int = 0
    """The number of processes for a scan without a judge; 0 means all cores."""
    callbacks: Callbacks = SILENT
    cache: Path | None = None
    """The file with the answers of earlier scans, for a judge that is a model; None for no cache."""
    batching: Batching | None = None
    """Ask in batches, which cost half and may take hours; None to ask each question at once."""


USUAL = Work()
COMPLETE = "{}: the scan is complete; nothing was asked"


def scan(
    transcripts: Iterable[AnyPath | Transcript] | AnyPath | Transcript,
    *,
    out: AnyPath | None = None,
    profile: str = "smoke",
    judge: str | Judge = NONE,
    benchmark: AnyPath | None = None,
    regard: bool = False,
    rubrics: bool = False,
    settings: ModelSettings = USUAL_SETTINGS,
    limits: CallLimits = UNLIMITED,
    config: AnyPath | None = None,
    drafts: Iterable[str] = (),
    part: Part = WHOLE,
    second_judge: str | Judge | None = None,
    second_share: float = SHARE,
    redact: Iterable[str] = (),
    sampling: Sampling | None = None,
    sentinels: Sentinels | None = None,
    resume: bool = False,
    workers: int = 0,
    cache: AnyPath | bool = True,
    batching: Batching | None = None,
    callbacks: Callbacks = SILENT,
) -> scans.ScanFolder:
    """Judge transcripts, check by check, into a new folder, which is returned.

    `transcripts` are paths of .jsonl, .jsonl.gz or .parquet files, or transcripts in memory. Nothing is
    written until all are read and checked. `out` is the folder to create (by default a new one in
    `results/`). With `resume`, the scan in `out` is completed. `settings`, `limits` and `config`, a file of
    models with their settings, apply to a judge that is a model, as does `cache`: the file with the answers
    of earlier scans, True for the usual one, or False for none. `second_judge`, a judge of another family,
    answers `second_share` of the questions again, and every question of a gate check that the judge answers
    with FAIL; it changes no result. `redact` names the rules that put stand-ins in place of personal data
    before anything is written or asked, such as `["own"]`. `sentinels`, from
    `ib.pipeline.exam.sentinels.sentinels_for`, are mixed among the questions. The other parameters are
    explained at `ScanOptions` and `Work`. The same inputs, in any order, give the same bytes of every file
    except the manifest.

    Raises DataError with all findings about the inputs, OutputExists if `out` exists, and WorldError
    if the disk is full or another process writes to `out`.
    """
    if resume and out is None:
        raise UsageError("resume needs out, the folder of the scan to continue")
    options = ScanOptions(
        profile=profile,
        judge=judge,
        benchmark=path_of(benchmark),
        regard=regard,
        rubrics=rubrics,
        calling=Calling(settings, limits, path_of(config)),
        drafts=tuple(drafts),
        part=part,
        second=None if second_judge is None else SecondOptions(second_judge, second_share),
        redact=tuple(redact),
        sampling=sampling,
        sentinels=sentinels,
    )
    if isinstance(transcripts, str | Path | Transcript):
        transcripts = [transcripts]
    sources = [item if isinstance(item, Transcript) else Path(item) for item in transcripts]
    if not sources:
        raise UsageError("there is nothing to scan; give transcripts, or the paths of their files")
    work = Work(
        resume=resume, workers=workers, callbacks=callbacks, cache=cache_path(cache), batching=batching
    )
    folder, _ = scan_into(sources, options, path_of(out), work)
    return scans.ScanFolder(folder)


def plan_scan(
    sources: Sequence[Path | Transcript],
    options: ScanOptions,
    folder: Path | None = None,
    callbacks: Callbacks = SILENT,
) -> ScanPlan:
    """The plan of a scan. With `folder`, a new folder with the plan and the cost report is created."""
    prepared = prepare_scan(sources, options, callbacks)
    prepared.spool.close()
    if folder is not None:
        create_folder(folder)
        replace(folder / scans.PLAN, prepared.plan_bytes)
        replace(folder / scans.COST, pretty(prepared.cost))
    return prepared.plan


def scan_into(
    sources: Sequence[Path | Transcript], options: ScanOptions, folder: Path | None, work: Work
) -> tuple[Path, ScanPlan]:
    """Plan and run a scan; returns its folder and its plan. `folder` is None for a new one in `results/`.

    If the scan to resume is finished, nothing is done but to say so.
    """
    if work.resume and folder is not None:
        check_sample(options, folder)
    finished = finished_plan(sources, options, folder) if work.resume and folder is not None else None
    if finished is not None and folder is not None:
        work.callbacks.notice(COMPLETE.format(folder))
        return folder, finished
    prepared = prepare_scan(sources, options, work.callbacks)
    with contextlib.closing(prepared.spool):
        folder = folder or default_folder("scan", digest(prepared.plan))
        for estimate in prepared.plan.cost:
            work.callbacks.notice(cost_words(estimate))
        work.callbacks.notices(few_at_once(prepared.plan.cost, options.calling.limits.max_cost_usd))
        second = prepared.plan.second
        if second is not None and second.judge.priced:
            work.callbacks.notice(second_words(second))
        if prepared.plan.sentinels is not None:
            from ib.pipeline.scan.sentinels import sentinel_words

            work.callbacks.notice(sentinel_words(prepared.plan.sentinels))
        run_scan(prepared, folder, work)
    return folder, prepared.plan


def run_scan(prepared: PreparedScan, folder: Path, work: Work = USUAL) -> None:
    """Run a prepared scan into its folder. If the scan fails without an answer, a new folder is removed.

    Resuming a finished scan changes nothing.
    """
    started = datetime.now(UTC).isoformat()
    fresh = not (work.resume and folder.is_dir())
    if fresh:
        create_folder(folder)
    lost = False
    try:
        with only_writer(folder), CallList(folder) as calls:
            try:
                _scan_into(prepared, folder, started, dataclasses.replace(work, resume=not fresh), calls)
            finally:
                lost = bool(calls.lost)  # sent, and not answered: these may have been paid for
    except BaseException:
        if fresh and not (lost or _worth_keeping(folder)):
            discard(folder, scans.REPLIES)
        raise


def _worth_keeping(folder: Path) -> bool:
    """True if there are calls, replies or batches, which may have been paid for."""
    if (folder / BATCHES).exists() or (folder / CALLS).exists():
        return True
    with contextlib.suppress(OSError):
        return (folder / scans.REPLIES).read_bytes().count(b"\n") > 1
    return False


def _scan_into(prepared: PreparedScan, folder: Path, started: str, work: Work, calls: CallList) -> None:
    if work.resume and _finished(prepared, folder):
        work.callbacks.notice(COMPLETE.format(folder))
        return
    inputs = inputs_hash(prepared.sources, prepared.options)
    second = prepared.second
    judges = (prepared.judge,) if second is None else (prepared.judge, second.judge)
    batches = BatchList(folder)
    if work.batching is None:
        refuse_open(batches, judges)
    else:
        for judge in judges:
            if judge is prepared.judge or not judge.in_process:
                ask_in_batches(judge, batches, work.batching, work.callbacks)
    for judge in judges:
        if not judge.in_process:
            judge.open(calls)
    with CallWatch(calls, work.callbacks, *_expected(prepared)) as watch:
        plan_hash = prepared.cost.plan_hash
        session = Session(
            *(prepared.plan, plan_hash, calls, watch, work.callbacks, work.cache, work.resume),
            sentinels=prepared.sentinels,
        )
        _ask(prepared, folder, session, work.workers or cores())
    replace(folder / scans.MANIFEST, pretty(_manifest(prepared, folder, started, inputs)))


def _expected(prepared: PreparedScan) -> tuple[int | None, float | None]:
    """The expected calls to judges elsewhere, and what they are expected to cost.

    There is no number if there is no such judge, or if it answers in batches, which tell their own state.
    """
    asked: list[tuple[Judge, ScanPlan | SecondPlan | SentinelPlan]] = [(prepared.judge, prepared.plan)]
    if prepared.sentinels is not None:
        asked.append((prepared.judge, prepared.sentinels.plan))
    if prepared.second is not None:
        asked.append((prepared.second.judge, prepared.second.plan))
    elsewhere = [(judge, plan) for judge, plan in asked if not judge.in_process]
    if not elsewhere or any(judge.in_batches for judge, _ in elsewhere):
        return None, None
    usd = [plan.estimated_cost_usd for _, plan in elsewhere if plan.estimated_cost_usd is not None]
    expected = sum(plan.planned_calls_expected for _, plan in elsewhere)
    return expected, fsum(usd) if len(usd) == len(elsewhere) else None


def _ask(prepared: PreparedScan, folder: Path, session: Session, workers: int) -> None:
    """Ask both judges and write the results. Says what the calls cost, also if the work is stopped."""
    actual: dict[str, object] = {}

    def cost() -> CostReport:
        return prepared.cost_after(session.calls.spending, **actual)

    def report(further: Mapping[str, object]) -> None:
        """Write the cost report, with what is known so far."""
        actual.update(further)
        replace(folder / scans.COST, pretty(cost()))

    path, units, second = folder / scans.REPLIES, prepared.plan.planned_units, prepared.second
    try:
        with session.asking(prepared.judge, path, units, report) as (dispatcher, reckoning):
            replace(folder / scans.PLAN, prepared.plan_bytes)
            if prepared.plan.sample is not None:
                replace(folder / scans.SAMPLE, b"".join(compact(one) + b"\n" for one in prepared.sampled))
            with replacing(folder / scans.TRANSCRIPTS) as file:
                file.writelines(prepared.spool.lines())
            write_results(prepared, folder, dispatcher, reckoning, workers, session.callbacks)
        session.callbacks.notices(lost_words(prepared.plan.judge.model, _lost(folder)))
        _whole(folder, dispatcher)
        if second is not None:
            _whole(folder, ask_second(prepared, second, folder, session, report))
    finally:
        found = cost()
        cached = (found.from_cache or 0) + ((found.second and found.second.from_cache) or 0)
        said = spent_words(found.spending, found.spent_usd, session.calls.faults, cached)
        session.callbacks.notices(said)


def _lost(folder: Path) -> Lost:
    """The questions that the first judge did not answer, by model under test."""
    models = scans.ScanFolder(folder).blindspot()["models"]
    return {name: (one["refused_questions"], one["unreadable_questions"]) for name, one in models.items()}


def _whole(folder: Path, dispatcher: Dispatcher) -> None:
    """Raises WorldError if questions have no answer. The scan then gets no manifest: it is not complete."""
    if dispatcher.faults:
        raise WorldError(
            f"{folder}: {dispatcher.faults} questions have no answer, the last for {dispatcher.last_fault}. "
            "The results are written without them, and cannot be published. Run the same command with "
            "--resume to ask only these questions."
        )


def _finished(prepared: PreparedScan, folder: Path) -> bool:
    """True if the scan in a folder is complete. Raises OutputExists if it is another scan, or none."""
    if (folder / scans.MANIFEST).is_file():
        if scans.ScanFolder(folder).manifest().plan_hash == prepared.cost.plan_hash:
            return True
        raise OutputExists(
            f"{folder}: holds a complete scan of other inputs, another judge or other options; choose "
            "another folder"
        )
    if not has_begun(folder, scans.REPLIES):
        raise OutputExists(
            f"{folder}: has no journal of a scan, so there is nothing to resume; omit --resume and choose "
            "another folder"
        )
    return False


def _manifest(prepared: PreparedScan, folder: Path, started: str, inputs: str | None) -> ScanManifest:
    return ScanManifest(
        ib_version=__version__,
        profile=prepared.plan.profile,
        judge=prepared.plan.judge,
        plan_hash=prepared.cost.plan_hash,
        started=started,
        finished=datetime.now(UTC).isoformat(),
        transcripts=len(prepared.plan.transcripts),
        files=scans.ScanFolder(folder).file_hashes(),
        inputs_hash=inputs,
    )


def unrecorded(plan: ScanPlan) -> Sequence[str]:
    """The checks that a recorded judge has no votes for."""
    return [check.check_id for check in plan.checks if check.recorded is False]
