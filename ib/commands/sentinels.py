"""The options of `ib scan` for exam items among the questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import Command

if TYPE_CHECKING:
    from ib.pipeline.scan.sentinels import Sentinels

SENTINELS = (
    click.option(
        "--sentinels", "sentinel_share", type=click.FloatRange(0, 1), metavar="SHARE",
        help="Mix exam items among the questions, SHARE per question, to see if the judge has changed.  "
        "[default: 0.05 for publish with --exam, else 0]",
    ),
    click.option(
        "--exam", "exam_folder", type=click.Path(path_type=Path), metavar="FOLDER",
        help="The sitting of this judge, which answers to exam items are compared with.",
    ),
)  # fmt: skip


def sentinel_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(SENTINELS):
        command = option(command)
    return command


def sentinels_in(
    called: dict[str, Any], profile: str, judge: str, benchmark: Path | None
) -> Sentinels | None:
    """Take the sentinels out of the values of the options; None if there are none."""
    share, exam = called.pop("sentinel_share"), called.pop("exam_folder")
    if not share and exam is None:
        return None
    # Imported only when needed: it loads all that exam items are built from.
    from ib.pipeline.exam.sentinels import sentinels_for

    return sentinels_for(share, exam, profile, judge, benchmark)
