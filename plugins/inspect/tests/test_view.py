"""The server of `inspect view` shows the logs of the task and those of `ib export`."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from inspect_ai import eval as inspect_eval

from delivery.export.registry import LOGS
from delivery.export.writing import write_export
from ib_inspect import invisiblebench
from tests.pipeline.verifying import released
from voting import Votes

PATIENCE = 120.0
"""Seconds within which the server has to answer. It takes 3."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of the task, and those of a release in both formats."""
    folder = tmp_path_factory.mktemp("view") / "logs"
    for ending, form in LOGS.items():
        write_export(form, released(tmp_path_factory), folder / ending)
    task = invisiblebench(scenarios="safety-gray_zone-dark-joke", checks="IB-C2-minimizing")
    (log,) = inspect_eval(task, "mockllm/model", model_roles={"grader": Votes().model()}, log_dir=str(folder))
    assert log.status == "success"
    return folder


@pytest.fixture(scope="module")
def server(logs: Path) -> Iterator[str]:
    """The address of the server, which listens on this machine only."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ("--host", "127.0.0.1", "--port", str(port), "--log-dir", str(logs))
    with (logs.parent / "server.txt").open("wb") as said:
        started = subprocess.Popen(
            [sys.executable, "-m", "inspect_ai", "view", "start", *options], stdout=said, stderr=said
        )
        try:
            _wait(started, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            started.terminate()
            started.wait(60)


def _wait(started: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + PATIENCE
    while started.poll() is None and time.monotonic() < until:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("inspect view did not come up")


def got(address: str) -> Any:
    """What the API of the server answers."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
        return json.load(answer)


def test_the_server_reads_every_log(server: str, logs: Path) -> None:
    """It lists each log, and gives its samples with their verdicts as words."""
    listed = [one["name"] for one in got(f"{server}/api/logs")["files"]]
    made = sorted(path.name for path in logs.rglob("*") if path.suffix in (".json", ".eval"))
    assert sorted(Path(name).name for name in listed) == made
    assert len(made) == 5
    for name in listed:
        log = got(f"{server}/api/logs/{quote(name, safe='')}")
        assert log["status"] == "success"
        words = [score["value"] for one in log["samples"] for score in one["scores"].values()]
        assert words
        assert all(isinstance(word, str) for value in words for word in value.values())
