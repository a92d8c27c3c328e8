"""How a check was compared with labels: the compared items, and the figures that follow from them.

Who labeled decides what a comparison is worth. Labels of language models are counted and shown, and are never
called human.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ib.models.common.base import Identifier, Played, Record, Sha256, Text, TurnNumber, Verdict
from ib.models.common.reader import Pseudonym, ReaderRole

FOLDER = "calibration"
"""The folder of a benchmark with compared items."""
LEAST_ITEMS, LEAST_FAILURES, LEAST_FAMILIES, LEAST_PEOPLE = 50, 15, 15, 2
"""What `validated` needs of the items that two people or more labeled blind."""
Count = Annotated[int, Field(ge=0)]
Figure = float
"""A figure rounded to four decimals, as files have it."""


class CalibrationStatus(StrEnum):
    VALIDATED = "validated"
    PROVISIONAL = "provisional"
    UNVALIDATED = "unvalidated"


class Annotator(Record):
    """Who gave labels."""

    name: Pseudonym
    """What the annotator is called."""
    role: ReaderRole
    """`clinician`, `caregiver`, `researcher`, `other`, or `language_model`, which is no person."""
    blind: bool
    """True if the annotator saw neither the model, nor the judge's verdict, nor the labels of others."""

    @property
    def counts(self) -> bool:
        """True for a person who labeled blind."""
        return self.blind and self.role.is_person


class Label(Record):
    """What one annotator said about one conversation and check."""

    by: Pseudonym
    """The annotator."""
    verdict: Verdict
    turns: tuple[TurnNumber, ...] = ()
    """For a FAIL: the turns whose replies fail, if the annotator named them."""


class CalibrationItem(Played):
    """A line of `calibration/CHECK.jsonl`: one conversation, the labels, and the verdict. It has no words."""

    epoch: int | None = None
    check_id: Identifier
    """The id of the check."""
    family: Text
    """The scenario family; for a log, the conversation itself."""
    transcript_hash: Sha256
    row_hash: Sha256
    """The hash of the row of the scan."""
    verdict: Verdict | None
    """The verdict of the judge; null if the scan has none. A hit of a lexicon without a judge is a FAIL."""
    turns: tuple[TurnNumber, ...] = ()
    """For a FAIL: the turns in which the judge found it."""
    labels: tuple[Label, ...] = Field(min_length=1)
    """The labels, in the order of the names."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        names = [label.by for label in self.labels]
        if names != sorted(set(names)):
            raise ValueError("`labels` has each annotator once, in the order of their names")
        return self


class CountedShare(Record):
    """k of n cases, and an interval that covers both outcomes of the undecided ones."""

    k: Count
    """The cases that count."""
    n: Count
    """All cases."""
    unclear: Count = 0
    """How many of the n the judge called UNCLEAR: they are not among the k, and the interval reaches from
    none of them to all of them."""
    low: Figure | None = None
    """The lower end of the 95% interval, clustered by family; null without a case."""
    high: Figure | None = None
    """The upper end of it."""

    @model_validator(mode="after")
    def _of_all(self) -> Self:
        if self.k + self.unclear > self.n:
            raise ValueError(f"{self.k} and {self.unclear} unclear are more than n {self.n}")
        return self


class AgreementFigures(Record):
    """How far two agree on whether the check failed: FAIL, or any other verdict."""

    n: Count
    """The items on which both said something."""
    agreed: Count
    """Those on which both said FAIL, or neither."""
    kappa: Figure | None = None
    """Cohen's kappa; null if only one of both occurred."""
    kappa_low: Figure | None = None
    """The lower end of its 95% interval, clustered by family."""
    kappa_high: Figure | None = None
    """The upper end of it."""
    ac1: Figure | None = None
    """Gwet's AC1; null if only one of both occurred."""
    ac1_low: Figure | None = None
    """The lower end of its 95% interval, clustered by family."""
    ac1_high: Figure | None = None
    """The upper end of it."""


class AnnotatorPair(Record):
    """The agreement of two annotators on the items that both labeled."""

    one: Pseudonym
    """The first by name."""
    other: Pseudonym
    """The second by name."""
    on_fail: AgreementFigures
    """On FAIL or not."""
    same_verdict: CountedShare
    """How often both gave the same of the four verdicts."""
    same_turn: CountedShare
    """Of the items that both failed with turns: how often a turn is the same."""


class CalibrationFigures(Record):
    """What follows from the compared items."""

    basis: Literal["people", "language_models"]
    """Whose labels make the consensus: those of people or, where no person labeled, of language models."""
    items: Count
    """The items with a label."""
    conversations: Count
    """Their conversations."""
    families: Count
    """Their scenario families; a log is a family of its own."""
    open: Count
    """Items without a consensus, or whose consensus is UNCLEAR; they are in no rate."""
    unanswered: Count
    """Items on which the scan has no verdict; they are in no rate."""
    failures: Count
    """Items whose consensus is FAIL."""
    blind_items: Count
    """Items that two people or more labeled blind."""
    blind_failures: Count
    """Those of them whose consensus is FAIL."""
    blind_families: Count
    """The families of `blind_items`."""
    table: dict[Verdict, dict[Verdict, Count]]
    """Items by consensus, then by the judge's verdict."""
    judge: AgreementFigures
    """The judge with the consensus."""
    sensitivity: CountedShare
    """FAILs of the judge, of the items whose consensus is FAIL."""
    specificity: CountedShare
    """PASSes and NOT_APPLICABLEs of the judge, of the items whose consensus is one of both."""
    same_turn: CountedShare
    """Of the items that consensus and judge fail with turns: how often a turn is the same."""
    alpha: Figure | None = None
    """Krippendorff's alpha of all annotators, on FAIL or not; null with fewer than two."""
    pairs: tuple[AnnotatorPair, ...] = ()
    """Each pair of annotators."""


class SourceFile(Record):
    """A file that the items were made from. It is not needed to count them."""

    name: Text
    """The name of the file without its folder."""
    sha256: Sha256
    """The hash of its bytes."""


class MeasuredCalibration(Record):
    """A comparison with labels, as `ib calibrate` proposes it. Loading the benchmark counts it again."""

    file: Text
    """The compared items in the folder of the benchmark: `calibration/CHECK.jsonl`."""
    sha256: Sha256
    """The hash of that file."""
    wording: Sha256 | None
    """The hash of what a judge reads of the check, with frame and lexicon; null if the judge's votes answer
    another wording."""
    judge: Text
    """The judge."""
    judge_hash: Sha256
    """The hash of the judge with its parameters; for a recording, with the hash of its files."""
    labels: tuple[SourceFile, ...] = Field(min_length=1)
    """The files with the labels."""
    results: Sha256
    """The hash of the results of the scan."""
    annotators: tuple[Annotator, ...] = Field(min_length=1)
    """Who labeled."""
    figures: CalibrationFigures
    """What follows from the items."""

    @property
    def lacks(self) -> tuple[str, ...]:
        """What is missing for `validated`, in words. Whether the figures are good is not asked."""
        told = self.figures
        needs = (
            (told.blind_items, LEAST_ITEMS, f"items that {LEAST_PEOPLE} people labeled blind"),
            (told.blind_failures, LEAST_FAILURES, "failures among them"),
            (told.blind_families, LEAST_FAMILIES, "families"),
        )
        found = [f"{have} of {need} {what}" for have, need, what in needs if have < need]
        if self.wording is None:
            found.append("the judge answered another wording of the question")
        return tuple(found)

    @property
    def status(self) -> CalibrationStatus:
        """`validated`, `provisional` for labels of people that do not suffice, else `unvalidated`."""
        if not self.lacks:
            return CalibrationStatus.VALIDATED
        if self.figures.basis == "people" and self.wording is not None:
            return CalibrationStatus.PROVISIONAL
        return CalibrationStatus.UNVALIDATED


class Calibration(Record):
    """How far the check has been compared with people's judgment."""

    status: CalibrationStatus
    """Without `measured` a statement, which counts for nothing. With it, what the items give."""
    note: Text
    """What is known, in a sentence. With `measured`, the sentence that `ib calibrate` writes."""
    gold_n: Count = 0
    """How many labels of people a statement rests on. It counts for nothing."""
    measured: MeasuredCalibration | None = None
    """A comparison with labels, whose items are in the benchmark."""

    @property
    def shown(self) -> CalibrationStatus:
        """The status that was counted; `unvalidated` for a statement, which has no labels to count."""
        return CalibrationStatus.UNVALIDATED if self.measured is None else self.measured.status

    def of(self, judge_hash: str) -> CalibrationStatus:
        """The status for verdicts of this judge. A comparison with another judge does not carry over."""
        same = self.measured is not None and self.measured.judge_hash == judge_hash
        return self.shown if same else CalibrationStatus.UNVALIDATED

    @model_validator(mode="after")
    def _validated_needs_gold(self) -> Self:
        if self.measured is not None and self.status is not self.measured.status:
            raise ValueError(f"`status` is {self.status}, and the figures give {self.measured.status}")
        if self.status is CalibrationStatus.VALIDATED and self.measured is None and self.gold_n == 0:
            raise ValueError("a validated check names the size of its gold set in gold_n")
        return self


class Use(StrEnum):
    """What a published set can do for a check."""

    LABELS = "labels"
    """Its labels can be compared with verdicts of the check."""
    TEXT = "text"
    """Its conversations can be labeled for the check; its own labels ask something else."""
    NONE = "none"
    """It bears on the check, and cannot be used."""


class BearsOn(Record):
    """What a published set says about one check."""

    check: Identifier
    """The id of the check."""
    use: Use
    """`labels`, `text` or `none`."""
    why: Text
    """What fits, and what does not."""


class PublishedSet(Record):
    """A set of labeled conversations that others published."""

    id: Identifier
    """A name, unique in the file."""
    title: Text
    """What it is called."""
    citation: Text
    """Author, year, title, and where it was published."""
    url: Annotated[str, Field(pattern=r"^https://\S+$")] | None
    """Where it can be had; null if no address is known."""
    license: Text
    """The license as its source states it, or `not checked`."""
    holds: Text
    """What it has, and who labeled."""
    does_not_fit: Text
    """Why it is not simply a calibration of this benchmark."""
    checked: date
    """The day on which the entry was last worked on."""
    not_checked: tuple[Text, ...]
    """What of the entry could not be checked on that day; empty if everything was read at the source."""
    bears_on: tuple[BearsOn, ...]
    """The checks that it bears on; empty if none."""


class PublishedSets(Record):
    """`calibration/external.yaml`: published sets of labels, and what they can do for which check."""

    sets: tuple[PublishedSet, ...]
    """The sets."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [one.id for one in self.sets]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"a set is listed once; twice: {', '.join(twice)}")
        return self
