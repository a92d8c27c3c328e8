"""The full verification of one transcript: its checks and the measures beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import Asking, together
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.base import PutQuestion
from ib.models.scan.result import TranscriptResult
from ib.pipeline.scan.supplements import Beside

if TYPE_CHECKING:  # slow to import, and not needed by a scan without a judge or without twins
    from ib.models.conversation.scenario import Scenario
    from ib.models.exam.report import Outcome
    from ib.models.scan.over_alarm import OverAlarm
    from ib.models.scan.supplement import Supplement


class Judged(NamedTuple):
    """The result of the checks, and the supplementary measures if the scan has them."""

    result: TranscriptResult
    supplement: Supplement | None


class Watched(NamedTuple):
    """What the judge said of an exam item among the questions."""

    outcome: Outcome


Judgment: TypeAlias = "Judged | OverAlarm"
"""What a scan says of one transcript: over-alarm alone if it is a play of a safe twin."""


def judged(
    engine: ModeEngine,
    beside: Beside,
    indexed: IndexedTranscript,
    scenario: Scenario | None,
    put: list[PutQuestion] | None = None,
) -> Asking[Judgment]:
    """Verify all checks and supplementary measures of a transcript, in the same rounds of questions.

    A play of a safe twin is graded for over-alarm, and nothing else. `put` collects the questions on windows.
    """
    twin = indexed.transcript.twin
    if twin is not None:
        return (yield from beside.grader.measure(indexed, twin))
    if beside.supplementer is None:
        return Judged((yield from engine.verify(indexed, put)), None)
    measured = beside.supplementer.measure(indexed, scenario)
    askings: list[Asking[object]] = [engine.verify(indexed, put), measured]
    result, supplement = yield from together(askings)
    return Judged(cast("TranscriptResult", result), cast("Supplement", supplement))
