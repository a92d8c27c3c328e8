"""Verifiers ask, they never call.

A verifier is a generator: it yields the requests that it wants answered together, receives the
replies, and returns its result. `advance` runs it from the start over the replies known so far,
so that live dispatch, resume from a journal and the recomputation of a release are one function.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from ib.models.judge import JudgeReply, JudgeRequest
from ib.models.result import VerdictResult

Result = TypeVar("Result")
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


def finish(
    verify: Callable[[], Asking[Result]], replies: Mapping[str, JudgeReply]
) -> tuple[Requests, Result]:
    """What was asked in the first round, and the result over replies that are all known."""
    generator = verify()
    first: Requests = ()
    try:
        wanted = first = next(generator)
        while True:
            wanted = generator.send(tuple(replies[request.key] for request in wanted))
    except StopIteration as stop:
        return first, stop.value


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
