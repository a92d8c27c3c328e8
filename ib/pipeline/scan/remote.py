"""Asking a remote judge: the requests of several transcripts at once.

This module sets no limit on concurrent calls; the pace of the client does (`ib.client.pace`). It begins
transcripts so that the judge always has as many requests as the pace may allow, and no more than that.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ib.engine.questions.protocol import Asking, Replies, Requests, drive
from ib.judges.base import RemoteJudge
from ib.models.scan.judge import JudgeReply, JudgeRequest
from ib.pipeline.common.in_flight import InFlight
from ib.pipeline.common.loop import Loop
from ib.store.folders.journal import Numbered, Order, Placed

Result = TypeVar("Result")
TRIAL = 10
"""How many questions a judge is asked at once until one reply counts, so that few are paid for in vain."""


class Desk(Protocol):
    """What is known already, and where replies are kept before they are used."""

    def known(self, request: JudgeRequest, order: Order) -> JudgeReply | None: ...
    def keep(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> JudgeReply: ...
    @property
    def heard(self) -> bool: ...
    def second(self, request: JudgeRequest, reply: JudgeReply) -> JudgeRequest | None: ...
    def keep_ahead(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None: ...


@dataclass
class RemoteRun:
    """One run over the transcripts of a scan. Use each object once."""

    judge: RemoteJudge
    desk: Desk
    ahead: int
    """The most transcripts that are begun and not yet yielded."""
    waiting: int = 0
    """The number of requests that the judge has and has not answered."""
    _begun: deque[asyncio.Task[Any]] = field(default_factory=deque)
    _failed: asyncio.Task[Any] | None = None
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _in_flight: InFlight = field(default_factory=InFlight)
    _trial: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TRIAL))
    """Held by the questions to a judge that has not given a reply that counts."""
    _trusted: bool = False
    """True once it has, in this session."""

    def run(self, verifications: Iterable[Asking[Result]]) -> Iterator[Result]:
        """The result of every verification, in the order given.

        If one of them fails, its error is raised at once, so that no more calls are paid for.
        """
        source = enumerate(verifications)
        with Loop() as runner:
            try:
                while (task := runner.run(self._next(source))) is not None:
                    yield task.result()
            except Exception:
                if not self.judge.in_batches:  # batches go on without this process
                    runner.run(self._in_flight.drain())  # calls under way are paid for: keep their answers
                raise
            finally:
                for task in self._begun:
                    task.cancel()
                runner.run(self.judge.close())

    async def _next(self, source: Iterator[tuple[int, Asking[Result]]]) -> asyncio.Task[Result] | None:
        """The next transcript in plan order when it is done, or one that failed. None after the last."""
        while self._failed is None:
            if self._begun and self._begun[0].done():
                return self._begun.popleft()
            if self._has_room and (item := next(source, None)) is not None:
                self._begin(*item)
                await asyncio.sleep(0)  # the transcript asks its first questions
            elif self._begun:
                self._moved.clear()
                await self._moved.wait()
            else:
                return None
        return self._failed

    @property
    def _has_room(self) -> bool:
        """True if another transcript may begin. Each of those under way has at least one request waiting."""
        return self.waiting < self.judge.room and len(self._begun) < self.ahead

    def _begin(self, place: int, verification: Asking[Result]) -> None:
        task = asyncio.create_task(drive(verification, _Questions(self, Numbered(place)).ask))
        task.add_done_callback(self._ended)
        self._begun.append(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and task.exception() is not None and self._failed is None:
            self._failed = task
        self._moved.set()

    async def answers(self, placed: Sequence[Placed]) -> list[JudgeReply]:
        """The judge's replies, each kept before it is used."""
        self.waiting += len(placed)
        return await asyncio.gather(*(self._in_flight.run(self._answer(*one)) for one in placed))

    async def _answer(self, request: JudgeRequest, order: Order) -> JudgeReply:
        try:
            if self.judge.in_batches or self._trusted:
                return self.desk.keep(request, await self.judge.answer(request), order)
            async with self._trial:
                return await self._tried(request, order)
        finally:
            self.waiting -= 1
            self._moved.set()

    async def _tried(self, request: JudgeRequest, order: Order) -> JudgeReply:
        """The answer of a judge that gave none that counts yet. If this one does not, it is asked again."""
        reply = self.desk.keep(request, await self.judge.answer(request), order)
        second = self.desk.second(request, reply)
        if second is not None:
            self.desk.keep_ahead(second, await self.judge.answer(second), order)
        if self.desk.heard and not self._trusted:
            self._trusted = True
            for _ in range(self.waiting):
                self._trial.release()
        return reply


@dataclass
class _Questions:
    """The questions on one transcript, round by round."""

    run: RemoteRun
    numbered: Numbered
    _led: bool = False

    async def ask(self, wanted: Requests) -> Replies:
        """The replies to one round.

        Of a transcript, one question is asked first and the others when it has been answered, so that
        a cache of the provider can serve their common beginning. It is the question with the longest
        prompt, because the prompts of the others begin like it.
        """
        placed = self.numbered.next(wanted)
        replies = [self.run.desk.known(*one) for one in placed]
        unknown = [index for index, reply in enumerate(replies) if reply is None]
        if unknown and not self._led and not self.run.judge.in_batches:
            self._led = True
            lead = max(unknown, key=lambda index: wanted[index].unit.last)
            unknown.remove(lead)
            (replies[lead],) = await self.run.answers([placed[lead]])
        found = await self.run.answers([placed[index] for index in unknown])
        for index, reply in zip(unknown, found, strict=True):
            replies[index] = reply
        return tuple(reply for reply in replies if reply is not None)
