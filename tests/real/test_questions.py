"""The questions of a publish scan of the real transcripts: how many, and how much a cache can serve."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import pytest

from ib.engine.questions.protocol import begin
from ib.models.scan.judge import JudgeRequest, NotRecorded
from ib.pipeline.scan.prepare import ScanOptions, prepare_scan
from ib.testing.judges import ScriptedJudge
from tests.real.conftest import TRANSCRIPTS

pytestmark = pytest.mark.real

BEFORE = {"google-gemma-4-31b-it": 2455, "qwen-qwen3-6-35b-a3b": 2601}
"""The questions of the first round when candidates had questions of their own."""


def questions(path: Path) -> Iterator[tuple[JudgeRequest, ...]]:
    """The first round of each transcript, in the order in which a live judge is asked."""
    options = ScanOptions(profile="publish", judge=ScriptedJudge(lambda _: NotRecorded()))
    prepared = prepare_scan([path], options)
    for indexed in prepared.engine.index_all(prepared.spool.pairs(0)):
        first, _ = begin(prepared.engine.verify(indexed))
        longest = max(first, key=lambda request: request.unit.last)
        yield (longest, *(request for request in first if request is not longest))
    prepared.spool.close()


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name.split(".")[0])
def test_fewer_questions_and_a_common_beginning(real: Path, path: Path) -> None:
    """At most 0.85 of the questions asked when phrases were confirmed; 0.84 while some phrases decided
    without a question, and 0.80 before guarantees about data were looked for everywhere and claims were
    extracted with every vote. A prefix cache can serve 85 percent of the characters with repetitions, and 70
    percent of those of distinct prompts."""
    asked = characters = served = distinct = served_of_distinct = 0
    for requests in questions(path):
        known: dict[str, None] = {}
        for request in requests:
            text = f"{request.system}\0{request.user}"
            common = len(text) if text in known else max((_common(text, k) for k in known), default=0)
            asked, characters, served = asked + 1, characters + len(text), served + common
            if text not in known:
                distinct, served_of_distinct = distinct + len(text), served_of_distinct + common
            known[text] = None
    assert asked <= 0.85 * BEFORE[path.name.split(".")[0]]
    assert served >= 0.85 * characters
    assert served_of_distinct >= 0.70 * distinct


def _common(one: str, other: str) -> int:
    """The length of the common beginning of two texts."""
    return bisect_left(range(1, min(len(one), len(other)) + 1), True, key=lambda n: one[:n] != other[:n])
