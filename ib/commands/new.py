"""`ib new`: start a check, a lexicon or a scenario."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, say, shown
from ib.pipeline.start import new as begin


@click.group()
def new() -> None:
    """Start a check, a lexicon or a scenario: write a draft that passes `ib lint`."""


@new.command("check")
@click.argument("check_id", metavar="ID")
@benchmark_option
def new_check(check_id: str, benchmark_dir: Path | None) -> None:
    """Write a draft check to checks/ID.yaml; comments explain each key.

    Example: ib new check IB-C9-talks-down
    """
    _done(begin.new_check(check_id, benchmark_dir), f"`ib show check {check_id}` shows it.")


@new.command("lexicon")
@click.argument("name", metavar="ID")
@benchmark_option
def new_lexicon(name: str, benchmark_dir: Path | None) -> None:
    """Write a draft lexicon to lexicons/ID.yaml; comments explain each key.

    Example: ib new lexicon talks_down
    """
    _done(begin.new_lexicon(name, benchmark_dir), "A check uses it by naming it in `routing.lexicon`.")


@new.command("scenario")
@click.argument("scenario_id", metavar="ID")
@benchmark_option
def new_scenario(scenario_id: str, benchmark_dir: Path | None) -> None:
    """Write a draft scenario to scenarios/CATEGORY/THEME/ID.json.

    ID starts with the category and the theme. docs/formats/scenario.md explains each key.

    Example: ib new scenario empathy-grief-first-winter
    """
    more = "docs/formats/scenario.md explains each key; `ib run -s ID -m MODEL` plays it."
    _done(begin.new_scenario(scenario_id, benchmark_dir), more)


def _done(path: Path, more: str) -> None:
    """Print the path to stdout and the next steps to stderr."""
    click.echo(shown(path))
    say(f"Next: fill in the file and run `ib lint`; its notices list what is missing. {more}")
    say("When nothing is missing, delete `status`. Drafts never enter a release.")
