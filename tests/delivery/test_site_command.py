from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ib.commands.site import site as command
from ib.errors import Refused, UsageError
from ib.store import benchmark as store
from tests.delivery import sample


def test_build_prints_data_on_stdout_and_messages_on_stderr(
    release_folder: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--json`, stdout has one JSON document, and messages go to stderr.

    `--out site` is relative to the current folder, not to the templates.
    """
    monkeypatch.setattr(store, "load_benchmark", lambda folder: sample.benchmark())
    monkeypatch.setattr(store, "benchmark_folder", lambda: root)
    monkeypatch.chdir(tmp_path)
    arguments = ["build", "--release", str(release_folder), "--out", "site", "--json"]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert (tmp_path / "site" / "index.html").is_file()
    said = json.loads(result.stdout)
    assert said["pages"] == len(list((tmp_path / "site").rglob("*.html")))
    assert "building the site" in result.stderr


def test_check_refuses_a_broken_site(site: Path, tmp_path: Path) -> None:
    """A sound site passes; the findings of another, a link and the policy, are printed before Refused."""
    runner = CliRunner()
    fine = runner.invoke(command, ["check", str(site), "--json"], catch_exceptions=False)
    assert json.loads(fine.stdout) == []
    (tmp_path / "index.html").write_text('<a href="gone/">x</a>')
    broken = runner.invoke(command, ["check", str(tmp_path), "--json"])
    assert isinstance(broken.exception, Refused)
    assert [finding["path"] for finding in json.loads(broken.stdout)] == ["index.html"] * 2


def test_help_imports_neither_mkdocs_nor_jinja() -> None:
    """Importing the command group does not import the libraries of its commands."""
    code = (
        "import sys, ib.commands.site;"
        "print([m for m in ('mkdocs', 'jinja2', 'delivery.pages', 'delivery.links') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("named", ["yesterday", "1e9", "-9" * 20, "9" * 30, "1577836800.5"])
def test_an_invalid_build_time_is_refused(
    release_folder: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """SOURCE_DATE_EPOCH is checked before the build, and the message names it."""
    monkeypatch.setattr(store, "load_benchmark", lambda folder: sample.benchmark())
    monkeypatch.setattr(store, "benchmark_folder", lambda: root)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", named)
    arguments = ["build", "--release", str(release_folder), "--out", str(tmp_path / "site")]
    result = CliRunner().invoke(command, arguments)
    assert isinstance(result.exception, UsageError)
    assert "SOURCE_DATE_EPOCH" in str(result.exception)
    assert list(tmp_path.iterdir()) == []
