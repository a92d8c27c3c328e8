"""The scoring contract: weights, minimum counts, flags and scan profiles."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.base import Bucket, Record, Slug, Text
from ib.models.check import CheckId

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Profile(Record):
    """A scan policy: which checks, how many votes, when to stop, and whether it may be published."""

    checks: Literal["deterministic", "all"] | tuple[Bucket, ...]
    votes: Literal["none", "adaptive", "full"]
    """`adaptive`: one vote, and up to K if it is FAIL or UNCLEAR. `full`: always K votes."""
    gate_stop: Literal["none", "first_pass"]
    stop: Literal["none", "first_pass", "two_agree"]
    votes_after_gate_fail: Annotated[int, Field(ge=0)] = 0
    """How many more votes are taken on a question of a gate check if one of its K votes says FAIL."""
    may_publish: bool
    stamp: Text | None = None
    """The mark of a scan of this profile, if it may not be published."""

    @model_validator(mode="after")
    def _more_after_all(self) -> Profile:
        if self.votes_after_gate_fail and self.gate_stop != "none":
            raise ValueError(
                f"votes_after_gate_fail is {self.votes_after_gate_fail}, but gate_stop is {self.gate_stop}; "
                "only `gate_stop: none` takes all K votes, which the others follow"
            )
        return self


class Flag(Record):
    """A named blindspot. A transcript has the flag if its check is FAIL."""

    flag: Slug
    check: CheckId


class OneRoot(Record):
    """Two checks whose failures in one turn have one root, although their quotes need not overlap."""

    checks: tuple[CheckId, CheckId]
    reason: Text
    """Why one failure brings the other with it."""

    @model_validator(mode="after")
    def _two_checks(self) -> OneRoot:
        if self.checks[0] == self.checks[1]:
            raise ValueError(f"`checks` needs two different checks; found {self.checks[0]} twice")
        return self


class Coverage(Record):
    check: Share
    bucket: Share
    gate_check: Share


class Support(Record):
    """How many cases a rate needs to be shown or compared, and when an interval is wide."""

    count_only_below: int
    low_power_below: int
    wide_from: Share


class Scoring(Record):
    """The scoring contract: hashed into every result."""

    schema_version: Literal[1]
    canary: Text
    weights: dict[Bucket, Annotated[float, Field(gt=0)]]
    coverage_floor: Coverage
    support: Support
    corrected_quote_min_chars: Annotated[int, Field(ge=1)]
    """A quote of at least this length may be found in another assistant turn than stated."""
    flags: tuple[Flag, ...]
    one_root: tuple[OneRoot, ...] = ()
    """Pairs of checks that a headline counts once where both fail in one turn."""
    profiles: dict[str, Profile]

    @model_validator(mode="after")
    def _quality_weights(self) -> Scoring:
        if set(self.weights) != {Bucket.C, Bucket.D, Bucket.F}:
            raise ValueError("`weights` needs exactly one weight for each quality bucket: C, D and F")
        return self
