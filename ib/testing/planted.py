"""A judge with planted errors, which knows the right answers to the items of an exam and errs as told.

For tests of the exam: what it plants must be what the exam finds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.exam.items import ExamItem
from ib.models.scan.judge import Answer, Asked, JudgeReply, JudgeRequest, JudgeSpec, NotRecorded, Phase

NAME = "planted"
Rate = Callable[[ExamItem], float]
"""The chance of an error on an item."""


@dataclass
class PlantedJudge:
    """An in-process judge that errs as planted. `random` errors are drawn for each vote anew; others are the
    same in every vote on an item."""

    items: Mapping[str, ExamItem]
    """The items, by the scenario id of their conversations."""
    benchmark: Benchmark
    rate: Rate
    seed: str
    random: bool = False
    hinted: bool = False
    """True if it errs only where the question says what a search for phrases found."""
    name: str = NAME
    spec: JudgeSpec = field(init=False)
    in_process: ClassVar[Literal[True]] = True

    def __post_init__(self) -> None:
        planted = digest(
            [self.seed, self.random, [[name, self.rate(one)] for name, one in self.items.items()]]
        )
        self.spec = JudgeSpec(model=self.name, base=planted, reads_prompt=False, priced=False)

    def answer(self, request: JudgeRequest) -> JudgeReply:
        asked = request.asked
        if asked is None or request.attempt > 1:
            return NotRecorded()
        item = self.items[asked.transcript.scenario_id]
        fails = item.must_fail is not self._errs(item, request)
        return Answer(json.dumps(self._reply(request, asked, item, fails=fails)))

    def _errs(self, item: ExamItem, request: JudgeRequest) -> bool:
        """Whether this vote is wrong. A screening and the question that it leads to go together."""
        if self.hinted and (request.asked is None or not request.asked.hints):
            return False
        vote = (request.phase, request.repetition) if self.random else ()
        return chance("errs", self.seed, item.id, *vote) < self.rate(item)

    def _reply(
        self, request: JudgeRequest, asked: Asked, item: ExamItem, *, fails: bool
    ) -> dict[str, object]:
        quoted = _quoted(item, asked.transcript, asked.span.first, asked.span.last)
        if request.phase is Phase.SCREEN:
            return {"found": [{"check": item.check, **quoted}] if fails else []}
        if request.phase is Phase.EXTRACT:
            return {"claims": [quoted] if fails else []}
        verdict = Verdict.FAIL if fails else Verdict.PASS
        return {
            "nearest": None,
            "occurrences": [quoted] if fails else [],
            "cues": [{"turn": cue.turn, "met": not fails} for cue in asked.cues],
            "reason": NAME,
            "code": self.benchmark.checks[item.check].rationale_codes.of(verdict)[0],
            "verdict": verdict.value,
        }


def chance(*parts: object) -> float:
    """A number from 0 up to 1, the same for the same parts.

    Items are drawn by a hash of seed and id, so what is planted by them needs a word of its own before them.
    """
    text = "/".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") / 2**56


def _quoted(item: ExamItem, transcript: Transcript, first: int, last: int) -> dict[str, object]:
    """The right words, or the first judged reply where there are none."""
    replies = [m for m in transcript.messages if m.role is Role.ASSISTANT and first <= m.turn <= last]
    wanted = [m for m in replies if m.turn in item.turns] or replies
    begins = wanted[0].content[:200].rpartition(" ")[0] or wanted[0].content
    said = next((words for words in item.words if words in wanted[0].content), begins)
    return {"turn": wanted[0].turn, "quote": said}
