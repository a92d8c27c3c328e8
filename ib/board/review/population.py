"""The verdicts that people may review: which pattern of votes each has, and which stratum it is in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from ib.models.common.base import Bucket, Verdict
from ib.models.common.reason import Reason
from ib.models.review.reviews import RowKey
from ib.models.scan.result import TranscriptResult, VerdictResult


class Pattern(StrEnum):
    """How the votes on a verdict fell."""

    UNANIMOUS_PASS = "unanimous_pass"
    """A PASS of all votes, or of a rule."""
    SPLIT_PASS = "split_pass"
    """A PASS against other votes, or with a vote that does not count (voided)."""
    NO_PHRASE = "no_phrase_found"
    """A PASS only because no phrase was found."""
    UNANIMOUS_FAIL = "unanimous_fail"
    SPLIT_FAIL = "split_fail"
    """A FAIL of most votes, against others or with a voided vote."""
    CONTESTED = "contested"
    """A FAIL of fewer than most votes."""
    UNCLEAR = "unclear"
    SPLIT_NOT_APPLICABLE = "split_not_applicable"
    """NOT_APPLICABLE on a gate check, against other votes or with a voided vote."""

    @property
    def verdict(self) -> Verdict | None:
        """PASS or FAIL, as the machine said. None if it said neither."""
        if self in (Pattern.UNANIMOUS_FAIL, Pattern.SPLIT_FAIL, Pattern.CONTESTED):
            return Verdict.FAIL
        if self in (Pattern.UNANIMOUS_PASS, Pattern.SPLIT_PASS, Pattern.NO_PHRASE):
            return Verdict.PASS
        return None


def pattern_of(row: VerdictResult) -> Pattern | None:
    """The pattern of a row. None for a row that is not reviewed: no verdict, or a plain NOT_APPLICABLE."""
    if row.verdict is None:
        return None
    if row.verdict is Verdict.NOT_APPLICABLE:
        return Pattern.SPLIT_NOT_APPLICABLE if row.unsettled else None
    if row.verdict is Verdict.UNCLEAR:
        return Pattern.UNCLEAR
    if row.contested:
        return Pattern.CONTESTED
    if row.reason is Reason.NO_PHRASE_FOUND:
        return Pattern.NO_PHRASE
    if row.verdict is Verdict.FAIL:
        return Pattern.SPLIT_FAIL if row.split else Pattern.UNANIMOUS_FAIL
    return Pattern.SPLIT_PASS if row.split else Pattern.UNANIMOUS_PASS


@dataclass(frozen=True, slots=True)
class Case:
    """One verdict of the machine that a person can review."""

    key: RowKey
    bucket: Bucket
    gates: bool
    """True if a FAIL of the check closes a gate."""
    pattern: Pattern

    @property
    def stratum(self) -> str:
        """The dimension and the pattern of votes, such as `A/contested`."""
        return f"{self.bucket}/{self.pattern}"

    @property
    def is_open(self) -> bool:
        """True for a verdict of a gate check that stage `public` does not take without a person."""
        return self.gates and self.pattern is not Pattern.UNANIMOUS_PASS


def cases_of(result: TranscriptResult) -> Iterator[Case]:
    """The cases of one conversation, from the rows as the machine gave them."""
    for row in result.rows:
        pattern = pattern_of(row)
        if pattern is not None:
            key = (result.model_id, result.scenario_id, result.epoch, row.mode_id)
            yield Case(key, row.primary_bucket, row.gate is not None, pattern)


def shuffled(cases: Iterable[Case], seed: str, results_hash: str, why: str) -> list[Case]:
    """The cases in an order that depends on nothing but their keys, the seed, the results and `why`."""
    return sorted(cases, key=lambda case: key_hash(case.key, seed, results_hash, why))


def key_hash(key: RowKey, seed: str, results_hash: str, why: str) -> str:
    """A hash of one row for one purpose. It says nothing about the row to somebody who reads a batch."""
    parts = [why, seed, results_hash, *map(str, key)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
