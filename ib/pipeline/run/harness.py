"""Playing scenarios: several models and several scenarios per model at once, turns in order.

Plays are yielded in plan order, regardless of which finishes first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from ib.engine.questions.protocol import drive
from ib.errors import WorldError
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Fault, FaultKind
from ib.models.scan.run import Completion, CompletionReply, CompletionRequest, Incomplete, Play
from ib.pipeline.common.in_flight import InFlight
from ib.pipeline.common.loop import Loop
from ib.targets.base import Model
from ib.text.shown import bare

Played = Transcript | Incomplete
Order = tuple[int, int]


class Record(Protocol):
    """A journal: replies are written to it before they are used."""

    @property
    def known(self) -> Mapping[str, CompletionReply]: ...

    def write(self, request: CompletionRequest, reply: CompletionReply, order: Order) -> None: ...
    def note_known(self, request: CompletionRequest, order: Order) -> None: ...


@dataclass
class Harness:
    """The raw harness: sends the turns of a scenario to a model and records its completions."""

    journal: Record
    scenario_parallel: int = 1
    model_parallel: int = 1
    answered: int = 0
    """The number of replies, those of earlier sessions not counted."""
    faults: int = 0
    """The number of turns without a reply."""
    told: Callable[[bool], None] = lambda _: None
    """Called with each reply: True if a call gave it, False if the journal had it."""
    _in_flight: InFlight = field(default_factory=InFlight)

    def run(
        self, models: Sequence[Model], plays: Sequence[Sequence[Callable[[], Play]]]
    ) -> Generator[Played, None, None]:
        """The outcome of every play of every model, in the order given."""
        with Loop() as runner:
            loop = runner.get_loop()
            done: list[list[asyncio.Future[Played]]] = [[loop.create_future() for _ in row] for row in plays]
            gate = asyncio.Semaphore(self.model_parallel)
            places = [sum(len(row) for row in plays[:index]) for index in range(len(plays))]
            work = loop.create_task(self._all(models, plays, done, places, gate))
            try:
                for row in done:
                    for future in row:
                        yield runner.run(_first(future, work))
            except WorldError:
                runner.run(self._in_flight.drain())  # calls under way are paid for: keep their answers
                raise
            finally:
                work.cancel()
                for model in models:
                    runner.run(model.close())

    async def _all(
        self,
        models: Sequence[Model],
        plays: Sequence[Sequence[Callable[[], Play]]],
        done: Sequence[Sequence[asyncio.Future[Played]]],
        places: Sequence[int],
        gate: asyncio.Semaphore,
    ) -> None:
        async with asyncio.TaskGroup() as group:
            for model, row, futures, place in zip(models, plays, done, places, strict=True):
                group.create_task(self._model(model, row, futures, place, gate))

    async def _model(
        self,
        model: Model,
        plays: Sequence[Callable[[], Play]],
        futures: Sequence[asyncio.Future[Played]],
        place: int,
        gate: asyncio.Semaphore,
    ) -> None:
        slots = asyncio.Semaphore(self.scenario_parallel)

        async def one(index: int) -> None:
            async with slots:
                futures[index].set_result(await self._play(model, plays[index](), place + index))

        async with gate, asyncio.TaskGroup() as group:
            for index in range(len(plays)):
                group.create_task(one(index))

    async def _play(self, model: Model, play: Play, place: int) -> Played:
        asked = count()

        async def answer(request: CompletionRequest) -> CompletionReply:
            return await self._ask(model, request, (place, next(asked)))

        return await drive(play, answer)

    async def _ask(self, model: Model, request: CompletionRequest, order: Order) -> CompletionReply:
        known = self.journal.known.get(request.key)
        if known is not None:
            self.journal.note_known(request, order)
            self.told(False)
            return known
        return await self._in_flight.run(self._answered(model, request, order))

    async def _answered(self, model: Model, request: CompletionRequest, order: Order) -> CompletionReply:
        reply = await model.answer(request)
        if isinstance(reply, Completion) and bare(reply.text):
            reply = Fault(FaultKind.EMPTY, "the model answered with nothing")
        self.journal.write(request, reply, order)
        self.answered += isinstance(reply, Completion)
        self.faults += isinstance(reply, Fault)
        if isinstance(reply, Completion):
            self.told(True)
        return reply


async def _first(future: asyncio.Future[Played], work: asyncio.Task[None]) -> Played:
    """The next result. Raises the error that ended the work if there is no result."""
    await asyncio.wait((future, work), return_when=asyncio.FIRST_COMPLETED)
    if not future.done():
        try:
            work.result()
        except BaseExceptionGroup as group:
            # One cause, such as a full disk, may end many plays: report it once.
            raise _inmost(group) from group
    return future.result()


def _inmost(error: BaseException) -> BaseException:
    """The first error inside groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
