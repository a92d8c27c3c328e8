"""Numbers as text: how a page shows a rate, a mean, an interval or a support flag."""

from __future__ import annotations

from datetime import date
from math import ceil, copysign, floor

from delivery.words.filters import template_filter
from ib.models.benchmark.scoring import Profile
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.rates import Coverage, Rate, half_decided
from ib.stats.support import Flag
from ib.store.files.wording import counted

NONE = "–"
"""Shown in a cell that has no number."""

SUPPORT = {
    Flag.NO_DATA: "No case with a clear answer",
    Flag.COUNT_ONLY: "Too few cases to compare",
    Flag.LOW_POWER: "Few cases: read with care",
    Flag.WIDE: "Wide interval",
    Flag.ZERO_EVENTS: "None seen; that does not prove there are none",
    Flag.OK: "Enough cases",
}


def whole_points(share: float) -> int:
    """A share, or a difference of shares, in whole percentage points. Halves are rounded away from zero.

    The product is rounded first, because 0.145 * 100 is a little less than 14.5.
    """
    return int(copysign(floor(round(abs(share) * 100, 9) + 0.5), share))


@template_filter
def percent(share: float) -> str:
    """A share as a whole percentage. Only exactly 0 is shown as 0%, and only exactly 1 as 100%."""
    points = whole_points(share)
    if points == 0 and share > 0:
        return "under 1%"
    if points == 100 and share < 1:
        return "over 99%"
    return f"{points}%"


def fine_percent(share: float) -> str:
    """A share as a percentage with two digits, for rates of large logs: 0.21%, 1.3%, 12%."""
    points = share * 100
    decimals = 0 if points >= 9.95 or points == 0 else 1 if points >= 0.995 else 2
    shown = f"{points:.{decimals}f}%"
    return "under 0.01%" if points and shown == "0.00%" else shown


def at_most(share: float) -> str:
    """An upper bound as a whole percentage, rounded up so that it stays an upper bound."""
    return f"{ceil(round(share * 100, 9))}%"


@template_filter
def share(value: float | None) -> str:
    """A share as a percentage, or a dash for None."""
    return NONE if value is None else percent(value)


def between(low: float | None, high: float | None) -> str:
    """An interval of shares, or a dash if an end is missing."""
    return NONE if low is None or high is None else f"{percent(low)} to {percent(high)}"


@template_filter
def score(value: float | None) -> str:
    """A score from 0 to 1. Only exactly 0 is shown as 0.00, and only exactly 1 as 1.00."""
    if value is None:
        return NONE
    shown = f"{value:.2f}"
    if shown == "0.00" and value > 0:
        return "under 0.01"
    if shown == "1.00" and value < 1:
        return "over 0.99"
    return shown


@template_filter
def coefficient(value: float | None) -> str:
    """A coefficient of agreement, from -1 to 1, or a dash for None. Only exactly 1 is shown as 1.00."""
    if value is None:
        return NONE
    shown = f"{value:z.2f}"
    return "over 0.99" if shown == "1.00" and value < 1 else shown.replace("-", "\N{MINUS SIGN}")


def score_between(low: float | None, high: float | None) -> str:
    """An interval of scores, or a dash if an end is missing."""
    return NONE if low is None or high is None else f"{score(low)} to {score(high)}"


@template_filter
def bounds(pair: tuple[float, float] | None) -> str:
    """The bounds of a score, or a dash for None."""
    return NONE if pair is None else score_between(*pair)


@template_filter
def unclear(rate: Rate, not_run: int = 0) -> str:
    """The number of unclear cases, and the range of the rate if all undecided cases were passes or failures.

    Undecided are the unclear cases and those not run, so that every page gives the same range.
    """
    if not rate.unclear:
        return "0"
    if rate.bounds is None:
        return str(rate.unclear)
    return f"{rate.unclear} ({between(*either_way(rate, rate.unclear + not_run))} either way)"


@template_filter
def support(rate: Rate, not_run: int = 0) -> str:
    """The most important support flag in words, and how high or low the rate may really be.

    If cases are undecided (unclear or not run), the text gives the range of the rate if all of them were
    passes or failures. Otherwise, if no failure was seen, the text gives the upper bound.
    """
    first = Flag(rate.support[0])
    words_first = f"{SUPPORT[first]} (n = {rate.n})" if first is Flag.COUNT_ONLY else SUPPORT[first]
    if first in {Flag.NO_DATA, Flag.COUNT_ONLY}:
        return words_first
    if rate.upper_if_zero is not None and first is not Flag.ZERO_EVENTS:
        words_first += "; no failure seen"
    undecided = rate.unclear + not_run
    if undecided:
        ends = between(*either_way(rate, undecided))
        if not half_decided(rate.n, undecided):
            words_first = f"Fewer than half of the {rate.n + undecided} cases due are decided"
        return f"{words_first}; depending on the {undecided} undecided: {ends}"
    if rate.upper_if_zero is None:
        return words_first
    return f"{words_first}; {as_high(rate.upper_if_zero)}"


def as_high(upper: float) -> str:
    """How high a rate may be if no failure was seen: one-sided, unlike the interval beside it."""
    return f"the rate may be as high as {at_most(upper)} (95% upper limit)"


def either_way(rate: Rate, undecided: int) -> tuple[float, float]:
    """The rate if all undecided cases are passes, and if all are failures. `rate` needs at least one case."""
    cases = rate.n + undecided
    return rate.k / cases, (rate.k + undecided) / cases


@template_filter
def sentence(rate: Rate, noun: str = "case", which: str = "", not_run: int = 0) -> str:
    """A rate as text: k of n, and the percentage and the interval if the rate may be shown.

    `which` follows the noun.
    """
    first = f"{rate.k} of {counted(rate.n, noun)}{which}"
    if rate.rate is None or rate.low is None or not half_decided(rate.n, rate.unclear + not_run):
        return first
    return f"{first} ({percent(rate.rate)}, 95% interval {between(rate.low, rate.high)})"


def has_few(rate: Rate) -> bool:
    """True if a rate has too few cases to be shown, however many of those due are decided."""
    return Flag(rate.support[0]) in {Flag.NO_DATA, Flag.COUNT_ONLY}


@template_filter
def rate_share(rate: Rate) -> str:
    """A rate as a percentage; a dash if it has too few cases.

    If fewer than half of the cases are decided, the text gives the range that counts the others either way.
    """
    if not has_few(rate) and not half_decided(rate.n, rate.unclear):
        return between(*either_way(rate, rate.unclear))
    return share(rate.rate)


@template_filter
def rate_interval(rate: Rate) -> str:
    """The interval of a rate; a dash if it has too few cases, or fewer than half of them are decided."""
    if rate.rate is None or not half_decided(rate.n, rate.unclear):
        return NONE
    return between(rate.low, rate.high)


@template_filter
def overall_range(model: ModelEntry) -> str:
    """The range of the overall score if all undecided checks failed, and if all passed; a dash if none is."""
    return bounds(model.overall.bounds)


@template_filter
def roots_sentence(model: ModelEntry) -> str:
    """How many roots the failures of gate checks and of the other checks have, without a full stop."""
    roots = model.roots
    gates, others = (counted(many, "different passage") for many in (roots.gate_roots, roots.quality_roots))
    return (
        f"{gates} failed {counted(roots.gate_failures, 'gate check')}; "
        f"{others} failed {counted(roots.quality_failures, 'other check')}"
    )


@template_filter
def covered(coverage: Coverage) -> str:
    """The covered and decided shares of the results that were due."""
    if not coverage.eligible:
        return NONE
    return f"{share(coverage.covered)} ({share(coverage.decided)} decided)"


@template_filter
def words(code: str) -> str:
    """A code as words: underscores become spaces."""
    return code.replace("_", " ")


def joined(values: tuple[str, ...]) -> str:
    """The values separated by commas, or a dash if there are none."""
    return ", ".join(values) or NONE


@template_filter
def numbers(values: tuple[int, ...]) -> str:
    """The numbers separated by commas."""
    return ", ".join(map(str, values))


@template_filter
def weight(value: float) -> str:
    """The weight of a rubric, without trailing zeros."""
    return f"{value:g}"


@template_filter
def day(value: date | None) -> str:
    """A date in ISO form, or “not known” for None."""
    return "not known" if value is None else value.isoformat()


_AT_GATES = {"none": "All votes at gates", "first_pass": "At gates, voting stops at the first pass"}
_ELSEWHERE = {
    "none": "all votes elsewhere",
    "first_pass": "elsewhere voting stops at the first pass",
    "two_agree": "elsewhere voting stops when two agree",
}


@template_filter
def voting(profile: Profile) -> str:
    """How a profile takes votes, in sentences."""
    if profile.votes == "none":
        return "No judge is asked."
    said = f"{_AT_GATES[profile.gate_stop]}; {_ELSEWHERE[profile.stop]}."
    if profile.votes == "adaptive":
        said = f"One vote, and more if it says fail or unclear. {said}"
    more = profile.votes_after_gate_fail
    return f"{said} A fail vote at a gate brings {counted(more, 'more vote')}." if more else said
