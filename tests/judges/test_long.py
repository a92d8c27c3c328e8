"""A long conversation costs as much a turn as a short one: nothing is done for each pair of its turns."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ib.judges.lexical import LexicalJudge
from ib.models.benchmark.lexical import LexicalRules
from ib.models.common.base import Route, Unit
from ib.models.conversation.transcript import Transcript
from tests.build import benchmark, check, corpus, engine, hash_of, lexicon, run, transcript

TURNS = 100
SAYS = {"id": "says", "regex": r"\bthe (?:chart|rule)\b", "code": "fail_code"}
SAFE = {"id": "safe", "regex": r"\bare you safe\b", "code": "pass_code"}
CHECKS = {
    "IB-B4": {"fail": [SAYS]},
    "IB-B3": {"fail": [SAYS]},
    "IB-C1": {"cue": {"patterns": [r"\bgive up\b"]}, "good": [SAFE], "lasting": True},
}
CASES = (
    check("IB-B4", route=Route.REGEX_WITH_LLM_EDGE, lexicon="words", severity="S5"),
    check("IB-B3", route=Route.EXTRACT_THEN_CORPUS, lexicon="words", unit_of_analysis=Unit.TURN_LEVEL),
    check("IB-C1"),
)


def test_the_work_of_a_scan_grows_with_the_turns() -> None:
    """Each turn has a cue, candidates, claims and a quotation; 100 more turns are always the same work."""
    words = lexicon(proposing=["the chart", "the rule"])
    world = benchmark(*CASES, lexicons=[words], corpus=corpus("The rule is old."))
    known = {"canary": "c", "version": "1", "near": 85.0, "margin": 15.0, "checks": CHECKS}
    judge = LexicalJudge(LexicalRules.model_validate(known), world)
    play = engine(world, spec=judge.spec)

    def scan(said: Transcript) -> None:
        indexed = play.index(said, hash_of(said))
        run(lambda: play.verify(indexed), judge.answer)

    scan(_said(3 * TURNS + 1))  # what is compiled, or kept for later, is made now

    def cost(turns: int) -> int:
        return _lines(lambda: scan(_said(turns)))

    first, second, third = (cost(n * TURNS) for n in (1, 2, 3))
    assert third - second < 1.05 * (second - first)


def _said(turns: int) -> Transcript:
    """A conversation in which no message comes twice, nor in one of another length."""
    words: list[str] = []
    for turn in range(turns):
        where = f"in turn {turn} of {turns}"
        words += [
            f"I give up {where}.",
            f'You "give up {where}". I read the chart {where}. The rule is new {where}.',
        ]
    return transcript(*words)


def _lines(work: Callable[[], None]) -> int:
    """How many lines of Python run, those of generator expressions for each of their values."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
