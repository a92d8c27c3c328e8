"""The options of a second judge, as one decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ib.errors import UsageError
from ib.pipeline.scan.second import SHARE, SecondOptions

Command = TypeVar("Command", bound=Callable[..., Any])
OPTIONS = (
    click.option(
        "--second-judge",
        help="A judge of another family, which answers a sample of the questions and all gate FAILs again.",
    ),
    click.option(
        "--second-share",
        type=click.FloatRange(0, 1),
        help=f"The share of the questions in the sample.  [default: {SHARE}]",
    ),
)


def second_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def second_in(called: dict[str, Any]) -> SecondOptions | None:
    """Take the second judge out of the values of the options; None if there is none."""
    judge, share = called.pop("second_judge"), called.pop("second_share")
    if judge is None:
        if share is not None:
            raise UsageError("--second-share needs --second-judge")
        return None
    return SecondOptions(judge, SHARE if share is None else share)
