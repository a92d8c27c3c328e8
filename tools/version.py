"""Close the open version of the benchmark: `python -m tools.version close`.

The record of the version goes to `benchmark/versions/`. From then on, `ib lint` refuses any change until
`benchmark/VERSION` names a higher version.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import yaml

from ib.errors import IbError, Refused
from ib.models.benchmark.version import ClosedVersion, Item
from ib.models.schemas import schema_line
from ib.pipeline.lint.benchmark import lint_benchmark
from ib.store.benchmark.loading import benchmark_folder, label
from ib.store.benchmark.versions import FOLDER, VERSION, closed_versions, load_items, load_version
from ib.store.files.writing import replace


@click.group()
def version() -> None:
    """Versions of the benchmark."""


@version.command()
def close() -> None:
    """Write the record of the version that benchmark/VERSION names."""
    try:
        click.echo(f"wrote {label(close_version(benchmark_folder()))}")
    except IbError as error:
        raise click.ClickException(str(error)) from error


def close_version(root: Path) -> Path:
    """Write the record of the open version, and return its path.

    Raises Refused if the version is closed already, if there is no VERSION, or if `ib lint` has findings.
    """
    named = load_version(root, label(root / VERSION))
    if named is None:
        raise Refused(f"{label(root / VERSION)} is missing; write the version into it, such as 1.0.0")
    if named in closed_versions(root):
        raise Refused(f"version {named} is closed; raise it in {label(root / VERSION)} first")
    linted = lint_benchmark(root)
    if linted.unreadable or linted.findings:
        raise Refused(f"{linted.summary}; run `ib lint` and mend the findings first")
    path = root / FOLDER / f"{named}.yaml"
    replace(path, record(named, load_items(root)))
    return path


def record(named: str, items: Mapping[str, Item]) -> bytes:
    """The file of a closed version."""
    closed = ClosedVersion(version=named, items=dict(items)).model_dump(mode="json")
    text = yaml.safe_dump(closed, default_flow_style=None, width=110, allow_unicode=True)
    head = (
        f"{schema_line(f'{FOLDER}/{named}.yaml')}\n# Written by `python -m tools.version close`. Do not edit."
    )
    return f"{head}\n{text}".encode()


if __name__ == "__main__":
    version()
