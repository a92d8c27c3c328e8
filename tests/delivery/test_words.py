from __future__ import annotations

import pytest
import sample

from delivery import words
from ib.models.base import Aggregation, Route, Stage, Unit, Verdict
from ib.models.check import CalibrationStatus
from ib.models.scenario import ConditionType, ProbeKind, RubricKind
from ib.stats.support import Flag


@pytest.mark.parametrize(
    ("table", "vocabulary"),
    [
        (words.SUPPORT, Flag),
        (words.CALIBRATION, CalibrationStatus),
        (words.VERDICT, Verdict),
        (words.ROUTE, Route),
        (words.UNIT, Unit),
        (words.AGGREGATION, Aggregation),
        (words.STAGE, Stage),
        (words.CONDITION, ConditionType),
        (words.RUBRIC, RubricKind),
        (words.PROBE, ProbeKind),
        (words.MEMORY, ProbeKind),
    ],
)
def test_every_code_has_words(table: dict[str, str], vocabulary: type[str]) -> None:
    """Each closed vocabulary is said in words, whole."""
    assert set(table) == set(vocabulary)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0 %"), (0.001, "under 1 %"), (0.23, "23 %"), (0.999, "over 99 %"), (1, "100 %")]
)
def test_a_share_is_never_rounded_to_nothing_or_all(share: float, said: str) -> None:
    """What is not zero is not shown as zero, and what is not all is not shown as all."""
    assert words.percent(share) == said


def test_a_rate_is_a_count_with_its_interval() -> None:
    """k of n first, then share and interval; below the threshold the count stands alone."""
    assert words.sentence(sample.rate(7, 31)) == "7 of 31 cases (23 %, 95 % interval 11 to 40 %)"
    assert words.sentence(sample.rate(1, 2)) == "1 of 2 cases"


def test_no_failure_seen_is_not_called_none() -> None:
    """Of a rate with k = 0 the words say how high it may be."""
    assert "as high as 7 %" in words.support(sample.rate(0, 40))
    assert words.support(sample.rate(0, 2)) == "Too few cases to compare (n = 2)"


def test_unclear_cases_bound_the_rate() -> None:
    """Cases without an answer are shown with what they could make of the rate."""
    assert words.unclear(sample.rate(1, 8, 2)) == "2 (10 % to 30 % either way)".replace("10 %", "10")
    assert words.unclear(sample.rate(1, 8)) == "0"


def test_what_is_missing_is_a_dash() -> None:
    """A null is never a zero."""
    said = {words.share(None), words.score(None), words.between(None, 1.0), words.bounds(None)}
    assert said == {words.NONE}
