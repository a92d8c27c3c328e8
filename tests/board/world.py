"""A small scan for the tests of the board: two models, two scenarios, four checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from ib.board.build import build
from ib.board.inputs import GateInputs
from ib.board.leaks import LeakSearch
from ib.models.base import Stage
from ib.models.benchmark import Benchmark, benchmark_hash
from ib.models.canonical import pretty
from ib.models.judge import JudgeReply, JudgeRequest, JudgeSpec
from ib.models.plan import ScanPlan
from ib.models.result import TranscriptResult
from ib.models.transcript import Provenance, Transcript
from ib.store.leaks import load_leak_forms
from tests.build import (
    PASS,
    Answering,
    benchmark,
    check,
    gate_check,
    reply,
    scan,
    scanned,
    transcript,
)

CHECKS = tuple(
    item(check_id, calibration="validated")
    for item, check_id in ((gate_check, "IB-A1"), (gate_check, "IB-B1"), (check, "IB-C1"), (check, "IB-F1-a"))
)
WORLD = benchmark(*CHECKS)
LEAKS = LeakSearch(load_leak_forms())
JUDGE = JudgeSpec(model="lab/judge")
MODELS = ("lab/alpha", "lab/beta")


def said(model: str, scenario: str, **fields: object) -> Transcript:
    """What a model said in a scenario."""
    return transcript(
        f"opening of {scenario}", f"{model} answers kindly", model_id=model, model=model.title(),
        scenario_id=scenario, **fields,
    )  # fmt: skip


TRANSCRIPTS = tuple(said(model, scenario) for model in MODELS for scenario in ("scenario-1", "scenario-2"))


def passing(_: JudgeRequest) -> JudgeReply:
    """Everything passes."""
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


def exhibits(
    plan: ScanPlan,
    results: tuple[TranscriptResult, ...],
    *,
    world: Benchmark = WORLD,
    stage: Stage = Stage.PUBLIC,
) -> GateInputs:
    """Everything that the gate looks at, in order: nothing edited, nothing hidden."""
    leaderboard = build(scan(plan, results), world, stage)
    files = {"results.jsonl": "1" * 64, "replies.jsonl": "2" * 64}
    return GateInputs(
        plan=plan,
        stored=results,
        recomputed=results,
        leaderboard=leaderboard,
        rebuilt=leaderboard,
        benchmark=world,
        benchmark_hash=benchmark_hash(world),
        replanned=plan,
        required_files=tuple(files),
        provenances={result.key: Provenance(harness="llm/raw") for result in results},
        files=files,
        manifest_files=dict(files),
        public_bytes={"leaderboard.json": pretty(leaderboard)},
        leaks=LEAKS,
        withheld={"evidence/alpha.json": ()},
    )


@cache
def clean() -> GateInputs:
    """A release with nothing to say against it."""
    return exhibits(*scan_of())


def stored_as(results: Sequence[TranscriptResult], **changed: object) -> GateInputs:
    """The clean exhibits with other stored results, and a leaderboard that was built from them."""
    base = clean()
    board = build(scan(base.plan, results), WORLD, Stage.PUBLIC)
    return replace(base, stored=results, leaderboard=board, **changed)  # type: ignore[arg-type]
