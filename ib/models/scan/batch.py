"""Batches of requests to a judge, as a scan writes them down."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import model_validator

from ib.models.common.base import Record, Sha256


class BatchLine(Record):
    """A line of `batches.jsonl`: a batch that is submitted next, or the id of one that was."""

    token: str
    """The random word in the metadata of the batch, by which it is found again."""
    requests: tuple[Sha256, ...] | None = None
    """The ids of its requests; only in the line before the batch is submitted."""
    batch: str | None = None
    """The id that the provider gave it; only in the line after it was submitted."""

    @model_validator(mode="after")
    def _one_of_both(self) -> BatchLine:
        if (self.requests is None) == (self.batch is None):
            raise ValueError("a line has either `requests` or `batch`")
        return self


@dataclass(frozen=True, slots=True)
class Submission:
    """A batch that was, or was about to be, submitted."""

    token: str
    requests: frozenset[str]
    """The ids of its requests."""
    batch: str | None = None
    """The id of the batch; None if the process ended before it was known."""
