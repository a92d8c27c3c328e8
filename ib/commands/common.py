"""What every command shares: its options, its talk, its data."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ib.commands.terminal import plain, plain_json
from ib.models.canonical import pretty
from ib.pipeline.callbacks import Callbacks
from ib.store.files import claim

if TYPE_CHECKING:
    from rich.progress import TaskID


class OutPath(click.Path):
    """The path of what a command makes. The root of the file system is refused before anything is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(str(super().convert(value, param, ctx)))
        claim(path)
        return path


Command = TypeVar("Command", bound=Callable[..., Any])

benchmark_option = click.option(
    "--benchmark",
    "benchmark_dir",
    type=click.Path(path_type=Path),
    default=None,
    help="The folder of a benchmark; by default the one that comes with the package.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the data as JSON.")


def say(text: str) -> None:
    """Talk: to stderr. Work goes on if stderr has no reader or its disk is full."""
    with contextlib.suppress(OSError):
        click.echo(plain(text), err=True)


def emit(value: Any, *, as_json: bool, text: Callable[[Any], str]) -> None:
    """Data: to stdout, as canonical JSON or in words."""
    if as_json:
        sys.stdout.buffer.write(plain_json(pretty(value).decode()).encode())
        sys.stdout.buffer.flush()
    else:
        click.echo(plain(text(value)))


def shown(path: Path) -> str:
    """A path as the user may type it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


@contextlib.contextmanager
def reporting() -> Iterator[Callbacks]:
    """Callbacks for the pipeline: notices to stderr, and a progress bar where stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Callbacks(notice=say)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done)

        yield Callbacks(progress, say)
