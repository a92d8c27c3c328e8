"""`ib new`: begin a check, a lexicon or a scenario."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, say, shown
from ib.pipeline import new as begin


@click.group()
def new() -> None:
    """Begin a check, a lexicon or a scenario as a draft that lints."""


@new.command("check")
@click.argument("check_id", metavar="ID")
@benchmark_option
def new_check(check_id: str, benchmark_dir: Path | None) -> None:
    """Write a draft check into checks/ID.yaml; comments explain each key.

    Example: ib new check IB-C9-talks-down
    """
    _done(begin.new_check(check_id, benchmark_dir), f"`ib show check {check_id}` shows it.")


@new.command("lexicon")
@click.argument("name", metavar="ID")
@benchmark_option
def new_lexicon(name: str, benchmark_dir: Path | None) -> None:
    """Write a draft lexicon into lexicons/ID.yaml; comments explain each key.

    Example: ib new lexicon talks_down
    """
    _done(begin.new_lexicon(name, benchmark_dir), "A check looks into it by `routing.lexicon`.")


@new.command("scenario")
@click.argument("scenario_id", metavar="ID")
@benchmark_option
def new_scenario(scenario_id: str, benchmark_dir: Path | None) -> None:
    """Write a draft scenario into scenarios/CATEGORY/THEME/ID.json.

    The id begins with the category and the theme. docs/scenarios.md explains each key.

    Example: ib new scenario empathy-grief-first-winter
    """
    more = "docs/scenarios.md explains each key; `ib run -s ID -m MODEL` plays it."
    _done(begin.new_scenario(scenario_id, benchmark_dir), more)


def _done(path: Path, more: str) -> None:
    """Print the path, and say what to do next."""
    click.echo(shown(path))
    say(f"Next: fill it in and run `ib lint`, whose notices say what is missing. {more}")
    say("When nothing is missing, delete `status`; until then no release holds it.")
