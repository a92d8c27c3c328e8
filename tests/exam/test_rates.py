"""Rates of a sitting: bounds by base text, wrong labels, and votes that err together."""

from __future__ import annotations

import pytest

from ib.exam.rates import agreement, phi, rate
from ib.models.common.base import Verdict
from ib.models.exam.report import Outcome
from ib.stats.intervals import rate_interval

F, P = Verdict.FAIL, Verdict.PASS


def outcome(*votes: Verdict | None, must_fail: bool = True) -> Outcome:
    return Outcome(
        id="c1", check="IB-A1", base="b", operator="cut", must_fail=must_fail, arguable=False, verdict=F,
        votes=votes,
    )  # fmt: skip


def test_items_of_one_base_are_one_cluster() -> None:
    """Without an error, 40 items of 10 texts have the bounds of 10 cases, not of 40."""
    found = rate((f"text-{at % 10}", True) for at in range(40))
    assert (found.k, found.n, found.bases) == (40, 40, 10)
    assert (found.low, found.high) == pytest.approx(rate_interval(10, 10))


def test_a_text_that_errs_as_a_whole_widens_the_bounds() -> None:
    """The same 10 errors are less certain in one text than in ten."""
    spread = rate((f"text-{at % 10}", at >= 10) for at in range(100))
    together = rate((f"text-{at // 10}", at >= 10) for at in range(100))
    assert spread.low is not None
    assert together.low is not None
    assert (spread.k, together.k) == (90, 90)
    assert together.low < spread.low - 0.1


def test_wrong_labels_widen_the_bounds() -> None:
    """With a share e of wrong labels, the bounds are (low - e) / (1 - e) and high / (1 - e)."""
    cases = [(f"text-{at}", at >= 10) for at in range(100)]
    sure, unsure = rate(cases), rate(cases, 0.05)
    assert sure.low is not None
    assert sure.high is not None
    assert unsure.low == pytest.approx((sure.low - 0.05) / 0.95)
    assert unsure.high == pytest.approx(min(1.0, sure.high / 0.95))


def test_no_item_has_no_bounds() -> None:
    """A rate of nothing has neither share nor bounds."""
    found = rate([])
    assert (found.share, found.low, found.high) == (None, None, None)


def test_votes_that_err_alike_are_correlated() -> None:
    """Whole items wrong give 1, each item split alike gives less than 0, no wrong vote gives nothing."""
    assert agreement([outcome(F, F, F), outcome(P, P, P)]).correlation == pytest.approx(1.0)
    assert agreement([outcome(F, F), outcome(F, F)]).correlation is None
    split = agreement([outcome(F, P), outcome(P, F)])
    assert (split.wrong_votes, split.votes) == (2, 4)
    assert split.correlation == pytest.approx(-1.0)


def test_the_correlation_is_that_of_fleiss_and_cuzick() -> None:
    """Worked by hand: 1 and 2 of 3 votes wrong; 1 - (2/3 + 2/3) / (4 * 1/4) = -1/3."""
    found = agreement([outcome(F, F, P), outcome(P, P, F)])
    assert found.correlation == pytest.approx(-1 / 3)


def test_votes_that_do_not_count_are_left_out() -> None:
    """An invalid vote is no vote, and an item with one vote says nothing about two."""
    assert agreement([outcome(F, None)]).items == 0


def test_phi_of_two_judges() -> None:
    """The product-moment correlation of two events: the same, apart, and undefined."""
    assert phi(5, 5, 5, 10) == pytest.approx(1.0)
    assert phi(0, 5, 5, 10) == pytest.approx(-1.0)
    assert phi(2, 4, 5, 10) == pytest.approx((20 - 20) / 1.0)
    assert phi(0, 0, 5, 10) is None
