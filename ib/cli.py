"""The command group. Here, and nowhere else, an IbError becomes a message and an exit code."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
import traceback
from typing import Any

import click

from ib import __version__
from ib.commands.streams import drop_stdout, open_streams, stop_on_sigterm
from ib.commands.terminal import plain
from ib.errors import IbError, Terminated

COMMANDS = {
    "run": "Play scenarios against models.",
    "scan": "Judge transcripts, check by check.",
    "leaderboard": "Build the leaderboard of a scan, or check one that exists.",
    "qa": "Say which release stages a scan qualifies for, and what refuses the others.",
    "publish": "Stage a release, pass the gate, then put it in place.",
    "site": "Build, serve and check the public site.",
    "explain": "Show how one verdict came about: eligibility, windows, votes, evidence.",
    "show": "Show a check, a scenario or a model.",
    "new": "Begin a check, a lexicon or a scenario as a draft that lints.",
    "lint": "Check every file of the benchmark, and play every example through its verifier.",
    "doctor": "Say what this machine has, and what it lacks.",
    "demo": "Run the whole chain on the reference assistants: play, judge, gate, publish, site.",
}
"""Every command with its one line of help; `ib.commands.NAME` is imported when it is used."""

INTERRUPTED = 130
TERMINATED = 143
"""The process was told to end: 128 and the number of SIGTERM, as a shell reports it."""
NO_READER = 141
"""The reader of stdout closed the pipe (`ib ... | head -1`): 128 and the number of SIGPIPE."""
FAULT = 70
"""What nobody expected (EX_SOFTWARE): Python's own code for it is 1, which here means a plain no."""


class Lazy(click.Group):
    """A group that imports a command only when it is called, so that help comes at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ib.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ib")
def ib() -> None:
    """InvisibleBench: what AI assistants fail to notice when they talk with family caregivers.

    stdout is data, stderr is talk. Exit codes: 0 fine, 1 the answer is no, 2 usage, 3 bad data,
    4 the environment, 70 a fault of ib itself, 130 interrupted, 141 stdout was closed by its
    reader, 143 terminated.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    # A command makes much and drops little of it in cycles: looked for less often, a start is 6 % faster.
    gc.set_threshold(200_000, 20, 20)
    open_streams()
    stop_on_sigterm()
    code = run(arguments)
    try:
        sys.stdout.flush()
    except OSError:
        drop_stdout()
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    try:
        result: Any = ib.main(args=arguments, prog_name="ib", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt) as stop:
        _tell("interrupted; what was done is kept")
        return TERMINATED if Terminated in (type(stop), type(stop.__cause__)) else INTERRUPTED
    except click.ClickException as error:
        _tell(error)
        return 2
    except SystemExit:  # raised by click for a broken pipe alone, with exit code 1
        drop_stdout()
        return NO_READER
    except Exception as error:
        return _failed(error)
    return result if isinstance(result, int) else 0


def _failed(error: Exception) -> int:
    """Tell of an error; its exit code."""
    if isinstance(error, IbError):
        _tell(f"ib: {error}")
        return error.exit_code
    if isinstance(error, OSError):
        _tell(f"ib: {error.strerror or error}: {error.filename or 'output'}")
        return 4
    _tell(traceback.format_exc())
    return FAULT


def _tell(said: str | click.ClickException) -> None:
    """A message on stderr; none where stderr is full or has no reader."""
    with contextlib.suppress(OSError):
        if isinstance(said, click.ClickException):
            said.show()
        else:
            click.echo(plain(said), err=True)
