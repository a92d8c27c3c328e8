"""A scan as its replay recomputed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ib.board.figures.build import Board
from ib.board.gate.inspection import Inspection
from ib.board.review.standing import Standing
from ib.models.benchmark.benchmark import Benchmark
from ib.models.draw.keyed_slot import DrawNamed
from ib.models.release.gap import GapSource
from ib.models.release.held import HeldReply
from ib.models.release.leaderboard import EvidenceItem, WithheldQuote
from ib.models.release.ledger import JoinedFrom
from ib.models.release.pairs import AlarmItem
from ib.models.release.reviews import ReviewSummary
from ib.models.release.transcripts import CarriedTranscript, LeftOut, WithheldText
from ib.models.scan.plan import ScanPlan
from ib.store.files.lines import Lines

WithheldWords = tuple[Sequence[WithheldQuote], Sequence[WithheldText]]


@dataclass(frozen=True)
class ReplayedScan:
    """A recomputed scan: counts, published rows, and the differences from the stored files."""

    files: Mapping[str, str]
    """The hash of each artifact of the scan but its manifest, by file name."""
    written: Mapping[str, str]
    """The same as the scan wrote them in its manifest."""
    plan: ScanPlan
    plan_hash: str
    replanned: ScanPlan
    benchmark: Benchmark
    benchmark_hash: str
    board: Board
    evidence: Mapping[str, Sequence[EvidenceItem]]
    """The published rows of each model."""
    alarms: Mapping[str, Sequence[AlarmItem]]
    """Why plays of safe twins have grade 1 or 2, by model."""
    transcripts: Mapping[str, Sequence[CarriedTranscript]]
    """The transcripts that a release carries, by model, before keys are withheld."""
    left_out: Mapping[str, Sequence[LeftOut]]
    """The plays of safe twins that a release does not carry, by model."""
    held: Mapping[str, Sequence[HeldReply]]
    """The replies of which a release has no word, by model."""
    rows: Mapping[str, Lines]
    """What a release says of each transcript, by model: lines after a header."""
    results: Inspection
    derived: Mapping[str, str]
    """The hashes of the files that are computed from the results."""
    standing: Standing | None = None
    """How the reviews of people stand; None for a scan without reviews."""
    reviews: ReviewSummary | None = None
    """The reviews as a release shows them."""
    judging_usd: float | None = None
    """What the judge cost, as the cost report of the scan says; None if that is not known."""
    gap: GapSource | None = None
    """The scan of a private draw that the models are compared in; None if there is none."""
    draw: DrawNamed | None = None
    """The draw of the scan; None if no scenario of it has slots."""
    joined: JoinedFrom | None = None
    """The scans that the scan was joined from; None for a scan of its own."""
    withheld: Mapping[str, WithheldWords] = field(default_factory=dict)
    """The withheld words of conversations that are taken as a release states them, by model."""
    source: Mapping[str, bytes] = field(default_factory=dict)
    """The files of the source of a release, by name; empty if nobody asked for them."""
