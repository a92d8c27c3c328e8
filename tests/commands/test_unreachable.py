"""Models and judges that cannot be asked: exit 4, and a message that says what to check."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

from ib.store.folders import runs, scans
from ib.testing.conditions import Conditions
from ib.testing.loopback import LoopbackServer
from tests.commands.conftest import row
from tests.commands.test_live import KEY, judges, says

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/some-model"
LIMITS = ("--max-calls", 500, "--max-retries", 0)
Respond = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@contextmanager
def server(respond: Respond) -> Iterator[str]:
    """A server on this machine that answers every request with the same function; yields its base URL."""
    loop, ready, port = asyncio.new_event_loop(), threading.Event(), [0]

    def serve() -> None:
        asyncio.set_event_loop(loop)
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/{path:.*}", respond)
        runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        port[0] = runner.addresses[0][1]
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    ready.wait()
    yield f"http://127.0.0.1:{port[0]}/v1"
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def html(_: web.Request) -> web.Response:
    """The page of a proxy that wants a login."""
    return web.Response(text="<html><body>Please sign in</body></html>", content_type="text/html")


async def nothing(_: web.Request) -> web.Response:
    """Status 200 without a body."""
    return web.Response()


async def closed(request: web.Request) -> web.Response:
    """The connection ends without a response."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def no_json(_: web.Request) -> web.Response:
    """Status 200, said to be JSON, which it is not."""
    return web.Response(text="{'choices': [", content_type="application/json")


async def no_completion(_: web.Request) -> web.Response:
    """Status 200 with JSON that is no completion."""
    return web.json_response({"detail": "hello"})


def asked(
    ib: Call, base: str, transcripts: Write, tmp_path: Path, retries: int = 0
) -> Iterator[tuple[str, int, str]]:
    """A run and a scan of five calls and more against a server: exit code and message."""
    to = ("--base-url", base, "--max-calls", 500, "--max-retries", retries)
    for name, arguments in {
        "run": ("run", "-m", MODEL, "-c", "safety", "--scenario-parallel", 8),
        "scan": ("scan", transcripts(row(tags=[])), "--profile", "publish", "--judge", MODEL),
    }.items():
        code, _, err = ib(*arguments, *to, "--out", tmp_path / name)
        yield name, code, err


@pytest.mark.parametrize("respond", [html, nothing, closed, no_json, no_completion])
def test_a_server_that_sends_no_completion(
    ib: Call, transcripts: Write, tmp_path: Path, respond: Respond
) -> None:
    """Each call is a fault; after five of them nothing more is asked. No answer becomes a turn or a vote."""
    requests = 0

    async def counted(request: web.Request) -> web.StreamResponse:
        nonlocal requests
        requests += 1
        return await respond(request)

    with server(counted) as base:
        for name, code, err in asked(ib, base, transcripts, tmp_path):
            assert (code, f"{MODEL} answered none of the first" in err) == (4, True), err
            assert "Check its name, its key and its address" in err
            assert not (tmp_path / name / (runs.TRANSCRIPTS if name == "run" else scans.RESULTS)).exists()
    assert 10 <= requests <= 60


def test_an_address_where_nobody_listens(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """The message says that the connection is refused, and names no status, which nobody sent."""
    for _, code, err in asked(ib, "http://127.0.0.1:1/v1", transcripts, tmp_path):
        assert (code, "connection refused" in err, "answered none" in err) == (4, True, True), err
        assert "500" not in err.replace("500 calls", "")


@pytest.mark.parametrize("what", ["an endless 429", "a closed port"])
def test_a_server_that_does_not_answer_is_named_while_it_is_asked(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A run and a scan say how the attempts ended and how long they wait, before they give up."""
    monkeypatch.setattr("ib.client.status.SILENT", 0.0)
    ends = {"an endless 429": "too many requests (429)", "a closed port": "connection refused"}[what]
    with LoopbackServer(says, Conditions(rate_limit=1.0)) as loopback:
        base = "http://127.0.0.1:1/v1" if what == "a closed port" else loopback.base_url
        for _, code, err in asked(ib, base, transcripts, tmp_path, retries=1):
            first = next(line for line in err.splitlines() if "no answer for" in line)
            assert re.match(rf"{MODEL}: no answer for \d s; (\d+) of \1 attempts: {re.escape(ends)}; ", first)
            assert re.search(r"; the next attempt is in [01] s$", first)
            assert code == 4


def test_a_model_that_the_server_does_not_have(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Status 404: the message has the words of the server."""
    with LoopbackServer(says, models=("other",)) as loopback:
        for _, code, err in asked(ib, loopback.base_url, transcripts, tmp_path):
            assert (code, "404" in err, "some-model" in err) == (4, True, True), err
        assert loopback.seen.requests <= 60


def test_a_key_that_the_server_does_not_take(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Status 401: asked once and not again; the key is not repeated."""
    with LoopbackServer(says, key="another") as loopback:
        for _, code, err in asked(ib, loopback.base_url, transcripts, tmp_path):
            assert (code, "401" in err, KEY in err) == (4, True, False), err
        assert loopback.seen.requests <= 60


def test_a_reply_of_20_mb_is_cut(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """A model's turn is marked as truncated; a judge's reply is no vote. Journals can be read again."""
    with LoopbackServer(lambda model, said: "so " * 7_000_000 if len(said) == 2 else "Yes.") as loopback:
        to = ("--base-url", loopback.base_url, *LIMITS)
        run = ("run", "-m", MODEL, "-c", "continuity", "--limit", 1, "--out", tmp_path / "run")
        code, _, err = ib(*run, *to)
        assert code == 0, err
        scan = ("--profile", "publish", "--judge", MODEL, "--check", "IB-A1", "--out", tmp_path / "scan")
        code, _, err = ib("scan", transcripts(row(tags=[])), *scan, *to)
        assert code == 0, err
    played = json.loads((tmp_path / "run" / runs.TRANSCRIPTS).read_text())
    replies = [message for message in played["messages"] if message["role"] == "assistant"]
    assert [(len(reply["content"]), reply.get("truncated", False)) for reply in replies[:2]] == [
        (1_000_000, True),
        (4, False),
    ]
    results = json.loads((tmp_path / "scan" / scans.RESULTS).read_text())
    found = next(each for each in results["rows"] if each["mode_id"] == "IB-A1")
    assert found["verdict"] == "UNCLEAR"
    code, said, err = ib("qa", tmp_path / "scan", "--stage", "demo")
    assert code == 0, said + err


def test_a_server_without_a_key_is_asked_without_one(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of one's own may need none."""
    monkeypatch.delenv("OPENAI_API_KEY")
    with LoopbackServer(judges) as loopback:
        scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", MODEL, "--bucket", "C")
        code, _, err = ib(*scan, "--base-url", loopback.base_url, *LIMITS, "--out", tmp_path / "scan")
        assert code == 0, err
