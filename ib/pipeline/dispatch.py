"""Sending requests to a judge: bounded concurrency, every reply journaled before it is used.

A local judge is asked one request at a time. A remote judge is awaited, with several transcripts at
once. Results are yielded in plan order, regardless of arrival order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from ib.engine.protocol import Asking, Replies, Requests, at_once, drive
from ib.errors import WorldError
from ib.judges.base import Judge
from ib.models.judge import Fault, JudgeReply, JudgeRequest, NotRecorded
from ib.pipeline.in_flight import InFlight

if TYPE_CHECKING:
    import asyncio  # slow to import, and only a remote judge needs it

Result = TypeVar("Result")
Order = tuple[int, int]
"""The index of a transcript in the plan, and the index of a request in its verification."""


class Record(Protocol):
    """A journal: replies are written to it before they are used."""

    @property
    def known(self) -> Mapping[str, JudgeReply]: ...

    def write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None: ...
    def note_known(self, request: JudgeRequest, order: Order) -> None: ...


@dataclass
class Dispatcher:
    """Asks one judge, with at most `concurrency` requests and `alive` transcripts at once."""

    judge: Judge
    journal: Record | None = None
    concurrency: int = 16
    alive: int = 32
    answered: int = 0
    faults: int = 0
    """The number of questions that a remote judge did not answer."""
    last_fault: str = ""
    _in_flight: InFlight = field(default_factory=InFlight)

    def run(self, verifications: Iterable[Asking[Result]]) -> Iterator[Result]:
        """The result of every verification, in the order given."""
        if self.judge.in_process:
            return self._run_here(self.judge.answer, verifications)
        return self._run_elsewhere(self.judge.answer, verifications)

    def _rounds(
        self, place: int, ask: Callable[[Requests, Iterable[Order]], Awaitable[Replies]]
    ) -> Callable[[Requests], Awaitable[Replies]]:
        """A function that answers the rounds of one transcript and numbers its requests."""
        asked = 0

        async def answer(wanted: Requests) -> Replies:
            nonlocal asked
            orders = [(place, asked + index) for index in range(len(wanted))]
            asked += len(wanted)
            return await ask(wanted, orders)

        return answer

    def _run_here(
        self, answer: Callable[[JudgeRequest], JudgeReply], verifications: Iterable[Asking[Result]]
    ) -> Iterator[Result]:
        """`run` with a local judge."""

        async def ask(wanted: Requests, orders: Iterable[Order]) -> Replies:
            return tuple(
                self._known(request, order) or self._keep(request, answer(request), order)
                for request, order in zip(wanted, orders, strict=True)
            )

        for place, verification in enumerate(verifications):
            yield at_once(drive(verification, self._rounds(place, ask)))

    def _run_elsewhere(
        self, answer: Callable[[JudgeRequest], Awaitable[JudgeReply]], verifications: Iterable[Asking[Result]]
    ) -> Iterator[Result]:
        """`run` with a remote judge."""
        import asyncio

        source = enumerate(verifications)
        with asyncio.Runner() as runner:
            loop, gate = runner.get_loop(), asyncio.Semaphore(self.concurrency)

            async def ask(wanted: Requests, orders: Iterable[Order]) -> Replies:
                each = (self._ask(answer, *pair, gate) for pair in zip(wanted, orders, strict=True))
                return tuple(await asyncio.gather(*each))

            under_way: deque[asyncio.Task[Result]] = deque()
            try:
                while True:
                    while len(under_way) < self.alive and (item := next(source, None)):
                        place, verification = item
                        driven = drive(verification, self._rounds(place, ask))
                        under_way.append(loop.create_task(driven))
                    if not under_way:
                        return
                    yield runner.run(_wait(under_way.popleft()))
            except WorldError:
                runner.run(self._in_flight.drain())  # calls under way are paid for: keep their answers
                raise
            finally:
                for task in under_way:
                    task.cancel()
                if not self.judge.in_process:
                    runner.run(self.judge.close())

    async def _ask(
        self,
        answer: Callable[[JudgeRequest], Awaitable[JudgeReply]],
        request: JudgeRequest,
        order: Order,
        gate: asyncio.Semaphore,
    ) -> JudgeReply:
        known = self._known(request, order)
        if known is not None:
            return known
        async with gate:
            return await self._in_flight.run(self._answered(answer, request, order))

    async def _answered(
        self, answer: Callable[[JudgeRequest], Awaitable[JudgeReply]], request: JudgeRequest, order: Order
    ) -> JudgeReply:
        return self._keep(request, await answer(request), order)

    def _known(self, request: JudgeRequest, order: Order) -> JudgeReply | None:
        reply = None if self.journal is None else self.journal.known.get(request.key)
        if reply is not None and self.journal is not None:
            self.journal.note_known(request, order)
        return reply

    def _keep(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> JudgeReply:
        """Write a reply to the journal before it is used."""
        if self.journal is not None:
            self.journal.write(request, reply, order)
        self.answered += not isinstance(reply, NotRecorded)
        if isinstance(reply, Fault) and not self.judge.in_process:
            self.faults += 1
            self.last_fault = f"{reply.kind}, {reply.detail}"
        return reply


async def _wait(task: asyncio.Task[Result]) -> Result:
    return await task
