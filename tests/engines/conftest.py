"""Ray, and a server of S3, in a virtual environment of their own (`make engines`).

Used where that environment is present, demanded where IB_REQUIRE_ENGINES is set.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    keys = {"AWS_ACCESS_KEY_ID": "of-a-test", "AWS_SECRET_ACCESS_KEY": "of-a-test"}
    port = free_port()
    place = {"AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    there = Engines({**engines.variables, **keys, **place})
    command = [str(PROGRAMS / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    with _serving(command, port, tmp_path_factory.mktemp("bucket") / "log.txt"):
        there.run(there.python("-c", "import fsspec; fsspec.filesystem('s3').mkdir('bucket')"))
        yield there


@pytest.fixture(scope="session")
def google(engines: Engines, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """The environment with an empty bucket `gs://bucket` of a server on this machine."""
    programs = list(PROGRAMS.parent.glob("lib/python*/site-packages/*/vendor/fake-gcs-server/bin/fake-gcs-*"))
    if not programs or not has("gcsfs"):
        pytest.skip("gcsfs and a server of Google's storage are installed by hand into .venv-engines")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    there = Engines({**engines.variables, "STORAGE_EMULATOR_HOST": address})
    where = ("-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-external-url", address)
    command = [str(programs[0]), "-backend", "memory", *where]
    with _serving(command, port, tmp_path_factory.mktemp("google") / "log.txt"):
        there.run(there.python("-c", "import fsspec; fsspec.filesystem('gs').mkdir('bucket')"))
        yield there


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def _serving(command: list[str], port: int, log: Path) -> Iterator[None]:
    """A server that is up inside of the block."""
    with log.open("wb") as said:
        server = subprocess.Popen(command, stdout=said, stderr=said)
        try:
            _wait_for(server, port)
            yield
        finally:
            server.terminate()
            server.wait(60)


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < until:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not come up")


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two files of conversations."""
    folder, made = tmp_path_factory.mktemp("logs"), rows(COUNT)
    return [
        written(made[:500], folder / "a.parquet", 500),
        written(made[500:], folder / "b.parquet", 500),
    ]
