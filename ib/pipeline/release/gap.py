"""The scan of a private draw beside the scan of a release, as the source of the gap between the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ib.errors import Refused
from ib.models.common.canonical import pretty
from ib.models.draw.keyed_slot import DrawKind
from ib.models.release.gap import GapRow, GapSource
from ib.models.release.rows import TranscriptRow
from ib.models.release.source import GAP
from ib.models.scan.plan import differences
from ib.pipeline.release.replayed import ReplayedScan
from ib.scenario.drawing import DrawKey
from ib.store.files.reading import decode
from ib.store.files.validation import model_of_json
from ib.store.folders import scans
from ib.store.folders.sources import document, packed_document


@dataclass(frozen=True)
class Draws:
    """What a release needs to know of private draws, and what stands beside its scan."""

    key: DrawKey | None = None
    """The key of the draw of the scan, or of that of `gap`; None if both are public."""
    gap: Path | None = None
    """A scan of a private draw, in which the models are compared; None for a release without a gap."""
    exams: tuple[Path, ...] = ()
    """Sittings of the exam that the release shows."""


PUBLIC = Draws()


def with_gap(replayed: ReplayedScan, other: ReplayedScan, place: str) -> ReplayedScan:
    """The scan of a release with the scan of a private draw beside it, which is at `place`.

    Raises Refused if they are not two draws of one version: the same draw, or another comparability key.
    """
    _check(replayed, other, place)
    gap = gap_of(other)
    return replace(replayed, gap=gap, source={**replayed.source, GAP: packed_document(pretty(gap))})


def gap_of(other: ReplayedScan) -> GapSource:
    """What a release carries of the scan of a private draw: verdicts and hashes."""
    assert other.draw is not None
    return GapSource(
        draw=other.draw,
        comparability_key=other.replanned.comparability_key,
        plan_hash=other.plan_hash,
        results_hash=other.files[scans.RESULTS],
        rows=tuple(_rows(other)),
    )


def stated_gap(release: Path) -> GapSource | None:
    """The source of the gap of a release, as the release states it; None if it has none."""
    path = release / GAP
    return model_of_json(GapSource, decode(document(path), str(path)), str(path)) if path.exists() else None


def _rows(other: ReplayedScan) -> Iterator[GapRow]:
    for model_id, lines in sorted(other.rows.items()):
        for line in islice(lines, 1, None):
            row = TranscriptRow.model_validate_json(line)
            yield GapRow(
                model_id=model_id,
                scenario_id=row.scenario_id,
                epoch=row.epoch,
                transcript_hash=row.transcript_hash,
                verdicts=row.verdicts,
            )


def _check(replayed: ReplayedScan, other: ReplayedScan, place: str) -> None:
    plans = (replayed.plan, other.plan)
    if replayed.draw is None or replayed.draw.kind is DrawKind.PRIVATE:
        raise Refused(f"no gap to {place}: it is shown in a release whose words anybody can know")
    if other.draw is None or other.draw.key_hash == replayed.draw.key_hash:
        raise Refused(f"no gap to {place}: it is of the same draw, {plans[0].draw}; a gap needs two draws")
    names = differences(*plans)
    if names:
        raise Refused(f"no gap to {place}: the comparability keys of the two scans differ", names)
