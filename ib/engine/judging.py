"""Everything that is asked of one transcript: its checks, and what stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ib.engine.modes import ModeEngine
from ib.engine.protocol import Asking, together
from ib.engine.reading import Reading
from ib.models.result import TranscriptResult

if TYPE_CHECKING:  # slow to import, and a scan without a judge needs none of them
    from ib.engine.supplement import Supplementer
    from ib.models.scenario import Scenario
    from ib.models.supplement import Supplement


def judged(
    engine: ModeEngine, supplementer: Supplementer | None, reading: Reading, scenario: Scenario | None
) -> Asking[tuple[TranscriptResult, Supplement | None]]:
    """All checks of a transcript and what stands beside them; both ask in the same rounds."""
    if supplementer is None:
        return (yield from engine.verify(reading)), None
    askings: list[Asking[object]] = [engine.verify(reading), supplementer.measure(reading, scenario)]
    result, supplement = yield from together(askings)
    return cast("TranscriptResult", result), cast("Supplement", supplement)
