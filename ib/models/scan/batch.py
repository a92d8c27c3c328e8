"""Batches of requests to a judge, as a scan writes them down."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import model_validator

from ib.models.common.base import Record, Sha256


class BatchLine(Record):
    """A line of `batches.jsonl`: a batch that is submitted next, the id of one, or that one has ended."""

    token: str
    """The random word in the metadata of the batch, by which it is found again."""
    requests: tuple[Sha256, ...] | None = None
    """The ids of its requests; only in the line before the batch is submitted."""
    batch: str | None = None
    """The id that the provider gave it; only in the line after it was submitted."""
    ended: bool = False
    """True in the line after its answers were fetched, or after it was known that there are none."""

    @model_validator(mode="after")
    def _one_of_three(self) -> BatchLine:
        if (self.requests is not None) + (self.batch is not None) + self.ended != 1:
            raise ValueError("a line has either `requests` or `batch`, or says `ended`")
        return self


@dataclass(frozen=True, slots=True)
class Submission:
    """A batch that was, or was about to be, submitted."""

    token: str
    requests: frozenset[str]
    """The ids of its requests."""
    batch: str | None = None
    """The id of the batch; None if the process ended before it was known."""
    ended: bool = False
    """True if nothing of it is waited for any more."""
