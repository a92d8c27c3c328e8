"""Generators that ask: advancing, and asking together."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from ib.engine.questions.prompts import Question
from ib.engine.questions.protocol import Asking, advance, at_once, begin, replay, together
from ib.models.common.base import Unit
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, Phase, UnitSpan
from tests.build import case, check, run, transcript

CASE = case(check(), transcript("u", "a"))
(TEMPLATE,) = CASE.asker.requests(
    Question(CASE.check, UnitSpan(Unit.SESSION_STATE, 1, 1), Phase.DECIDE), CASE.indexed, (1,)
)


def request(key: str) -> JudgeRequest:
    """A request of which only the key matters."""
    return replace(TEMPLATE, key=key)


def asking(name: str, rounds: Sequence[int]) -> Asking[str]:
    """Asks so many requests a round, and returns what it was told, in order."""
    told: list[str] = []
    for number, width in enumerate(rounds):
        replies = yield tuple(request(f"{name}{number}{i}") for i in range(width))
        told += [reply.text for reply in replies if isinstance(reply, Answer)]
    return f"{name}:{','.join(told)}"


def echo(wanted: JudgeRequest) -> JudgeReply:
    """Answers with the key."""
    return Answer(wanted.key)


def direct(made: Asking[str]) -> str:
    """The result of driving a generator by hand."""
    try:
        wanted = next(made)
        while True:
            wanted = made.send(tuple(echo(item) for item in wanted))
    except StopIteration as stop:
        result: str = stop.value
        return result


SHAPES = [(), (1,), (2, 1), (1, 3, 2)]


@pytest.mark.parametrize("shape", SHAPES)
def test_advance_equals_a_direct_run(shape: tuple[int, ...]) -> None:
    """Running from the start over known replies gives what one uninterrupted run gives."""
    result, rounds = run(lambda: asking("x", shape), echo)
    assert result == direct(asking("x", shape))
    assert [len(wanted) for wanted in rounds] == list(shape)


def test_advance_names_only_what_is_missing() -> None:
    """Requests that have a reply are not asked for again; the others come back in order."""
    known = {"x01": Answer("x01")}
    missing = advance(lambda: asking("x", (3, 1)), known)
    assert [item.key for item in missing if isinstance(item, JudgeRequest)] == ["x00", "x02"]


def test_together_keeps_order_and_rounds() -> None:
    """What several want in a round goes out in that round, in their order; so do their results."""
    shapes = {"a": (1, 1), "b": (), "c": (2,), "d": (1, 1, 1)}
    result, rounds = run(lambda: together([asking(n, s) for n, s in shapes.items()]), echo)
    assert [[item.key for item in wanted] for wanted in rounds] == [
        ["a00", "c00", "c01", "d00"],
        ["a10", "d10"],
        ["d20"],
    ]
    assert result == ("a:a00,a10", "b:", "c:c00,c01", "d:d00,d10,d20")


def test_together_of_nothing_asks_nothing() -> None:
    """No askings give no round and no result."""
    assert run(lambda: together([]), echo) == ((), [])


def test_together_may_be_nested() -> None:
    """Askings within askings still share their rounds."""

    def nested() -> Asking[tuple[tuple[str, ...], ...]]:
        return together([together([asking("a", (1, 1)), asking("b", (1,))]), together([asking("c", (1, 1))])])

    result, rounds = run(nested, echo)
    assert [[item.key for item in wanted] for wanted in rounds] == [["a00", "b00", "c00"], ["a10", "c10"]]
    assert result == (("a:a00,a10", "b:b00"), ("c:c00,c10",))


def test_lesson_34_the_result_does_not_depend_on_how_replies_arrive() -> None:
    """Replies one at a time, in every order, give the result of all at once."""

    def make() -> Asking[tuple[str, ...]]:
        return together([asking("a", (2, 1)), asking("b", (1, 2))])

    expected, rounds = run(make, echo)
    for order in permutations(range(3)):
        known: dict[str, JudgeReply] = {}
        outcome = advance(make, known)
        while outcome and isinstance(outcome[0], JudgeRequest):
            pick = [r for r in outcome if isinstance(r, JudgeRequest)]
            chosen = pick[order[len(known) % 3] % len(pick)]
            known[chosen.key] = echo(chosen)
            outcome = advance(make, known)
        assert outcome == (expected,)
        assert len(known) == sum(map(len, rounds))


def test_a_driver_without_a_loop_refuses_to_wait() -> None:
    """`at_once` runs what never waits, and says so where something does."""

    async def never() -> int:
        return 7

    async def waits() -> None:
        await _Pause()

    assert at_once(never()) == 7
    with pytest.raises(RuntimeError, match="judge waited for"):
        at_once(waits())


class _Pause:
    """Something that takes time."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def test_an_asking_that_was_begun_goes_on_where_it_stands() -> None:
    """Its first requests are known, nothing before them runs twice, and the result is the same."""
    starts = []

    def asking() -> Asking[int]:
        starts.append(1)
        (first,) = yield (TEMPLATE,)
        (second,) = yield (replace(TEMPLATE, key="second"),)
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        return len(first.text) + len(second.text)

    def answer(request: JudgeRequest) -> JudgeReply:
        return Answer("four" if request.key == "second" else "a")

    first, begun = begin(asking())
    assert [request.key for request in first] == [TEMPLATE.key]
    assert replay(begun, answer) == replay(asking(), answer) == 5
    assert len(starts) == 2


def test_an_asking_that_asks_nothing_is_over_when_it_is_begun() -> None:
    """There are no first requests, and the result is at hand."""

    def silent() -> Asking[int]:
        return 3
        yield

    first, begun = begin(silent())
    assert first == ()
    assert replay(begun, lambda _: Answer("")) == 3
