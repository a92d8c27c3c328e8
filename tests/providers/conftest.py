"""Servers that others wrote, in processes and in a virtual environment of their own (`make servers`).

Used where that environment is present, demanded where IB_REQUIRE_SERVERS is set.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ib.cli import run

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / ".venv-servers" / "bin"
HOST = "127.0.0.1"
PROXY_KEY = "sk-" + "proxy" + "-of-a-test"
SAID = "That sounds like a hard night. Who could take over for an hour?"
UNSURE = '{"reason": "one reply does not tell", "verdict": "UNCLEAR"}'
PATIENCE = 240.0
"""Seconds within which a server has to be up. The proxy of litellm takes 10; its first start, on a machine
that does other work, took 60."""

PROXY = {
    "model_list": [
        {
            "model_name": name,
            "litellm_params": {"model": "openai/any", "api_key": "none", "mock_response": said},
        }
        for name, said in (("listener", SAID), ("judge", UNSURE), ("busy", "litellm.RateLimitError"))
    ],
    "litellm_settings": {"telemetry": False},
    "router_settings": {"num_retries": 0},
    "general_settings": {"master_key": PROXY_KEY},
}
FAKELLM = {
    "version": 1,
    "rules": [
        {
            "name": "the first request of a conversation fails",
            "when": {"model_matches": "shaky*", "turn": 1},
            "respond": {"status": 503, "error": "not now"},
        },
        {
            "name": "no entry",
            "when": {"model_matches": "closed*"},
            "respond": {"status": 403, "error": "not yours"},
        },
        {"name": "judge", "when": {"model_matches": "*judge"}, "respond": {"content": UNSURE}},
        {"name": "any other model", "respond": {"content": SAID}},
    ],
}


@dataclass(frozen=True)
class Program:
    """One server: what starts it, its settings, and the path that answers when it is up."""

    name: str
    settings: Mapping[str, object]
    alive: str
    arguments: tuple[str, ...] = ()

    def command(self, settings: Path, port: int) -> list[str]:
        """The command line that serves these settings at this port."""
        common = ("--config", str(settings), "--host", HOST, "--port", str(port))
        return [str(PROGRAMS / self.name), *self.arguments, *common]


@pytest.fixture
def ib(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line; exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of litellm's own proxy, with replies from its settings."""
    program = Program("litellm", PROXY, "/health/liveliness")
    with _serving(program, tmp_path_factory.mktemp("proxy")) as address:
        yield address


@pytest.fixture(scope="session")
def fakellm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of fakellm, which speaks the APIs of OpenAI and of Anthropic."""
    program = Program("fakellm", FAKELLM, "/_fakellm/stats", ("serve",))
    with _serving(program, tmp_path_factory.mktemp("fakellm")) as address:
        yield address


@contextlib.contextmanager
def _serving(program: Program, folder: Path) -> Iterator[str]:
    """The address of a server that is up. Ends the server, and the test if there is none."""
    if not (PROGRAMS / program.name).is_file():
        if os.environ.get("IB_REQUIRE_SERVERS"):
            pytest.fail(f"{program.name} is demanded here, and is not in {PROGRAMS}; run: make servers")
        pytest.skip(f"{program.name} is not installed; run: make servers")
    settings, log, port = folder / "settings.yaml", folder / "log.txt", _free_port()
    settings.write_text(yaml.safe_dump(dict(program.settings)))
    # Nothing of this environment: no key, no proxy, and no fetching of prices.
    environment = {"PATH": os.defpath, "HOME": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            program.command(settings, port), cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait_for(process, f"http://{HOST}:{port}{program.alive}", log)
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        port: int = taken.getsockname()[1]
        return port


def _wait_for(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Wait until a server answers. Fails with the end of its log."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with (
            contextlib.suppress(OSError),  # URLError and HTTPError are OSErrors
            urllib.request.urlopen(address, timeout=5) as response,  # noqa: S310 - loopback
        ):
            if response.status == 200:
                return
        time.sleep(0.1)
    pytest.fail(f"{address} did not come up:\n{log.read_text(errors='replace')[-2000:]}")
