from __future__ import annotations

import pytest

from delivery import words
from ib.models.base import Aggregation, Route, Stage, Unit, Verdict
from ib.models.check import CalibrationStatus
from ib.models.scenario import ConditionType, ProbeKind, RubricKind
from ib.stats.support import Flag
from tests.delivery import sample


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
    assert words.support(sample.rate(0, 40)).endswith("; the rate may be as high as 8 %")
    assert words.support(sample.rate(0, 2)) == "Too few cases to compare (n = 2)"


def test_an_upper_bound_is_rounded_up() -> None:
    """What is called the most that a rate may be is not made smaller."""
    assert [words.at_most(share) for share in (0.0721, 0.0701, 0.07, 1.0)] == ["8 %", "8 %", "7 %", "100 %"]


def test_cases_without_an_answer_stand_against_a_low_rate() -> None:
    """Unclear ones and those that were not run leave open what they would have been; no bound hides it."""
    assert words.support(sample.rate(0, 31, 32)).endswith("; with the 32 that have no answer, 0 to 51 %")
    assert words.support(sample.rate(0, 54), 9).endswith("; with the 9 that have no answer, 0 to 14 %")
    assert words.support(sample.rate(2, 40, 1), 9).endswith("; with the 10 that have no answer, 4 to 24 %")
    assert "no answer" not in words.support(sample.rate(2, 40))


def test_a_score_is_never_rounded_to_nothing_or_all() -> None:
    """What is not one is not shown as one."""
    shown = [words.score(value) for value in (0.0, 0.004, 0.5, 0.996, 1.0)]
    assert shown == ["0.00", "under 0.01", "0.50", "over 0.99", "1.00"]


def test_transcripts_without_a_score_leave_the_overall_score_open() -> None:
    """Between the mean of what each could be at least and at most; no range where all have a score."""
    model = sample.release()[0].models[0]
    ends = [(0.2, 0.2), (0.0, 0.6), None]
    open_ones = tuple(model.scenarios[0].model_copy(update={"bounds": pair}) for pair in ends)
    overall = model.overall.model_copy(update={"nulls": 2})
    open_model = model.model_copy(update={"scenarios": open_ones, "overall": overall})
    assert words.overall_range(open_model) == "0.07 to 0.60"
    scored = model.model_copy(update={"overall": overall.model_copy(update={"nulls": 0})})
    assert words.overall_range(scored) == words.NONE


def test_unclear_cases_bound_the_rate() -> None:
    """Cases without an answer are shown with what they could make of the rate."""
    assert words.unclear(sample.rate(1, 8, 2)) == "2 (10 % to 30 % either way)".replace("10 %", "10")
    assert words.unclear(sample.rate(1, 8)) == "0"


def test_what_is_missing_is_a_dash() -> None:
    """A null is never a zero."""
    said = {words.share(None), words.score(None), words.between(None, 1.0), words.bounds(None)}
    assert said == {words.NONE}
