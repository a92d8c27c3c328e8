"""The tests of this folder run in an environment of their own (`make inspect`); this starts them there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = Path(os.environ.get("IB_INSPECT", ROOT / ".venv-inspect")) / "bin" / "python"
"""The Python of that environment; IB_INSPECT is the folder of another one."""


def test_the_tests_pass_where_inspect_is_installed(missing: tuple[str, ...]) -> None:
    """Skipped without that environment; a failure if IB_REQUIRE_INSPECT is set."""
    if not missing:
        return
    if not PYTHON.is_file():
        what = f"{', '.join(missing)} are not installed here, and there is no {PYTHON}; run: make inspect"
        (pytest.fail if os.environ.get("IB_REQUIRE_INSPECT") else pytest.skip)(what)
    command = [str(PYTHON), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__).parent)]
    done = subprocess.run(command, cwd=ROOT, env=variables(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout[-2000:]


def variables() -> dict[str, str]:
    """The environment, without what pytest and pytest-xdist say of this process."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
