"""`ib lint`: find errors in a benchmark, or in scenarios from elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option, reporting, say, shown
from ib.errors import DataError, Finding, Refused, UsageError
from ib.pipeline.lint.benchmark import is_bare
from ib.pipeline.lint.benchmark import lint as lint_all
from ib.pipeline.lint.scenarios import Linted, count, write_upgraded


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@benchmark_option
@click.option(
    "--write",
    "folder",
    type=click.Path(path_type=Path),
    default=None,
    help="Write each scenario without findings to this folder, in the current form.",
)
@json_option
def lint(paths: tuple[Path, ...], benchmark_dir: Path | None, folder: Path | None, as_json: bool) -> None:
    """Check every file of the benchmark, and run every example through its verifier.

    PATHS are scenario files or folders of them. With PATHS, `ib lint` checks only these scenarios,
    against the benchmark. Older forms of a scenario are read, with a notice; docs/scenarios.md lists
    these forms. If the folder of --benchmark has scenarios but no checks, its scenarios are checked
    against the benchmark of the package.

    --write DIR writes the scenarios of PATHS to DIR/<category>/<theme>/<scenario_id>.json. If one of
    these files exists with other content, nothing is written.

    Exit codes: 3 if a file cannot be read, 1 if there are findings, 0 if there are only notices.
    """
    if folder is not None and not paths and not is_bare(benchmark_dir):
        raise UsageError("--write needs PATHS: name the scenario files or folders to upgrade")
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
