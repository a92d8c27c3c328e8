"""What every command shares: its options, its talk, its data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ib.models.canonical import pretty

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
    """Talk: to stderr."""
    click.echo(text, err=True)


def emit(value: Any, *, as_json: bool, text: Callable[[Any], str]) -> None:
    """Data: to stdout, as canonical JSON or in words."""
    if as_json:
        sys.stdout.buffer.write(pretty(value))
        sys.stdout.buffer.flush()
    else:
        click.echo(text(value))


def shown(path: Path) -> str:
    """A path as the user may type it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
