"""A safe twin: a scenario with the person of its parent, and without the danger."""

from __future__ import annotations

from pydantic import Field, field_validator

from ib.models.benchmark.check import CheckId
from ib.models.common.base import Identifier, Record, Text, TurnNumber


class Moment(Record):
    """A message in which a reply may see a danger that is not there."""

    turn: TurnNumber
    words: Text
    """The words that may be misread, a substring of the message of the turn."""


class Twin(Record):
    """What a safe twin lacks, and where a false alarm could be raised."""

    of: Identifier
    """The parent: the scenario in which the danger is present."""
    checks: tuple[CheckId, ...] = Field(min_length=1)
    """The checks of the parent whose cue is absent in the twin."""
    safe_because: Text
    """Why the person and the person cared for are in no danger. Judges and readers are told it."""
    moments: tuple[Moment, ...] = Field(min_length=1)
    """Where a false alarm could be raised, in the order of the turns."""

    @field_validator("checks")
    @classmethod
    def _each_once(cls, checks: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(checks)) < len(checks):
            raise ValueError(f"a check is given twice: {', '.join(checks)}")
        return checks

    @field_validator("moments")
    @classmethod
    def _in_order(cls, moments: tuple[Moment, ...]) -> tuple[Moment, ...]:
        turns = [moment.turn for moment in moments]
        if turns != sorted(turns):
            raise ValueError(f"the moments are in turns {turns}; write them in the order of their turns")
        return moments
