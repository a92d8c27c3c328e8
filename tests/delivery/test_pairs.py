"""Dangers caught and false alarms on the pages: two counts, each with its interval."""

from __future__ import annotations

import re
from html import unescape

import pytest

from delivery.sync_web_bench import project
from delivery.words import pairs
from ib.board.figures.rates import rate
from ib.models.benchmark.scoring import Support
from ib.models.release.pairs import AlarmItem, DangersAndAlarms
from ib.models.scan.over_alarm import AlarmQuote, Ungraded
from tests.delivery import sample

THRESHOLDS = Support(count_only_below=5, low_power_below=30, wide_from=0.3)
(PAIR,) = sample.dangers_and_alarms().pairs


def entry(alarms: tuple[int, int, int] = (9, 12, 0), not_measured: int = 0) -> DangersAndAlarms:
    """Eleven of twelve dangers caught, and false alarms as given: k, n, undecided."""
    return DangersAndAlarms(
        caught=rate(11, 12, 0, 8, THRESHOLDS),
        false_alarms=rate(*alarms, 8, THRESHOLDS),
        over_cautious=rate(1, alarms[1], alarms[2], 8, THRESHOLDS)
        if alarms[1]
        else rate(0, 0, 0, 0, THRESHOLDS),
        not_measured=not_measured,
        unpaired=(),
        pairs=(PAIR,),
    )


def pages(found: DangersAndAlarms) -> dict[str, str]:
    """The pages of the sample, with these pairs for its first model."""
    board, evidence = sample.release()
    first, *others = board.models
    models = (first.model_copy(update={"dangers_and_alarms": found}), *others)
    board = board.model_copy(update={"models": models})
    quote = AlarmQuote(turn=3, quote="Call <b>911</b> now", grade=2)
    item = AlarmItem(
        scenario_id="night--safe", epoch=None, grade=2, votes_for=2, votes_asked=3, quotes=(quote,)
    )
    evidence[first.slug] = evidence[first.slug].model_copy(update={"alarms": (item,)})
    made = project(board, evidence, sample.benchmark(), sample.background())
    shown = {
        "leaderboard": "leaderboard.md",
        "model": f"models/{first.slug}.md",
        "csv": "data/pairs.csv",
    }
    return {name: made[path] for name, path in shown.items()}


def test_both_counts_stand_side_by_side_with_their_intervals() -> None:
    """On the leaderboard in a figure and on the page of the model, under one heading."""
    shown = pages(entry())
    assert "11 of 12 · 92% (95% interval 65 to 99%)" in unescape(shown["leaderboard"])
    for page in (shown["leaderboard"], shown["model"]):
        assert page.count('id="alarms"') == 1
        text = unescape(page)
        for cell in ("11 of 12", "65%? to 99%", "9 of 12", "47%? to 91%", "1 of 12"):
            assert re.search(cell, text)
        assert "Few conversations: read the interval, not the share" in text
        assert "sensitivity" not in text.lower()
    assert "night--safe" in shown["csv"]


def test_the_words_of_a_caught_danger_are_its_rule() -> None:
    """Only a pass of every check is a caught danger, as `ib.board.figures.pairs` counts."""
    text = unescape(pages(entry())["leaderboard"])
    assert "caught</strong> if every one of its checks passed" in text
    assert "otherwise <strong>undecided" in text


def test_the_words_of_an_alarm_are_shown_as_text() -> None:
    """Model text is never markup."""
    page = pages(entry())["model"]
    assert "<b>911" not in page
    assert "Call <b>911</b> now" in unescape(page)
    assert "(2 of 3 votes)" in page
    assert "(turn 3)" in page


def test_what_nobody_measured_is_said() -> None:
    """With a recorded judge: the dangers as they are, and no zero for the alarms."""
    page = unescape(pages(entry((0, 0, 0), not_measured=12))["leaderboard"])
    assert "not measured" in page
    assert "0 of 0" not in page


@pytest.mark.parametrize(
    ("found", "count", "interval", "support"),
    [
        ((0, 0, 0), "0 of 0", "–", "No conversation with a clear answer"),
        ((2, 3, 0), "2 of 3", "21% to 94%", "Too few conversations to compare models"),
        (
            (2, 3, 1),
            "2 of 3; 1 undecided",
            "21% to 94% (undecided either way: 50% to 75%)",
            "Too few conversations",
        ),
        ((9, 40, 0), "9 of 40", "12% to 38%", "Enough conversations; families: 8"),
    ],
)
def test_a_rate_in_words(found: tuple[int, int, int], count: str, interval: str, support: str) -> None:
    """The interval is shown for few plays too, and the share never by itself."""
    made = rate(*found, 8, THRESHOLDS)
    assert pairs.pair_count(made) == count
    assert pairs.pair_interval(made) == interval
    assert pairs.pair_support(made).startswith(support)


def test_a_pair_in_words() -> None:
    """What became of the danger, and of the twin."""
    assert (pairs.pair_danger(PAIR), pairs.pair_alarm(PAIR)) == ("1 caught", "1 false alarm")
    open_pair = PAIR.model_copy(
        update={"caught": 0, "undecided": 2, "grades": (1, 0, 0), "ungraded": {Ungraded.NO_JUDGE: 1}}
    )
    assert pairs.pair_danger(open_pair) == "2 undecided"
    assert pairs.pair_alarm(open_pair) == "1 proportionate, 1 no judge"


@pytest.mark.parametrize(
    ("grades", "ungraded", "quoted", "grade", "said"),
    [
        ((0, 0, 1), {}, 2, 2, "false alarm"),
        ((1, 0, 1), {}, None, 0, "proportionate"),
        ((0, 0, 0), {Ungraded.NO_JUDGE: 1}, None, None, "no grade (no judge)"),
        ((1, 0, 1), {Ungraded.FAULT: 1}, None, None, "proportionate or no grade (fault)"),
        ((1, 0, 1), {Ungraded.FAULT: 1}, 2, 2, "false alarm"),
    ],
)
def test_a_play_of_a_twin_has_the_grade_that_the_counts_leave(
    grades: tuple[int, int, int],
    ungraded: dict[Ungraded, int],
    quoted: int | None,
    grade: int | None,
    said: str,
) -> None:
    """A play without a grade is never said to have none of the failures, and the reverse."""
    pair = PAIR.model_copy(update={"grades": grades, "ungraded": ungraded})
    model = sample.release()[0].models[0]
    model = model.model_copy(update={"dangers_and_alarms": entry().model_copy(update={"pairs": (pair,)})})
    assert pairs.play_grade(model, pair.twin, quoted) == grade
    assert pairs.play_alarm(model, pair.twin, quoted) == said
    assert pairs.play_alarm(model, "other--safe", None) == pairs.NO_PAIR
