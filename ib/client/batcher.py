"""Answer calls in batches: gather a round of calls, submit it, and wait for the provider to work it off.

A batch costs half and may take a day, so the process may end before the batch does. Before a batch is
submitted, its token and the ids of its lines are written to a ledger, and the token stands in the metadata
of the batch. A later process finds the batch again by the ledger or, if it was killed in the moment of
submitting, by the token, and takes the answers from there. Nothing is paid for twice.

What a batch leaves without an answer (a failed line, an expired batch, a deadline) is asked live.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from ib.client import transport
from ib.client.batches import BatchApi, BatchFault, State, line_of
from ib.client.calls import RETRIED, Call, Failure, Outcome
from ib.client.pace import Pace
from ib.errors import WorldError
from ib.models.common.canonical import digest
from ib.models.scan.batch import Submission
from ib.models.scan.judge import Fault, FaultKind

Answer = TypeVar("Answer")
QUIET = 1.0
"""Seconds without a new call after which a round is whole."""
MOST_LINES, MOST_BYTES = 20_000, 90 << 20
"""The limits of one batch. OpenAI takes 50,000 lines and 200 MB."""
FIRST_POLL, LONGEST_POLL, POLL_GROWTH = 1.0, 60.0, 1.5
"""Seconds between two questions for the state of a batch; they grow."""
ATTEMPTS = 6
"""The most attempts at one request about a batch."""
_LEFT = Failure(Fault(FaultKind.TRANSIENT, "the batch ended without this line"))


class Ledger(Protocol):
    """The batches of a scan, kept over its sessions. Every method returns when the disk has stored it."""

    @property
    def submissions(self) -> Sequence[Submission]:
        """The batches so far."""

    def intend(self, token: str, requests: Iterable[str]) -> None:
        """Write down a batch that will be submitted next."""

    def submitted(self, token: str, batch: str) -> None:
        """Write down the id of a submitted batch."""

    def ended(self, token: str) -> None:
        """Write down that nothing of a batch is waited for any more."""


@dataclass(frozen=True)
class BatchTerms:
    """How batches are waited for."""

    deadline: float = 24 * 3600.0
    """Seconds after the creation of a batch, after which it is cancelled and its rest is asked live."""
    leave: bool = False
    """Submit, and end the work without waiting. A later process fetches the answers."""
    notice: Callable[[str], None] = lambda _: None
    """Called with one sentence about each batch."""


@dataclass
class Batcher:
    """Answers calls in batches. `attempt` has the form of `ib.client.transport.attempt`."""

    api: BatchApi
    ledger: Ledger
    terms: BatchTerms = field(default_factory=BatchTerms)
    pace: Pace = field(default_factory=Pace)
    """The pace of calls that are asked live."""
    live: Callable[[Call], Awaitable[Outcome]] = transport.attempt
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], float] = time.time
    _queue: dict[str, Call] = field(default_factory=dict)
    """The calls of the next batch, by their lines."""
    _answers: dict[str, asyncio.Future[Outcome]] = field(default_factory=dict)
    """The outcome of each line that was asked for, which comes later."""
    _lost: dict[str, Call] = field(default_factory=dict)
    """Calls that wait for an earlier batch. They are submitted again if it does not exist."""
    _unasked: dict[str, Outcome] = field(default_factory=dict)
    """Outcomes of an earlier session's batch that no call has asked for yet."""
    _ended: set[str] = field(default_factory=set)
    """The lines whose batch has ended: from then on, their calls are asked live."""
    _earlier: dict[str, Submission] = field(init=False)
    _followed: set[str] = field(default_factory=set)
    """The tokens of earlier batches that are waited for, or were never submitted."""
    _timer: asyncio.TimerHandle | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._earlier = {line: one for one in self.ledger.submissions for line in one.requests}

    async def attempt(self, call: Call) -> Outcome:
        """The outcome of a call: of its batch the first time, and live after that.

        Raises WorldError if the provider refuses batches, or if the terms are to leave.
        """
        line = digest([call.key, call.model, call.messages, call.parameters])
        if line in self._ended:
            return await self._live(call)
        outcome = await self._batched(line, call)
        self._ended.add(line)
        return await self._live(call) if outcome is _LEFT else outcome

    async def _live(self, call: Call) -> Outcome:
        await self.pace.enter()
        kind = None
        try:
            outcome = await self.live(call)
            kind = outcome.fault.kind if isinstance(outcome, Failure) else None
        finally:
            limited, faulty = kind is FaultKind.RATE_LIMIT, kind is FaultKind.TRANSIENT
            await self.pace.leave(limited=limited, faulty=faulty)
        return outcome

    async def _batched(self, line: str, call: Call) -> Outcome:
        """The outcome of a line in a batch of this session or of an earlier one."""
        if line in self._unasked:
            return self._unasked.pop(line)
        if line not in self._answers:
            self._answers[line] = asyncio.get_running_loop().create_future()
            earlier = self._earlier.get(line)
            if earlier is None:
                self._enqueue(line, call)
            else:
                self._lost[line] = call
                self._follow(earlier)
        return await self._answers[line]

    def _enqueue(self, line: str, call: Call) -> None:
        """Add a call to the next batch, which is submitted when no more calls come."""
        self._queue[line] = call
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET, self._flush)

    def _flush(self) -> None:
        calls, self._queue = self._queue, {}
        self._start(self._submit(calls), tuple(calls))

    def _start(self, work: Coroutine[None, None, None], lines: Iterable[str]) -> None:
        """Run work in the background. If it fails, the calls of these lines fail."""

        async def guarded() -> None:
            try:
                await work
            except Exception as error:
                self._fail(lines, _as_world_error(error))

        task = asyncio.get_running_loop().create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _fail(self, lines: Iterable[str], error: Exception) -> None:
        for line in lines:
            answer = self._answers.get(line)
            if answer is not None and not answer.done():
                answer.set_exception(error)

    async def _submit(self, calls: Mapping[str, Call]) -> None:
        """Submit calls as one batch or several, then wait for all of them."""
        batches = [(*await self._submitted(part), tuple(part)) for part in _parts(calls)]
        if self.terms.leave:
            told = ", ".join(batch for _, batch, _ in batches)
            raise WorldError(f"submitted as {told}; fetch the answers with the same command and --resume")
        await asyncio.gather(*(self._wait(*one) for one in batches))

    async def _submitted(self, part: Mapping[str, bytes]) -> tuple[str, str]:
        """Submit one batch; returns its token and its id."""
        token = secrets.token_hex(16)
        self.ledger.intend(token, part)
        file = await self._patient(lambda: self.api.upload(b"".join(part.values())))
        tried = False

        async def create() -> State:
            nonlocal tried
            # An attempt that failed may have created the batch nevertheless.
            there = await self.api.find(token) if tried else None
            tried = True
            return there or await self.api.create(file, token)

        state = await self._patient(create)
        self.ledger.submitted(token, state.id)
        self.terms.notice(f"submitted {len(part):,} questions as batch {state.id}")
        return token, state.id

    def _follow(self, earlier: Submission) -> None:
        """Wait for a batch of an earlier session, if that is not done already."""
        if earlier.token not in self._followed:
            self._followed.add(earlier.token)
            self._start(self._attach(earlier), earlier.requests)

    async def _attach(self, earlier: Submission) -> None:
        batch = earlier.batch
        if batch is None:
            found = await self._patient(lambda: self.api.find(earlier.token))
            batch = None if found is None else found.id
        if batch is None:  # the session ended before the batch was submitted
            self.ledger.ended(earlier.token)
            for line in earlier.requests:
                del self._earlier[line]
                if line in self._lost:
                    self._enqueue(line, self._lost.pop(line))
            return
        if earlier.batch is None:
            self.ledger.submitted(earlier.token, batch)
        self.terms.notice(f"waiting for batch {batch} of an earlier session")
        await self._wait(earlier.token, batch, earlier.requests)

    async def _wait(self, token: str, batch: str, lines: Iterable[str]) -> None:
        """Wait until a batch has ended, and hand out what it answered."""
        state = await self._end_of(token, batch)
        outcomes = await self._patient(lambda: self.api.outcomes(state))
        self.ledger.ended(token)
        for line in lines:
            outcome = outcomes.get(line, _LEFT)
            answer = self._answers.get(line)
            if answer is None:
                self._unasked[line] = outcome
            elif not answer.done():
                answer.set_result(outcome)

    async def _end_of(self, token: str, batch: str) -> State:
        """The state of a batch when it has ended. Cancels the batch at its deadline.

        Raises WorldError if the provider refused the batch, or if the terms are to leave.
        """
        pause, cancelled = FIRST_POLL, False
        while True:
            state = await self._patient(lambda: self.api.state(batch))
            if state.status == "failed":
                self.ledger.ended(token)
                raise WorldError(f"the provider refused batch {batch}: {state.error or 'it gave no reason'}")
            if state.has_ended:
                return state
            if self.terms.leave:
                raise WorldError(f"batch {batch} has not ended; ask again later with --resume")
            if not cancelled and self.now() > state.created + self.terms.deadline:
                self.terms.notice(f"batch {batch} has not ended in time; its rest is asked live")
                await self._patient(lambda: self.api.cancel(batch))
                cancelled = True
            await self.sleep(pause)
            pause = min(LONGEST_POLL, POLL_GROWTH * pause)

    async def _patient(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to a request about a batch, which is repeated after a fault that may pass."""
        for attempt in range(ATTEMPTS):
            try:
                return await ask()
            except BatchFault as error:
                if error.kind not in RETRIED or attempt == ATTEMPTS - 1:
                    raise
            await self.sleep(2.0**attempt)
        raise AssertionError("the loop makes at least one attempt")


def _parts(calls: Mapping[str, Call]) -> Iterator[dict[str, bytes]]:
    """The lines of a file of requests, in parts that a provider takes."""
    part: dict[str, bytes] = {}
    size = 0
    for line, call in calls.items():
        data = line_of(call, line)
        if part and (len(part) >= MOST_LINES or size + len(data) > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[line] = data
        size += len(data)
    if part:
        yield part


def _as_world_error(error: Exception) -> Exception:
    if isinstance(error, BatchFault):
        return WorldError(f"the batch API does not answer: {error}; go on with --resume, or without --batch")
    return error
