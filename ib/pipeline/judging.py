"""Everything that is asked of one transcript: its checks, and what stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from ib.engine.engine import ModeEngine
from ib.engine.indexed import IndexedTranscript
from ib.engine.protocol import Asking, together
from ib.models.result import TranscriptResult

if TYPE_CHECKING:  # slow to import, and a scan without a judge needs none of them
    from ib.measures.supplement import Supplementer
    from ib.models.scenario import Scenario
    from ib.models.supplement import Supplement

Judgment: TypeAlias = "tuple[TranscriptResult, Supplement | None]"
"""The result of one transcript, and its supplementary measures where there are any."""


def judged(
    engine: ModeEngine,
    supplementer: Supplementer | None,
    indexed: IndexedTranscript,
    scenario: Scenario | None,
) -> Asking[Judgment]:
    """All checks of a transcript and what stands beside them; both ask in the same rounds."""
    if supplementer is None:
        return (yield from engine.verify(indexed)), None
    askings: list[Asking[object]] = [engine.verify(indexed), supplementer.measure(indexed, scenario)]
    result, supplement = yield from together(askings)
    return cast("TranscriptResult", result), cast("Supplement", supplement)
