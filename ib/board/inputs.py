"""What the gate looks at: a scan, the release made from it, and both made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ib.board.leaks import LeakSearch
from ib.models.benchmark import Benchmark
from ib.models.leaderboard import Leaderboard, WithheldQuote
from ib.models.plan import ScanPlan
from ib.models.result import TranscriptResult
from ib.models.supplement import Supplement
from ib.models.transcript import Provenance


@dataclass(frozen=True)
class GateInputs:
    """Everything that the gate looks at.

    `recomputed` was made again from transcripts and replies; `rebuilt` from what was recomputed.
    """

    plan: ScanPlan
    stored: Sequence[TranscriptResult]
    recomputed: Sequence[TranscriptResult]
    leaderboard: Leaderboard
    rebuilt: Leaderboard
    benchmark: Benchmark
    benchmark_hash: str
    replanned: ScanPlan
    """The plan, made again from the transcripts and the benchmark."""
    provenances: Mapping[tuple[str, str, int], Provenance]
    """The provenance that each transcript records."""
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
    contradictions: Sequence[str] = ()
    """Transcripts that contradict their scenario, a line each."""
    derived: Mapping[str, bytes] = field(default_factory=dict)
    """Artifacts that follow from the results, made again."""
    supplements: Sequence[Supplement] = ()
    supplements_recomputed: Sequence[Supplement] = ()
    """Supplementary measures, as written and as recomputed."""
