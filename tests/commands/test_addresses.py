"""An address belongs to one model: no key, header or body for one provider reaches the server of another."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.store.folders import scans
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
OPENAI, ANTHROPIC = "openai/alpha", "anthropic/claude-beta"
KEYS = {
    "openai": "sk-" + "of-the-first" + "Zq7Kd0vLm2Xw9Rt4Yb6N",
    "anthropic": "sk-" + "of-the-second" + "Kd0vLm2Xw9Rt4Yb6NZq7",
    "hosted_vllm": "sk-" + "of-the-third" + "Lm2Xw9Rt4Yb6NZq7Kd0v",
}
PLAYED = ("-c", "continuity", "--limit", 1, "--max-calls", 999)
JUDGED = ("--profile", "publish", "--check", "IB-B1", "--check", "IB-B4", "--max-calls", 999, "--no-cache")
BAD = ("ftp://x", "http://[::1", "http://x:port/v1", "http://", "https://user:word@x/v1")


class Server:
    """Answers in the form of OpenAI and in that of Anthropic, and records every byte that it gets."""

    def __init__(self) -> None:
        self.got: list[str] = []
        """The path, headers and body of each request."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        got = self.got

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                """Nothing on stderr."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                got.append(f"{self.path}\n{self.headers}\n{body}")
                sent = json.dumps(reply(self.path, json.loads(body))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

        return Handler


def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request, in the form of the API that its path names."""
    said = body["messages"][-1]["content"]
    said = said if isinstance(said, str) else said[0]["text"]
    text = passing_reply(said) if "IB-B" in said or "{" in said else "What happened tonight?"
    if path.endswith("/messages"):
        return {
            "id": "m", "type": "message", "role": "assistant", "model": body["model"],
            "stop_reason": "end_turn", "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 9, "output_tokens": 9},
        }  # fmt: skip
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
    }  # fmt: skip


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for each provider, which no provider gave out."""
    for provider, key in KEYS.items():
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", key)
    monkeypatch.setattr("ib.client.batcher.QUIET", 0.1)
    monkeypatch.setattr("ib.client.batcher.FIRST_POLL", 0.02)


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    """A server for each of two providers."""
    with Server() as first, Server() as second:
        yield first, second


def apart(servers: tuple[Server, Server]) -> None:
    """Each server got requests, with the key and the model of its own provider only."""
    for server, (own, other) in zip(servers, (("openai", "anthropic"), ("anthropic", "openai")), strict=True):
        got = "\n".join(server.got)
        assert KEYS[own] in got
        assert KEYS[other] not in got
        name, foreign = ("alpha", "claude-beta") if own == "openai" else ("claude-beta", "alpha")
        assert f'"{name}"' in got
        assert foreign not in got


def test_a_run_of_two_providers_sends_each_key_to_its_own_server(
    ib: Call, servers: tuple[Server, Server], tmp_path: Path
) -> None:
    """PROVIDER/MODEL@ADDRESS gives one model an address of its own; a resumed run keeps to it."""
    names = [f"{OPENAI}@{servers[0].base}/v1", f"{ANTHROPIC}@{servers[1].base}"]
    run = ("run", "-m", names[0], "-m", names[1], *PLAYED, "--out", tmp_path / "run")
    code, _, err = ib(*run)
    assert code == 0, err
    apart(servers)
    journal = tmp_path / "run" / "completions.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0])
    for server in servers:
        server.got.clear()
    code, _, err = ib(*run, "--resume")
    assert code == 0, err
    apart(servers)


def test_two_judges_of_two_providers_are_asked_at_their_own_servers(
    ib: Call, servers: tuple[Server, Server], transcripts: Write, tmp_path: Path
) -> None:
    """The second judge gets its own address, also when the scan is resumed."""
    judges = ("--judge", f"{OPENAI}@{servers[0].base}/v1", "--second-judge", f"{ANTHROPIC}@{servers[1].base}")
    scan = ("scan", transcripts(row()), *JUDGED, *judges, "--second-share", 1, "--out", tmp_path / "scan")
    code, _, err = ib(*scan)
    assert code == 0, err
    apart(servers)
    plan = json.loads((tmp_path / "scan" / scans.PLAN).read_bytes())
    assert plan["judge"]["base"] == f"{servers[0].base}/v1"
    assert plan["second"]["judge"]["base"] == servers[1].base
    (tmp_path / "scan" / scans.MANIFEST).unlink()
    for path in (tmp_path / "scan").glob("*replies*.jsonl"):
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    for server in servers:
        server.got.clear()
    code, _, err = ib(*scan, "--resume")
    assert code == 0, err
    apart(servers)


def test_a_file_gives_each_model_its_address(
    ib: Call, servers: tuple[Server, Server], tmp_path: Path
) -> None:
    """With --config, the address of one model is used for no other."""
    models = [
        {"model": OPENAI, "settings": {"base_url": f"{servers[0].base}/v1"}},
        {"model": ANTHROPIC, "settings": {"base_url": servers[1].base}},
    ]
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"models": models}))
    code, _, err = ib("run", "--config", path, *PLAYED, "--out", tmp_path / "run")
    assert code == 0, err
    apart(servers)
    code, _, err = ib("run", "--config", path, "-m", f"{OPENAI}@{servers[1].base}/v1", "--dry-run")
    assert code == 2
    assert "base_url" in err


def test_a_proxy_changes_no_address(ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a proxy, each request names the server of its own provider."""
    monkeypatch.setenv("NO_PROXY", "")
    with Server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base)
        names = ("-m", f"{OPENAI}@http://first.invalid/v1", "-m", f"{ANTHROPIC}@http://second.invalid")
        code, _, err = ib("run", *names, *PLAYED, "--max-retries", 0, "--out", tmp_path / "run")
        assert code == 0, err
        assert proxy.got
        for got in proxy.got:
            first = "http://first.invalid/" in got
            assert first != ("http://second.invalid/" in got)
            assert (KEYS["openai"] in got, KEYS["anthropic"] in got) == (first, not first)
            assert ("alpha" in got, "claude-beta" in got) == (first, not first)


def test_batches_of_two_providers_go_to_their_own_servers(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """Files and batches are uploaded to the address of their own judge, with its key."""
    with (
        LoopbackServer(passes, key=KEYS["openai"], models=("alpha",)) as first,
        LoopbackServer(passes, key=KEYS["hosted_vllm"], models=("mistral",)) as second,
    ):
        names = (f"openai/alpha@{first.base_url}", f"hosted_vllm/mistral@{second.base_url}")
        judges = ("--judge", names[0], "--second-judge", names[1])
        more = ("--batch", "--second-share", 1, "--out", tmp_path / "scan")
        code, _, err = ib("scan", transcripts(row()), *JUDGED, *judges, *more)
        assert code == 0, err
        assert first.seen.answered
        assert second.seen.answered


def passes(model: str, messages: Messages) -> str:
    """A judge that passes everything."""
    return passing_reply(messages[-1]["content"])


@pytest.mark.parametrize("command", ["run", "scan"])
def test_one_address_for_several_providers_is_refused(
    ib: Call, transcripts: Write, servers: tuple[Server, Server], command: str
) -> None:
    """--base-url would send the key of every model there: wrong usage, and nothing is sent."""
    base = ("--base-url", f"{servers[0].base}/v1", "--max-calls", 9)
    both = {
        "run": ("run", "-m", OPENAI, "-m", ANTHROPIC, *PLAYED),
        "scan": ("scan", transcripts(row()), *JUDGED, "--judge", OPENAI, "--second-judge", ANTHROPIC),
    }[command]
    code, _, err = ib(*both, *base)
    assert code == 2
    assert "--config" in err
    assert "anthropic, openai" in err
    assert not servers[0].got


def test_models_of_one_provider_share_an_address(ib: Call) -> None:
    """They have one key, so nothing reaches a server that is not meant for it."""
    names = ("-m", "openai/a", "-m", "openai/b", "-m", "reference/attentive", "-m", f"{ANTHROPIC}@http://c")
    code, out, err = ib("run", *names, "--base-url", "http://d/v1", "--dry-run", "--json")
    assert code == 0, err
    sampling = {model["model_id"]: model["sampling"] for model in json.loads(out)["plan"]["models"]}
    assert sampling["openai/a"] == sampling["openai/b"] == {"base_url": "http://d/v1"}
    assert sampling[ANTHROPIC]["base_url"] == "http://c"


@pytest.mark.parametrize("address", BAD)
def test_a_bad_address_is_an_error(
    ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Exit 2 on the command line, 3 with file and key in a file, 4 in the environment; never repeated."""
    code, _, err = ib("run", "-m", OPENAI, "--base-url", address, "--dry-run")
    assert (code, "--base-url" in err, "is not an address" in err) == (2, True, True)
    code, _, err = ib("scan", transcripts(row()), *JUDGED, "--judge", f"{OPENAI}@{address}", "--dry-run")
    assert (code, "openai/alpha@" in err, "is not an address" in err) == (2, True, True)
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"models": [{"model": OPENAI, "settings": {"base_url": address}}]}))
    code, _, err = ib("run", "--config", path, "--dry-run")
    assert (code, "models.yaml" in err, "base_url" in err, "word" in err.replace("password", "")) == (
        3, True, True, False
    )  # fmt: skip
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    code, _, err = ib("run", "-m", OPENAI, "--dry-run")
    assert (code, "OPENAI_BASE_URL" in err) == (4, True)


def test_a_text_that_looks_like_half_an_address_is_no_bug(ib: Call) -> None:
    """A further parameter may hold any text."""
    code, _, err = ib("run", "-m", OPENAI, "--extra", 'user="http://[::1"', "--dry-run")
    assert code == 0, err


def test_an_id_may_have_an_at_sign(ib: Call) -> None:
    """Only @ before an address separates; some providers write a version after @."""
    code, out, err = ib("run", "-m", "vertex_ai/claude@20240229", "--dry-run", "--json")
    assert code == 0, err
    (model,) = json.loads(out)["plan"]["models"]
    assert (model["model_id"], "base_url" in model["sampling"]) == ("vertex_ai/claude@20240229", False)
