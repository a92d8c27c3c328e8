"""The seam to judges: a judge is anything that answers requests and says what it can do."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Literal, Protocol, TypeAlias

from ib.models.judge import JudgeReply, JudgeRequest, JudgeSpec


class LocalJudge(Protocol):
    """A judge in this process. It answers at once, its answers cost nothing, and it is asked in turn."""

    @property
    def in_process(self) -> Literal[True]: ...

    @property
    def spec(self) -> JudgeSpec:
        """Which judge this is, and what it can do: part of the plan."""

    def answer(self, request: JudgeRequest, /) -> JudgeReply: ...


class RemoteJudge(Protocol):
    """A judge elsewhere. Its answers are waited for, several at once, and kept for a resumed scan."""

    @property
    def in_process(self) -> Literal[False]: ...

    @property
    def spec(self) -> JudgeSpec:
        """Which judge this is, and what it can do: part of the plan."""

    def answer(self, request: JudgeRequest, /) -> Awaitable[JudgeReply]: ...

    async def close(self) -> None:
        """Let go of connections; called in the event loop of the answers, when the work is over."""


Judge: TypeAlias = LocalJudge | RemoteJudge
