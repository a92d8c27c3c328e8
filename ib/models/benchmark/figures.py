"""Measurements of the lexicons: their precision and their recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ib.models.common.base import Record, Sha256, Slug, Text

Count = Annotated[int, Field(ge=0)]
LEAST_HITS = 59
"""A lexicon that decides has at least this many judged hits: 59 of 59 right give a lower bound of .95."""
LEAST_PRECISION = 0.95
"""The least one-sided lower 95% bound of the precision of a lexicon that decides."""


class Judged(Record):
    """How many hits of a lexicon on real text were judged, and how many were right."""

    right: Count
    """Hits that were judged right."""
    hits: Count
    """All judged hits."""

    @model_validator(mode="after")
    def _of_all(self) -> Judged:
        _at_most({"right": self.right}, "hits", self.hits)
        return self


class MeasuredHits(Judged):
    """The hits that let a lexicon decide by itself: each judged, on text that it was not tuned on."""

    file: Text
    """A file of judged hits in the folder of the benchmark, such as `precision/unseen/NAME.jsonl`."""


class Precision(Record):
    """The precision of each lexicon on real text, for hits of patterns that decide with the lexical judge."""

    judged_by: Text
    """Who judged the hits."""
    lexicons: dict[Slug, Judged]
    """The figures of each lexicon."""


class JudgedHit(Record):
    """A line of `precision/LEXICON.jsonl`, or of the file that a lexicon names in `measured`: one hit on real
    text, and whether it was judged right."""

    lexicon: Slug
    """The name of the lexicon."""
    pattern: Slug
    """The id of the pattern that hit."""
    file: Text
    """The file of transcripts."""
    scenario_id: Text
    turn: Count
    start: Count
    """Where the hit begins in the message, in characters."""
    end: Count
    """Where the hit ends in the message, in characters."""
    sha256: Sha256
    """The SHA-256 of the words. The words themselves are not published here."""
    decides: bool
    """True if the pattern decides with the lexical judge."""
    correct: bool
    """True if the hit was judged right."""
    why: Text

    @property
    def place(self) -> tuple[object, ...]:
        """The place of the hit, which identifies it."""
        return (self.file, self.scenario_id, self.turn, self.start, self.end, self.pattern)


class BlindSentence(Record):
    """A line of `recall/*.jsonl`: a passage in wording that the lexicon was not tuned on."""

    lexicon: Slug
    """The name of the lexicon."""
    holds: bool
    """True if the passage holds what the lexicon looks for; a near miss shares its words and does not."""
    group: Slug | None = None
    certainty: Literal["clear", "arguable"] | None = None
    """How sure its author was; for a passage that holds what the lexicon looks for."""
    why: Text | None = None
    """Why it does not hold what the lexicon looks for; for a near miss."""
    text: Text
    """The passage."""

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        wanted = {"certainty"} if self.holds else {"why"}
        if {name for name in ("certainty", "why") if getattr(self, name) is not None} != wanted:
            raise ValueError(
                "a sentence with `holds: true` needs only `certainty`; a near miss needs only `why`"
            )
        if not self.holds and self.group is not None:
            raise ValueError("a near miss cannot have a `group`")
        return self


class UnseenGroup(Record):
    """What one group of a lexicon finds in passages that hold what the group looks for."""

    hold: Count
    """How many of the passages hold what the lexicon looks for."""
    decided: Count
    """Passages with a hit that decides."""
    proposed: Count
    """Passages with a hint only."""

    @model_validator(mode="after")
    def _of_those_that_hold(self) -> Self:
        _at_most({"decided": self.decided, "proposed": self.proposed}, "hold", self.hold)
        return self


class Unseen(UnseenGroup):
    """What a lexicon finds in passages that nobody tuned it on."""

    near: Count
    """How many passages share its words and do not hold it."""
    near_decided: Count
    """Near misses with a hit that decides."""
    near_proposed: Count
    """Near misses with a hint only."""
    groups: dict[Slug, UnseenGroup] = Field(default_factory=dict)
    """The figures of each group, if the lexicon has groups."""

    @model_validator(mode="after")
    def _of_those_near(self) -> Self:
        found = {"near_decided": self.near_decided, "near_proposed": self.near_proposed}
        _at_most(found, "near", self.near)
        return self


class Recall(Record):
    """What the lexicons find, rightly and wrongly, in sentences written to measure recall."""

    written_by: Text
    """Who wrote the passages."""
    lexicons: dict[Slug, Unseen]
    """The figures of each lexicon."""


def _at_most(parts: Mapping[str, int], of: str, whole: int) -> None:
    """Raise ValueError if parts add up to more than their whole."""
    if sum(parts.values()) > whole:
        said = " and ".join(f"{name} {count}" for name, count in parts.items())
        raise ValueError(f"{said} are more than {of} {whole}, their total")
