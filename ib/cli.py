"""The command group, and the only place that turns an IbError into a message and an exit code."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import traceback
from typing import Any

import click

from ib import __version__
from ib.commands.streams import drop_stdout, flush_streams, open_streams, stop_on_sigterm
from ib.commands.terminal import plain
from ib.errors import IbError, Terminated
from ib.store.files.clock import pinned

COMMANDS = {
    "run": "Play scenarios against models.",
    "contamination": "Ask a model whether it knows the words of the public draw.",
    "import": "Import logs of other tools as transcripts, which `ib scan` judges.",
    "submit": "Check conversations that somebody played, before maintainers judge them.",
    "scan": "Judge transcripts, check by check.",
    "leaderboard": "Build the leaderboard of a scan, or check one against its scan.",
    "qa": "Show which release stages a scan qualifies for, and why others are refused.",
    "publish": "Build a release, pass the gate, then replace the old release.",
    "rejudge": "Ask a judge again about the conversations of a release, and show what drifted.",
    "verify": "Compute a release again from what it was made from, and name each difference.",
    "releases": "List, show and compare releases, and make an older one the newest again.",
    "calibrate": "Compare the verdicts of a scan with labels, and propose what its checks say of it.",
    "review": "Draw verdicts for people to read blind, and apply what they decide.",
    "export": "Export a release: figures and verdicts in a form that others read.",
    "site": "Build, serve and check the public site.",
    "report": "Report what a scan found: failures with their words, what was not asked, rates.",
    "exam": "Ask a judge about built items whose right answer is known.",
    "compare": "Compare two scans of two versions of one bot: what got worse, with the words.",
    "explain": "Show why a verdict was reached: eligibility, windows, votes, evidence.",
    "show": "Show a check, a rule set, a scenario, a model or the questions to a judge.",
    "new": "Start a check, a lexicon or a scenario: write a draft that passes `ib lint`.",
    "lint": "Check every file of the benchmark, and run every example through its verifier.",
    "doctor": "Check this machine: Python, packages, benchmark, browser, disk.",
    "demo": "Run every step on the reference assistants: play, judge, gate, publish, site.",
}
"""Every command with its one line of help. `ib.commands.NAME` is imported when the command is called."""
MODULES = {"import": "imports"}
"""The module and function of a command whose name is a word of Python."""

INTERRUPTED = 130
NO_READER = 141
"""The reader of stdout closed the pipe (`ib ... | head -1`): 128 plus the number of SIGPIPE."""
FAULT = 70
"""A bug in ib (EX_SOFTWARE). Python itself exits with 1, which means "check failed" here."""


class Lazy(click.Group):
    """A group that imports a command only when the command is called, so that `ib --help` is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = MODULES.get(cmd_name, cmd_name)
        command: click.Command = getattr(importlib.import_module(f"ib.commands.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ib")
def ib() -> None:
    """InvisibleBench: what AI assistants fail to notice when they talk with family caregivers.

    Data goes to stdout, messages go to stderr. Start with `ib demo`.

    Exit codes: 0 success, 1 check failed, 2 wrong command line, 3 bad data, 4 environment (provider,
    disk, another process), 70 a bug in ib, 130 interrupted, 141 the reader of stdout closed the
    pipe, 143 terminated.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its exit code."""
    # A command makes many objects and few cycles. Collecting less often makes a start 6 % faster.
    gc.set_threshold(200_000, 20, 20)
    open_streams()
    stop_on_sigterm()
    code = run(arguments)
    flush_streams()
    # The interpreter looks for garbage once more before it ends, among all that was loaded, and the system
    # takes everything back anyway.
    gc.freeze()
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        pinned()  # other libraries read a wrong time, too, and fail without a message
        result: Any = ib.main(args=arguments, prog_name="ib", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt) as stop:
        _tell("interrupted; finished work is kept")
        return Terminated.exit_code if Terminated in (type(stop), type(stop.__cause__)) else INTERRUPTED
    except click.ClickException as error:
        _tell(error)
        return 2
    except SystemExit:  # click raises it only for a broken pipe, with exit code 1
        drop_stdout()
        return NO_READER
    except Exception as error:
        return _failed(error)
    return result if isinstance(result, int) else 0


def _failed(error: Exception) -> int:
    """Print an error to stderr; returns its exit code."""
    if isinstance(error, IbError):
        _tell(f"ib: {error}")
        return error.exit_code
    if isinstance(error, OSError):
        _tell(f"ib: {error.strerror or error}: {error.filename or 'output'}")
        return 4
    from ib.client.secrets import scrub  # imported only here, so that a command starts faster

    _tell(scrub(traceback.format_exc()))
    return FAULT


def _tell(said: str | click.ClickException) -> None:
    """Print a message to stderr. An unwritable stderr is ignored."""
    with contextlib.suppress(OSError):
        if isinstance(said, click.ClickException):
            said.message = plain(said.message)  # type: ignore[misc] # it is final only for subclasses
            said.show()
        else:
            click.echo(plain(said), err=True)
