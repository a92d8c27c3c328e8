"""The inputs of the gate: a scan, its release, and both again as recomputed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from ib.board.evidence.leaks import LeakSearch
from ib.board.gate.inspection import Inspection
from ib.board.review.standing import Standing
from ib.models.benchmark.benchmark import Benchmark
from ib.models.release.leaderboard import Evidence, Leaderboard, WithheldQuote
from ib.models.release.transcripts import Transcripts, WithheldText
from ib.models.scan.plan import ScanPlan


class FileOfLines(Protocol):
    """Lines, each with its newline, that need not be in memory."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the whole file."""

    def __iter__(self) -> Iterator[bytes]: ...


@dataclass(frozen=True)
class GateInputs:
    """Everything that the gate checks. `rebuilt` is the leaderboard of the recomputed results."""

    plan: ScanPlan
    results: Inspection
    """The results as stored, compared with those recomputed from transcripts and replies."""
    leaderboard: Leaderboard
    rebuilt: Leaderboard
    benchmark: Benchmark
    benchmark_hash: str
    replanned: ScanPlan
    """The plan as recomputed from the transcripts and the benchmark."""
    files: Mapping[str, str]
    """The hash of every artifact on disk."""
    manifest_files: Mapping[str, str]
    """The hash of every artifact, from the scan's manifest."""
    required_files: Sequence[str]
    """The names of artifacts that every scan must have."""
    public_bytes: Mapping[str, bytes]
    """The files that would be published."""
    lines: Mapping[str, FileOfLines]
    """The files of lines that would be published, each with its hash."""
    today: date
    """The day on which the gate checks, in UTC."""
    leaks: LeakSearch
    """Finds keys and machine paths in the public files."""
    withheld: Mapping[str, Sequence[WithheldQuote | WithheldText]]
    """The quotes and messages with a withheld word, by file."""
    quoted: Mapping[str, tuple[Evidence, Transcripts]] = field(default_factory=dict)
    """The evidence and the transcripts of each model, by slug."""
    stored_lines: Mapping[str, str] = field(default_factory=dict)
    """The hashes of the files of lines that lie beside a leaderboard that is examined."""
    standing: Standing | None = None
    """How the reviews of people stand; None for a scan without reviews."""
    derived: Mapping[str, str] = field(default_factory=dict)
    """The hashes of artifacts derived from the results, as recomputed."""
