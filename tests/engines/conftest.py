"""Ray, and a server of S3, in a virtual environment of their own (`make engines`).

Used where that environment is present, demanded where IB_REQUIRE_ENGINES is set.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.batch.logs import rows
from tests.batch.test_parquet import written

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("IB_ENGINES", ROOT / ".venv-engines")) / "bin"
"""The programs of the environment; IB_ENGINES is the folder of another one."""
PATIENCE = 120.0
"""Seconds within which a server has to be up. It takes 3."""
COUNT = 1_200


@dataclass(frozen=True)
class Engines:
    """The environment, and the variables of its processes."""

    variables: Mapping[str, str]

    def python(self, *arguments: object) -> list[str]:
        """The command line of its Python."""
        return [str(PROGRAMS / "python"), *map(str, arguments)]

    def scan(self, *arguments: object) -> list[str]:
        """The command line of `ib scan`."""
        return self.python("-c", "from ib.cli import main; main()", "scan", *arguments)

    def run(self, command: list[str]) -> str:
        """What a command prints. Fails if its exit code is not 0."""
        done = subprocess.run(
            command, cwd=ROOT, env=dict(self.variables), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout


def has(package: str) -> bool:
    """True if the environment has a package."""
    return any(PROGRAMS.parent.glob(f"lib/python*/site-packages/{package}"))


@pytest.fixture(scope="session")
def engines() -> Engines:
    """The environment. The test is skipped, or fails, without it."""
    if not (PROGRAMS / "moto_server").is_file():
        if os.environ.get("IB_REQUIRE_ENGINES"):
            pytest.fail(
                f"Ray and a server of S3 are demanded here, and are not in {PROGRAMS}; run: make engines"
            )
        pytest.skip("Ray and a server of S3 are not installed; run: make engines")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RAY_"))}
    return Engines({**variables, "IB_CACHE": "off", "PYTHONPATH": str(ROOT)})


@pytest.fixture(scope="session")
def bucket(engines: Engines, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The environment with an empty bucket `s3://bucket` of a server on this machine."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    log = (tmp_path_factory.mktemp("bucket") / "log.txt").open("wb")
    server = subprocess.Popen(
        [str(PROGRAMS / "moto_server"), "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log
    )
    keys = {"AWS_ACCESS_KEY_ID": "of-a-test", "AWS_SECRET_ACCESS_KEY": "of-a-test"}
    place = {"AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    there = Engines({**engines.variables, **keys, **place})
    try:
        _wait_for(server, port)
        there.run(there.python("-c", "import fsspec; fsspec.filesystem('s3').mkdir('bucket')"))
        yield there
    finally:
        server.terminate()
        server.wait(60)
        log.close()


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < until:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server of S3 did not come up")


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two files of conversations."""
    folder, made = tmp_path_factory.mktemp("logs"), rows(COUNT)
    return [
        written(made[:500], folder / "a.parquet", 500),
        written(made[500:], folder / "b.parquet", 500),
    ]
