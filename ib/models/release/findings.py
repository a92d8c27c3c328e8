"""What a release found, as numbers. The kinds of finding are a fixed list, and pages make the sentences.

A release has a finding of a kind only if its data carries one; `ib.board.figures.findings` has the rules.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ib.models.common.base import Bucket, Record
from ib.models.scan.gates import Count


class CountOf(Record):
    """How many, of how many."""

    k: Count
    """How often it occurred."""
    n: Count
    """In how many cases with a clear answer."""


class FieldRate(CountOf):
    """A rate over all models together, with an interval that is clustered by scenario family.

    The lower end of the interval counts the undecided cases as not occurred, the upper end as occurred.
    """

    undecided: Count
    """Cases that should have a clear answer and have none. They are not among the n."""
    n_families: Count
    """The families with a clear answer."""
    low: float
    """The lower end of the 95% interval."""
    high: float

    @property
    def shares(self) -> tuple[float, float]:
        """The rate; from and to differ only if undecided cases are among the n."""
        return self.k / self.n, self.k / self.n


class GateOfModel(CountOf):
    """Hard fails by the judge of one model, of its transcripts that were due."""

    undecided: Count
    """Those of the n that are contested or incomplete."""


class HardFails(FieldRate):
    """How often a gate has a hard fail by the judge, over all models."""

    kind: Literal["hard_fails"] = "hard_fails"
    gate: Bucket
    n: Count
    """The transcripts that were due."""
    n_families: Count
    """The families with a transcript that was due."""
    undecided: Count
    """Those of the n that are contested or incomplete; `high` counts them as hard fails."""
    least: GateOfModel
    """The model with the lowest share, of the models with enough transcripts to show a rate; if several
    have it, the one with the smallest undecided share."""
    most: GateOfModel
    """The same for the model with the highest share."""

    @property
    def shares(self) -> tuple[float, float]:
        """The rate if no undecided transcript is a hard fail, and if all are."""
        return self.k / self.n, (self.k + self.undecided) / self.n


class TiedCheck(CountOf):
    """Another check that as many models failed."""

    check_id: str


class Gravest(FieldRate):
    """The gravest check that a model failed: of the highest severity, and then with the most failures.

    The interval counts undecided cases and contested failures either way.
    """

    kind: Literal["gravest"] = "gravest"
    check_id: str
    contested: Count
    """Those of the k that are contested."""
    tests: Count
    """The checks that it was chosen from; the interval is widened for them (Bonferroni)."""


class NotMeasured(CountOf):
    """The gate of which most is unknown."""

    kind: Literal["not_measured"] = "not_measured"
    gate: Bucket
    k: Count
    """Transcripts that are contested or incomplete at the gate."""
    n: Count
    """The transcripts that were due."""


class MostFailed(FieldRate):
    """The check that more models failed than any other, of the checks with enough clear answers.

    If as many models failed several checks, it is the one with the largest share of failures that are not
    contested, and `tied` has the others. The interval counts contested failures either way too, so that they
    cannot carry the finding.
    """

    kind: Literal["most_failed"] = "most_failed"
    check_id: str
    contested: Count
    """Those of the k that are contested."""
    undecided: Count
    """Cases that are unclear or not run; the interval counts them either way."""
    models_failed: Count
    """The models that failed it at least once; contested failures are not counted."""
    models: Count
    """The models with at least one clear answer."""
    tests: Count
    """The checks that it was chosen from; the interval is widened for them (Bonferroni)."""
    checks: Count
    """All checks of the release."""
    tied: tuple[TiedCheck, ...] = ()
    """The other checks that as many models failed, with the largest share first."""


class HintsMissed(FieldRate):
    """How often a hint was missed where the same danger, said plainly, was caught."""

    kind: Literal["hints_missed"] = "hints_missed"
    reverse: CountOf
    """How often the plain statement was missed where the hint was caught."""
    p: float
    """The exact p value of McNemar, over the families with more missed hints than missed plain statements
    and those with fewer."""


class DangersAndFalseAlarms(Record):
    """Dangers caught and false alarms over the same pairs of scenario and safe twin."""

    kind: Literal["dangers_and_false_alarms"] = "dangers_and_false_alarms"
    pairs: Count
    """The pairs of a scenario and its safe twin with a clear answer of at least one model."""
    models: Count
    """The models with a clear answer."""
    caught: FieldRate
    """Dangers caught, over all models."""
    false_alarms: FieldRate
    """False alarms, over all models."""


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
    """The families with a clear answer."""
    upper: float
    """The upper end of the one-sided 95% interval (Clopper-Pearson) with each family as one case, widened
    for `tests`. A family with an undecided case counts as failed, so families in which all cases are
    undecided are cases here too."""


class PairDiffers(Record):
    """Two models that differ at a gate, after adjustment for all pairs of models."""

    kind: Literal["pair_differs"] = "pair_differs"
    gate: Bucket
    first: str
    """The id of the model that failed more often in more families than the other."""
    second: str
    """The id of the other model."""
    only_first: Count
    """Scenarios in which only the first model has a hard fail."""
    only_second: Count
    """Scenarios in which only the second model has a hard fail."""
    families_first: Count
    """Families in which the first model failed more often."""
    families_second: Count
    """Families in which the second model failed more often."""
    n: Count
    """The shared transcripts in which both models have a clear answer."""
    undecided: Count
    """The shared transcripts in which at least one of the models has no clear answer."""
    n_families: Count
    difference: float
    """(only_first - only_second) / n."""
    low: float
    """The lower end of the 95% interval of the difference, which is not adjusted for the choice of the
    pair."""
    high: float
    adjusted: float
    """The exact p value of McNemar over families, after Holm."""
    adjusted_against: float
    """The same if every undecided transcript goes against the difference."""
    differing: Count
    """The pairs of models with an adjusted p value below 0.05, and a difference of cases in the same
    direction."""
    surviving: Count
    """Those of them that differ also if every undecided transcript goes against the difference."""
    pairs: Count
    """All pairs of models."""


BoardFinding = Annotated[
    Gravest
    | MostFailed
    | NotMeasured
    | HardFails
    | HintsMissed
    | DangersAndFalseAlarms
    | NoneSeen
    | PairDiffers,
    Field(discriminator="kind"),
]


class Roots(Record):
    """FAIL rows of a model, and their roots. They are counts; no rate is made of them."""

    gate_failures: Count
    """FAIL rows of gate checks."""
    gate_roots: Count
    """Their roots: failures of one transcript with one root count once."""
    quality_failures: Count
    """FAIL rows of quality checks."""
    quality_roots: Count
    """Their roots."""

    @model_validator(mode="after")
    def _no_more_than_failures(self) -> Roots:
        for kind, failures, roots in (
            ("gate", self.gate_failures, self.gate_roots),
            ("quality", self.quality_failures, self.quality_roots),
        ):
            if roots > failures or bool(roots) is not bool(failures):
                raise ValueError(f"{failures} {kind} failures cannot have {roots} roots")
        return self
