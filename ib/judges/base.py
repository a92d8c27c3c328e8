"""The interface of judges: a judge answers requests and describes its abilities."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Literal, Protocol, TypeAlias

from ib.models.common.price import Price
from ib.models.scan.cost import Account
from ib.models.scan.judge import JudgeReply, JudgeRequest, JudgeSpec


class LocalJudge(Protocol):
    """A judge in this process. It answers one request at a time, at once and free of charge."""

    @property
    def in_process(self) -> Literal[True]: ...

    @property
    def spec(self) -> JudgeSpec:
        """Which judge this is, and what it can do: part of the plan."""

    def answer(self, request: JudgeRequest, /) -> JudgeReply: ...


class RemoteJudge(Protocol):
    """A judge elsewhere. Several requests run at once; answers are stored, so that a scan can resume."""

    @property
    def in_process(self) -> Literal[False]: ...

    @property
    def spec(self) -> JudgeSpec:
        """Which judge this is, and what it can do: part of the plan."""

    @property
    def lists_calls(self) -> bool:
        """True if `open` is told of every call."""

    @property
    def price(self) -> Price | None:
        """The price of its calls; None if it is unknown."""

    def open(self, account: Account, /) -> None:
        """Get ready for the first request. Calls that may cost something are written to `account`.

        Raises UsageError or WorldError if the judge cannot be asked.
        """

    @property
    def in_batches(self) -> bool:
        """True if requests are answered in batches that may take hours and outlive this process."""

    @property
    def room(self) -> int:
        """The most requests that the judge may work on at once. More requests only wait."""

    def answer(self, request: JudgeRequest, /) -> Awaitable[JudgeReply]: ...

    def give_up(self, error: Exception, /) -> None:
        """Begin no more calls: each that waits for its turn raises this error. Calls under way go on."""

    async def close(self) -> None:
        """Let go of connections; called in the event loop of the answers, when the work is over."""


Judge: TypeAlias = LocalJudge | RemoteJudge


def lists_calls(judge: Judge) -> bool:
    """True if a judge tells of every call, so that an answer without a call came from the cache."""
    return not judge.in_process and judge.lists_calls


def price_of(judge: Judge) -> Price | None:
    """The price of a judge's calls; None if it is unknown, or if calls cost nothing."""
    return None if judge.in_process else judge.price
