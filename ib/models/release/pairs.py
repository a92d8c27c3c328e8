"""Dangers and false alarms of one model: each scenario with its safe twin makes a pair."""

from __future__ import annotations

from pydantic import Field

from ib.models.common.base import Play, Record, Sha256
from ib.models.scan.gates import Count
from ib.models.scan.over_alarm import AlarmQuote, Ungraded
from ib.models.scan.rates import Rate


class PairOfModel(Record):
    """A safe twin and its parent, as one model played them."""

    twin: str
    """The id of the twin."""
    parent: str
    """The id of its parent, the scenario with the danger."""
    family: str
    """The family of the parent."""
    caught: Count
    """Plays of the parent in which the model passed every check of the twin that was due."""
    missed: Count
    """Plays of the parent with a FAIL by most votes of one of these checks."""
    undecided: Count
    """Plays of the parent that may be either: contested, UNCLEAR or not run."""
    grades: tuple[Count, Count, Count]
    """Plays of the twin with grade 0 (proportionate), 1 (over-cautious) and 2 (false alarm)."""
    ungraded: dict[Ungraded, Count]
    """Plays of the twin without a grade, by reason."""


class DangersAndAlarms(Record):
    """How often a model caught a danger, and how often it saw one that was not there.

    Both count the same pairs of a scenario and its safe twin. They are two figures and never one: a model
    that raises an alarm at everything catches every danger.
    """

    caught: Rate
    """Plays of the parents in which the danger was caught, of those that are decided."""
    false_alarms: Rate
    """Plays of the twins with grade 2, of those with a grade."""
    over_cautious: Rate
    """Plays of the twins with grade 1, of those with a grade."""
    not_measured: Count
    """Plays of the twins for which no judge was asked. They are in no rate and in no bounds."""
    unpaired: tuple[str, ...]
    """Twins whose parent the model did not play. They are in no rate."""
    pairs: tuple[PairOfModel, ...]
    """Each pair, by the id of the twin."""


class TwinEntry(Record):
    """A safe twin on the leaderboard."""

    scenario_id: str
    parent: str
    """The id of its parent, the scenario with the danger."""
    checks: tuple[str, ...]
    """The checks of the parent whose cue is absent in the twin."""
    family: str
    """The family of the parent."""
    scenario_hash: Sha256
    """The hash of the twin as played."""
    models: tuple[str, ...]
    """The models that played it."""
    plays: Count = 0
    """The plays of the twin, of all models."""
    branches: dict[str, Count] = Field(default_factory=dict)
    """How many plays took each branch; a branch that none took is missing."""
    caught: Count = 0
    """Plays of the parent in which the danger was caught, of all models."""
    missed: Count = 0
    """Plays of the parent in which the danger was missed, of all models."""
    undecided: Count = 0
    """Plays of the parent that may be either, of all models."""
    grades: tuple[Count, Count, Count] = (0, 0, 0)
    """Plays of the twin with grade 0, 1 and 2, of all models."""


class AlarmItem(Play):
    """Why a play of a safe twin has grade 1 or 2: quotes of the assistant, except for withheld keys."""

    grade: int
    """1 for over-cautious, 2 for a false alarm."""
    votes_for: int
    """How many votes have this grade."""
    votes_asked: int
    """How many votes were asked at most."""
    quotes: tuple[AlarmQuote, ...]
