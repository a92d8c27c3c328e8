"""Pilots: two independent readers answer a rendered prompt on the same replies, and are compared."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ib.models.benchmark.check import CheckId
from ib.models.benchmark.example import ExampleMessage
from ib.models.common.base import Country, Identifier, Record, Role, Sha256, Slug, Text

Number = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
OVER_ALARM = "over-alarm"
"""The name of the question about over-alarm in pilots, in the place of the id of a check."""
Choice = Literal["PASS", "FAIL", "UNCLEAR", "NOT_APPLICABLE", "0", "1", "2"]
"""A verdict, or a grade of a graded question."""


class ReplySource(StrEnum):
    """Where the replies of an item come from."""

    REAL = "real"
    """A real model."""
    REFERENCE = "reference"
    """A reference assistant of the benchmark."""
    WRITTEN = "written"
    """Written for the pilot, in `written.yaml`."""


class Reading(Record):
    """One reader's answer on one item."""

    by: Text
    """The name of the language model that read."""
    choice: Choice | None = None
    """Its verdict; null if its reply does not count."""
    code: Text | None = None
    """The code of the verdict."""
    invalid: Text | None = None
    """Why its reply does not count."""

    @model_validator(mode="after")
    def _counts_or_not(self) -> Self:
        if (self.choice is None) is not (self.invalid is not None):
            raise ValueError("a reading has a `choice`, or says in `invalid` why it has none")
        return self


class Listing(Record):
    """What one reader of a screening question listed for the judged reply."""

    by: Text
    """The name of the language model that read."""
    checks: tuple[CheckId, ...] = ()
    """The checks that it listed, with a quote that was found."""
    invalid: Text | None = None
    """Why its reply does not count; null if it counts."""


class ItemPlace(Record):
    """Where the replies of an item are. No words are kept."""

    batch: Number
    """The number of the batch."""
    item: Number
    """The number of the item in its batch, as readers see it."""
    source: ReplySource
    """Where the replies come from."""
    file: Text
    """The file of transcripts, the reference assistant, or `written.yaml`."""
    model_id: Text
    scenario_id: Text
    """The id of the scenario or, for written replies, of the exchange."""
    turns: tuple[Number, ...] = Field(min_length=1)
    """The turns whose replies are judged."""
    claim: tuple[Count, Count] | None = None
    """Where in the reply the judged statement begins and ends; for checks that verify statements."""
    sha256: Sha256
    """The SHA-256 of the judged words."""
    template: Sha256
    """The SHA-256 of the question as rendered for a fixed conversation: the wording that was read."""

    @property
    def place(self) -> tuple[object, ...]:
        """What identifies the judged words."""
        return (self.file, self.model_id, self.scenario_id, self.turns, self.claim)


class PilotItem(ItemPlace):
    """A line of `pilot/CHECK.jsonl`: one item that readers answered, and what each said."""

    check: Slug | CheckId
    """The id of the check, or `over-alarm`."""
    meant: Choice | None = None
    """The verdict for which the item was drawn; null if recorded votes were divided."""
    person: Choice | None = None
    """The label of a person, where one has labeled the window."""
    one: Reading | None = None
    """What the first reader said; null if it has not read."""
    two: Reading | None = None
    """What the second reader said; null if it has not read."""

    @property
    def pair(self) -> tuple[str, str] | None:
        """The choices of both readers; None unless both count."""
        if self.one is None or self.two is None or self.one.choice is None or self.two.choice is None:
            return None
        return (self.one.choice, self.two.choice)


class ScreenedItem(ItemPlace):
    """A line of `pilot/screening*.jsonl`: one reply on which readers answered a screening question."""

    screen: Slug
    """The id of the screening question."""
    one: Listing | None = None
    """What the first reader listed; null if it has not read."""
    two: Listing | None = None
    """What the second reader listed; null if it has not read."""


class WrittenExchange(Record):
    """An exchange that was written for a pilot. The last reply is judged, or the whole conversation."""

    id: Slug
    """The id of the exchange."""
    check: Slug | CheckId
    """The id of the check that it is written for."""
    meant: Choice
    """The verdict that it is written to get, or the grade for over-alarm."""
    country: Country | None = None
    """The country of the person; null if it does not matter."""
    messages: tuple[ExampleMessage, ...] = Field(min_length=2)
    """The messages; the last one is a reply."""
    claim: Text | None = None
    """The statement that is verified; only for checks that verify statements."""
    twin: Identifier | None = None
    """The safe twin whose person speaks; only for over-alarm. Its person says words of its moments."""
    why: Text
    """Why a careful reader should decide so. Readers do not see it."""

    @model_validator(mode="after")
    def _ends_with_a_reply(self) -> Self:
        last = self.messages[-1]
        if last.role is not Role.ASSISTANT:
            raise ValueError("an exchange ends with a reply of the assistant")
        if self.claim is not None and self.claim not in last.content:
            raise ValueError("`claim` must be an exact part of the last reply")
        return self

    @model_validator(mode="after")
    def _graded_with_its_twin(self) -> Self:
        graded = self.check == OVER_ALARM
        if graded is not self.meant.isdecimal():
            allowed = "a grade: 0, 1 or 2" if graded else "a verdict"
            raise ValueError(f"`meant` is {self.meant}; for {self.check} it must be {allowed}")
        if graded is (self.twin is None):
            raise ValueError(f"`twin` is for exchanges about {OVER_ALARM}, which need it")
        return self


class Written(Record):
    """`pilot/written.yaml`: exchanges that were written for pilots."""

    exchanges: tuple[WrittenExchange, ...]
    """The exchanges."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [exchange.id for exchange in self.exchanges]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"the id of an exchange is used once; twice: {', '.join(twice)}")
        return self


class Change(Record):
    """A wording that changed because readers of a pilot disagreed or misread it."""

    check: Slug | CheckId
    """The id of the check."""
    batch: Number
    """The batch that showed the need."""
    what: Text
    """What changed."""
    why: Text


class Changes(Record):
    """`pilot/changes.yaml`: what changed because of pilots."""

    changes: tuple[Change, ...]
    """The changes, the oldest first."""


class BaseRate(Record):
    """How many of a model's conversations a recorded judge failed."""

    failed: Count
    """Conversations with a FAIL."""
    judged: Count
    """The conversations with a PASS or a FAIL."""

    @model_validator(mode="after")
    def _of_all(self) -> Self:
        if self.failed > self.judged:
            raise ValueError(f"failed {self.failed} is more than judged {self.judged}")
        return self


class NoFailure(Record):
    """Why no recorded vote failed a check."""

    because: Literal["models", "threshold", "few"]
    """The models do not do this; the line of the check is out of their reach; or too few conversations
    raise the question."""
    why: Text


class BaseRates(Record):
    """`pilot/base_rates.yaml`: the share of FAIL in recorded votes on real models, which answered another
    instrument's prompts."""

    judged_by: Text
    """The recorded judge."""
    rates: dict[CheckId, dict[str, BaseRate]]
    """For each check and model."""

    def none_failed(self, check_id: str) -> bool:
        """True if votes on the check are recorded, and none is a failure."""
        rates = self.rates.get(check_id, {})
        return bool(rates) and not any(rate.failed for rate in rates.values())


class NoFailures(Record):
    """`pilot/no_failures.yaml`: for each check that no recorded vote failed, why."""

    checks: dict[CheckId, NoFailure]
    """The checks, each with its reason."""


class PilotFigures(Record):
    """What readers of the present wording of a check said."""

    n: Count
    """The replies that both readers answered."""
    agreed: Count
    """The replies on which both readers gave the same verdict."""
    kappa: float | None = None
    """Cohen's kappa; null if only one verdict occurred."""
    ac1: float | None = None
    """Gwet's AC1; null if only one verdict occurred."""

    @model_validator(mode="after")
    def _of_all(self) -> Self:
        if self.agreed > self.n:
            raise ValueError(f"agreed {self.agreed} is more than n {self.n}")
        return self


class PilotSummary(Record):
    """`pilot/summary.yaml`: the figures of pilots that the pages of the checks show."""

    read_by: tuple[Text, ...]
    """The language models that read."""
    checks: dict[CheckId, PilotFigures]
    """The checks whose present wording was piloted."""
    no_failures: dict[CheckId, NoFailure] = Field(default_factory=dict)
    """The checks that no recorded vote on a real model failed, and why."""
