"""No key in anything that is written or printed, whatever a server repeats and however a command ends."""

from __future__ import annotations

import html
import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest
from aiohttp import web

from ib.store.folders import runs, scans
from ib.testing.loopback import LoopbackServer
from tests.commands.conftest import row
from tests.commands.test_live import judges, says
from tests.commands.test_unreachable import server

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/some-model"
_LOWER = re.compile("%[0-9A-F]{2}")
PLANTED = {
    "OPENAI_API_KEY": "sk-" + "proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6NZq7Kd0vLm2Xw9Rt4Yb6N",
    "ANTHROPIC_API_KEY": "sk-" + "ant-api03-" + "Kd0vLm2Xw9Rt4Yb6NZq7Kd0vLm2Xw9Rt4Yb6NZq7",
    "AZURE_API_KEY": "0123456789abcdef" + "0123456789ABCDEF",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI7K7MDENGbPx" + "RfiCYzzkeyKEYkey",
    "HF_TOKEN": "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "MY_PROXY_PASSWORD": "Correct7Horse9Battery2Staple",
    "GIVECARE_BENCH_KEY": "bench-Key-0123456789-Zw8",
    "VENDOR_SECRET": 'aB3+/=x&y %Z9"\\k2Lm4<Qr7>~Vt8',
}
"""Keys that no provider gave out, by the variables that hold them."""


def forms(key: str) -> list[str]:
    """A key in the forms in which a server may repeat it."""
    data = key.encode()
    headers = (b"Bearer " + data, b"user:" + data, b":" + data, data + b"&x=1")
    in_base64 = [encode(header).decode() for header in headers for encode in (b64encode, urlsafe_b64encode)]
    in_url = [
        quote(key),
        quote(key, safe=""),
        quote_plus(key),
        _LOWER.sub(lambda m: m[0].lower(), quote(key, safe="")),
    ]
    return [key, html.escape(key), json.dumps(key), repr({"key": key}), *in_url, *in_base64]


EVERY = " ".join(form for key in PLANTED.values() for form in forms(key))


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """All keys in the environment, and a log that somebody has turned on."""
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LITELLM_LOG", "DEBUG")


def readings(text: str) -> Iterator[str]:
    """A text as it is, without escapes, and what stands in it in base64."""
    plain = html.unescape(unquote_plus(text)).replace('\\"', '"').replace("\\\\", "\\")
    yield from (text, plain, html.unescape(unquote(text)), plain.replace("\\\\", "\\"))
    for run in re.findall(r"[A-Za-z0-9+/_-]{16,}", text):
        for skipped in range(4):
            coded = run[skipped:].replace("-", "+").replace("_", "/")
            if len(coded) % 4 != 1:
                yield b64decode(coded + "=" * (-len(coded) % 4)).decode("latin-1")


def held(text: str) -> list[str]:
    """The variables whose key stands in a text, in any form, also in part: 12 characters are too many."""
    parts = {
        name: {key[at : at + 12] for at in range(8, len(key) - 11)} | {key} for name, key in PLANTED.items()
    }
    read = list(readings(text))
    return [name for name, some in parts.items() if any(part in one for part in some for one in read)]


def searched(folder: Path) -> int:
    """Search every file of a folder, and the names of the files; returns how many there are."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name: held(path.read_text("latin-1") + path.name) for path in files} == {
        path.name: [] for path in files
    }
    return len(files)


async def repeats(request: web.Request) -> web.Response:
    """A completion that repeats all keys and the headers of the request, in its text and as its model."""
    body = await request.json()
    told = f"{EVERY} {dict(request.headers)}"
    said = judges if '"PASS"' in body["messages"][-1]["content"] else says
    text = f"{said(body['model'], body['messages'])}"
    text = f"{text} I got {told}" if said is says else f"I got {EVERY}\n{text}"
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    made: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 1, "choices": [choice]}
    return web.json_response({**made, "model": f"m {EVERY}"})


def refuses(status: int) -> Callable[[web.Request], Any]:
    """An error that repeats all keys and the headers of the request."""

    async def respond(request: web.Request) -> web.Response:
        error = {"message": f"wrong: {EVERY} {dict(request.headers)}", "type": "t", "code": None}
        return web.json_response({"error": error}, status=status, headers={"X-Key": EVERY.split()[0]})

    return respond


def both(ib: Call, base: str, transcripts: Write, folder: Path) -> str:
    """A run and a scan against a server: everything that they print."""
    to = ("--base-url", base, "--max-calls", 500, "--max-retries", 0)
    run = ("run", "-m", MODEL, "-c", "continuity", "--limit", 1, "--out", folder / "run")
    scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", MODEL, "--out", folder / "scan",
            "--cache", folder / "answers.sqlite")  # fmt: skip
    printed = [ib(*run, *to), ib(*scan, *to, "--json")]
    return "\n".join(f"{code} {out} {err}" for code, out, err in printed)


def test_a_reply_that_repeats_keys(
    ib: Call, transcripts: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Journals, transcripts, plans, results and what is printed: a mark stands in place of each key."""
    with server(repeats) as base:
        printed = both(ib, base, transcripts, tmp_path / "out")
    assert held(printed + caplog.text) == []
    assert searched(tmp_path / "out") > 10
    first = json.loads((tmp_path / "out" / "run" / runs.TRANSCRIPTS).read_text().splitlines()[0])
    assert "[key]" in first["messages"][1]["content"]
    assert "[key]" in first["provenance"]["served_model"]
    assert (tmp_path / "out" / "scan" / scans.RESULTS).exists()
    replies = (tmp_path / "out" / "scan" / scans.REPLIES).read_text()
    assert "[key]" in replies
    assert "[key]" in (tmp_path / "out" / "answers.sqlite").read_text("latin-1")


def test_a_batch_that_repeats_keys(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers of a batch are cleaned as those of single calls are; its list of batches has no key."""
    monkeypatch.setattr("ib.client.batcher.QUIET", 0.2)
    with LoopbackServer(lambda model, said: f"I got {EVERY}\n{judges(model, said)}") as loopback:
        code, out, err = ib(
            "scan", transcripts(row()), "--profile", "publish", "--judge", MODEL, "--batch", "--bucket", "C",
            "--base-url", loopback.base_url, "--max-calls", 500, "--out", tmp_path / "scan",
        )  # fmt: skip
        assert code == 0, err
    assert "batch" in err
    assert held(out + err) == []
    assert searched(tmp_path / "scan") > 10
    assert "[key]" in (tmp_path / "scan" / scans.REPLIES).read_text()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_an_error_that_repeats_keys(
    ib: Call, transcripts: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """Messages, journals and incomplete plays."""
    with server(refuses(status)) as base:
        printed = both(ib, base, transcripts, tmp_path / "out")
    assert f" {status}" in printed or "rate_limit" in printed
    assert held(printed + caplog.text) == []
    assert searched(tmp_path / "out") > 0


def test_an_internal_error_that_repeats_keys(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The traceback of a bug has no key, in any of the errors that it shows."""

    def broken(*_: object) -> None:
        try:
            raise ValueError(f"headers: {EVERY}")
        except ValueError as error:
            raise RuntimeError(f"sent {EVERY}") from error

    monkeypatch.setattr("ib.client.transport.known_provider", broken)
    scan = ("scan", transcripts(row()), "--profile", "publish", "--judge", MODEL, "--max-calls", 9)
    code, out, err = ib(*scan, "--out", tmp_path / "scan")
    assert (code, "Traceback" in err, "RuntimeError: sent [key]" in err) == (70, True, True)
    assert "ValueError: headers: [key]" in err
    assert held(out + err) == []


def test_the_search_of_this_test_finds_a_key(tmp_path: Path) -> None:
    """In a text, in a part of it, in every form, and in a file."""
    for name, key in PLANTED.items():
        assert [form for form in forms(key) if name not in held(f"a {form} b")] == []
    assert held(f"a {PLANTED['HF_TOKEN'][:30]} b") == ["HF_TOKEN"]
    (tmp_path / "x").write_text(EVERY)
    with pytest.raises(AssertionError):
        searched(tmp_path)
