"""`ib releases`: the releases and their ledger; what two differ in; an older one made the newest again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import click

from ib.commands.building import finish_publishing
from ib.commands.common import Command, OutPath, emit, json_option, say, shown
from ib.commands.publishing import RELEASE, say_changes
from ib.commands.release_options import Day, releases_option
from ib.errors import Refused, UsageError
from ib.models.release.ledger import LedgerLine
from ib.pipeline.release.diff import diff_releases
from ib.pipeline.release.history import reinstated, releases_folder, write_recorded
from ib.store.files.clock import release_day
from ib.store.folders.ledger import ReleasesFolder, check_history


@click.group()
def releases() -> None:
    """List, show and compare releases, and make an older one the newest again."""


def _place_options(command: Command) -> Command:
    """The folders of the newest release and of all releases."""
    out = click.option(
        "--out", type=OutPath(), default=RELEASE, show_default=True, help="The folder of the newest release."
    )
    return out(releases_option(command))


def _history(out: Path, folder: Path | None) -> ReleasesFolder:
    """The folder of releases, after an interrupted publication was finished.

    Raises UsageError if there is no ledger.
    """
    finish_publishing(out)
    history = releases_folder(out, folder)
    if not history.ledger_path.exists():
        raise UsageError(f"{shown(history.ledger_path)}: no ledger; `ib publish` begins one")
    return history


@releases.command("list")
@_place_options
@json_option
def list_command(out: Path, releases: Path | None, *, as_json: bool) -> None:
    """List every release, oldest first, after comparing all of them with the ledger."""
    history = _history(out, releases)
    ledger = check_history(history, out)
    newest = ledger.newest
    found = [
        {
            "release": release,
            "stage": line.stage,
            "day": line.day,
            "models": len(history.told(release).rows),
            "newest": newest is not None and newest.release == release,
        }
        for release, line in ledger.releases.items()
    ]
    words = "{release}  {stage}  {models} models"
    emit(
        found,
        as_json=as_json,
        text=lambda rows: "\n".join(
            words.format(**row) + ("  newest" if row["newest"] else "") for row in rows
        ),
    )


@releases.command("show")
@click.argument("release", required=False)
@click.option("--model", "model_id", help="Only the lines of this model, over all releases.")
@_place_options
@json_option
def show_command(
    release: str | None, model_id: str | None, out: Path, releases: Path | None, *, as_json: bool
) -> None:
    """Show the lines of the ledger: of one release, of one model, or all."""
    ledger = check_history(_history(out, releases), out)
    if release is not None and release not in ledger.releases:
        raise UsageError(f"no release {release!r}; the ledger has {', '.join(ledger.releases)}")
    lines = [
        line for line in ledger.lines if release in (None, line.release) and model_id in (None, line.model_id)
    ]
    emit(lines, as_json=as_json, text=_lines)


def _lines(lines: list[LedgerLine]) -> str:
    return "\n".join(map(line_words, lines))


def line_words(line: LedgerLine) -> str:
    """A line of the ledger in words."""
    return "  ".join(_words(line))


def _words(line: LedgerLine) -> Iterator[str]:
    yield f"{line.number}  {line.day}  {line.release}  {line.action}"
    if line.model_id is not None:
        yield line.model_id
    if line.causes:
        yield f"({', '.join(line.causes)})"
    if line.outcome is not None:
        yield f"{line.outcome}: {line.permalink}"
    if line.reason is not None:
        yield line.reason


@releases.command("diff")
@click.argument("before")
@click.argument("after")
@_place_options
@json_option
def diff_command(before: str, after: str, out: Path, releases: Path | None, *, as_json: bool) -> None:
    """Say for each figure what moved between two releases and why, with each verdict that flipped.

    BEFORE and AFTER are ids of the ledger, or folders of releases. `ib compare` does the same for two scans.
    """
    from delivery.report.moved import moved_text

    finish_publishing(out)
    history = releases_folder(out, releases)
    emit(diff_releases(history, before, after), as_json=as_json, text=moved_text)


@releases.command("restore")
@click.argument("release")
@click.option("--reason", required=True, metavar="TEXT", help="Why, for the ledger.")
@click.option("--date", "day", type=Day(), help="The day, in UTC.  [default: today]")
@click.option("--yes", is_flag=True, help="Replace the newest release without asking.")
@_place_options
@json_option
def restore_command(
    release: str, reason: str, out: Path, releases: Path | None,
    *, day: date | None, yes: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make an older release the newest again, with its lines in the ledger. No release is deleted."""
    one = reinstated(_history(out, releases), out, release, day or release_day(), reason)
    say_changes(one)
    if not yes:
        _confirm(f"{shown(out)} becomes {release}. Replace it?", click.confirm)
    write_recorded(one)
    say(f"{shown(out)} is {release} again; next: ib site build --release {shown(out)} --out site")
    emit(list(one.lines), as_json=as_json, text=_lines)


def _confirm(question: str, ask: Callable[..., bool]) -> None:
    """Ask a person at a terminal. Raises Refused on "no", or if there is nobody to ask."""
    if not sys.stdin.isatty():
        raise Refused(f"{question} Pass --yes to do so")
    if not ask(question, err=True):
        raise Refused("nothing was replaced")
