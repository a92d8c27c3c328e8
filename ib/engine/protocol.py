"""Verifiers ask, they never call.

A verifier is a generator: it yields the requests that it wants answered together, receives the
replies, and returns its result. `advance` runs it from the start over the replies known so far,
so that live dispatch, resume from a journal and the recomputation of a release are one function.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from ib.models.judge import JudgeReply, JudgeRequest
from ib.models.result import VerdictResult

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

    Runs `verify` from the start; the replies are those known so far, by the key of their request.
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
    """The first requests of an asking, and the asking itself, which still begins with them.

    What it computes before its first requests is computed once, though its plan is made before.
    """
    try:
        first = next(asking)
    except StopIteration as stop:
        return (), _done(stop.value)
    return first, _resumed(first, asking)


def _done(result: Result) -> Asking[Result]:
    """An asking that asks nothing."""
    return result
    yield


def _resumed(first: Requests, asking: Asking[Result]) -> Asking[Result]:
    """An asking that was begun already, with the requests that it waits for."""
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
    """The result of a generator whose wants are answered one after the other.

    The one driver of generators. It serves live dispatch, resume, replay and the gate, and plays as
    well as verifications; they differ in `answer` alone.
    """
    try:
        wanted = next(asking)
        while True:
            wanted = asking.send(await answer(wanted))
    except StopIteration as stop:
        result: Result = stop.value
        return result


def at_once(driven: Coroutine[object, None, Result]) -> Result:
    """The result of a coroutine that never waits: no event loop is needed for it.

    Raises RuntimeError if the coroutine waits for something.
    """
    try:
        driven.send(None)
    except StopIteration as stop:
        result: Result = stop.value
        return result
    driven.close()
    raise RuntimeError("a judge in the process was waited for")


def replay(asking: Asking[Result], reply: Callable[[JudgeRequest], JudgeReply]) -> Result:
    """The result of an asking whose replies are all at hand."""

    async def answer(wanted: Requests) -> Replies:
        return tuple(map(reply, wanted))

    return at_once(drive(asking, answer))


def together(askings: Sequence[Asking[Result]]) -> Asking[tuple[Result, ...]]:
    """Several askings as one: what they want in the same round goes out in the same round."""
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
