"""The part of the work that a scan does: some checks, some transcripts, or both."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, field_validator

from ib.models.benchmark.check import Check
from ib.models.common.base import Bucket, Record
from ib.models.conversation.contract import CORE


class Part(Record):
    """Which checks and transcripts a scan judges. An empty list means all of them; a check or a transcript
    must fit every list that is not empty."""

    checks: tuple[str, ...] = ()
    """Ids of checks."""
    buckets: tuple[Bucket, ...] = ()
    """Dimensions of checks."""
    scenarios: tuple[str, ...] = ()
    """Ids of the scenarios of transcripts."""
    categories: tuple[str, ...] = ()
    """Categories of transcripts."""
    sets: tuple[str, ...] = Field(default=(), exclude_if=operator.not_)
    """Sets of the scenarios of transcripts, and `core` for no set; the key is left out if there is none."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """Only the first transcripts in plan order, at most this many; null for no limit."""

    @field_validator("checks", "buckets", "scenarios", "categories", "sets")
    @classmethod
    def _ordered(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """The order and the repetition of names do not matter, so that they do not change a plan."""
        return tuple(sorted(set(names)))

    @property
    def is_whole(self) -> bool:
        """True if nothing is left out."""
        return not (self.narrows_checks or self.narrows_transcripts)

    @property
    def has_whole_sets(self) -> bool:
        """True if nothing of the chosen sets is left out."""
        return self.model_copy(update={"sets": ()}).is_whole

    @property
    def narrows_checks(self) -> bool:
        return bool(self.checks or self.buckets)

    @property
    def narrows_transcripts(self) -> bool:
        return bool(self.scenarios or self.categories or self.sets or self.limit is not None)

    def has_check(self, check: Check) -> bool:
        """True if the part includes a check."""
        return (not self.checks or check.id in self.checks) and (
            not self.buckets or check.bucket in self.buckets
        )

    def has_transcript(self, scenario_id: str, category: str | None, named: str | None = None) -> bool:
        """True if the part includes a transcript of a set, or of the core, apart from `limit`."""
        return (
            (not self.scenarios or scenario_id in self.scenarios)
            and (not self.categories or category in self.categories)
            and (not self.sets or (named or CORE) in self.sets)
        )

    def __str__(self) -> str:
        """The part as options of `ib scan`."""
        return " ".join(self._options())

    def _options(self) -> Iterator[str]:
        named = (
            ("--check", self.checks),
            ("--bucket", self.buckets),
            ("-s", self.scenarios),
            ("-c", self.categories),
            ("--set", self.sets),
        )
        for option, names in named:
            yield from (f"{option} {name}" for name in names)
        if self.limit is not None:
            yield f"--limit {self.limit}"


WHOLE = Part()
