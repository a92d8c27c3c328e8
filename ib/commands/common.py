"""What every command shares: its options, its talk, its data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from ib.commands.terminal import plain, plain_json
from ib.models.canonical import pretty

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")

benchmark_option = click.option(
    "--benchmark",
    "benchmark_dir",
    type=click.Path(path_type=Path),
    default=None,
    help="The folder of a benchmark; by default the one that comes with the package.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the data as JSON.")


def say(text: str) -> None:
    """Talk: to stderr."""
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


def default_folder(kind: str, plan_hash: str) -> Path:
    """Where a run or a scan goes that was given no folder."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return Path("results") / f"{kind}-{stamp}-{plan_hash[:8]}"


def with_progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The same items, with a bar on stderr where it is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
