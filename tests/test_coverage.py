"""The page that says what the scenarios cover."""

from __future__ import annotations

from ib.store.benchmark import load_benchmark
from tests.scenario import scenario
from tools.coverage import coverage

BENCHMARK = load_benchmark()


def test_a_scenario_without_a_country_is_counted_in_that_of_its_rule_set() -> None:
    """Under the rules of the Union a person is in the Union, and nobody is in the US unsaid."""
    given = {
        "a": scenario("a", jurisdiction="eu", country=None),
        "b": scenario("b", jurisdiction="tx", country="GB"),
    }
    page = coverage(given, BENCHMARK)
    assert "| eu | EU | 1 |" in page
    assert "| tx | GB | 1 |" in page
