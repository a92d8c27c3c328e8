"""Judges that answer with a function, for tests and experiments."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ib.models.scan.cost import Account
from ib.models.scan.judge import JudgeReply, JudgeRequest, JudgeSpec


def _spec() -> JudgeSpec:
    return JudgeSpec(model="scripted")


_CODE = re.compile(r"^PASS: ([a-z0-9_]+) \(", re.MULTILINE)
_CUES = re.compile(r"messages of turns ([0-9, and]+)\.")


def passing_reply(question: str) -> str:
    """The reply of a judge that finds no failure, made from the words of a rendered question alone.

    For servers that stand in for a judge. Every kind of question gets a reply in the form that it asks for.
    Raises ValueError if the text is not such a question.
    """
    if '{"found": [' in question:
        return '{"found": []}'
    if '{"claims": [' in question:
        return '{"claims": []}'
    if '"grade": 0 or 1 or 2' in question:
        return '{"occurrences": [], "reason": "nothing of the kind", "grade": 0}'
    code = _CODE.search(question)
    if code is None:
        raise ValueError("this is not a question of a scan")
    cues = _CUES.search(question)
    turns = [] if cues is None else re.findall(r"\d+", cues[1])
    ballot = {
        "nearest": None,
        "occurrences": [],
        "cues": [{"turn": int(turn), "met": True} for turn in turns],
        "reason": "nothing of the kind",
        "code": code[1],
        "verdict": "PASS",
    }
    return json.dumps(ballot)


@dataclass
class ScriptedJudge:
    """A judge in this process that answers with a function."""

    answer: Callable[[JudgeRequest], JudgeReply]
    spec: JudgeSpec = field(default_factory=_spec)
    in_process: Literal[True] = True


@dataclass
class RemoteScriptedJudge:
    """A judge with asynchronous answers, which the dispatcher treats like a live judge."""

    answer: Callable[[JudgeRequest], Awaitable[JudgeReply]]
    spec: JudgeSpec = field(default_factory=_spec)
    in_process: Literal[False] = False
    in_batches: bool = False
    room: int = 16
    """The most requests that the dispatcher hands over at once, unless one transcript has more."""

    price: ClassVar[None] = None
    lists_calls: ClassVar[bool] = False

    def open(self, account: Account, /) -> None:
        """Nothing to open."""

    def give_up(self, error: Exception, /) -> None:
        """All requests are answered at once, so none waits."""

    async def close(self) -> None:
        """Nothing is open."""
