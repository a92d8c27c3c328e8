"""Batches of calls: submitted once whatever fails on the way, in parts that a provider takes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from ib.client import batcher
from ib.client.batcher import ATTEMPTS, Batcher, BatchTerms
from ib.client.batches import BatchApi, BatchFault, State
from ib.client.calls import Call, Failure, Outcome, Reply, Usage
from ib.errors import WorldError
from ib.models.scan.batch import Submission
from ib.models.scan.judge import Fault, FaultKind

Result = TypeVar("Result")
BUSY = BatchFault(Fault(FaultKind.TRANSIENT, "503"))
WRONG = BatchFault(Fault(FaultKind.DETERMINISTIC, "401"))
LIVE = Reply("live", truncated=False, served_model="m", usage=Usage(1, 1))


@dataclass
class Ledger:
    """A ledger in memory."""

    submissions: list[Submission] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)

    def intend(self, token: str, requests: Iterable[str]) -> None:
        self.told.append(("intend", token))

    def submitted(self, token: str, batch: str) -> None:
        self.told.append(("submitted", batch))

    def ended(self, token: str) -> None:
        self.told.append(("ended", token))


class Api(BatchApi):
    """A provider that answers every line at once, after the faults that it was told to have."""

    made: dict[str, tuple[str, list[str]]]
    """The token and the lines of each batch, by its id."""
    faults: dict[str, list[BatchFault]]

    def __init__(self, *, create: Iterable[BatchFault] = (), state: Iterable[BatchFault] = ()) -> None:
        super().__init__("openai/m", None)
        self.__dict__.update(made={}, faults={"create": list(create), "state": list(state)})

    async def upload(self, lines: bytes) -> str:
        return lines.decode()

    async def create(self, file: str, token: str) -> State:
        ids = [line.split('"custom_id": "')[1][:64] for line in file.splitlines()]
        self.made[f"batch-{len(self.made)}"] = (token, ids)
        self._maybe("create")
        return State(f"batch-{len(self.made) - 1}", "in_progress", 0.0)

    async def find(self, token: str) -> State | None:
        return next((State(b, "in_progress", 0.0) for b, (t, _) in self.made.items() if t == token), None)

    async def state(self, batch: str) -> State:
        self._maybe("state")
        return State(batch, "completed", 0.0)

    async def outcomes(self, state: State) -> dict[str, Outcome]:
        said = Reply("batched", truncated=False, served_model="m", usage=Usage(1, 1))
        return dict.fromkeys(self.made[state.id][1], said)

    def _maybe(self, name: str) -> None:
        if self.faults[name]:
            raise self.faults[name].pop(0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher, "QUIET", 0.01)


def call(number: int) -> Call:
    return Call("openai/m", ({"role": "user", "content": "question"},), key=f"{number:064}")


async def no_pause(_: float) -> None:
    await asyncio.sleep(0)


async def live(_: Call) -> Outcome:
    return LIVE


def asked(api: Api, count: int, ledger: Ledger | None = None) -> list[Outcome]:
    """The outcomes of several calls, asked at once."""

    async def ask() -> list[Outcome]:
        one = Batcher(api, ledger or Ledger(), BatchTerms(deadline=1e12), live=live, sleep=no_pause)
        return list(await asyncio.gather(*(one.attempt(call(number)) for number in range(count))))

    return run(ask())


def run(work: Coroutine[None, None, Result]) -> Result:
    return asyncio.run(work)


def texts(outcomes: Iterable[Outcome]) -> list[str]:
    return [one.text if isinstance(one, Reply) else one.fault.detail for one in outcomes]


def test_calls_that_come_together_are_one_batch() -> None:
    """Written down before it is submitted, and after."""
    api, ledger = Api(), Ledger()
    assert texts(asked(api, 5, ledger)) == ["batched"] * 5
    ((token, ids),) = api.made.values()
    assert len(set(ids)) == 5
    assert ledger.told == [("intend", token), ("submitted", "batch-0"), ("ended", token)]


def test_a_large_round_is_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """No batch has more lines or bytes than a provider takes; none is lost."""
    monkeypatch.setattr(batcher, "MOST_LINES", 2)
    api = Api()
    assert texts(asked(api, 5)) == ["batched"] * 5
    assert [len(ids) for _, ids in api.made.values()] == [2, 2, 1]
    monkeypatch.setattr(batcher, "MOST_BYTES", 10)
    api = Api()
    assert texts(asked(api, 3)) == ["batched"] * 3
    assert [len(ids) for _, ids in api.made.values()] == [1, 1, 1]


def test_lesson_54_a_creation_that_seemed_to_fail_is_found_and_not_repeated() -> None:
    """The provider has created the batch, and the answer was lost on the way."""
    api = Api(create=[BUSY])
    assert texts(asked(api, 2)) == ["batched"] * 2
    assert len(api.made) == 1


def test_an_outage_while_waiting_is_waited_for() -> None:
    """Faults that may pass do not end the work."""
    assert texts(asked(Api(state=[BUSY] * (ATTEMPTS - 1)), 2)) == ["batched"] * 2


@pytest.mark.parametrize("faults", [[WRONG], [BUSY] * ATTEMPTS], ids=["wrong key", "long outage"])
def test_an_api_that_does_not_answer_ends_the_work(faults: list[BatchFault]) -> None:
    """With what the provider said, and how to go on; no call is asked live unasked."""
    with pytest.raises(WorldError, match=r"batch API does not answer: .*--resume"):
        asked(Api(state=faults), 2)


def test_a_second_attempt_at_a_call_is_live() -> None:
    """A retry after a failed line does not wait for another batch."""

    async def ask() -> list[Outcome]:
        one = Batcher(Api(), Ledger(), BatchTerms(deadline=1e12), live=live, sleep=no_pause)
        return [await one.attempt(call(1)), await one.attempt(call(1))]

    assert texts(run(ask())) == ["batched", "live"]


def test_a_failed_line_keeps_its_fault() -> None:
    """The client decides whether it asks again."""

    class Failing(Api):
        async def outcomes(self, state: State) -> dict[str, Outcome]:
            return dict.fromkeys(self.made[state.id][1], Failure(Fault(FaultKind.DETERMINISTIC, "400")))

    assert texts(asked(Failing(), 2)) == ["400", "400"]
