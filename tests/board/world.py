"""A small scan for the tests of the board: two models, two scenarios, four checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

from ib.board.evidence.leaks import LeakSearch
from ib.board.figures.build import Board
from ib.board.gate.inputs import GateInputs
from ib.board.gate.inspection import Inspection
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.base import Stage, Verdict
from ib.models.conversation.transcript import Provenance, Transcript
from ib.models.release.bytes import release_bytes
from ib.models.release.leaderboard import Evidence, Leaderboard, ModelEntry
from ib.models.release.transcripts import LeftOut, LeftOutReason, Transcripts
from ib.models.scan.judge import JudgeReply, JudgeRequest, JudgeSpec
from ib.models.scan.over_alarm import OverAlarm, Ungraded
from ib.models.scan.plan import ScanPlan
from ib.models.scan.result import TranscriptResult
from ib.models.scan.votes import VoteRecord
from ib.store.files.leaks import load_leak_forms
from tests.build import (
    PASS,
    Answering,
    benchmark,
    check,
    gate_check,
    reply,
    scanned,
    transcript,
)
from tests.lines import InMemory, files_of

CHECKS = tuple(
    item(check_id, calibration="validated")
    for item, check_id in ((gate_check, "IB-A1"), (gate_check, "IB-B1"), (check, "IB-C1"), (check, "IB-F1-a"))
)
WORLD = benchmark(*CHECKS)
LEAKS = LeakSearch(load_leak_forms())
JUDGE = JudgeSpec(model="lab/judge")
MODELS = ("lab/alpha", "lab/beta")
LIVE = Provenance(harness="llm/raw")
DAY = date(2026, 11, 22)
"""The day of the release, on which the gate checks it."""


def said(model: str, scenario: str, **fields: Any) -> Transcript:
    """The transcript of a model in a scenario. Its tag makes it no open log."""
    return transcript(
        f"opening of {scenario}", f"{model} answers kindly", model_id=model, model=model.title(),
        scenario_id=scenario, **{"tags": ("night",), **fields},
    )  # fmt: skip


TRANSCRIPTS = tuple(said(model, scenario) for model in MODELS for scenario in ("scenario-1", "scenario-2"))


def passing(_: JudgeRequest) -> JudgeReply:
    """A PASS for every question."""
    return reply(PASS)


def scan_of(
    answer: Answering = passing,
    transcripts: Sequence[Transcript] = TRANSCRIPTS,
    *,
    profile: str = "publish",
    world: Benchmark = WORLD,
    judge: JudgeSpec = JUDGE,
) -> tuple[ScanPlan, tuple[TranscriptResult, ...]]:
    """A plan and its results."""
    return scanned(world, transcripts, answer, profile=profile, spec=judge)


def gate_inputs(
    plan: ScanPlan,
    results: tuple[TranscriptResult, ...],
    *,
    world: Benchmark = WORLD,
    stage: Stage = Stage.PUBLIC,
) -> GateInputs:
    """Valid inputs of the gate: nothing is edited and nothing is withheld."""
    leaderboard = board_of(plan, results, world, stage)
    files = {"results.jsonl": "1" * 64, "replies.jsonl": "2" * 64}
    return GateInputs(
        plan=plan,
        results=inspected(results, world=world),
        leaderboard=leaderboard,
        rebuilt=leaderboard,
        benchmark=world,
        benchmark_hash=benchmark_hash(world),
        replanned=plan,
        required_files=tuple(files),
        files=files,
        manifest_files=dict(files),
        public_bytes={"leaderboard.json": release_bytes(leaderboard)},
        lines={name: InMemory(data) for name, data in files_of(leaderboard).items()},
        today=DAY,
        leaks=LEAKS,
        withheld={"evidence/alpha.json": ()},
        quoted={model.slug: nothing_carried(model, leaderboard) for model in leaderboard.models},
    )


def nothing_carried(model: ModelEntry, board: Leaderboard) -> tuple[Evidence, Transcripts]:
    """The evidence of a model without quotes, and its transcripts, all left out."""
    head = {"canary": board.canary, "stage": board.stage, "model_id": model.model_id}
    left = tuple(
        LeftOut(scenario_id=met.scenario_id, epoch=met.epoch, reason=LeftOutReason.NOT_ASKED)
        for met in model.scenarios
    )
    return Evidence(items=(), **head), Transcripts(transcripts=(), left_out=left, **head)


@cache
def clean_results() -> tuple[TranscriptResult, ...]:
    """The results of the clean release."""
    return scan_of()[1]


@cache
def clean() -> GateInputs:
    """A release without findings."""
    return gate_inputs(*scan_of())


def stored_as(
    stored: Sequence[TranscriptResult], recomputed: Sequence[TranscriptResult] | None = None, **changed: Any
) -> GateInputs:
    """The clean inputs with other stored results, and the leaderboard of these results."""
    base = clean()
    board = board_of(base.plan, stored, WORLD, Stage.PUBLIC)
    return replace(
        base, results=inspected(stored, recomputed or clean_results()), leaderboard=board, **changed
    )


def board_of(
    plan: ScanPlan,
    results: Iterable[TranscriptResult],
    world: Benchmark = WORLD,
    stage: Stage = Stage.DEMO,
    contradictions: Iterable[tuple[VoteRecord, Verdict]] = (),
) -> Leaderboard:
    """The leaderboard of these results."""
    made = Board(world, contradictions)
    for result in results:
        made.add(result)
    return made.leaderboard(plan, "3" * 64, "4" * 64, stage, DAY)


def inspected(
    stored: Sequence[TranscriptResult],
    recomputed: Sequence[TranscriptResult] | None = None,
    *,
    world: Benchmark = WORLD,
    provenance: Provenance = LIVE,
) -> Inspection:
    """The inspection of stored and recomputed results, which are the same by default."""
    made = Inspection(tuple(world.checks))
    anew = {result.key: result for result in (stored if recomputed is None else recomputed)}
    for result in stored:
        made.compare(result, anew.get(result.key))
        made.origin(provenance)
    return made


def play_of_twin(
    name: str, outcome: int | Ungraded, checks: tuple[str, ...] = ("IB-A1", "IB-A8"), **given: Any
) -> OverAlarm:
    """A play of the twin of a parent."""
    graded = {"grade": outcome} if isinstance(outcome, int) else {"reason": outcome}
    about = {
        "of": name,
        "checks": checks,
        "safe_because": "She is well.",
        "moments": [{"turn": 1, "words": "words"}],
    }
    values = {
        "model_id": "lab/alpha",
        "model": "Alpha",
        "scenario_id": f"{name}--safe",
        "epoch": None,
        "transcript_hash": "0" * 64,
        "scenario_hash": "1" * 64,
        "twin": about,
        "asked": 3,
        **graded,
        **given,
    }
    return OverAlarm.model_validate(values)


CLEAN_BOARD = clean().leaderboard
"""The leaderboard of the clean release."""
