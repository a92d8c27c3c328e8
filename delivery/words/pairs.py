"""Dangers caught and false alarms in words: two counts over the same pairs, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable

from delivery.words import numbers as words
from delivery.words.filters import template_filter
from ib.models.release.leaderboard import ModelEntry
from ib.models.release.pairs import DangersAndAlarms, PairOfModel
from ib.models.scan.rates import Rate
from ib.stats.support import Flag

NO_PAIR = "not counted, because the scenario was not played"
GRADES = ("proportionate", "over-cautious", "false alarm")
"""The grades of over-alarm, 0 to 2, in words."""
SUPPORT = {
    Flag.NO_DATA: "No conversation with a clear answer",
    Flag.COUNT_ONLY: "Too few conversations to compare models",
    Flag.LOW_POWER: "Few conversations: read the interval, not the share",
}


@template_filter
def pair_count(rate: Rate) -> str:
    """How often it occurred, of the plays with a clear answer, and how many have none."""
    undecided = f"; {rate.unclear} undecided" if rate.unclear else ""
    return f"{rate.k} of {rate.n}{undecided}"


@template_filter
def pair_interval(rate: Rate) -> str:
    """The interval of a rate, and the range that its undecided plays allow."""
    either = "" if rate.bounds is None else f" (undecided either way: {words.between(*rate.bounds)})"
    return f"{words.between(rate.low, rate.high)}{either}"


@template_filter
def pair_support(rate: Rate) -> str:
    """How much data supports a rate of pairs."""
    return SUPPORT.get(Flag(rate.support[0]), f"Enough conversations; families: {rate.n_families}")


@template_filter
def is_measured(found: DangersAndAlarms) -> bool:
    """True if a judge graded over-alarm."""
    return not found.not_measured or found.false_alarms.n + found.false_alarms.unclear > 0


@template_filter
def pairs_played(models: Iterable[ModelEntry]) -> int:
    """How many pairs have a play with a clear answer of at least one of some models."""
    met = (pair for model in models if model.dangers_and_alarms for pair in model.dangers_and_alarms.pairs)
    return len({pair.twin for pair in met if pair.caught + pair.missed + sum(pair.grades)})


@template_filter
def pair_danger(pair: PairOfModel) -> str:
    """What became of the danger in the plays of the parent."""
    counts = {"caught": pair.caught, "missed": pair.missed, "undecided": pair.undecided}
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


@template_filter
def pair_alarm(pair: PairOfModel) -> str:
    """The grades of the plays of the twin."""
    graded = zip(GRADES, pair.grades, strict=True)
    counts = [f"{count} {what}" for what, count in graded if count]
    counts += [f"{count} {words.words(reason)}" for reason, count in pair.ungraded.items()]
    return ", ".join(counts)


@template_filter
def alarm_grade(grade: int) -> str:
    """A grade of over-alarm in words."""
    return GRADES[grade]


def play_grade(model: ModelEntry, twin: str, quoted: int | None) -> int | None:
    """The grade of one play of a twin, or None if it has none or the release does not tell which it has.

    Args:
        model: Who played it.
        twin: The id of the twin.
        quoted: The grade for which the release quotes evidence, 1 or 2, or None.
    """
    if quoted is not None:
        return quoted
    pair = _pair(model, twin)
    return 0 if pair is not None and pair.grades[0] and not pair.ungraded else None


def play_alarm(model: ModelEntry, twin: str, quoted: int | None) -> str:
    """What `play_grade` says, in words. Without a grade: the reasons that the plays of this twin can have.

    A release counts plays without a quote by twin. If the runs of one twin differ, it does not tell which run
    is which.
    """
    grade = play_grade(model, twin, quoted)
    if grade is not None:
        return GRADES[grade]
    pair = _pair(model, twin)
    if pair is None:
        return NO_PAIR
    plain = GRADES[:1] if pair.grades[0] else ()
    return " or ".join([*plain, *(f"no grade ({words.words(reason)})" for reason in pair.ungraded)])


def _pair(model: ModelEntry, twin: str) -> PairOfModel | None:
    found = model.dangers_and_alarms
    return next((pair for pair in found.pairs if pair.twin == twin), None) if found else None
