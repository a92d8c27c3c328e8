from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import ib
from ib.commands.site import site as command
from ib.errors import DataError, Refused, UsageError
from ib.store.benchmark import loading as store
from tests.delivery import sample


def test_build_prints_data_on_stdout_and_messages_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--json`, stdout has one JSON document, and messages go to stderr.

    `--out site` is relative to the current folder, not to the templates.
    """
    monkeypatch.chdir(tmp_path)
    small_release(tmp_path)
    arguments = ["build", "--release", "release", "--out", "site", "--json"]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert (tmp_path / "site" / "index.html").is_file()
    said = json.loads(result.stdout)
    assert said["pages"] == len(list((tmp_path / "site").rglob("*.html")))
    assert "building the site" in result.stderr


def small_release(folder: Path) -> None:
    """A release of one short conversation, in the folder `release`."""
    talk = ib.Transcript.from_messages("my/assistant", "log-1", [("user", "Hi."), ("assistant", "Hello.")])
    ib.scan(talk, out=folder / "scan")
    ib.release(folder / "scan", out=folder / "release")


def test_check_refuses_a_broken_site(site: Path, tmp_path: Path) -> None:
    """A sound site passes; the findings of another, a link and the policy, are printed before Refused."""
    runner = CliRunner()
    fine = runner.invoke(command, ["check", str(site), "--json"], catch_exceptions=False)
    assert json.loads(fine.stdout) == []
    (tmp_path / "index.html").write_text('<a href="gone/">x</a>')
    broken = runner.invoke(command, ["check", str(tmp_path), "--json"])
    assert isinstance(broken.exception, Refused)
    assert str(broken.exception).endswith(": 2 findings")
    (tmp_path / "index.html").write_text("<p>no link, and no policy</p>")
    one = runner.invoke(command, ["check", str(tmp_path)])
    assert str(one.exception).endswith(": 1 finding")
    assert [finding["path"] for finding in json.loads(broken.stdout)] == ["index.html"] * 2


def test_help_imports_neither_mkdocs_nor_jinja() -> None:
    """Importing the command group does not import the libraries of its commands."""
    code = (
        "import sys, ib.commands.site;"
        "slow = ('mkdocs', 'jinja2', 'delivery.pages', 'delivery.build.links');"
        "print([m for m in slow if m in sys.modules])"
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


def test_a_folder_that_is_no_release_is_named_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what a release holds, not only which file is missing."""
    monkeypatch.setattr(store, "load_benchmark", lambda folder: sample.benchmark())
    (tmp_path / "empty").mkdir()
    arguments = ["build", "--release", str(tmp_path / "empty"), "--out", str(tmp_path / "site")]
    error = CliRunner().invoke(command, arguments).exception
    assert isinstance(error, DataError)
    assert "qa.json: no such file, so the folder is no release; give a folder with leaderboard.json" in str(
        error
    )
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("arguments", [["serve", "--port", "0", "--dir"], ["check"]])
def test_a_folder_without_a_site_is_refused(arguments: list[str], tmp_path: Path) -> None:
    """An empty folder is neither served nor found to be in order."""
    error = CliRunner().invoke(command, [*arguments, str(tmp_path)]).exception
    assert isinstance(error, UsageError)
    assert "no site there (no index.html)" in str(error)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_stopped_server_says_that_it_stopped(number: signal.Signals, code: int, tmp_path: Path) -> None:
    """Serving leaves no work behind, so that the message speaks of none."""
    (tmp_path / "index.html").touch()
    serve = [sys.executable, "-m", "ib", "site", "serve", "--port", "0", "--dir", str(tmp_path)]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "press Ctrl-C to stop" in process.stderr.readline()
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
        assert (said, process.returncode) == ("stopped\n", code)


FILE = Path(__file__).resolve().parents[2] / "delivery" / "sync_web_bench.py"


@pytest.mark.parametrize(("arguments", "code"), [((), 2), (("--help",), 0)])
def test_the_module_can_be_run_as_a_file(arguments: tuple[str, ...], code: int) -> None:
    """Without its options it says what it needs and exits 2; it never does nothing in silence."""
    done = subprocess.run([sys.executable, FILE, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, "--release" in done.stdout + done.stderr) == (code, True)


@pytest.mark.gate
def test_the_module_run_as_a_file_builds_a_site(tmp_path: Path) -> None:
    """It takes the options of `ib site build`, and writes the same pages."""
    small_release(tmp_path)
    made = []
    for name, start in (("file", (FILE,)), ("command", ("-m", "ib", "site", "build"))):
        options = ("--release", tmp_path / "release", "--out", tmp_path / name, "--json")
        done = subprocess.run([sys.executable, *start, *options], capture_output=True, text=True, check=True)
        pages = {path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*.html")}
        made.append((json.loads(done.stdout)["pages"], pages))
    assert made[0] == made[1]
    assert len(made[0][1]) == made[0][0] > 0
