"""Options of a scan that save calls or money: the cache of answers, and batches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ib.errors import UsageError
from ib.pipeline.scan.batching import Batching
from ib.store.folders.cache import cache_path

Command = TypeVar("Command", bound=Callable[..., Any])
CACHE_HELP = "The file with a model's answers to earlier scans.  [default: IB_CACHE, or in the cache folder]"
HOURS = click.FloatRange(0, min_open=True)

OPTIONS = (
    click.option("--cache", type=click.Path(path_type=Path), help=CACHE_HELP),
    click.option("--no-cache", is_flag=True, help="Ask a model again what an earlier scan has asked it."),
    click.option("--batch", is_flag=True, help="Ask a model in batches, at half the price; takes hours."),
    click.option("--batch-detach", is_flag=True, help="Submit a batch and end; fetch with --resume."),
    click.option(
        "--batch-deadline", type=HOURS, default=24.0, show_default=True,
        help="Hours after which a batch is cancelled and its rest is asked at once.",
    ),
)  # fmt: skip


def saving_options(command: Command) -> Command:
    """Add the options to a command, which gets them by their names."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def saving_in(called: dict[str, Any]) -> tuple[Path | None, Batching | None]:
    """Take the cache and the batching out of the values of the options."""
    cache, no_cache, batch = called.pop("cache"), called.pop("no_cache"), called.pop("batch")
    hours, leave = called.pop("batch_deadline"), called.pop("batch_detach")
    if leave and not batch:
        raise UsageError("--batch-detach needs --batch")
    return None if no_cache else cache_path(cache or True), Batching(hours, leave) if batch else None
