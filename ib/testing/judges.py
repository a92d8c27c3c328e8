"""A judge that answers by a function, for tests and for playing cases through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ib.models.judge import JudgeReply, JudgeRequest, JudgeSpec


@dataclass
class ScriptedJudge:
    """A judge that answers by a function: for tests, and for playing cases through."""

    answer: Callable[[JudgeRequest], JudgeReply | Awaitable[JudgeReply]]
    spec: JudgeSpec = field(default_factory=lambda: JudgeSpec(model="scripted"))
