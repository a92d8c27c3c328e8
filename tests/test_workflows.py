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

from tests.conftest import GATE

ROOT = Path(__file__).parents[1]
FILES = (ROOT / ".github" / "workflows").glob("*.yml")
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in FILES}
INSTALL = "make install"
PINNED = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}")


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every job of every workflow, with its name."""
    for workflow, told in sorted(WORKFLOWS.items()):
        for name, job in told["jobs"].items():
            yield f"{workflow}/{name}", job


def commands(workflow: str, job: str) -> list[str]:
    """The shell commands of a job, in order."""
    return [step["run"] for step in WORKFLOWS[workflow]["jobs"][job]["steps"] if "run" in step]


def made(target: str) -> str:
    """What `make` would run for a target, with the environment installed, also inside a run of `make`."""
    command = ["make", "--no-print-directory", "--dry-run", "-o", ".venv/.run", "-o", ".venv/.dev", target]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


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
    steps = commands("pages", "build")
    assert steps[0] == INSTALL
    for step in steps[1:]:
        run(
            step,
            clone,
            IB_SITE_URL="https://example.org/repository",
            IB_SOURCE_URL="https://example.org/source",
        )
    assert (clone / "site" / "index.html").is_file()


def test_the_gate_is_one_command() -> None:
    """A runner, `.ci/run` and a person run the same: `make check`. No test runs a part of it again."""
    assert commands("ci", "gate") == ["make check"]
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in lines if line.startswith("make ")] == ["make check"]


def test_the_gate_begins_with_the_tests_of_a_newcomer_and_leaves_nothing_out() -> None:
    """The tests, those that take longer, and then types beside lint and generated files."""
    said = made("check")
    first = [said.find(made(name).partition("\n")[0]) for name in ("test", "gate")]
    rest = [said.find(made(name).partition("\n")[0]) for name in ("types", "lint", "generated")]
    assert -1 not in (*first, *rest)
    assert first[0] < first[1] < min(rest)


def test_the_gate_makes_one_demonstration() -> None:
    """A test of the gate makes it and compares it with data/. `make fresh` alone makes it, too."""
    assert "tests/demonstration" in GATE
    assert [
        name for name in ("check", "fresh", "demo") if re.search(r"ib demo|generate$", made(name), re.M)
    ] == [
        "fresh",
        "demo",
    ]


def test_both_say_what_they_ran_and_what_the_other_adds() -> None:
    """`make test` names `make check`, and `make check` names what only `make study` and `make bench` run."""
    assert "make check runs it, and adds" in made("test")
    assert "Left out: make study" in made("check")


@pytest.mark.parametrize("target", ["test", "gate"])
def test_the_tests_run_on_every_core(target: str) -> None:
    """A process for each core, and the tests of a file together: they share what is built."""
    said = set(re.findall(r"--[a-z]+ [a-z]+", made(target)))
    assert {"--numprocesses logical", "--dist loadfile"} <= said


def test_the_tests_keep_bytecode_whatever_the_shell_says() -> None:
    """Each of the hundreds of processes that tests start would otherwise compile the package again."""
    command = ["make", "--eval", "shown:; @echo [$$PYTHONDONTWRITEBYTECODE]", "shown"]
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    assert (
        "[]" in subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout
    )


def test_other_platforms_run_the_tests_of_a_newcomer() -> None:
    """Windows and macOS run what `make test` runs, under a name that says that nobody has seen it pass."""
    job = WORKFLOWS["ci"]["jobs"]["elsewhere"]
    assert {name.partition("-")[0] for name in job["strategy"]["matrix"]["os"]} == {"windows", "macos"}
    assert "unproven" in job["name"]
    arguments = made("test").partition("-m pytest")[2].partition("\n")[0]
    assert commands("ci", "elsewhere")[-1] == f"python -m pytest{arguments}"
