"""The full verification of one transcript: its checks and its supplementary measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from ib.engine.engine import ModeEngine
from ib.engine.indexed import IndexedTranscript
from ib.engine.protocol import Asking, together
from ib.engine.verifiers.base import PutQuestion
from ib.models.result import TranscriptResult

if TYPE_CHECKING:  # slow to import, and not needed by a scan without a judge
    from ib.measures.supplement import Supplementer
    from ib.models.scenario import Scenario
    from ib.models.supplement import Supplement

Judgment: TypeAlias = "tuple[TranscriptResult, Supplement | None]"
"""The result of one transcript, and its supplementary measures if the scan has them."""


def judged(
    engine: ModeEngine,
    supplementer: Supplementer | None,
    indexed: IndexedTranscript,
    scenario: Scenario | None,
    put: list[PutQuestion] | None = None,
) -> Asking[Judgment]:
    """Verify all checks and supplementary measures of a transcript, in the same rounds of questions.

    `put` collects the questions on windows.
    """
    if supplementer is None:
        return (yield from engine.verify(indexed, put)), None
    askings: list[Asking[object]] = [engine.verify(indexed, put), supplementer.measure(indexed, scenario)]
    result, supplement = yield from together(askings)
    return cast("TranscriptResult", result), cast("Supplement", supplement)
