"""The options of `ib scan` for many logs: an engine, shards, and a folder of sparse rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ib.commands.common import Command, OutPath
from ib.errors import UsageError
from ib.store.files.addresses import Address

ENGINES = ("local", "ray")
DEFAULT_SHARDS = 8
LEDGER = "judge"
"""The folder of a job for what a judge elsewhere was paid for."""
OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        help="Write sparse rows in shards, for many logs: by processes of this machine, or by Ray.",
    ),
    click.option(
        "--shards",
        type=click.IntRange(1, 100_000),
        help=f"With --engine: how many shards.  [default: {DEFAULT_SHARDS}]",
    ),
    click.option(
        "--shard", metavar="I/N", help="With --engine: only shard I of N, as one task of a job array."
    ),
    click.option(
        "--cluster",
        help="With --engine: what stays in one shard: id, meta.KEY, or rows. With --sample: whose "
        "conversations are alike, such as meta.user.  [default: id]",
    ),
    click.option("--skip-broken", is_flag=True, help="With --engine: leave broken conversations out."),
    click.option(
        "--ledger",
        type=OutPath(),
        help="With --engine and a model as judge: the folder of this machine for what was paid for.  "
        f"[default: {LEDGER} in --out]",
    ),
)


@dataclass(frozen=True)
class Engine:
    """What the options say."""

    name: str
    shards: int
    shard: int | None
    """The only shard to do, counted from 1."""
    cluster: str
    skip_broken: bool
    ledger: Path | None
    """The folder for what a judge elsewhere is paid for; None for the usual one."""


def engine_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def engine_in(called: dict[str, Any]) -> Engine | None:
    """Take the engine out of the values of the options; None if there is none."""
    engine, shards, shard = called.pop("engine"), called.pop("shards"), called.pop("shard")
    cluster, skip, ledger = called.pop("cluster"), called.pop("skip_broken"), called.pop("ledger")
    if engine is None:
        given = {"--shards": shards, "--shard": shard, "--cluster": cluster}
        given |= {"--skip-broken": skip, "--ledger": ledger}
        for name, value in given.items():
            if value:
                raise UsageError(f"{name} needs --engine{' or --sample' if name == '--cluster' else ''}")
        return None
    number = None
    if shard is not None:
        number, of = _shard(shard)
        if shards not in (None, of):
            raise UsageError(f"--shard {shard} and --shards {shards} differ; omit --shards")
        shards = of
    return Engine(engine, shards or DEFAULT_SHARDS, number, cluster or "id", skip, ledger)


def _shard(text: str) -> tuple[int, int]:
    """The numbers of `I/N`."""
    first, _, last = text.partition("/")
    if first.isdecimal() and last.isdecimal() and len(text) < 20 and 1 <= int(first) <= int(last):
        return int(first), int(last)
    raise UsageError(f"--shard {text}: give I/N with I from 1 to N, such as 3/8")


def refuse_addresses(*places: object) -> None:
    """Raises UsageError if one of these files and folders is in a bucket: only an engine goes there."""
    for where in places:
        if isinstance(where, Address):
            raise UsageError(f"{where} is in a bucket, which needs --engine")
