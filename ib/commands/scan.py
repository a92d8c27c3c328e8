"""`ib scan`: transcripts in, a scan folder out. The plan is complete before the first question."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ib import __version__
from ib.board.adjudicate import requests
from ib.board.blindspot import Profile
from ib.commands.common import benchmark_option, default_folder, emit, json_option, say, shown, with_progress
from ib.engine.engine import ModeEngine
from ib.errors import Finding, OutputExists, UsageError
from ib.judges.base import Judge
from ib.judges.none import NoJudge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark import Benchmark
from ib.models.canonical import compact, digest, pretty
from ib.models.plan import CostReport, PlannedTranscript, ScanManifest, ScanPlan
from ib.models.transcript import Transcript
from ib.pipeline.dispatch import Dispatcher
from ib.pipeline.judging import judged
from ib.pipeline.plan import Planner
from ib.pipeline.supplements import open_supplementer
from ib.store import scans
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.files import create_folder, only_writer, replace, replacing
from ib.store.journal import VOTES, Journal
from ib.store.scenarios import Scenarios
from ib.store.transcripts import Key, Spool, placed, spool
from ib.store.votes import load_votes, vote_files

if TYPE_CHECKING:
    from ib.measures.supplement import Supplementer

RECORDED = "recorded:"
LEXICAL = "lexical"


@dataclass(frozen=True)
class Prepared:
    """A scan that is ready to run: everything is read, checked and planned."""

    benchmark: Benchmark
    judge: Judge
    engine: ModeEngine
    spool: Spool
    plan: ScanPlan
    plan_bytes: bytes
    """The plan as it is written."""
    cost: CostReport
    scenarios: Scenarios
    supplementer: Supplementer | None = None


@click.command()
@click.argument("transcripts", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--profile", default="smoke", show_default=True, help="Which checks, and how many votes.")
@click.option(
    "--judge",
    "judge_name",
    default="none",
    show_default=True,
    help="`none`, `lexical` (phrases, for demonstrations), or `recorded:PATH[,PATH...]`: votes files, "
    "or folders of *.votes.jsonl[.gz].",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The folder to create.  [default: under results/]"
)
@click.option("--resume", is_flag=True, help="Go on with the scan in --out.")
@click.option("--dry-run", is_flag=True, help="Plan and estimate, ask nothing; write only into --out.")
@click.option("--regard", "ask_regard", is_flag=True, help="Also have regard judged, on its four sides.")
@click.option("--rubric", "ask_rubrics", is_flag=True, help="Also have the rubrics of the scenarios judged.")
@click.option(
    "--concurrency", default=16, show_default=True, type=click.IntRange(1, 1000), help="Questions at once."
)
@benchmark_option
@json_option
def scan(
    transcripts: tuple[Path, ...],
    profile: str,
    judge_name: str,
    out: Path | None,
    resume: bool,
    dry_run: bool,
    ask_regard: bool,
    ask_rubrics: bool,
    concurrency: int,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Judge transcripts, check by check.

    TRANSCRIPTS are .jsonl or .jsonl.gz files, one conversation a line. All of them are read and
    checked before anything is written. The same inputs give the same bytes of every artifact but
    the manifest, whatever the order of the files and the concurrency.

    Example: ib scan a.transcripts.jsonl.gz --profile publish --judge recorded:votes --out scan
    """
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the scan to go on with")
    prepared = prepare(
        transcripts, profile, judge_name, benchmark_dir, regard=ask_regard, rubrics=ask_rubrics
    )
    with contextlib.closing(prepared.spool):
        if dry_run:
            _write_plan_only(prepared, out)
        else:
            folder = out or default_folder("scan", digest(prepared.plan))
            _run(prepared, folder, resume=resume, concurrency=concurrency)
            say(f"scan: {shown(folder)}")
    emit(
        {"plan": prepared.plan.model_dump(mode="json", exclude={"transcripts"})},
        as_json=as_json,
        text=lambda _: _plan_words(prepared, dry_run=dry_run),
    )


def prepare(
    transcripts: Iterable[Path],
    profile: str,
    judge_name: str,
    benchmark_dir: Path | None,
    *,
    regard: bool = False,
    rubrics: bool = False,
) -> Prepared:
    """Load the benchmark, the judge and the transcripts, and plan the scan."""
    benchmark = load_benchmark(benchmark_dir)
    if profile not in benchmark.scoring.profiles:
        known = ", ".join(benchmark.scoring.profiles)
        raise UsageError(f"--profile {profile!r} does not exist; there are {known}")
    if benchmark.scoring.profiles[profile].votes == "none" and judge_name != "none":
        raise UsageError(f"profile {profile} asks no judge; leave --judge out, or choose another profile")
    if benchmark.scoring.profiles[profile].votes == "none" and (regard or rubrics):
        raise UsageError(f"profile {profile} asks no judge; leave --regard and --rubric out")
    root = benchmark_dir or benchmark_folder()
    judge = open_judge(judge_name, benchmark, root)
    recorded = judge if isinstance(judge, RecordedJudge) else None
    engine = ModeEngine(benchmark, profile, judge.spec)
    if recorded is not None:
        engine.votes_known = recorded.votes_known
    supplementer = open_supplementer(engine, root, regard=regard, rubrics=rubrics)
    scenarios = Scenarios(root)
    planner = Planner(engine, supplementer, scenarios)
    planned: dict[Key, PlannedTranscript] = {}

    def seen(transcript: Transcript, transcript_hash: str) -> None:
        """Plan a transcript while it is at hand, where its words do not matter."""
        if not planner.looks_inside:
            planned[transcript.key] = planner.transcript(engine.index(transcript, transcript_hash))

    spooled = spool(
        list(transcripts),
        benchmark.checks,
        lambda transcript: placed(fitted(transcript, scenarios), benchmark.rules),
        seen,
    )
    plan = planner.plan(
        planner.transcripts(spooled)
        if planner.looks_inside
        else tuple(planned[entry.key] for entry in spooled.entries),
        recorded_checks=None if recorded is None else recorded.checks,
    )
    plan_bytes = pretty(plan)
    cost = CostReport(
        plan_hash=scans.bytes_hash(plan_bytes),
        judge=judge.spec.model,
        planned_calls=plan.planned_calls,
        estimated_cost_usd=plan.estimated_cost_usd,
    )
    return Prepared(benchmark, judge, engine, spooled, plan, plan_bytes, cost, scenarios, supplementer)


def fitted(transcript: Transcript, scenarios: Scenarios) -> Transcript | Finding:
    """A transcript with what its scenario decides, where the benchmark holds the scenario."""
    scenario = scenarios.get(transcript.scenario_id)
    if scenario is None:
        return transcript
    from ib.scenario.playing import conflicts, joined  # slow to import, and needed for scenarios alone

    for key, said in conflicts(transcript, scenario):
        found = f"is not what scenario {scenario.scenario_id} of the benchmark says"
        return Finding.at(
            "", None, key, found, f"leave it out, or play the scenario again; it says {said}"[:300]
        )
    return joined(transcript, scenario)


def open_judge(name: str, benchmark: Benchmark, root: Path) -> Judge:
    """The judge that a --judge option means."""
    if name == "none":
        return NoJudge()
    if name == LEXICAL:
        # Imported where it is asked for: a smoke scan starts faster without it.
        from ib.judges.lexical import LexicalJudge
        from ib.store.lexical import load_lexical

        return LexicalJudge(load_lexical(root, benchmark), benchmark)
    if name.startswith(RECORDED):
        paths = [Path(part) for part in name.removeprefix(RECORDED).split(",") if part]
        if not paths:
            raise UsageError("--judge recorded: needs the path of a votes file or of a folder of them")
        files = tuple(file for path in paths for file in vote_files(path))
        return RecordedJudge(*load_votes(files, benchmark.checks))
    raise UsageError(f"--judge {name!r} is not known; there are none, lexical, recorded:PATH[,PATH...]")


def _write_plan_only(prepared: Prepared, out: Path | None) -> None:
    if out is None:
        return
    create_folder(out)
    replace(out / scans.PLAN, prepared.plan_bytes)
    replace(out / scans.COST, pretty(prepared.cost))
    say(f"plan: {shown(out / scans.PLAN)}")


def _run(prepared: Prepared, folder: Path, *, resume: bool, concurrency: int) -> None:
    """Run the scan into its folder; on a failure of the disk a folder without replies goes again."""
    started = datetime.now(UTC).isoformat()
    fresh = not (resume and folder.is_dir())
    if fresh:
        create_folder(folder)
    try:
        with only_writer(folder):
            _scan_into(prepared, folder, started, resume=not fresh, concurrency=concurrency)
    except BaseException:
        if fresh and not _worth_keeping(folder):
            _remove(folder)
        raise


def _worth_keeping(folder: Path) -> bool:
    """Whether a journal holds more than its header: replies that were asked for, perhaps paid."""
    with contextlib.suppress(OSError):
        return (folder / scans.REPLIES).read_bytes().count(b"\n") > 1
    return False


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _scan_into(prepared: Prepared, folder: Path, started: str, *, resume: bool, concurrency: int) -> None:
    if resume and (folder / scans.MANIFEST).exists():
        raise OutputExists(f"{folder}: the scan is complete; there is nothing to resume")
    if resume and not (folder / scans.REPLIES).is_file():
        raise OutputExists(
            f"{folder}: holds no journal of a scan, so that none has begun in it; choose another folder, "
            "without --resume"
        )
    plan_hash = prepared.cost.plan_hash
    journal = Journal(folder / scans.REPLIES, plan_hash, VOTES, resume=resume)
    for notice in journal.notices:
        say(notice)
    if not inspect.iscoroutinefunction(prepared.judge.answer):
        journal.forget()
    try:
        replace(folder / scans.PLAN, prepared.plan_bytes)
        with replacing(folder / scans.TRANSCRIPTS) as file:
            file.writelines(prepared.spool.lines())
        dispatcher = Dispatcher(prepared.judge, journal, concurrency)
        _results(prepared, folder, dispatcher)
        journal.finish()
    finally:
        journal.close()
    cost = prepared.cost.model_copy(update={"answered": dispatcher.answered, "spent_usd": 0.0})
    replace(folder / scans.COST, pretty(cost))
    manifest = ScanManifest(
        ib_version=__version__,
        profile=prepared.plan.profile,
        judge=prepared.plan.judge,
        plan_hash=plan_hash,
        started=started,
        finished=datetime.now(UTC).isoformat(),
        transcripts=len(prepared.plan.transcripts),
        files=scans.ScanFolder(folder).file_hashes(),
    )
    replace(folder / scans.MANIFEST, pretty(manifest))


def _results(prepared: Prepared, folder: Path, dispatcher: Dispatcher) -> None:
    """Every result as it comes, in plan order; counts beside, so that memory stays flat."""
    engine, judge = prepared.engine, prepared.judge
    profile = Profile(prepared.benchmark)
    found = judge.contradictions() if isinstance(judge, RecordedJudge) else ()
    contradicted = {
        (c.record.model_id, c.record.scenario_id, c.record.epoch, c.record.check_id) for c in found
    }
    verifications = (
        judged(engine, prepared.supplementer, indexed, prepared.scenarios.get(indexed.transcript.scenario_id))
        for indexed in engine.index_all(prepared.spool)
    )
    results = dispatcher.run(with_progress(verifications, len(prepared.spool.entries), "transcripts"))
    with (
        replacing(folder / scans.RESULTS) as lines,
        replacing(folder / scans.ADJUDICATIONS) as asked,
        replacing(folder / scans.SUPPLEMENT) as beside,
    ):
        for result, supplement in results:
            lines.write(engine.line(result) + b"\n")
            if supplement is not None:
                beside.write(compact(supplement) + b"\n")
            profile.add(result)
            asked.writelines(compact(item) + b"\n" for item in requests(result, contradicted, supplement))
    replace(
        folder / scans.CONTRADICTIONS,
        b"".join(compact({"record": c.record, "votes_say": c.votes_say}) + b"\n" for c in found),
    )
    replace(folder / scans.BLINDSPOT, pretty(profile.document()))
    replace(folder / scans.SUMMARY, profile.summary().encode())


def _plan_words(prepared: Prepared, *, dry_run: bool) -> str:
    plan = prepared.plan
    asked = sum(check.selected for check in plan.checks)
    due = sum(check.due for check in plan.checks)
    cost = "unknown" if plan.estimated_cost_usd is None else f"${plan.estimated_cost_usd:.2f}"
    most = "as many as there are claims" if plan.planned_calls_max is None else plan.planned_calls_max
    lines = [
        f"{'planned' if dry_run else 'scanned'} {len(plan.transcripts)} transcripts, "
        f"profile {plan.profile}, judge {plan.judge.model}",
        f"{asked} of {len(plan.checks)} checks asked, {due} due in all",
        f"{plan.planned_calls} questions in the first round, {most} at most, cost {cost}",
    ]
    missing = [check.check_id for check in plan.checks if check.recorded is False]
    if missing:
        lines.append(f"not in the recording, and so not evaluated: {', '.join(missing)}")
    return "\n".join(lines)
