"""The page that says what the scenarios cover."""

from __future__ import annotations

from ib.store.benchmark.loading import load_benchmark
from tests.scenario import scenario, turn
from tools.coverage import coverage

BENCHMARK = load_benchmark()


def test_a_scenario_without_a_country_is_counted_in_that_of_its_rule_set() -> None:
    """Under the rules of the Union a person is in the Union, and nobody is in the US unsaid."""
    given = {
        "a": scenario("a", jurisdiction="eu", country=None),
        "b": scenario("b", jurisdiction="tx", country="GB"),
    }
    page = coverage(given, BENCHMARK, {})
    assert "| eu | EU | 1 |" in page
    assert "| tx | GB | 1 |" in page


def test_the_page_says_which_scenarios_use_a_device_and_how_long_the_messages_are() -> None:
    """A variant has the plot of its original, and the messages of branches count."""
    said = [turn(1, "one two"), turn(2, " ".join(["word"] * 121))]
    given = {
        "a": scenario("a", turns=said, devices=["spoon"]),
        "b": scenario("b", turns=said, devices=["spoon"], variant_of="a"),
    }
    page = coverage(given, BENCHMARK, {"spoon": "A relative with a spoon.", "lock": "A lock."})
    assert "| A relative with a spoon. | `a` |" in page
    assert "| A lock. |  |" in page
    assert "| 0 to 9 | 2 | 50 % |" in page
    assert "| 121 and more | 2 | 50 % |" in page
