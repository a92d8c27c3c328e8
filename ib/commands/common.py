"""What all commands share: options, and how they print messages, data and progress."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from ib.commands.terminal import plain, plain_json
from ib.models.common.canonical import pretty
from ib.pipeline.common.callbacks import Callbacks
from ib.store.files.addresses import Address, Located, located
from ib.store.files.writing import claim


class OutPath(click.Path):
    """The path of a command's output. The root of the file system is refused before any file is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(str(super().convert(value, param, ctx)))
        claim(path)
        return path


class LogsPath(click.Path):
    """The path of a file, or an address of a bucket."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        where = located(value) if isinstance(value, str) else value
        return super().convert(where, param, ctx) if isinstance(where, Path) else where


class OutPlace(OutPath):
    """The path of a command's output, or an address of a bucket."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        where = located(value) if isinstance(value, str) else value
        return super().convert(str(where), param, ctx) if isinstance(where, Path) else where


Command = TypeVar("Command", bound=Callable[..., Any])

benchmark_option = click.option(
    "--benchmark",
    "benchmark_dir",
    type=click.Path(path_type=Path),
    default=None,
    help="The benchmark's folder.  [default: the benchmark of the package]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def of_benchmark(folder: Path | None) -> str:
    """The option that names the benchmark again, for a command that is proposed; empty if none was named."""
    return "" if folder is None else f" --benchmark {shown(folder)}"


def address_options(command: Command) -> Command:
    """The options for the public addresses of a site."""
    site = click.option(
        "--site-url",
        envvar="IB_SITE_URL",
        show_envvar=True,
        help="Where the site will be served, such as https://example.org/bench/. It makes canonical links, "
        "a sitemap and a 404 page for that address. Without it, the site works anywhere.",
    )
    source = click.option(
        "--source-url",
        envvar="IB_SOURCE_URL",
        show_envvar=True,
        help="The address of the source repository, for the footer of each page.",
    )
    return site(source(command))


signers_option = click.option(
    "--allowed-signers",
    "signers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of allowed signers, as ssh-keygen reads it: a name and a public key a line. The signature "
    "of the release must be of one of them, and pages name who signed.",
)


def say(text: str) -> None:
    """Print a message to stderr. Work continues if stderr has no reader or its disk is full."""
    with contextlib.suppress(OSError):
        click.echo(plain(text), err=True)


def emit(value: Any, *, as_json: bool, text: Callable[[Any], str]) -> None:
    """Print data to stdout: as canonical JSON, or as the text that `text` makes of `value`."""
    if as_json:
        sys.stdout.buffer.write(plain_json(pretty(value).decode()).encode())
        sys.stdout.buffer.flush()
    else:
        click.echo(plain(text(value)))


def shown(path: Located) -> str:
    """A path relative to the current folder if it lies inside it; an address as it is."""
    if isinstance(path, Address):
        return str(path)
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def own_name() -> str:
    """How this program is started: `ib` if the shell finds it, else the path by which it was started."""
    started = Path(sys.argv[0])
    found = shutil.which("ib")
    if started.name != "ib" or (found is not None and Path(found).resolve() == started.resolve()):
        return "ib" if found is not None else f"{shlex.quote(sys.executable)} -m ib"
    return shlex.quote(str(started))


@contextlib.contextmanager
def reporting(log: Path | None = None, *, often: bool = False) -> Iterator[Callbacks]:
    """Callbacks for the pipeline: notices and progress on stderr, and calls into the file `log`.

    Without a terminal, a line of progress comes every 30 seconds; with `often`, every 10.
    """
    from ib.commands.progress import OFTEN, CallLog, Lines, bars  # imports more than a quick command needs

    with contextlib.ExitStack() as opened:
        if sys.stderr.isatty():
            from rich.console import Console

            shown = opened.enter_context(bars(Console(stderr=True), say))
        else:
            lines = opened.enter_context(contextlib.closing(Lines(say, every=OFTEN if often else None)))
            shown = Callbacks(lines.progress, say, lines.calls, step=lines.step)
        if log is not None:
            shown = replace(shown, event=opened.enter_context(CallLog(log, say)).write)
        yield shown
