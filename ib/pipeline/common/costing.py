"""What the plan of a scan says about calls and cost, and how the cost of a judge is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from ib.client.calls import MOST_CALLS
from ib.judges.base import Judge, price_of
from ib.models.common.canonical import digest
from ib.models.common.price import LARGEST_REPLY
from ib.models.scan.cost import Estimate, EstimateTables, Spending
from ib.models.scan.judge import JudgeRequest
from ib.models.scan.plan import AlarmCalls
from ib.models.scan.second import SecondPlan
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


FEW = 10
"""Fewer calls than this at once make a scan slow."""


def cost_words(estimate: Estimate) -> str:
    """The calls, tokens, dollars and prices of one model."""
    share = "" if not estimate.input_tokens else _cached(estimate)
    return "\n".join(
        (
            f"{estimate.model}: about {estimate.calls_expected:,} calls "
            f"(at least {estimate.calls:,}, at most {estimate.calls_max:,})",
            f"  about {_rounded(estimate.input_tokens)} tokens of prompts{share} and "
            f"{_rounded(estimate.output_tokens)} of replies (assumed), counted with {estimate.counted_with}",
            f"  {_dollars(estimate)}",
        )
    )


def few_at_once(estimates: Iterable[Estimate], limit: float | None) -> Iterator[str]:
    """A notice for each model of which a limit of US dollars lets few calls run at once."""
    for estimate in estimates:
        price = estimate.price
        if limit is None or price is None or estimate.output_tokens_max is not None:
            continue
        dearest = price.usd(0, price.reply_most or LARGEST_REPLY)
        if limit <= FEW * dearest:
            yield (
                f"a reply of {estimate.model} can cost {usd(dearest)}, so that --max-cost-usd {limit:g} lets "
                "few calls run at once; --max-tokens lets more, and lowers what a reply can cost"
            )


def second_words(plan: SecondPlan) -> str:
    """What a second judge is asked, in two lines."""
    cost = "cost unknown" if plan.estimated_cost_usd is None else f"about {usd(plan.estimated_cost_usd)}"
    return (
        f"second judge {plan.judge.model}: {plan.planned_questions:,} questions in a sample of "
        f"{plan.share:.0%}, and all gate FAILs\n"
        f"  about {plan.planned_calls_expected:,} calls for the sample (at least {plan.planned_calls:,}), "
        f"{cost}; with gate FAILs at most {plan.planned_calls_max:,}"
    )


def spent_words(
    spending: Sequence[Spending], spent: float | None, faults: int, from_cache: int = 0
) -> Iterator[str]:
    """What the calls of all sessions cost, in one line; nothing if there was no call, fault or saved call.

    `spent` is None if the cost of a call is unknown. `faults` are attempts that got no answer, and
    `from_cache` the answers that an earlier scan had.
    """
    if not (spending or faults or from_cache):
        return
    calls, prompts = sum(one.calls for one in spending), sum(one.input_tokens for one in spending)
    cached, replies = sum(one.cached_tokens for one in spending), sum(one.output_tokens for one in spending)
    share = f" ({cached / prompts:.0%} of them from the provider's cache)" if cached else ""
    lost = sum(one.calls_lost for one in spending)
    yield (
        f"cost: {_count(calls, 'call')}, {prompts:,} tokens of prompts{share}, {replies:,} of replies, "
        + _spent(spending, spent)
        + (lost_words(lost, sum(one.usd_lost_max for one in spending)) if lost else "")
        + f"; {_count(faults, 'attempt')} without an answer"
        + (f"; {_count(from_cache, 'answer')} from earlier scans" if from_cache else "")
    )


def _spent(spending: Sequence[Spending], spent: float | None) -> str:
    if spent is not None:
        return usd(spent)
    known = sum(one.usd for one in spending)
    unknown = _count(sum(one.calls_of_unknown_cost for one in spending), "call")
    return f"{usd(known)} and {unknown} of unknown cost" if known else "cost unknown"


def lost_words(calls: int, most: float) -> str:
    """What calls that a kill ended can have cost, beside what was spent."""
    return f" (and at most {usd(most)} on {_count(calls, 'call')} lost to a kill)"


def _cached(estimate: Estimate) -> str:
    if estimate.cached_tokens:
        return f", {estimate.cached_tokens / estimate.input_tokens:.0%} of them from the provider's cache,"
    could = estimate.cacheable_tokens / estimate.input_tokens
    return f" (a provider with a cache could serve {could:.0%})" if could else ""


def _rounded(number: int) -> str:
    """Three digits of a number that rests on assumptions: 1,768,898 is 1,770,000."""
    return f"{int(float(f'{number:.3g}')):,}"


def _dollars(estimate: Estimate) -> str:
    price = estimate.price
    if price is None or estimate.usd is None:
        return "price unknown: neither configs/prices.yaml nor litellm has one; --max-calls is required"
    most = (
        "no maximum without --max-tokens" if estimate.usd_max is None else f"at most {usd(estimate.usd_max)}"
    )
    checked = "" if price.checked is None else f", checked {price.checked}"
    each = f"${price.input:g} in, ${price.cached_input:g} cached, ${price.output:g} out for a million tokens"
    return f"about {usd(estimate.usd)}, {most}; {each} ({price.source}{checked})"


def usd(amount: float) -> str:
    """An amount with two decimals, or four if it is below one dollar."""
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
