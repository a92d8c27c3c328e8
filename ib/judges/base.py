"""The seam: whatever answers the requests of a verification."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from ib.models.judge import JudgeReply, JudgeRequest, JudgeSpec


class Judge(Protocol):
    """The seam: whatever answers requests. The live judge comes in behind it.

    A judge elsewhere has `async def answer`; one in the process a plain one.
    """

    @property
    def spec(self) -> JudgeSpec: ...

    @property
    def answer(self) -> Callable[[JudgeRequest], JudgeReply | Awaitable[JudgeReply]]: ...
