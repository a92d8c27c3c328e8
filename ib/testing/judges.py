"""Judges that answer with a function, for tests and experiments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ib.models.cost import PaidCall
from ib.models.judge import JudgeReply, JudgeRequest, JudgeSpec


def _spec() -> JudgeSpec:
    return JudgeSpec(model="scripted")


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
    room: int = 16
    """The most requests that the dispatcher hands over at once, unless one transcript has more."""

    price: ClassVar[None] = None

    def open(self, paid: Callable[[PaidCall], None], /) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing is open."""
