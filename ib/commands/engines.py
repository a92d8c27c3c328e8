"""The options of `ib scan` for many logs: an engine, shards, and a folder of sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import Command, say, shown
from ib.errors import UsageError
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.scan.prepare import ScanOptions
from ib.store.files.addresses import Address, Located
from ib.store.folders.scans import SUMMARY

if TYPE_CHECKING:
    from ib.batch.job import Job

ENGINES = ("local", "ray")
DEFAULT_SHARDS = 8
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


def engine_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def engine_in(called: dict[str, Any]) -> Engine | None:
    """Take the engine out of the values of the options; None if there is none."""
    engine, shards, shard = called.pop("engine"), called.pop("shards"), called.pop("shard")
    cluster, skip = called.pop("cluster"), called.pop("skip_broken")
    if engine is None:
        given = {"--shards": shards, "--shard": shard, "--cluster": cluster, "--skip-broken": skip}
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
    return Engine(engine, shards or DEFAULT_SHARDS, number, cluster or "id", skip)


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


def run_engine(
    engine: Engine,
    transcripts: tuple[Located, ...],
    out: Located | None,
    options: ScanOptions,
    refused: Mapping[str, object],
    callbacks: Callbacks,
    *,
    resume: bool,
    workers: int,
) -> None:
    """Judge files in shards. The last shard that is done merges them."""
    from ib.batch.job import JobOptions, open_job
    from ib.batch.merge import merge
    from ib.batch.places import place_at
    from ib.batch.scorer import Scorer
    from ib.batch.sources import every

    _refuse(options, refused)
    if out is None:
        raise UsageError("--engine needs --out, the folder for the rows")
    judge = options.judge if isinstance(options.judge, str) else options.judge.spec.model
    folder = None if options.benchmark is None else str(options.benchmark.absolute())
    scorer = Scorer(options.profile, judge, folder, engine.skip_broken)
    divided = JobOptions(shards=engine.shards, cluster=engine.cluster, skip_broken=engine.skip_broken)
    joins = resume or engine.shard is not None
    job = open_job(place_at(out), every(transcripts), scorer, divided, joins=joins)
    only = None if engine.shard is None else [engine.shard - 1]
    _runner(engine.name)(job, only, workers, callbacks)
    left = job.pending()
    if left:
        say(f"shard {engine.shard} of {engine.shards} is done; {len(left)} are not")
        return
    found = merge(job)
    say(f"rows: {shown(out)}/rows/*.parquet; next: read {shown(out / SUMMARY)}")
    click.echo(
        f"judged {found.conversations:,} conversations, left out {found.left_out:,}; {found.rows:,} rows"
    )


def _runner(name: str) -> Callable[[Job, Sequence[int] | None, int, Callbacks], None]:
    """What does the shards of a job."""
    if name == "ray":
        from ib.batch.on_ray import run_on_ray

        return run_on_ray
    from ib.batch.local import run_shards

    return run_shards


def _refuse(options: ScanOptions, refused: Mapping[str, object]) -> None:
    """Raises UsageError for an option that an engine does not know."""
    given = {
        "--regard": options.regard,
        "--rubric": options.rubrics,
        "--draft": options.drafts,
        "--second-judge": options.second,
        "--sentinels": options.sentinels,
        "--redact": options.redact,
        "--draw": options.draw,
        "a selection of checks or transcripts": not options.part.is_whole,
        **refused,
    }
    named = [name for name, value in given.items() if value]
    if named:
        raise UsageError(f"--engine judges every check of the profile alone; omit {', '.join(named)}")
