"""The command line itself: with which code it ends when nothing was foreseen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from ib.pipeline.start import doctor

Call = Callable[..., tuple[int, str, str]]


def test_a_fault_of_the_program_is_not_the_answer_no(ib: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody expected ends with 70 and shows its traceback; 1 stays the answer of a gate."""

    def broken() -> None:
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(doctor, "_disk", broken)
    code, out, err = ib("doctor")
    assert (code, out) == (70, "")
    assert "Traceback" in err
    assert "RuntimeError: nobody thought of this" in err


WANTED = ["click>=8.1", "no.such_thing-here<10,>=9.6", 'pytest>=8.2; extra == "test"']


def test_doctor_looks_for_what_the_package_needs(ib: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is that of the installation itself, without what only tests need."""
    monkeypatch.setattr(metadata, "requires", lambda name: WANTED if name == "invisiblebench" else None)
    code, out, err = ib("doctor", "--json")
    rows = {row["what"]: row for row in json.loads(out)}
    assert (rows["click"]["ok"], rows["no.such_thing-here"]["ok"], "pytest" in rows) == (True, False, False)
    assert code == 1
    assert "no.such_thing-here: not installed" in err


def test_doctor_where_the_package_is_not_installed(ib: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a bare checkout nothing says what is needed: that is told, and is no failure."""

    def unknown(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", unknown)
    rows = {row["what"]: row for row in json.loads(ib("doctor", "--json")[1])}
    assert (rows["invisiblebench"]["ok"], rows["invisiblebench"]["needed"]) == (False, False)


def test_every_exit_code_is_documented(ib: Call) -> None:
    """In the help of `ib`, and so in its reference."""
    _, out, _ = ib("--help")
    reference = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text()
    for text in (out, reference):
        words = " ".join(text.split())
        for code in (0, 1, 2, 3, 4, 70, 130, 141, 143):
            assert f" {code} " in words.partition("Exit codes:")[2][:250]


@pytest.mark.parametrize(("named", "code"), [("", 0), ("abc", 2), ("1577836800", 0)])
def test_every_command_reads_the_time_of_the_environment_alike(named: str, code: int) -> None:
    """An empty SOURCE_DATE_EPOCH is none; a wrong one is refused with a message, and never a bug in ib.

    numpy reads the variable, too, when scipy imports it, and raises a plain ValueError.
    """
    loads = "import scipy.stats; " if code == 0 else ""
    told = f"import sys; from ib.cli import run; {loads}sys.exit(run(['show', 'check', '--json']))"
    env = {**os.environ, "SOURCE_DATE_EPOCH": named}
    done = subprocess.run([sys.executable, "-c", told], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert ("SOURCE_DATE_EPOCH is 'abc'" in done.stderr) == (code == 2)


def test_a_command_ends_without_a_last_look_for_garbage() -> None:
    """At its end, the interpreter would go through everything that a scan has loaded."""
    code = (
        "import sys\nfrom ib.cli import main\n"
        "class Cycle:\n    def __init__(self): self.own = self\n    def __del__(self): print('collected')\n"
        "Cycle()\nmain(['--version'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ib, version")
    assert "collected" not in done.stdout
