"""Options for a release: its day, its stage, its history, and the releases beside it."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from ib.commands.common import Command
from ib.models.common.base import Carrying, Stage


class Day(click.ParamType[date]):
    """A day, such as 2026-11-23."""

    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return datetime.strptime(str(value), "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"{value!r} is not a day such as 2026-11-23", param, ctx)


day_option = click.option(
    "--date", "day", type=Day(),
    help="The day of the release, in UTC.  [default: the day of SOURCE_DATE_EPOCH, else today]",
)  # fmt: skip


def release_options(command: Command) -> Command:
    """The options for the release of a scan."""
    stage = click.option(
        "--stage",
        type=click.Choice([s.value for s in Stage]),
        help="The stage of the release.  [default: the highest that the gate grants]",
    )
    transcripts = click.option(
        "--transcripts",
        type=click.Choice([c.value for c in Carrying]),
        default=Carrying.PLAYS.value,
        show_default=True,
        help="Carry plays of scenarios in full; all also carries logs, which people may have written.",
    )
    return stage(day_option(transcripts(command)))


set_releases_option = click.option(
    "--set-release",
    "set_releases",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A release of a set, whose board stands apart at sets/NAME/ of the site; may be repeated.",
)
releases_option = click.option(
    "--releases",
    type=click.Path(path_type=Path),
    help="The folder of all releases and their ledger.  [default: releases beside the release]",
)


def history_options(command: Command) -> Command:
    """The options for what becomes of the rows of a board."""
    add = click.option(
        "--add", multiple=True, type=click.Path(path_type=Path),
        help="Join the models of this scan to the release; its key must be the same. May be repeated.",
    )  # fmt: skip
    withdraw = click.option(
        "--withdraw", multiple=True, metavar="MODEL",
        help="Take this model off the board; needs --reason. May be repeated.",
    )  # fmt: skip
    reason = click.option(
        "--reason", metavar="TEXT", help="Why, for the ledger; a withdrawal needs a reason."
    )
    return add(withdraw(reason(releases_option(command))))
