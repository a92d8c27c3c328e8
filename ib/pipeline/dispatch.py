"""Bringing requests to a judge and replies back: in plan order, bounded, journalled first.

A judge in the process is asked in turn. A judge elsewhere is awaited, several transcripts at
once; what comes out comes out in the order of the plan, whichever answer was the first to arrive.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, cast

from ib.judges.base import Judge
from ib.models.judge import JudgeReply, JudgeRequest, NotRecorded

if TYPE_CHECKING:
    import asyncio  # slow to import, and only a judge elsewhere needs it

Result = TypeVar("Result")
Verification: TypeAlias = Generator[tuple[JudgeRequest, ...], tuple[JudgeReply, ...], Result]
Order = tuple[int, int]


class Record(Protocol):
    """Where replies are kept before they are used: the journal."""

    @property
    def known(self) -> Mapping[str, JudgeReply]: ...

    def write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None: ...
    def note_known(self, request: JudgeRequest, order: Order) -> None: ...


@dataclass
class Dispatcher:
    """One judge, one journal; `concurrency` requests at once, `alive` transcripts under way."""

    judge: Judge
    journal: Record | None = None
    concurrency: int = 16
    alive: int = 32
    answered: int = 0

    def run(self, verifications: Iterable[Verification[Result]]) -> Iterator[Result]:
        """The result of every verification, in the order given."""
        if inspect.iscoroutinefunction(self.judge.answer):
            return self._run_elsewhere(verifications)
        return (self._drive(place, v) for place, v in enumerate(verifications))

    def _drive(self, place: int, verification: Verification[Result]) -> Result:
        """One verification, with a judge that answers at once."""
        answer = cast("Callable[[JudgeRequest], JudgeReply]", self.judge.answer)
        count = 0
        try:
            wanted = next(verification)
            while True:
                replies = []
                for index, request in enumerate(wanted, start=count):
                    known = self._known(request, (place, index))
                    reply = known or self._keep(request, answer(request), (place, index))
                    replies.append(reply)
                count += len(wanted)
                wanted = verification.send(tuple(replies))
        except StopIteration as stop:
            result: Result = stop.value
            return result

    def _run_elsewhere(self, verifications: Iterable[Verification[Result]]) -> Iterator[Result]:
        import asyncio

        source = enumerate(verifications)
        with asyncio.Runner() as runner:
            loop, gate = runner.get_loop(), asyncio.Semaphore(self.concurrency)
            under_way: deque[asyncio.Task[Result]] = deque()
            try:
                while True:
                    while len(under_way) < self.alive and (item := next(source, None)):
                        under_way.append(loop.create_task(self._drive_elsewhere(*item, gate)))
                    if not under_way:
                        return
                    yield runner.run(_wait(under_way.popleft()))
            finally:
                for task in under_way:
                    task.cancel()

    async def _drive_elsewhere(
        self, place: int, verification: Verification[Result], gate: asyncio.Semaphore
    ) -> Result:
        import asyncio

        count = 0
        try:
            wanted = next(verification)
            while True:
                asked = (
                    self._ask(request, (place, index), gate)
                    for index, request in enumerate(wanted, start=count)
                )
                replies = await asyncio.gather(*asked)
                count += len(wanted)
                wanted = verification.send(tuple(replies))
        except StopIteration as stop:
            result: Result = stop.value
            return result

    async def _ask(self, request: JudgeRequest, order: Order, gate: asyncio.Semaphore) -> JudgeReply:
        known = self._known(request, order)
        if known is not None:
            return known
        answer = cast("Callable[[JudgeRequest], Awaitable[JudgeReply]]", self.judge.answer)
        async with gate:
            reply = await answer(request)
        return self._keep(request, reply, order)

    def _known(self, request: JudgeRequest, order: Order) -> JudgeReply | None:
        reply = None if self.journal is None else self.journal.known.get(request.key)
        if reply is not None and self.journal is not None:
            self.journal.note_known(request, order)
        return reply

    def _keep(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> JudgeReply:
        """Journal a reply before anybody uses it."""
        if self.journal is not None:
            self.journal.write(request, reply, order)
        self.answered += not isinstance(reply, NotRecorded)
        return reply


async def _wait(task: asyncio.Task[Result]) -> Result:
    return await task
