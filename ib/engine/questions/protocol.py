"""Verifiers are generators: they yield requests and never call a judge themselves.

A verifier yields the requests that it wants answered together, receives the replies, and returns
its result. `advance` runs it from the start with the replies known so far. So live dispatch,
resuming from a journal, and recomputing a release use one function.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from ib.models.scan.judge import JudgeReply, JudgeRequest
from ib.models.scan.result import VerdictResult

Result = TypeVar("Result")
Wanted = TypeVar("Wanted")
Given = TypeVar("Given")
Requests: TypeAlias = tuple[JudgeRequest, ...]
Replies: TypeAlias = tuple[JudgeReply, ...]
Verification: TypeAlias = Generator[Requests, Replies, VerdictResult]
Asking: TypeAlias = Generator[Requests, Replies, Result]


def advance(
    verify: Callable[[], Asking[Result]], replies: Mapping[str, JudgeReply]
) -> Requests | tuple[Result]:
    """The requests still to be answered, or the result in a tuple of one.

    Runs `verify` from the start. `replies` holds the replies known so far, by the key of their request.
    """
    generator = verify()
    try:
        wanted = next(generator)
        while True:
            missing = tuple(request for request in wanted if request.key not in replies)
            if missing:
                generator.close()
                return missing
            wanted = generator.send(tuple(replies[request.key] for request in wanted))
    except StopIteration as stop:
        return (stop.value,)


def begin(asking: Asking[Result]) -> tuple[Requests, Asking[Result]]:
    """The first requests of a generator, and a generator that still yields them first.

    A plan needs the first requests before the scan runs. This way, the work up to them is done once.
    """
    try:
        first = next(asking)
    except StopIteration as stop:
        return (), _done(stop.value)
    return first, _resumed(first, asking)


def _done(result: Result) -> Asking[Result]:
    """A generator that yields no requests."""
    return result
    yield


def _resumed(first: Requests, asking: Asking[Result]) -> Asking[Result]:
    """Continue a generator that has already yielded its first requests."""
    wanted = first
    try:
        while True:
            replies = yield wanted
            wanted = asking.send(replies)
    except StopIteration as stop:
        result: Result = stop.value
        return result


async def drive(
    asking: Generator[Wanted, Given, Result], answer: Callable[[Wanted], Awaitable[Given]]
) -> Result:
    """Run a generator to its result, with `answer` for each request that it yields.

    This is the only driver of generators. Live dispatch, resume, replay, the gate and the playing of
    scenarios all use it; they differ only in `answer`.
    """
    try:
        wanted = next(asking)
        while True:
            wanted = asking.send(await answer(wanted))
    except StopIteration as stop:
        result: Result = stop.value
        return result


def at_once(driven: Coroutine[object, None, Result]) -> Result:
    """The result of a coroutine that never waits, without an event loop.

    Raises RuntimeError if the coroutine waits for something.
    """
    try:
        driven.send(None)
    except StopIteration as stop:
        result: Result = stop.value
        return result
    driven.close()
    raise RuntimeError("an in-process judge waited for something")


def replay(asking: Asking[Result], reply: Callable[[JudgeRequest], JudgeReply]) -> Result:
    """The result of a generator if `reply` can answer every request at once."""

    async def answer(wanted: Requests) -> Replies:
        return tuple(map(reply, wanted))

    return at_once(drive(asking, answer))


def together(askings: Sequence[Asking[Result]]) -> Asking[tuple[Result, ...]]:
    """Several generators as one: their requests of the same round are yielded together."""
    results: dict[int, Result] = {}
    waiting: dict[int, Requests] = {}
    for index, asking in enumerate(askings):
        _step(index, asking, None, waiting, results)
    while waiting:
        order = tuple(waiting.items())
        replies = yield tuple(request for _, wanted in order for request in wanted)
        waiting = {}
        at = 0
        for index, wanted in order:
            mine = replies[at : at + len(wanted)]
            at += len(wanted)
            _step(index, askings[index], mine, waiting, results)
    return tuple(results[index] for index in range(len(askings)))


def _step(
    index: int,
    asking: Asking[Result],
    replies: Replies | None,
    waiting: dict[int, Requests],
    results: dict[int, Result],
) -> None:
    try:
        waiting[index] = next(asking) if replies is None else asking.send(replies)
    except StopIteration as stop:
        results[index] = stop.value
