"""`ib doctor`: what this machine has, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.errors import Refused
from ib.pipeline.start.doctor import Inspected, inspect_machine


@click.command()
@benchmark_option
@json_option
def doctor(benchmark_dir: Path | None, as_json: bool) -> None:
    """Check this machine: Python, packages, benchmark, browser, disk."""
    findings = inspect_machine(benchmark_dir)
    emit([asdict(item) for item in findings], as_json=as_json, text=lambda _: _words(findings))
    missing = [f"{item.what}: {item.found}" for item in findings if item.needed and not item.ok]
    if missing:
        raise Refused("required items are missing", missing)


def _words(findings: Sequence[Inspected]) -> str:
    marks = {True: "ok", False: "--"}
    return "\n".join(f"{marks[item.ok]}  {item.what:16} {item.found}" for item in findings)
