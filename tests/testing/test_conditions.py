"""The trouble and the time of each request: drawn from a seed, with the shares that were asked for."""

from __future__ import annotations

from collections import Counter
from statistics import fmean, median
from typing import Any

import pytest

from ib.testing import Conditions, Latency, Trouble

MANY = 4000


def drawn(conditions: Conditions) -> list[float]:
    """The latencies of many requests."""
    return [conditions.draw(str(number), 1).latency for number in range(MANY)]


@pytest.mark.parametrize(
    ("distribution", "middle", "most"),
    [(Latency.CONSTANT, 1.0, 1.0), (Latency.EXPONENTIAL, 0.69, 12.0), (Latency.LONG_TAIL, 0.61, 50.0)],
)
def test_times_have_the_mean_and_the_shape_asked_for(
    distribution: Latency, middle: float, most: float
) -> None:
    """A constant time is constant; a long tail has rare, very late answers and an early median."""
    found = drawn(Conditions(latency=2.0, distribution=distribution))
    assert fmean(found) == pytest.approx(2.0, rel=0.12)
    assert median(found) == pytest.approx(2.0 * middle, rel=0.05)
    assert max(found) <= 2.0 * most


def test_a_long_tail_is_longer_than_an_exponential_one() -> None:
    """The latest of the answers is later by half and more."""
    latest = {kind: max(drawn(Conditions(latency=1.0, distribution=kind))) for kind in Latency}
    assert latest[Latency.LONG_TAIL] > 1.5 * latest[Latency.EXPONENTIAL] > 1.5 * latest[Latency.CONSTANT]


@pytest.mark.parametrize("trouble", Trouble)
def test_a_share_of_requests_has_its_trouble(trouble: Trouble) -> None:
    """Each trouble by itself, and nothing else."""
    shares: dict[str, Any] = {trouble.value: 0.1}
    conditions = Conditions(**shares)
    found = Counter(conditions.draw(str(number), 1).trouble for number in range(MANY))
    assert set(found) == {None, trouble}
    assert found[trouble] == pytest.approx(0.1 * MANY, rel=0.2)


def test_a_draw_can_be_repeated_and_a_second_time_differs() -> None:
    """The key, the number of the request and the seed decide."""
    one = Conditions(rate_limit=0.5, latency=1.0)
    assert one.draw("a", 1) == one.draw("a", 1)
    assert len({one.draw("a", times).latency for times in range(1, 9)}) == 8
    assert one.draw("a", 1) != Conditions(rate_limit=0.5, latency=1.0, seed=1).draw("a", 1)


def test_some_429_say_how_long_to_wait() -> None:
    """As many as `retry_after_share` says."""
    conditions = Conditions(rate_limit=1.0, retry_after=3.0, retry_after_share=0.25)
    found = [conditions.draw(str(number), 1).retry_after for number in range(MANY)]
    assert found.count(3.0) == pytest.approx(MANY / 4, rel=0.2)
    assert found.count(3.0) + found.count(None) == MANY


def test_server_errors_take_turns() -> None:
    """Every status occurs about equally often."""
    conditions = Conditions(server_error=1.0, statuses=(500, 529))
    found = Counter(conditions.draw(str(number), 1).status for number in range(MANY))
    assert found[500] == pytest.approx(MANY / 2, rel=0.1)
    assert found[500] + found[529] == MANY


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"empty": 1.2}, "empty is 1.2"),
        ({"reset": -0.1}, "reset is -0.1"),
        ({"retry_after_share": 2}, "retry_after_share is 2"),
        ({"empty": 0.6, "reset": 0.6}, "add up to 1.2"),
        ({"statuses": ()}, "statuses is empty"),
    ],
)
def test_impossible_conditions_are_refused(wrong: dict[str, Any], said: str) -> None:
    """The message names the field and its value."""
    with pytest.raises(ValueError, match=said):
        Conditions(**wrong)
