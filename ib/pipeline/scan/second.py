"""A second judge of a scan: opening it, and planning what it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import begin
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.second import SecondJudge
from ib.engine.verifiers.base import PutQuestion
from ib.engine.votes.granularity import answers_questions_of
from ib.errors import UsageError
from ib.judges.base import Judge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark.benchmark import Benchmark
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.model_families import shared_family
from ib.models.scan.second import SecondCost, SecondPlan
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import Calling
from ib.pipeline.common.costing import Costing, costing_of
from ib.pipeline.scan.judges import open_judge
from ib.pipeline.scan.recorded import VotesUsed

SHARE = 0.2
"""The share of the questions that a second judge is asked, unless another is named."""


@dataclass(frozen=True)
class SecondOptions:
    """A second judge, and the share of the first judge's questions that it is asked."""

    judge: str | Judge
    """A judge or the name of one, as `ScanOptions.judge`, of another family than the first."""
    share: float = SHARE
    """From 0 to 1. FAILs of gate checks are asked about in any case."""


@dataclass(frozen=True)
class PreparedSecond:
    """A second judge that is ready to be asked."""

    judge: Judge
    asks: SecondJudge
    plan: SecondPlan


def open_second(
    options: SecondOptions,
    first: Judge,
    benchmark: Benchmark,
    root: Path,
    calling: Calling,
    callbacks: Callbacks = SILENT,
) -> Judge:
    """Open the second judge. It shares the limits of calls and dollars with the first.

    Raises UsageError if it cannot be compared with the first, or if the share is not between 0 and 1.
    """
    if not 0 <= options.share <= 1:
        raise UsageError(f"--second-share is {options.share}; choose a number from 0 to 1")
    if first.spec.absent:
        raise UsageError("--second-judge needs a first judge; name one with --judge")
    judge = options.judge
    if isinstance(judge, str):
        judge = open_judge(judge, benchmark, root, calling, beside=first, notice=callbacks.notice)
    _check_comparable(first.spec, judge.spec)
    return judge


def _check_comparable(first: JudgeSpec, second: JudgeSpec) -> None:
    """Raises UsageError if the answers of two judges would show nothing when compared."""
    if second.absent:
        raise UsageError("--second-judge none asks nobody; omit it, or name a judge")
    why = shared_family(first, second)
    if why is not None:
        raise UsageError(
            f"--second-judge {second.model} is of the same family as --judge {first.model}: {why}. Judges of "
            "one family share their mistakes; choose a judge of another family"
        )
    if not answers_questions_of(second, first):
        raise UsageError(
            f"--second-judge {second.model} is a recording, whose votes are on whole checks, and "
            f"{first.model} answers each window by itself; a recording can be second only to a recording"
        )


def second_notices(judge: Judge) -> Iterator[str]:
    """What a person should know about a second judge that is no model."""
    if isinstance(judge, RecordedJudge):
        yield "second judge: a recording, whose votes answer the prompts of another instrument"
    elif not judge.spec.reads_prompt:
        told = "only matches phrases; it shows how a comparison looks, not how far judges agree"
        yield f"second judge: {judge.spec.model} {told}"


def prepare_second(
    engine: ModeEngine,
    judge: Judge,
    share: float,
    transcripts: Iterable[tuple[Transcript, str]],
    root: Path,
    callbacks: Callbacks,
) -> PreparedSecond:
    """Plan what the second judge is asked. `transcripts` are those of the scan, each with its hash.

    Raises DataError if a recording answers nothing about these transcripts.
    """
    asks = SecondJudge(engine, judge.spec, share)
    votes = VotesUsed.of(judge, engine)
    if isinstance(judge, RecordedJudge):
        asks.votes_known = judge.votes_known
    planner = SecondPlanner(asks, costing_of(judge, root, asks_again=asks.asks_again))
    for indexed in engine.index_all(transcripts):
        put: list[PutQuestion] = []
        begin(engine.verify(indexed, put))
        planner.add(indexed, put)
        asked = (item.check.id for item in engine.due(indexed.transcript) if item.asked)
        votes.add(indexed.transcript, asked)
    votes.check()
    for notice in votes.notices():
        callbacks.notice(f"second judge: {notice}")
    return PreparedSecond(judge, asks, planner.plan())


class SecondPlanner:
    """Counts what a second judge will be asked, one transcript at a time."""

    def __init__(self, asks: SecondJudge, costing: Costing) -> None:
        self._asks, self._costing = asks, costing
        self._questions = self._units = 0

    def add(self, indexed: IndexedTranscript, put: Iterable[PutQuestion]) -> None:
        """Count one transcript. `put` are the questions on windows of the first judge's first round."""
        questions, requests = self._asks.first_round(tuple(put))
        self._questions += questions
        self._units += self._asks.most_votes(indexed)
        self._costing.add(requests)

    def plan(self) -> SecondPlan:
        """The plan over all transcripts."""
        counts, spec = self._costing.counts, self._asks.spec
        return SecondPlan(
            judge=spec,
            share=self._asks.share,
            planned_questions=self._questions,
            planned_calls=counts.least,
            planned_calls_expected=ceil(counts.expected),
            planned_calls_max=self._units * counts.most_for_a_unit,
            planned_units=self._units,
            estimated_cost_usd=self._costing.usd(priced=spec.priced),
        )


def planned_cost(plan: SecondPlan) -> SecondCost:
    """The calls to a second judge, before the first of them."""
    return SecondCost(
        judge=plan.judge.model,
        planned_calls=plan.planned_calls,
        planned_calls_expected=plan.planned_calls_expected,
        planned_calls_max=plan.planned_calls_max,
        planned_units=plan.planned_units,
        estimated_cost_usd=plan.estimated_cost_usd,
    )
