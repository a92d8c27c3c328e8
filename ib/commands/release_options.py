"""The options of what a release is: its stage, its day, and the conversations that it carries."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import click

from ib.commands.common import Command
from ib.models.common.base import Stage
from ib.models.release.transcripts import Carrying


class Day(click.ParamType[date]):
    """A day, such as 2026-11-23."""

    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            return datetime.strptime(str(value), "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"{value!r} is not a day such as 2026-11-23", param, ctx)


day_option = click.option(
    "--date",
    "day",
    type=Day(),
    help="The day of the release, in UTC.  [default: the day of SOURCE_DATE_EPOCH, else today]",
)


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
