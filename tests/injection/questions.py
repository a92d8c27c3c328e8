"""Every kind of question that a judge is asked, and how its reply is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ib.engine.questions.asker import Asker
from ib.engine.questions.prompts import Invalidated, Question, Screening
from ib.engine.questions.replies import read_ballot, read_claims, read_screened
from ib.engine.reading.searched import IndexedTranscript
from ib.measures.grading import Item, grade, regard_items
from ib.models.common.base import Unit
from ib.models.conversation.scenario import RubricKind, ScoringDimension
from ib.models.scan.judge import Answer, Cue, Hint, JudgeRequest, JudgeSpec, Phase, UnitSpan
from ib.models.scan.supplement import Graded
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.supplementary import load_supplementary
from tests.build import check

WORLD = load_benchmark()
SUPPLEMENTARY = load_supplementary(benchmark_folder(), WORLD)
assert SUPPLEMENTARY is not None
GRADING, REGARD = SUPPLEMENTARY.grading, SUPPLEMENTARY.regard
SPEC = JudgeSpec(model="gullible")
SAID, LEFT_OUT = check("IB-C1"), check("IB-C2", failure="left_out")
ASKER = Asker(SPEC, WORLD.frame, {"IB-C1": "0" * 64, "IB-C2": "0" * 64})
WHOLE, BEGIN = UnitSpan(Unit.SESSION_STATE, 1, 2), UnitSpan(Unit.EVENT_WINDOW, 1, 1)
CUES = (Cue(1, 1, 1, raises=True), Cue(2, 2, 2, raises=True))
SCREENING = Screening("screening", (SAID, LEFT_OUT))
REACH = WORLD.scoring.corrected_quote_min_chars
YES_NO = Item("kind", RubricKind.BINARY, "Is the reply kind?", ScoringDimension.REGARD, turn=1)
LEVELS = Item("warm", RubricKind.ORDINAL, "How warm?", ScoringDimension.REGARD, ("cold", "warm"), turn=1)

Ask = Callable[[IndexedTranscript, str], JudgeRequest]
"""The request of a question about a conversation. The text is what it quotes beside the conversation."""
Read = Callable[[str, IndexedTranscript], object]
"""What the project makes of a reply."""


@dataclass(frozen=True)
class Kind:
    """One kind of question."""

    ask: Ask
    read: Read
    quotes: int = 0
    """How many blocks it has beside that of the conversation."""
    last: int = 2
    """The last turn that it shows."""


def _decide(again: bool = False, quotes: int = 0, **given: Any) -> Kind:
    values = {"check": SAID, "span": WHOLE, "phase": Phase.DECIDE, **given}

    def question(words: str) -> Question:
        hinted = {name: make(words) for name, make in values.items() if name in ("hints", "claim")}
        return Question(**{**values, **hinted})

    def ask(indexed: IndexedTranscript, words: str) -> JudgeRequest:
        earlier = Invalidated("a FAIL needs at least one occurrence", words) if again else None
        return ASKER.requests(question(words), indexed, (1,), earlier)[0]

    def read(text: str, _: IndexedTranscript) -> object:
        if values["phase"] is Phase.EXTRACT:
            return read_claims(text)
        return read_ballot(text, question("words"), values["check"].rationale_codes)

    return Kind(ask, read, quotes + again, values["span"].last)


def _screen(again: bool = False) -> Kind:
    def ask(indexed: IndexedTranscript, words: str) -> JudgeRequest:
        earlier = Invalidated("no object", words) if again else None
        return ASKER.screenings(SCREENING, indexed, (1,), earlier)[0]

    return Kind(ask, lambda text, _: read_screened(text, ("IB-C1", "IB-C2")), int(again))


def _grade(item: Item, again: bool = False) -> Kind:
    def ask(indexed: IndexedTranscript, words: str) -> JudgeRequest:
        asking = grade(item, indexed, GRADING, SPEC, REACH)
        requests = next(asking)
        if again:
            requests = asking.send(tuple(Answer("no object") for _ in requests))
        asking.close()
        return requests[0]

    def read(text: str, indexed: IndexedTranscript) -> object:
        return graded(item, indexed, text)

    return Kind(ask, read, last=1 if item.turn == 1 else 2)


def graded(item: Item, indexed: IndexedTranscript, text: str) -> Graded:
    """The grade of an item if every reply has this text."""
    asking = grade(item, indexed, GRADING, SPEC, REACH)
    requests = next(asking)
    try:
        while True:
            requests = asking.send(tuple(Answer(text) for _ in requests))
    except StopIteration as stop:
        found: Graded = stop.value
        return found


def _hints(words: str) -> tuple[Hint, ...]:
    return (Hint(1, words), Hint(2, words))


KINDS: dict[str, Kind] = {
    "decide": _decide(),
    "decide on the begin": _decide(span=BEGIN),
    "decide with hints": _decide(hints=_hints, quotes=1),
    "decide on a cue": _decide(span=BEGIN, cues=CUES[:1]),
    "decide an episode": _decide(span=WHOLE, cues=CUES),
    "decide on something left out": _decide(check=LEFT_OUT),
    "decide again": _decide(again=True),
    "decide an episode again": _decide(again=True, cues=CUES, hints=_hints, quotes=1),
    "verify": _decide(phase=Phase.VERIFY, claim=str, reference="- A statement.", quotes=1),
    "verify again": _decide(again=True, phase=Phase.VERIFY, claim=str, reference="- A statement.", quotes=1),
    "extract": _decide(phase=Phase.EXTRACT),
    "extract with hints, again": _decide(again=True, phase=Phase.EXTRACT, hints=_hints, quotes=1),
    "screen": _screen(),
    "screen again": _screen(again=True),
    "rubric": _grade(YES_NO),
    "rubric again": _grade(YES_NO, again=True),
    "rubric with levels": _grade(LEVELS),
    "regard": _grade(regard_items(REGARD)[0]),
    "regard again": _grade(regard_items(REGARD)[0], again=True),
}
