"""`ib lint`: what is wrong with a benchmark, or with scenarios from elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option, reporting, say, shown
from ib.errors import DataError, Finding, Refused, UsageError
from ib.pipeline.lint import is_bare
from ib.pipeline.lint import lint as lint_all
from ib.pipeline.lint_files import Linted, count, write_upgraded


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@benchmark_option
@click.option(
    "--write",
    "folder",
    type=click.Path(path_type=Path),
    default=None,
    help="Write each scenario that has no finding to this folder, in the form of today.",
)
@json_option
def lint(paths: tuple[Path, ...], benchmark_dir: Path | None, folder: Path | None, as_json: bool) -> None:
    """Check every file of the benchmark, and play every example through its verifier.

    With PATHS, check these scenario files, and those of these folders, against the benchmark instead.
    Older spellings are read, each with a notice; docs/scenarios.md lists them. The folder of
    --benchmark may hold scenarios alone: they are checked against the benchmark of the package.

    --write DIR writes the scenarios of PATHS to DIR/<category>/<theme>/<scenario_id>.json. It changes
    no file that exists: it stops before it writes anything if one of them is there with another content.

    Exit 3 where a file cannot be read, 1 where something in it does not hold, 0 where there are only
    notices.
    """
    if folder is not None and not paths and not is_bare(benchmark_dir):
        raise UsageError("--write needs PATHS, the scenario files or folders to upgrade")
    with reporting() as callbacks:
        linted = lint_all(paths, benchmark_dir, callbacks=callbacks)
    lines = [*map(str, linted.findings), *(f"notice: {notice}" for notice in linted.notices)]
    emit(rows(linted), as_json=as_json, text=lambda _: "\n".join([*lines, linted.summary]))
    if as_json:
        say(linted.summary)
    if folder is not None:
        written = write_upgraded(linted, folder)
        files = count(range(linted.files), "file")
        say(f"{count(written, 'scenario')} written to {shown(folder)}, of {files}")
    if linted.unreadable:
        raise DataError(linted.unreadable)
    if linted.findings:
        raise Refused(count(linted.findings, "finding"))


def rows(linted: Linted) -> list[dict[str, object]]:
    """The findings as data, errors first."""
    errors = [("error", finding) for finding in (*linted.unreadable, *linted.findings)]
    return [_row(level, finding) for level, finding in (*errors, *(("notice", n) for n in linted.notices))]


def _row(level: str, finding: Finding) -> dict[str, object]:
    return {
        "level": level,
        "file": finding.file,
        "line": finding.line,
        "key": finding.key,
        "found": finding.found,
        "hint": finding.hint,
    }
