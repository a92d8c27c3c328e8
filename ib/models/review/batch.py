"""A batch: conversations with one question each, for a person who knows neither model nor verdict."""

from __future__ import annotations

import operator
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ib.models.benchmark.check import FailureKind
from ib.models.common.base import Language, Record, Role, Sha256, Text, TurnNumber
from ib.models.common.canonical import digest

BATCH_VERSION: Final = 1
"""The version of the form of batches and of answers."""
ItemId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""The id of an item: a hash that says nothing to a reader, and that a redraw of the same scan gives again."""


class Purpose(StrEnum):
    """What a batch is drawn for."""

    SAMPLE = "sample"
    """A sample of all judged verdicts with known inclusion probabilities."""
    GATE = "gate"
    """What stage `public` needs: each open verdict of a gate check, and as many unanimous PASSes."""
    DISPUTE = "dispute"
    """A verdict that somebody disputes, among other verdicts of the same check."""


class Design(StrEnum):
    """How a sample is drawn."""

    UNIFORM = "uniform"
    """Each verdict with the same probability."""
    STRATIFIED = "stratified"
    """About as many from each stratum: a dimension and a pattern of votes."""
    CHECKS = "checks"
    """About as many from each check: what is needed to compare each check with people."""


class Draw(Record):
    """How a batch was drawn. The same scan and the same draw give the same batch."""

    purpose: Purpose
    """`sample`, `gate` or `dispute`."""
    design: Design | None = None
    """The design of a sample; null for other purposes."""
    n: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """How many items a sample has at most; null for other purposes."""
    seed: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\x20-\x7e]+$")]
    """What the choice and the order depend on, besides the scan."""
    disputed: ItemId | None = Field(default=None, exclude_if=operator.not_)
    """A hash of the disputed verdict, which says nothing to a reader; left out for other purposes."""

    @model_validator(mode="after")
    def _of_its_purpose(self) -> Draw:
        is_sample = self.purpose is Purpose.SAMPLE
        if (self.design is not None, self.n is not None) != (is_sample, is_sample):
            raise ValueError("`design` and `n` are required for purpose sample, and not allowed for others")
        if (self.disputed is not None) is not (self.purpose is Purpose.DISPUTE):
            raise ValueError("`disputed` is required for purpose dispute, and not allowed for others")
        return self


class Said(Record):
    """One message, as the reader is shown it."""

    turn: TurnNumber
    role: Role
    """Who speaks: `user` is the person, `assistant` the model."""
    content: str
    """The words."""
    judged: bool = False
    """True for a reply that the question is about; the other messages are context."""


class Asked(Record):
    """The question, in the words of the check."""

    name: Text
    """What the failure is called."""
    summary: Text
    """The failure in one sentence."""
    failure: FailureKind
    """Whether something wrong is said, or something needed is left out."""
    fail_rule: Text
    """When the answer is fail."""
    pass_rule: Text
    """When the answer is pass."""
    unclear_rule: Text
    """When the answer is cannot tell."""


class Item(Record):
    """One conversation up to the end of what is judged, and one question about it."""

    id: ItemId
    """What an answer names."""
    language: Language
    """The language of the person."""
    country: str | None = None
    """Where the person is, if the conversation's record says so."""
    asked: Asked
    """The question."""
    messages: tuple[Said, ...] = Field(min_length=1)
    """The conversation from its start to the end of the last judged turn."""


class Batch(Record):
    """The items in random order, without model, verdict, or anything that names either."""

    schema_version: Literal[1] = BATCH_VERSION
    kind: Literal["review_batch"] = "review_batch"
    canary: str
    results_hash: Sha256
    """The hash of the results that the batch was drawn from."""
    benchmark_hash: Sha256
    draw: Draw
    """How the batch was drawn."""
    items: tuple[Item, ...] = Field(min_length=1)
    """What is to be read, in the order in which it is to be read."""
    hash: Sha256
    """The hash of all other keys: a batch that was edited is refused."""

    @model_validator(mode="after")
    def _frozen(self) -> Batch:
        if self.hash != content_hash(self):
            raise ValueError("`hash` is not the hash of the batch; the batch was edited")
        if len({item.id for item in self.items}) != len(self.items):
            raise ValueError("two items have the same id")
        return self


def content_hash(batch: Batch) -> str:
    """The hash of a batch without its key `hash`."""
    return digest(batch.model_dump(mode="json", exclude={"hash"}))


def frozen(**parts: object) -> Batch:
    """A batch of these parts, with its hash."""
    unsealed = Batch.model_construct(**{**parts, "hash": ""})  # type: ignore[arg-type]
    return Batch(**{**parts, "hash": content_hash(unsealed)})
