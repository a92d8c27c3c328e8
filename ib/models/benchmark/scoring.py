"""The scoring contract: weights, minimum counts, flags and scan profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.benchmark.check import CheckId
from ib.models.common.base import QUALITY_BUCKETS, Bucket, Record, Slug, Text

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Weight = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class Profile(Record):
    """A scan policy: which checks, how many votes, when to stop, and whether it may be published."""

    checks: Literal["deterministic", "all"] | tuple[Bucket, ...]
    """Which checks are judged: `deterministic`, `all`, or a list of dimensions."""
    votes: Literal["none", "adaptive", "full"]
    """`adaptive`: one vote, and up to K if it is FAIL or UNCLEAR. `full`: always K votes."""
    gate_stop: Literal["none", "first_pass"]
    """When votes on gate checks stop early."""
    stop: Literal["none", "first_pass", "two_agree"]
    """When votes on other checks stop early."""
    votes_after_gate_fail: Annotated[int, Field(ge=0)] = 0
    """How many more votes are taken on a question of a gate check if one of its K votes says FAIL."""
    may_publish: bool
    """True if a scan of this profile may be published."""
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
    """The name of the blindspot."""
    check: CheckId
    """The check whose FAIL raises it."""


class OneRoot(Record):
    """Two checks whose failures in one turn have one root, although their quotes need not overlap."""

    checks: tuple[CheckId, CheckId]
    """The two checks."""
    reason: Text
    """Why one failure brings the other with it."""

    @model_validator(mode="after")
    def _two_checks(self) -> OneRoot:
        if self.checks[0] == self.checks[1]:
            raise ValueError(f"`checks` needs two different checks; found {self.checks[0]} twice")
        return self


class Coverage(Record):
    check: Share
    """For each check."""
    bucket: Share
    """For each dimension."""
    gate_check: Share
    """For each check that closes a gate."""


class Support(Record):
    """How many cases a rate needs to be shown or compared, and when an interval is wide."""

    count_only_below: int
    """Below so many cases only the count is shown."""
    low_power_below: int
    """Below so many cases the rate is marked as low power."""
    wide_from: Share
    """From this width on, an interval is marked as wide."""


class Scoring(Record):
    """The scoring contract: hashed into every result."""

    schema_version: Literal[1]
    canary: Text
    weights: dict[Bucket, Weight]
    """The weight of C, D and F in the quality score: 0 or more, not all 0."""
    overrides: dict[Slug, dict[Bucket, Weight]] = Field(default_factory=dict)
    """For a category of scenarios, the dimensions whose weight there is another than in `weights`."""
    coverage_floor: Coverage
    """The least coverage that stage `public` accepts."""
    support: Support
    """How many cases a rate needs."""
    corrected_quote_min_chars: Annotated[int, Field(ge=1)]
    """A quote of at least this length may be found in another assistant turn than stated."""
    flags: tuple[Flag, ...]
    """The named blindspots."""
    one_root: tuple[OneRoot, ...] = ()
    """Pairs of checks that a headline counts once where both fail in one turn."""
    profiles: dict[str, Profile]
    """The scan policies by name."""

    @model_validator(mode="after")
    def _quality_weights(self) -> Scoring:
        if set(self.weights) != set(QUALITY_BUCKETS):
            raise ValueError("`weights` needs exactly one weight for each quality bucket: C, D and F")
        if not any(self.weights.values()):
            raise ValueError("every weight is 0; at least one of C, D and F needs a weight above 0")
        for category, own in self.overrides.items():
            self._check_override(category, own)
        return self

    def _check_override(self, category: str, own: Mapping[Bucket, float]) -> None:
        gates = [bucket.value for bucket in own if bucket not in QUALITY_BUCKETS]
        if gates:
            raise ValueError(
                f"`overrides.{category}` gives a weight to {gates[0]}, a gate; only C, D and F have one"
            )
        if not own:
            raise ValueError(f"`overrides.{category}` is empty; give a weight to C, D or F, or leave it out")
        if not any(self.weights_of(category).values()):
            raise ValueError(
                f"with `overrides.{category}` every weight is 0; at least one of C, D and F needs more than 0"
            )

    def weights_of(self, category: str | None) -> Mapping[Bucket, float]:
        """The weights for conversations of a category: its overrides, and the default for the rest."""
        return {**self.weights, **self.overrides.get(category or "", {})}
