"""The contract of a scenario corpus: limits and counts that all its scenarios must satisfy."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ib.models.common.base import Record, Slug, Text

CORE = "core"
"""What the scenarios of no set are called."""

Share = Annotated[float, Field(ge=0, le=1)]


class Sizes(Record):
    """Bounds on the length of a scenario."""

    turns_least: Annotated[int, Field(ge=1)]
    """The fewest turns of a scenario."""
    turns_most: Annotated[int, Field(ge=1)]
    """The most turns of a scenario."""
    turns_most_without_break: Annotated[int, Field(ge=1)] | None = None
    """`turns_most` for a scenario without `sessions`; null if the limit is the same."""
    message_chars: Annotated[int, Field(ge=1)]
    """The longest message, in characters."""


class Lengths(Record):
    """How different in length the messages of a corpus are. Words are separated by white space."""

    short_below: Annotated[int, Field(ge=1)]
    """A message of fewer words is short."""
    long_above: Annotated[int, Field(ge=1)]
    """A message of more words is long."""
    least_short: Share
    """The least share of short ones among the messages of turns, without those of branches."""
    least_long: Share
    """The least share of long ones among the same."""


class Counts(Record):
    """How many scenarios of each kind a corpus has. Keys that begin with `least_` are minimums; the others
    are exact."""

    scenarios: int
    """All scenarios."""
    published: int
    """Scenarios that may be shown."""
    contrast_variants: int
    """Scenarios that vary another in one thing."""
    contrast_groups: int
    """Contrast groups."""
    text_variants: int
    """Scenarios that repeat another in another style of writing."""
    least_with_branch: int
    """At least so many scenarios with a branch."""
    least_with_rubric: int
    """At least so many scenarios with a rubric."""
    least_with_probes: int
    """At least so many scenarios with probes."""
    least_multi_session: int
    """At least so many scenarios with several sessions."""
    least_per_jurisdiction: int
    """At least so many scenarios for each rule set."""
    least_due_per_check: int
    """At least so many scenarios for each check."""
    categories: dict[Slug, int]
    """Scenarios by category."""
    themes: dict[str, int]
    """Counts by `category/theme`."""


class SetCounts(Record):
    """How many scenarios a set has."""

    scenarios: int
    """All scenarios, without safe twins."""
    published: int
    """Scenarios that may be shown."""
    twins: int
    """Safe twins."""


class SetContract(Record):
    """A set: scenarios beyond the core, which are played if they are asked for and shown apart."""

    title: Text
    """What pages call the set."""
    description: Text
    """What its scenarios have in common, for people."""
    sizes: Sizes
    """How long a scenario of the set may be."""
    counts: SetCounts
    """How many scenarios the set has."""


class CorpusContract(Record):
    """Rules for a corpus of scenarios that the schema of one file cannot express."""

    canary: Text
    tags: dict[Slug, Text]
    """Tags that no check uses, each with its meaning."""
    names: dict[Slug, Text] = Field(default_factory=dict)
    """What pages call a tag or a value of a persona's context; its words, if it is missing."""
    persona_context: dict[Slug, tuple[str, ...]]
    """Keys that every persona's context has, with the allowed values. An empty list allows any value."""
    sizes: Sizes
    """How long a scenario may be."""
    lengths: Lengths | None = None
    """How different in length the messages of the core are."""
    devices: dict[Slug, Text] = Field(default_factory=dict)
    """The turns of plot that scenarios use, each with its meaning."""
    device_most: Annotated[int, Field(ge=1)] | None = None
    """In at most so many families of scenarios may one device occur; null for any number."""
    counts: Counts | None = None
    """How many scenarios of each kind the core has."""
    sets: dict[Slug, SetContract] = Field(default_factory=dict)
    """The sets beyond the core."""

    def sizes_of(self, named: str | None) -> Sizes:
        """How long a scenario of a set or of the core may be. An unknown set has the sizes of the core."""
        return self.sets[named].sizes if named in self.sets else self.sizes
