"""The options that choose a part of the work: scenarios to play, checks and transcripts to judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

from ib.models.common.base import Bucket
from ib.models.scan.part import Part
from ib.pipeline.common.select import Selection

Command = TypeVar("Command", bound=Callable[..., Any])
FIRST = click.IntRange(1)
BUCKETS = click.Choice([bucket.value for bucket in Bucket])

OF_RUN = (
    click.option(
        "-s", "--scenario", "ids", multiple=True, help="The exact id of a scenario; may be repeated."
    ),
    click.option("-c", "--category", "categories", multiple=True, help="A category; may be repeated."),
    click.option("--tag", "tags", multiple=True, help="A tag of scenarios; may be repeated."),
    click.option("--limit", type=FIRST, help="Play only the first N of these scenarios, by id."),
)
OF_SCAN = (
    click.option("--check", "checks", multiple=True, help="Judge only this check; may be repeated."),
    click.option(
        "--bucket", "buckets", multiple=True, type=BUCKETS,
        help="Judge only checks of this dimension; may be repeated.",
    ),
    click.option(
        "-s", "--scenario", "scenarios", multiple=True,
        help="Judge only transcripts of this scenario; may be repeated.",
    ),
    click.option(
        "-c", "--category", "categories", multiple=True,
        help="Judge only transcripts of this category; may be repeated.",
    ),
    click.option("--limit", type=FIRST, help="Judge only the first N transcripts, in plan order."),
)  # fmt: skip


def selection_options(command: Command) -> Command:
    """Add the options of `Selection` to a command, which gets them by the names of its fields."""
    return _with(OF_RUN, command)


def part_options(command: Command) -> Command:
    """Add the options of `Part` to a command, which gets them by the names of its fields."""
    return _with(OF_SCAN, command)


def selection_in(called: dict[str, Any]) -> Selection:
    """Take the selection out of the values of the options."""
    return Selection(**{field.name: called.pop(field.name) for field in fields(Selection)})


def part_in(called: dict[str, Any]) -> Part:
    """Take the part out of the values of the options."""
    return Part.model_validate({name: called.pop(name) for name in Part.model_fields})


def _with(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
