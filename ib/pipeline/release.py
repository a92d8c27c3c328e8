"""What building, checking and publishing a release share: recomputing it from what was said."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ib.board.adjudicate import requests
from ib.board.blindspot import Profile
from ib.board.build import Scan, build
from ib.board.evidence import evidence
from ib.board.gate import judge_release
from ib.board.inputs import GateInputs
from ib.board.leaks import LeakSearch, secrets_of
from ib.engine.engine import ModeEngine
from ib.engine.indexed import IndexedTranscript
from ib.engine.protocol import at_once, drive
from ib.errors import DataError
from ib.measures.supplement import Supplementer
from ib.models.base import STAGE_ORDER, Stage, Verdict
from ib.models.benchmark import Benchmark, benchmark_hash
from ib.models.canonical import compact, pretty
from ib.models.judge import JudgeReply, JudgeRequest, NotRecorded
from ib.models.leaderboard import Leaderboard, Qa
from ib.models.plan import ScanManifest, ScanPlan
from ib.models.result import TranscriptResult
from ib.models.scenario import Scenario
from ib.models.supplement import Supplement
from ib.models.transcript import Provenance
from ib.models.votes import VoteRecord
from ib.pipeline.judging import judged
from ib.pipeline.plan import Planner
from ib.pipeline.supplements import open_supplementer
from ib.scenario.playing import conflicts
from ib.store import scans
from ib.store.journal import load_replies, read_row
from ib.store.leaks import load_leak_forms
from ib.store.lines import raw_lines
from ib.store.scenarios import Scenarios

LEADERBOARD = "leaderboard.json"
QA = "qa.json"
EVIDENCE = "evidence"
NOT_ASKED = NotRecorded()


@dataclass(frozen=True)
class ReplayedScan:
    """A complete scan, read back, with its results computed anew from transcripts and replies."""

    folder: scans.ScanFolder
    manifest: ScanManifest
    plan: ScanPlan
    plan_hash: str
    stored: tuple[TranscriptResult, ...]
    recomputed: tuple[TranscriptResult, ...]
    supplements: tuple[Supplement, ...]
    supplements_recomputed: tuple[Supplement, ...]
    provenances: Mapping[tuple[str, str, int], Provenance]
    misplayed: tuple[str, ...]
    """Transcripts that are no play of their scenario."""
    contradictions: tuple[tuple[VoteRecord, Verdict], ...]
    benchmark: Benchmark
    benchmark_hash: str
    replanned: ScanPlan

    def board(self, stage: Stage) -> Leaderboard:
        """The leaderboard, from what was computed anew alone."""
        scan = Scan(
            self.replanned,
            self.plan_hash,
            self.recomputed,
            scans.file_hash(self.folder.path / scans.RESULTS),
            self.contradictions,
            self.supplements_recomputed,
        )
        return build(scan, self.benchmark, stage)


def read_finished(path: Path, benchmark: Benchmark, root: Path) -> ReplayedScan:
    """Read a scan and compute all its rows again; nothing in results.jsonl is taken on trust.

    `root` is the folder of the benchmark, where the scenarios lie.
    """
    try:
        return _read_finished(path, benchmark, root)
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            raise
        found = f"the scan is damaged: {type(error).__name__}: {error}"
        raise DataError.one(path, None, "", found, "a folder that `ib scan` has finished") from error


def _read_finished(path: Path, benchmark: Benchmark, root: Path) -> ReplayedScan:
    folder = scans.ScanFolder(path)
    manifest, plan = folder.manifest(), folder.plan()
    if plan.profile not in benchmark.scoring.profiles:
        known = ", ".join(benchmark.scoring.profiles)
        raise DataError.one(path / scans.PLAN, None, "profile", f"unknown {plan.profile!r}", known)
    engine = ModeEngine(benchmark, plan.profile, plan.judge)
    recorded_plan, replies = load_replies(path / scans.REPLIES)
    if recorded_plan != folder.plan_hash():
        found = "the replies belong to another plan"
        raise DataError.one(path / scans.REPLIES, 1, "plan_hash", found, "the plan of this scan")
    asked = _votes_asked(path / scans.REPLIES)
    engine.votes_known = lambda transcript, check_id: asked.get((*transcript.key, check_id), 0)
    provenances: dict[tuple[str, str, int], Provenance] = {}
    misplayed: list[str] = []
    scenarios = Scenarios(root)
    supplementer = open_supplementer(
        engine, root, regard="regard" in plan.supplements, rubrics="rubrics" in plan.supplements
    )
    anew, beside, planned = [], [], []
    planner = Planner(engine, supplementer, scenarios)
    for indexed in engine.index_all(folder.transcripts()):
        transcript = indexed.transcript
        provenances[transcript.key] = transcript.provenance or Provenance()
        scenario = scenarios.get(transcript.scenario_id)
        if scenario is not None:
            misplayed += [
                f"{transcript.model_id} on {transcript.scenario_id}: {key} is not what the scenario says"
                for key, _ in conflicts(transcript, scenario)
            ]
        first, (result, supplement) = recompute(engine, supplementer, indexed, scenario, replies)
        planned.append(planner.transcript(indexed, first))
        anew.append(result)
        beside += [] if supplement is None else [supplement]
    return ReplayedScan(
        folder=folder,
        manifest=manifest,
        plan=plan,
        plan_hash=folder.plan_hash(),
        stored=tuple(folder.results()),
        recomputed=tuple(anew),
        supplements=tuple(folder.supplements()),
        supplements_recomputed=tuple(beside),
        provenances=provenances,
        misplayed=tuple(misplayed),
        contradictions=tuple(_contradictions(path / scans.CONTRADICTIONS)),
        benchmark=benchmark,
        benchmark_hash=benchmark_hash(benchmark),
        replanned=planner.plan(tuple(planned), recorded_checks=_recorded_checks(plan)),
    )


def _recorded_checks(plan: ScanPlan) -> frozenset[str] | None:
    """The checks that the recording knew; None where the judge was no recording."""
    known = {check.check_id for check in plan.checks if check.recorded}
    return frozenset(known) if any(check.recorded is not None for check in plan.checks) else None


def recompute(
    engine: ModeEngine,
    supplementer: Supplementer | None,
    indexed: IndexedTranscript,
    scenario: Scenario | None,
    replies: Mapping[str, JudgeReply],
) -> tuple[tuple[JudgeRequest, ...], tuple[TranscriptResult, Supplement | None]]:
    """What is asked first, and the result over the replies that a scan recorded; the rest was not."""
    first: list[tuple[JudgeRequest, ...]] = []

    async def answer(wanted: tuple[JudgeRequest, ...]) -> tuple[JudgeReply, ...]:
        first.append(wanted)
        return tuple(replies.get(request.key, NOT_ASKED) for request in wanted)

    outcome = at_once(drive(judged(engine, supplementer, indexed, scenario), answer))
    return (first[0] if first else ()), outcome


def _votes_asked(journal: Path) -> dict[tuple[str, str, int, str], int]:
    """The highest repetition that was answered, for each check on each transcript."""
    highest: dict[tuple[str, str, int, str], int] = {}
    for number, line in raw_lines(journal, str(journal)):
        row = read_row(line, journal, number)
        if "repetition" in row:
            epoch = -1 if row["epoch"] is None else row["epoch"]
            key = (row["model_id"], row["scenario_id"], epoch, row["check_id"])
            highest[key] = max(highest.get(key, 0), row["repetition"])
    return highest


def _contradictions(path: Path) -> Iterable[tuple[VoteRecord, Verdict]]:
    import orjson

    if not path.exists():
        return
    for _, line in raw_lines(path, str(path)):
        row = orjson.loads(line)
        yield VoteRecord.model_validate(row["record"]), Verdict(row["votes_say"])


@dataclass(frozen=True)
class Release:
    """The files of a release, as bytes, with what the gate said of them."""

    leaderboard: Leaderboard
    qa: Qa
    files: Mapping[str, bytes]


def make_release(finished: ReplayedScan, stage: Stage, published: Leaderboard | None = None) -> Release:
    """Build the files of a release at a stage and put them before the gate.

    With `published`, the gate looks at that leaderboard instead of the one just built.
    """
    rebuilt = finished.board(stage)
    leaderboard = published or rebuilt
    leaks = LeakSearch(load_leak_forms(), secrets_of(os.environ))
    files = {LEADERBOARD: pretty(leaderboard)}
    withheld = {}
    for model in leaderboard.models:
        of_model = [r for r in finished.recomputed if r.model_id == model.model_id]
        document = evidence(model.model_id, of_model, finished.benchmark.canary, leaks)
        name = f"{EVIDENCE}/{model.slug}.json"
        files[name] = pretty(document)
        withheld[name] = document.withheld
    qa = judge_release(
        GateInputs(
            plan=finished.plan,
            stored=finished.stored,
            recomputed=finished.recomputed,
            supplements=finished.supplements,
            supplements_recomputed=finished.supplements_recomputed,
            leaderboard=leaderboard,
            rebuilt=rebuilt,
            benchmark=finished.benchmark,
            benchmark_hash=finished.benchmark_hash,
            replanned=finished.replanned,
            required_files=scans.REQUIRED,
            provenances=finished.provenances,
            contradictions=finished.misplayed,
            derived=derived(finished),
            files=finished.folder.file_hashes(),
            manifest_files=finished.manifest.files,
            public_bytes=files,
            leaks=leaks,
            withheld=withheld,
        )
    )
    return Release(leaderboard, qa, {**files, QA: pretty(qa)})


def derived(finished: ReplayedScan) -> dict[str, bytes]:
    """The artifacts of a scan that follow from its results, made anew from those."""
    profile = Profile(finished.benchmark)
    contradicted = {
        (record.model_id, record.scenario_id, record.epoch, record.check_id)
        for record, _ in finished.contradictions
    }
    beside = {(s.model_id, s.scenario_id, s.epoch): s for s in finished.supplements_recomputed}
    asked = b""
    for result in finished.recomputed:
        profile.add(result)
        supplement = beside.get((result.model_id, result.scenario_id, result.epoch))
        asked += b"".join(compact(item) + b"\n" for item in requests(result, contradicted, supplement))
    return {
        scans.BLINDSPOT: pretty(profile.document()),
        scans.SUMMARY: profile.summary().encode(),
        scans.ADJUDICATIONS: asked,
    }


def highest(granted: Sequence[Stage]) -> Stage | None:
    """The highest stage that was granted."""
    return next((stage for stage in reversed(STAGE_ORDER) if stage in granted), None)


def refusals(qa: Qa, stage: Stage) -> list[str]:
    """Why a stage is refused, a line a rule, with the first instances."""
    lines = []
    for finding in qa.findings:
        if stage in finding.refuses:
            more = finding.count - len(finding.detail)
            tail = f" (and {more} more)" if more else ""
            lines.append(f"{finding.rule}: {finding.count}: {'; '.join(finding.detail)}{tail}")
    return lines


def qa_words(qa: Qa) -> str:
    """The gate's answer in words."""
    granted = ", ".join(qa.granted) or "none"
    lines = [f"granted: {granted}; {len(qa.rules)} rules over {len(qa.checked)} files"]
    for finding in qa.findings:
        refuses = ", ".join(finding.refuses)
        lines.append(f"  {finding.rule}: {finding.count} (refuses {refuses})")
        lines += [f"    - {detail}" for detail in finding.detail[:3]]
    return "\n".join(lines)
