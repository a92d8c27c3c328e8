"""The Python API inside a running event loop, as in every notebook."""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import json
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import ib
from ib.pipeline.common.loop import Loop
from ib.store.folders import scans
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages

LIMITS = ib.CallLimits(max_calls=999)
ONE = ib.Selection(categories=("continuity",), limit=1)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback")


def says(model: str, messages: Messages) -> str:
    """One server for the model under test and for the judge."""
    return passing_reply(messages[-1]["content"]) if model == "judge" else "What happened tonight?"


def inside(work: Callable[[], object]) -> None:
    """Call a function as a cell of a notebook does: within a task of a running loop, which leaves SIGINT to
    Python."""
    loop = asyncio.new_event_loop()

    async def cell() -> None:
        work()
        assert asyncio.get_running_loop() is loop
        await asyncio.sleep(0)

    with contextlib.closing(loop):
        loop.run_until_complete(cell())


def test_a_notebook_plays_and_scans(tmp_path: Path) -> None:
    """`ib.play` and `ib.scan` give inside a running loop what they give outside of one."""

    def work(name: str) -> Path:
        with LoopbackServer(says, port=port) as server:
            settings = ib.ModelSettings(base_url=server.base_url)
            where = tmp_path / f"{name}-run"
            run = ib.play(["openai/m"], scenarios=ONE, out=where, settings=settings, limits=LIMITS)
            assert not run.incomplete
            part = ib.Part(checks=("IB-B1", "IB-B4"))
            return ib.scan(
                run.transcripts, profile="publish", judge="openai/judge", out=tmp_path / name, cache=False,
                settings=settings, limits=LIMITS, part=part,
            ).path  # fmt: skip

    with LoopbackServer(says) as free:
        port = int(free.base_url.rpartition(":")[2].partition("/")[0])
    inside(lambda: work("inside") and None)
    work("outside")
    for name in (scans.RESULTS, scans.REPLIES):
        assert (tmp_path / "inside" / name).read_bytes() == (tmp_path / "outside" / name).read_bytes()
    assert json.loads((tmp_path / "inside" / scans.COST).read_bytes())["complete"]


def test_reference_assistants_play_in_a_notebook(tmp_path: Path) -> None:
    """A model in this process needs no network, but the same loop."""
    inside(lambda: ib.play(["reference/attentive"], scenarios=ONE, out=tmp_path / "run") and None)
    assert (tmp_path / "run" / "transcripts.jsonl").stat().st_size


@pytest.mark.parametrize("waits", [True, False], ids=["during the wait", "just before the wait"])
def test_an_interruption_cancels_the_work(*, waits: bool) -> None:
    """Ctrl-C in a notebook ends what the other thread does, and its clean-up runs, before the error shows."""
    started, ended = threading.Event(), threading.Event()

    async def endless() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def work() -> None:
        with Loop() as loop:
            main = threading.get_ident()

            def interrupt() -> None:
                started.wait()
                if waits:
                    signal.pthread_kill(main, signal.SIGINT)
                else:  # marks the signal as come, and ends no wait
                    _thread.interrupt_main()

            threading.Thread(target=interrupt).start()
            with pytest.raises(KeyboardInterrupt):
                loop.run(endless())
            assert ended.is_set()

    began, before = time.monotonic(), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        inside(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 50


def test_a_run_starts_no_thread() -> None:
    """An interruption while it starts would leave a thread that no clean-up waits for."""

    async def threads() -> set[threading.Thread]:
        return set(threading.enumerate())

    def cell() -> None:
        with Loop() as loop:
            before = set(threading.enumerate())
            assert loop.run(threads()) == before

    inside(cell)


@pytest.mark.parametrize("begun", [True, False], ids=["work has begun", "work is queued"])
def test_an_interruption_before_the_future_is_there_cancels_the_work(
    monkeypatch: pytest.MonkeyPatch, *, begun: bool
) -> None:
    """The work can be handed over, and Ctrl-C come before this thread has its future; it is canceled too."""
    entered, started, free = threading.Event(), threading.Event(), threading.Event()
    ends: list[str] = []

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            ends.append("canceled")
            raise
        ends.append("slept")

    class Interrupted(ThreadPoolExecutor):
        """Is interrupted when it has handed over the work of the loop, before it returns the future."""

        handed_over = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if not entered.is_set():
                return super().submit(fn, *args, **kwargs)
            if not self.handed_over and not begun:
                super().submit(free.wait)
            future = super().submit(fn, *args, **kwargs)
            self.handed_over += 1
            if self.handed_over == 1:
                if begun:
                    started.wait()
                raise KeyboardInterrupt
            free.set()
            return future

    def cell() -> None:
        with Loop() as loop:
            entered.set()
            with pytest.raises(KeyboardInterrupt):
                loop.run(work())
            free.set()
            assert ends == ["canceled"]

    monkeypatch.setattr("ib.pipeline.common.loop.ThreadPoolExecutor", Interrupted)
    inside(cell)
