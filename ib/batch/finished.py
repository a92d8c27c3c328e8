"""A finished job as a report: its counts, and what thresholds of a build come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ib.batch.dense import parquet_records, results
from ib.batch.job import PLAN
from ib.batch.merge import MANIFEST
from ib.batch.places import Place
from ib.board.report.thresholds import BuildGate, thresholds
from ib.errors import DataError, UsageError
from ib.models.report.threshold import Outcome
from ib.models.scan.result import TranscriptResult
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.scans import BLINDSPOT, SUMMARY

FILES = {"text": SUMMARY, "md": SUMMARY, "json": BLINDSPOT}
"""The file of a job that is its report in a format."""


def is_job(place: Place) -> bool:
    """True if a folder, or a prefix of a bucket, has a job of an engine."""
    try:
        return place.read(PLAN) is not None
    except OSError:
        return False  # reported where the folder is read


def counts_of(place: Place, name: str) -> bytes:
    """The counts of a finished job in a format.

    Raises UsageError for a format that shows conversations, which a job does not keep, and DataError if the
    job is not merged.
    """
    if name not in FILES:
        found = "an engine keeps counts and quotes, and no conversations"
        raise UsageError(f"--format {name} shows conversations; {found}; choose {', '.join(FILES)}")
    data = place.read(FILES[name]) if place.read(MANIFEST) is not None else None
    if data is None:
        raise DataError.one(MANIFEST, None, "", "is missing: the job is not finished", "go on with --resume")
    return data


def gate_of_job(place: Place, fail_on: Sequence[str], benchmark: Path | None) -> tuple[Outcome, ...]:
    """What each threshold comes to over all rows. Raises as `report_of` of a scan does."""
    known = load_benchmark(benchmark)
    gate = BuildGate(thresholds(fail_on, known.checks))
    for result in _results(place, benchmark) if fail_on else ():
        gate.add(result)
    return gate.outcomes()


def _results(place: Place, benchmark: Path | None) -> Iterator[TranscriptResult]:
    """The result of each conversation, shard by shard."""
    known = load_benchmark(benchmark)
    for name in sorted(place.names("rows")):
        for _, result in results(parquet_records(place.source(f"rows/{name}")), known):
            yield result
