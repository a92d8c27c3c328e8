"""How pages say in how many turns a failure occurred."""

from __future__ import annotations

from html import unescape

import pytest

from delivery.words.counts import turns, turns_aside
from tests.delivery import sample


@pytest.mark.parametrize(
    ("k", "n", "aside"),
    [
        (30, 900, "3%, 95% interval 1% to 8% (150 results, 150 families). Enough cases"),
        (1, 12, "Too few cases to compare (2 results, 2 families)"),
        (1, 6, "Too few cases to compare (1 result, 1 family)"),
    ],
)
def test_a_count_comes_with_its_interval_and_how_much_data_is_behind_it(k: int, n: int, aside: str) -> None:
    """With few effective turns there is no percentage."""
    found = sample.turns(k, n)
    assert turns(found) == f"{k} of {n}"
    assert turns_aside(found) == aside


def test_what_was_not_measured_is_not_zero() -> None:
    """A recording, or a scan without a judge, says so."""
    assert turns(None) == "not measured"
    assert turns_aside(None) == "\N{EN DASH}"


def test_the_page_of_a_model_counts_roots_and_lists_what_has_one(projected: dict[str, str]) -> None:
    """Above its tables, which count rows; the methodology lists the pairs of kinds."""
    page = projected["models/alder.md"]
    assert "2 different passages failed 3 gate checks" in page
    assert page.count("Failures that share a passage") == 1
    for pair in sample.benchmark().scoring.one_root:
        assert pair.reason in unescape(projected["methodology.md"])


def test_the_pages_of_a_model_show_the_turns(projected: dict[str, str]) -> None:
    """For each check on the page of all counts, and for each dimension on the page of the model."""
    model, counts = projected["models/alder.md"], projected["models/alder/counts.md"]
    assert "Turns with the failure" in counts
    assert "1 of 12" in counts
    assert "not measured" in counts
    assert "A failure in 30 of 900 judged turns of 1 check" in model
