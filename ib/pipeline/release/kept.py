"""What people said of a scan, for a scan with some of its models: the reviews, and what was drawn."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from ib.board.review.earlier import check_of_dispute, drawn_earlier, kept_further
from ib.models.common.base import Carrying
from ib.models.review.batch import Draw
from ib.models.review.reviews import EarlierDraw, Review
from ib.pipeline.release.reading import FolderReading
from ib.pipeline.release.replay import Replay, misfits
from ib.store.folders.reviews import load_reviews


@dataclass(frozen=True)
class Kept:
    """The reviews of some models of a scan, and the batches in which they were asked for."""

    reviews: tuple[Review, ...] = ()
    draws: tuple[EarlierDraw, ...] = ()


def kept(scan: Path, models: Collection[str], benchmark: Path | None) -> Kept:
    """What people said of some models of a scan; nothing for a scan without reviews.

    The whole scan is computed again, because the verdicts that could be drawn are those of the machine.
    """
    if not load_reviews(scan):
        return Kept()
    with misfits(scan, "files of the scan", "name a finished scan and its benchmark"):
        reading = FolderReading(scan, benchmark)
        replay = Replay(reading, Carrying.NONE)
        replay.run()
    reviewed, results_hash = replay.reviewed, replay.machine.hexdigest()
    assert reviewed is not None
    earlier = {(one.batch, one.draw): one for one in reviewed.earlier}
    every: dict[tuple[str, Draw], None] = dict.fromkeys(earlier)
    every |= dict.fromkeys((one.batch, one.draw) for one in reviewed.every)
    draws = []
    for batch, draw in every:
        of = reviewed.asked(batch, draw, results_hash)
        if (batch, draw) in earlier:
            draws.append(kept_further(earlier[batch, draw], of, models))
        else:
            check_id = check_of_dispute(draw, reviewed.cases, results_hash)
            draws.append(drawn_earlier(batch, of, check_id, models))
    return Kept(
        tuple(one for one in reviewed.every if one.model_id in models),
        tuple(one for one in draws if one.models),
    )
