"""Shares of items with their bounds: items of one base text are not independent, and labels may be wrong.

The bounds are those of Korn and Graubard (1998), with base texts as clusters (`ib.stats.ratios`). A
bootstrap of base texts was not taken: where a judge makes no error, every resample has none, and its interval
is a single point. Here such a rate has the bounds of as many cases as there are base texts.

If a share e of the labels may be wrong, a rate over the right labels lies between (o - e) / (1 - e) and
o / (1 - e), where o is the observed rate: at the extremes, all items with a wrong label count as right, or
none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

from ib.models.common.base import Verdict
from ib.models.exam.report import Agreement, ExamRate, Outcome
from ib.stats.ratios import clustered_ratio

METHOD = "95% bounds after Korn and Graubard (1998), with base texts as clusters"
"""How the bounds of a rate are computed."""


def rate(cases: Iterable[tuple[str, bool]], label_error: float = 0.0) -> ExamRate:
    """The share of cases that hold, each given with its base text.

    `label_error` is the largest share of wrong labels, from 0 up to, not including, 1.
    """
    counted: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for base, holds in cases:
        counted[base] += 1
        held[base] += holds
    if not counted:
        return ExamRate(k=0, n=0, bases=0, low=None, high=None)
    ratio = clustered_ratio([(held[base], n) for base, n in counted.items()])
    low, high = (ratio.low - label_error) / (1 - label_error), ratio.high / (1 - label_error)
    return ExamRate(k=ratio.k, n=ratio.n, bases=len(counted), low=max(0.0, low), high=min(1.0, high))


def agreement(outcomes: Iterable[Outcome]) -> Agreement:
    """Whether votes on one item are wrong together, over items of one kind.

    The correlation is the kappa of Fleiss and Cuzick (1979), "The Reliability of Dichotomous Judgments:
    Unequal Numbers of Judges per Subject".
    """
    items = [(one.must_fail, [vote for vote in one.votes if vote is not None]) for one in outcomes]
    kept = [(must, votes) for must, votes in items if len(votes) > 1]
    wrong = [(sum(must is not (vote is Verdict.FAIL) for vote in votes), len(votes)) for must, votes in kept]
    total, bad = sum(n for _, n in wrong), sum(k for k, _ in wrong)
    found = None if bad in (0, total) else _fleiss(wrong, bad / total)
    return Agreement(items=len(kept), wrong_votes=bad, votes=total, correlation=found)


def _fleiss(wrong: Sequence[tuple[int, int]], share: float) -> float:
    within = sum(k * (n - k) / n for k, n in wrong)
    by_chance = (sum(n for _, n in wrong) - len(wrong)) * share * (1 - share)
    return max(-1.0, min(1.0, 1 - within / by_chance))


def phi(both: int, one: int, other: int, n: int) -> float | None:
    """The correlation of two events among n cases; None if one of them is always or never there."""
    scale = one * (n - one) * other * (n - other)
    if not scale:
        return None
    return max(-1.0, min(1.0, (n * both - one * other) / sqrt(scale)))
