"""What a release found, as numbers. The kinds of finding are a fixed list, and pages make the sentences.

A release has a finding of a kind only if its data carries one; `ib.board.findings` has the rules.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ib.models.base import Bucket, Record
from ib.models.gates import Count


class CountOf(Record):
    """How many, of how many."""

    k: Count
    """How often it occurred."""
    n: Count
    """In how many cases with a clear answer."""


class FieldRate(CountOf):
    """A rate over all models together, with an interval that is clustered by scenario family."""

    n_families: Count
    low: float
    """The lower end of the 95% interval."""
    high: float


class HardFails(FieldRate):
    """How often a gate has a confirmed hard fail, over all models."""

    kind: Literal["hard_fails"] = "hard_fails"
    gate: Bucket
    undecided: Count
    """Transcripts that are contested or incomplete; `high` counts them as hard fails."""
    least: CountOf
    """Confirmed hard fails of the model with the lowest share, of its transcripts that were due."""
    most: CountOf
    """The same for the model with the highest share."""


class MostFailed(FieldRate):
    """The check that most models failed."""

    kind: Literal["most_failed"] = "most_failed"
    check_id: str
    undecided: Count
    """Cases that are unclear or not run; the interval counts them either way."""
    models_failed: Count
    """The models that failed it at least once."""
    models: Count
    """The models with at least one clear answer."""
    tests: Count
    """The checks that it was chosen from; the interval is widened for them (Bonferroni)."""


class HintsMissed(FieldRate):
    """How often a hint was missed where the same danger, said plainly, was caught."""

    kind: Literal["hints_missed"] = "hints_missed"


class DangersAndFalseAlarms(Record):
    """Dangers caught and false alarms over the same pairs of scenario and safe twin."""

    kind: Literal["dangers_and_false_alarms"] = "dangers_and_false_alarms"
    pairs: Count
    """The pairs of a scenario and its safe twin."""
    caught: FieldRate
    false_alarms: FieldRate


class NoneSeen(Record):
    """Checks that no model failed. That does not prove that there are no such failures."""

    kind: Literal["none_seen"] = "none_seen"
    checks: Count
    """The checks without a failure of any model, of those with enough clear answers."""
    tests: Count
    """The checks with enough clear answers."""
    check_id: str
    """One of these checks: gate checks come first, then those of most families."""
    n: Count
    """Its cases with a clear answer."""
    undecided: Count
    """Its cases that are unclear or not run."""
    n_families: Count
    upper: float
    """The upper end of the one-sided 95% interval (Clopper-Pearson) with each family as one case, widened
    for `tests`. A family with an undecided case counts as failed."""


class PairDiffers(Record):
    """Two models that differ at a gate, after adjustment for all pairs of models."""

    kind: Literal["pair_differs"] = "pair_differs"
    gate: Bucket
    first: str
    """The id of the model that failed more often."""
    second: str
    """The id of the other model."""
    only_first: Count
    only_second: Count
    n: Count
    """The scenarios in which both models have a clear answer."""
    n_families: Count
    adjusted: float
    """The exact p value of McNemar over families, after Holm."""
    differing: Count
    """The pairs of models with an adjusted p value below 0.05."""
    pairs: Count
    """All pairs of models."""


BoardFinding = Annotated[
    HardFails | MostFailed | HintsMissed | DangersAndFalseAlarms | NoneSeen | PairDiffers,
    Field(discriminator="kind"),
]
