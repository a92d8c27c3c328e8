"""What the gate looks at: a scan, the release made from it, and both made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ib.board.inspection import Inspection
from ib.board.leaks import LeakSearch
from ib.models.benchmark import Benchmark
from ib.models.leaderboard import Leaderboard, WithheldQuote
from ib.models.plan import ScanPlan


@dataclass(frozen=True)
class GateInputs:
    """Everything that the gate looks at. `rebuilt` was made from the recomputed results."""

    plan: ScanPlan
    results: Inspection
    """The results as stored, compared with those recomputed from transcripts and replies."""
    leaderboard: Leaderboard
    rebuilt: Leaderboard
    benchmark: Benchmark
    benchmark_hash: str
    replanned: ScanPlan
    """The plan, made again from the transcripts and the benchmark."""
    files: Mapping[str, str]
    """The hash of every artifact on disk."""
    manifest_files: Mapping[str, str]
    """The hash of every artifact in the manifest of the scan."""
    required_files: Sequence[str]
    """The names of the artifacts that every scan has."""
    public_bytes: Mapping[str, bytes]
    """The files that would be published."""
    leaks: LeakSearch
    """Finds keys and machine paths in them."""
    withheld: Mapping[str, Sequence[WithheldQuote]]
    """The quotes of each evidence file in which a word was withheld."""
    derived: Mapping[str, str] = field(default_factory=dict)
    """The hashes of artifacts that follow from the results, made again."""
