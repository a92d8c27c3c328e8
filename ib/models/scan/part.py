"""The part of the work that a scan does: some checks, some transcripts, or a sample of logs."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from ib.models.benchmark.check import Check
from ib.models.common.base import Bucket, Played, Record
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

HINTS = "hints"
"""The name of the strata that are made of hints."""
META = "meta."
"""What stands before the name of a metadata key."""
_META_KEY = re.compile(r"meta\.\S+")
Share = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class Sampling(Record):
    """How conversations are drawn for the judge."""

    n: Annotated[int, Field(ge=1)]
    """How many conversations the judge reads."""
    seed: str = "1"
    """Another seed draws other conversations."""
    strata: tuple[str, ...] = (HINTS,)
    """What the strata are made of: `hints`, or `meta.KEY`, or several of these."""
    cluster: str | None = None
    """`meta.KEY`, such as `meta.user`: the conversations with one value are one cluster; null if each
    conversation is one by itself."""

    @field_validator("strata")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name != HINTS and not _META_KEY.fullmatch(name):
                raise ValueError(f"{name!r} is neither hints nor meta.KEY")
        return tuple(dict.fromkeys(names)) or (HINTS,)

    @field_validator("cluster")
    @classmethod
    def _key(cls, name: str | None) -> str | None:
        if name is not None and not _META_KEY.fullmatch(name):
            raise ValueError(f"{name!r} is not meta.KEY")
        return name


class SampledStratum(Record):
    """A part of the logs in which each conversation has the same probability to be drawn."""

    name: str
    """What its conversations have in common, such as a hint on a gate check."""
    conversations: Count
    """How many conversations of the logs it has."""
    drawn: Count
    """How many of them the judge reads."""
    probability: Share
    """The inclusion probability of each: `drawn` over `conversations`."""


class ExpectedWidth(Record):
    """How wide an interval is expected to be."""

    rate: Share
    """The rate that is assumed."""
    width: float | None
    """The width of its 95% interval, as a share, if phrases tell nothing; null if fewer failures are expected
    than an estimate needs."""


class SampleSize(Record):
    """What a number of judged conversations is expected to cost, and to say."""

    n: Count
    """How many conversations the judge reads."""
    usd: float | None
    """The expected US dollars; null if the price is unknown. For other numbers than that of the plan, they
    follow from the questions of each stratum."""
    widths: tuple[ExpectedWidth, ...]
    """The expected width of an interval, for several rates."""


class SamplePlan(Sampling):
    """The sample of a scan. The judge reads what was drawn, and phrases were looked for in all logs."""

    conversations: Count
    """How many conversations the logs have."""
    clusters: Count
    """How many clusters they have."""
    parts: tuple[SampledStratum, ...]
    """The strata."""
    products: tuple[tuple[int, ...], ...]
    """For each pair of strata, the sum over all clusters of the product of their numbers of conversations in
    both. With `sample.jsonl`, the intervals can be computed without the logs."""
    hinted: dict[str, Count]
    """For each check with hints, the conversations of the logs in which a listed phrase was found."""
    method: str
    """How rates of the logs and their intervals are computed."""
    sizes: tuple[SampleSize, ...] = ()
    """What other numbers of conversations would cost, and how wide intervals would be."""

    @model_validator(mode="after")
    def _whole(self) -> SamplePlan:
        drawn, every = sum(part.drawn for part in self.parts), sum(part.conversations for part in self.parts)
        if (drawn, every) != (self.n, self.conversations):
            raise ValueError(f"strata with {drawn} of {every}, where n is {self.n} of {self.conversations}")
        return self


class SampledConversation(Played):
    """A line of `sample.jsonl`: one conversation that was drawn, in the order of the plan."""

    stratum: Count
    """Which of the strata of the plan, from 0 on."""
    probability: Share
    """The probability to be drawn."""
    cluster: str
    """The cluster of the conversation; without a key for clusters, a number for each conversation."""
    of_cluster: tuple[int, ...]
    """How many conversations of the logs the cluster has in each stratum."""
