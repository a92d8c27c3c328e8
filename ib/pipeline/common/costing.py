"""What the plan of a scan says about calls and cost, and how the cost of a judge is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from ib.client.calls import MOST_CALLS
from ib.judges.base import Judge, price_of
from ib.models.common.canonical import digest
from ib.models.scan.cost import Estimate, EstimateTables
from ib.models.scan.judge import JudgeRequest
from ib.models.scan.plan import AlarmCalls
from ib.pipeline.common.estimate import CallCounts, Called, ScanEstimate
from ib.store.benchmark.estimates import load_estimates
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.prices import load_prices
from ib.store.files.tokens import token_counter


@dataclass
class Costing:
    """Counts the calls of a scan and, if the judge is a model, their tokens and cost."""

    counts: CallCounts
    tokens: ScanEstimate | None = None
    """None if the calls cost nothing."""
    tables: EstimateTables | None = None
    twins: CallCounts = field(init=False)
    """The part of `counts` that grades safe twins."""
    plays_of_twins: int = 0

    def __post_init__(self) -> None:
        counts = self.counts
        self.twins = CallCounts(counts.estimates, counts.calls_most, counts.asks_again)

    def add_twin(self, requests: Sequence[JudgeRequest]) -> None:
        """Count the first round of a play of a safe twin, which is counted apart as well."""
        self.add(requests)
        self.twins.add(requests)
        self.plays_of_twins += 1

    @property
    def over_alarm(self) -> AlarmCalls | None:
        """The calls that grade safe twins; None if there is no twin."""
        if not self.plays_of_twins:
            return None
        return AlarmCalls(
            transcripts=self.plays_of_twins,
            planned_calls=self.twins.least,
            planned_calls_expected=ceil(self.twins.expected),
            planned_calls_max=self.twins.most,
            planned_units=self.twins.units_most,
        )

    def add(self, requests: Sequence[JudgeRequest]) -> None:
        """Count the first round of one transcript."""
        self.counts.add(requests)
        if self.tokens is not None:
            self.tokens.add(requests)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The estimate for the judge, if its calls may cost something."""
        return () if self.tokens is None else (self.tokens.estimate(),)

    def usd(self, *, priced: bool) -> float | None:
        """The expected cost; None if it is unknown, 0 if the calls cost nothing."""
        if self.tokens is None:
            return None if priced else 0.0
        return self.tokens.estimate().usd


def costing_of(judge: Judge, root: Path, *, asks_again: bool) -> Costing:
    """How to count the calls of a judge. The tokenizer is loaded only if they may cost something.

    `asks_again` says if the judge is asked for a second time after an invalid answer.
    """
    estimates, spec = load_estimates(root), judge.spec
    counts = CallCounts(estimates, 1 if judge.in_process else MOST_CALLS, asks_again)
    if judge.in_process or not spec.priced or not spec.reads_prompt:
        return Costing(counts)
    called = Called(spec.model, price_of(judge), spec.params, MOST_CALLS)
    count = token_counter()
    tokens = ScanEstimate(called, estimates, count, count.name, counts)
    return Costing(counts, tokens, tables_of(root))


def tables_of(root: Path) -> EstimateTables:
    """The tables that an estimate is made from."""
    return EstimateTables(prices=load_prices(root).hashes, assumptions=digest(load_estimates(root)))


def uncosted() -> Costing:
    """How to count calls that cost nothing, with the assumptions of the package."""
    return Costing(CallCounts(load_estimates(benchmark_folder())))
