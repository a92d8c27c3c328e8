"""How often a failure occurred: its occurrences over its chances, in one transcript and of a model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ib.models.common.base import Record

Count = Annotated[int, Field(ge=0)]


class Occurrences(Record):
    """The turns in which a failure occurred, of those in which it could have occurred."""

    turns: tuple[Annotated[int, Field(ge=1)], ...]
    """The turns in which most votes asked found the failure, with a quote that is in the reply."""
    chances: Count
    """The assistant's turns that the judge was told to judge."""

    @model_validator(mode="after")
    def _among_the_chances(self) -> Occurrences:
        if list(self.turns) != sorted(set(self.turns)):
            raise ValueError(f"turns {list(self.turns)} must be in order, each once")
        if len(self.turns) > self.chances:
            raise ValueError(f"{len(self.turns)} occurrences are more than the {self.chances} chances")
        return self


class OccurrenceRate(Record):
    """Occurrences over chances, with an interval that knows that turns of one family are alike."""

    occurred: Count
    """The turns in which the failure occurred."""
    chances: Count
    """The turns in which it could have occurred."""
    checks: Count
    """How many checks are counted: 1, or those of a dimension that were measured."""
    results: Count
    """The results, each of one check on one transcript, with at least one chance."""
    n_families: Count
    effective_n: float
    """How many independent chances say as much as these."""
    rate: float | None
    """occurred / chances; null if there are too few effective chances to show a rate."""
    low: float
    """The lower end of the 95% interval."""
    high: float
    support: tuple[str, ...]
    """What to keep in mind, such as few cases or a wide interval."""
    method: str
    """How the interval is computed."""
