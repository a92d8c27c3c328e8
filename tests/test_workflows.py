"""The workflows of GitHub: pinned actions, least permissions, and steps that work on a fresh clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = (ROOT / ".github" / "workflows").glob("*.yml")
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in FILES}
TESTS = "make test"
"""The one command that is not run here: it runs this test."""
INSTALL = "make install"
PINNED = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}")


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every job of every workflow, with its name."""
    for workflow, told in sorted(WORKFLOWS.items()):
        for name, job in told["jobs"].items():
            yield f"{workflow}/{name}", job


def commands(workflow: str) -> list[str]:
    """The shell commands of a workflow, in order."""
    steps = [step for job in WORKFLOWS[workflow]["jobs"].values() for step in job["steps"]]
    return [step["run"] for step in steps if "run" in step]


def test_both_workflows_exist() -> None:
    """The gate, and the site."""
    assert sorted(WORKFLOWS) == ["ci", "pages"]


@pytest.mark.parametrize(("name", "job"), list(jobs()), ids=[name for name, _ in jobs()])
def test_actions_are_official_and_pinned_by_commit(name: str, job: dict[str, Any]) -> None:
    """A tag can be moved to other code, a commit cannot."""
    used = [step["uses"] for step in job["steps"] if "uses" in step]
    assert used
    assert all(PINNED.fullmatch(action) for action in used), used


def test_only_the_job_that_deploys_may_write() -> None:
    """Every workflow reads; the job that deploys pages may do that and nothing else."""
    assert all(told["permissions"] == {"contents": "read"} for told in WORKFLOWS.values())
    own = {name: job["permissions"] for name, job in jobs() if "permissions" in job}
    assert own == {"pages/deploy": {"pages": "write", "id-token": "write"}}
    steps = [step for _, job in jobs() for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_the_gate_runs_on_every_supported_version() -> None:
    """From the least version of the package on."""
    versions = WORKFLOWS["ci"]["jobs"]["gate"]["strategy"]["matrix"]["python-version"]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone of the last commit, with the environment of these tests in place of its own."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("these tests need git and a checkout")
    folder = tmp_path_factory.mktemp("fresh") / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, folder], check=True)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def run(command: str, folder: Path, **env: str) -> None:
    """Run one shell step as a runner does. The clone's own code is imported, and nothing is installed."""
    made = ["-o", ".venv/.run", "-o", ".venv/.dev"] if command.startswith("make ") else []
    line = " ".join(["make", *made, command.removeprefix("make ")]) if made else command
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", line],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def test_the_steps_of_the_pages_work_on_a_fresh_clone(clone: Path) -> None:
    """The release is verified, the site is built under a sub-path and checked."""
    steps = commands("pages")
    assert steps[0] == INSTALL
    for step in steps[1:]:
        run(
            step,
            clone,
            IB_SITE_URL="https://example.org/repository",
            IB_SOURCE_URL="https://example.org/source",
        )
    assert (clone / "site" / "index.html").is_file()


@pytest.mark.parametrize("step", [step for step in commands("ci") if step != TESTS])
def test_the_steps_of_the_gate_work_on_a_fresh_clone(step: str, clone: Path) -> None:
    """Lint, types, and that generated files are fresh. `.ci/run` relies on this test for them."""
    run(step, clone)


def test_the_gate_runs_the_tests() -> None:
    """The one step that is not run here is there."""
    assert commands("ci")[0] == TESTS


def test_the_tests_run_on_every_core() -> None:
    """A process for each core, and the tests of a file together: they share what is built."""
    command = ["make", "--dry-run", "-o", ".venv/.run", "-o", ".venv/.dev", "test"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"--numprocesses logical", "--dist loadfile"} <= set(re.findall(r"--[a-z]+ [a-z]+", said))
