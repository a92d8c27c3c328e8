"""The cost of a run or scan in a few plain lines, before the first call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ib.models.common.price import LARGEST_REPLY
from ib.models.scan.cost import Estimate
from ib.models.scan.second import SecondPlan

FEW = 10
"""Fewer calls than this at once make a scan slow."""


def cost_words(estimate: Estimate) -> str:
    """The calls, tokens, dollars and prices of one model."""
    share = "" if not estimate.input_tokens else _cached(estimate)
    return "\n".join(
        (
            f"{estimate.model}: about {estimate.calls_expected:,} calls "
            f"(at least {estimate.calls:,}, at most {estimate.calls_max:,})",
            f"  about {estimate.input_tokens:,} tokens of prompts{share} and {estimate.output_tokens:,} of "
            f"replies (assumed), counted with {estimate.counted_with}",
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


def _cached(estimate: Estimate) -> str:
    if estimate.cached_tokens:
        return f", {estimate.cached_tokens / estimate.input_tokens:.0%} of them from the provider's cache,"
    could = estimate.cacheable_tokens / estimate.input_tokens
    return f" (a provider with a cache could serve {could:.0%})" if could else ""


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
