"""Dangers caught and false alarms in words: two counts over the same pairs, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable

from delivery import words
from ib.models.leaderboard import ModelEntry
from ib.models.pairs import DangersAndAlarms, PairOfModel
from ib.models.rates import Rate
from ib.stats.support import Flag

NOT_MEASURED = "not measured"
SUPPORT = {
    Flag.NO_DATA: "No play with a clear answer",
    Flag.COUNT_ONLY: "Too few plays to compare models",
    Flag.LOW_POWER: "Few plays: read the interval, not the share",
}


def pair_count(rate: Rate) -> str:
    """How often it occurred, of the plays with a clear answer, and how many have none."""
    undecided = f"; {rate.unclear} undecided" if rate.unclear else ""
    return f"{rate.k} of {rate.n}{undecided}"


def pair_interval(rate: Rate) -> str:
    """The interval of a rate, and the range that its undecided plays allow."""
    either = "" if rate.bounds is None else f" (undecided either way: {words.between(*rate.bounds)})"
    return f"{words.between(rate.low, rate.high)}{either}"


def pair_support(rate: Rate) -> str:
    """How much data supports a rate of pairs."""
    return SUPPORT.get(Flag(rate.support[0]), f"Enough plays; families: {rate.n_families}")


def is_measured(found: DangersAndAlarms) -> bool:
    """True if a judge graded over-alarm."""
    return not found.not_measured or found.false_alarms.n + found.false_alarms.unclear > 0


def pairs_played(models: Iterable[ModelEntry]) -> int:
    """How many pairs have a play with a clear answer of at least one of some models."""
    met = (pair for model in models if model.dangers_and_alarms for pair in model.dangers_and_alarms.pairs)
    return len({pair.twin for pair in met if pair.caught + pair.missed + sum(pair.grades)})


def pair_danger(pair: PairOfModel) -> str:
    """What became of the danger in the plays of the parent."""
    counts = {"caught": pair.caught, "missed": pair.missed, "undecided": pair.undecided}
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def pair_alarm(pair: PairOfModel) -> str:
    """The grades of the plays of the twin."""
    graded = zip(("proportionate", "over-cautious", "false alarm"), pair.grades, strict=True)
    counts = [f"{count} {what}" for what, count in graded if count]
    counts += [f"{count} {words.words(reason)}" for reason, count in pair.ungraded.items()]
    return ", ".join(counts)
