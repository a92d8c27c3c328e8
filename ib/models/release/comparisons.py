"""Comparisons of two models on the scenarios that both played, and contrast sets of scenarios."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator

from ib.models.common.base import Bucket, Record
from ib.models.scan.gates import Count, GateCounts
from ib.models.scan.rates import Rate


class PairedCounts(Record):
    """The cases in which both models have a clear answer, by what became of each."""

    both: Count
    """Cases in which both models failed."""
    only_first: Count
    """Cases in which only the first model failed."""
    only_second: Count
    """Cases in which only the second model failed."""
    neither: Count
    """Cases in which both models passed."""

    @property
    def n(self) -> int:
        """The cases in which both models have a clear answer."""
        return self.both + self.only_first + self.only_second + self.neither


class PairedDifference(PairedCounts):
    """How much more often the first model failed, with an interval and an exact test.

    Cases of one scenario family are alike. So the interval is clustered by family, and the test counts
    families: each family in which one of the models failed more often is one case of the test. If the
    difference is the same in all families, the interval is exact, with each family as one case.
    """

    undecided: Count
    """Shared cases in which at least one of the models has no clear answer; they are in no other count."""
    n_families: Count
    families_first: Count
    """Families in which the first model failed more often than the second."""
    families_second: Count
    """Families in which the second model failed more often than the first."""
    detectable: float | None = None
    """The least difference that would be found with a chance of 80%: the share of these families in which
    one model fails and the other does not, if the other never fails alone. By the exact test of McNemar over
    families, at 5% and for one pair. Null if even a difference in all families would not be found."""
    difference: float | None
    """(only_first - only_second) / n; null without a case."""
    low: float | None
    """The lower end of the 95% interval; null without a case."""
    high: float | None
    p: float
    """The exact p value of McNemar, over families; 1 if no family differs."""
    adjusted: float
    """The p value after Holm, over all pairs of models on the same measure."""
    adjusted_against: float
    """The same if every undecided case goes against the model that failed in more families: each answer of
    it that is not known is a pass, and each of the other model a failure; 1 if then no more families lean
    its way."""

    @property
    def is_consistent(self) -> bool:
        """True if more cases and more families lean to the same model."""
        families, cases = self.families_first - self.families_second, self.only_first - self.only_second
        return families * cases > 0

    @property
    def swapped(self) -> PairedDifference:
        """The same cases with the second model as the first."""
        return self.model_copy(
            update={
                "only_first": self.only_second,
                "only_second": self.only_first,
                "families_first": self.families_second,
                "families_second": self.families_first,
                "difference": None if self.difference is None else -self.difference,
                "low": None if self.high is None else -self.high,
                "high": None if self.low is None else -self.low,
            }
        )

    @model_validator(mode="after")
    def _families_differ(self) -> PairedDifference:
        if self.families_first + self.families_second > self.n_families:
            raise ValueError("more families differ than there are")
        return self


class ComparedOnCheck(PairedCounts):
    """One check on two models. Exploratory: there are many checks."""

    check_id: str
    p: float
    """The exact p value of McNemar, over families; 1 if no family differs."""
    q: float
    """The p value after Benjamini and Hochberg, over all checks of all pairs of models."""


class Comparison(Record):
    """Two models on the scenarios that both played."""

    first: str
    """The id of the model whose slug comes first in the alphabet."""
    second: str
    """The id of the other model."""
    shared: Count
    """Transcripts that both models have: the same scenario, content and epoch."""
    gates: dict[Bucket, PairedDifference]
    """Each gate; a failure is a hard fail by the judge, and a contested or incomplete gate is undecided."""
    all_checks: PairedDifference
    """All checks together, except those for which only phrases were looked for in some transcript of the
    release; a case is one check on one transcript."""
    checks: tuple[ComparedOnCheck, ...] = Field(default=())
    """Each check that at least one of the models failed in a case that both have clear answers to."""


ORIGINAL = "anchor"
"""The `contrast_variable` of the original of a contrast set."""
EXPLICIT = "explicit_words"
"""The `contrast_variable` of a variant in which the person says plainly what the original only hints at."""


class ContrastVariant(PairedCounts):
    """A variant of a contrast set. The first of each pair is the original, the second the variant."""

    scenario_id: str
    variable: str
    """What differs from the original."""
    undecided: Count
    """Pairs of plays in which the safety gate is contested, incomplete or not due in at least one."""
    safety: GateCounts
    """The safety gate of the variant, over all models."""


class ContrastSet(Record):
    """An original scenario and its variants, over all models. A failure is a hard fail at the safety gate."""

    group: str
    original: str
    """The id of the original scenario."""
    safety: GateCounts
    """The safety gate of the original, over all models."""
    variants: tuple[ContrastVariant, ...]
    """The variants of the original."""


class Level(StrEnum):
    """How plainly a story of a ladder tells its danger."""

    SAID = "said"
    """In plain words."""
    HINTED = "hinted"
    """Sideways: the original of the story."""
    BURIED = "buried"
    """In passing, inside something else."""


LEVELS = {"said": Level.SAID, ORIGINAL: Level.HINTED, "buried": Level.BURIED}
"""The level of each `contrast_variable` of a ladder: a contrast group that has all three."""


class LadderLevel(Record):
    """The stories of all ladders at one level. A story is one case, however often the model played it."""

    level: Level
    """How plainly the danger is told."""
    noticed: Rate
    """Stories in which every safety check that was due passed, of those judged. `unclear` counts stories with
    a gate that is contested or incomplete."""


class LadderStep(Record):
    """Two levels of the same stories. The first of each pair is the less plain level."""

    first: Level
    """The less plain level."""
    second: Level
    """The plainer one."""
    missed: PairedDifference
    """How much more often the model missed the danger at the less plain level. The interval is exact or
    clustered by story, and the p values are adjusted over the models and both steps."""


class Ladder(Record):
    """One model on stories that are told at three levels."""

    model_id: str
    levels: tuple[LadderLevel, ...]
    """From said to buried."""
    steps: tuple[LadderStep, ...]
    """Hinted against said, and buried against said."""
