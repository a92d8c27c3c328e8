"""What `ib scan --engine` does: shards by processes or by Ray, and a judge elsewhere asked in rounds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ib.commands.common import say, shown
from ib.commands.engines import LEDGER, Engine
from ib.errors import UsageError
from ib.pipeline.common.costing import cost_words
from ib.pipeline.scan.judges import is_local
from ib.pipeline.scan.prepare import ScanOptions
from ib.pipeline.scan.scan import Work
from ib.pipeline.scan.session import lost_words
from ib.store.files.addresses import Address, Located
from ib.store.folders.scans import BLINDSPOT, SUMMARY

if TYPE_CHECKING:
    from ib.batch.job import Job, JobOptions
    from ib.batch.local import Each


@dataclass(frozen=True, kw_only=True)
class EngineWork:
    """How the shards of an engine are done, and merged."""

    work: Work
    dry_run: bool


def run_engine(
    engine: Engine,
    transcripts: tuple[Located, ...],
    out: Located | None,
    options: ScanOptions,
    refused: Mapping[str, object],
    how: EngineWork,
) -> None:
    """Judge files in shards. The last shard that is done merges them."""
    from ib.batch.sources import every

    _refuse(options, refused)
    if out is None:
        raise UsageError("--engine needs --out, the folder for the rows")
    run = _by_workers if is_local(str(options.judge)) else _in_rounds
    job = run(engine, every(transcripts), out, options, how)
    if job is None:
        return
    left = job.pending()
    if left:
        say(f"shard {engine.shard} of {engine.shards} is done; {len(left)} are not")
        return
    from ib.batch.merge import merge

    found = merge(job)
    say(f"rows: {shown(out)}/rows/*.parquet; next: read {shown(out / SUMMARY)}")
    counts = json.loads(job.place.read(BLINDSPOT) or b"")["models"]
    lost = {name: (one["refused_questions"], one["unreadable_questions"]) for name, one in counts.items()}
    for said in lost_words(found.judge, lost):
        say(said)
    click.echo(
        f"judged {found.conversations:,} conversations, left out {found.left_out:,}; {found.rows:,} rows"
    )


def _by_workers(
    engine: Engine, sources: Sequence[Located], out: Located, options: ScanOptions, how: EngineWork
) -> Job:
    """Do shards by workers that have the judge, if there is one."""
    from ib.batch.job import open_job
    from ib.batch.local import do_shards
    from ib.batch.places import place_at
    from ib.batch.scorer import Scorer

    elsewhere = {"--batch": how.work.batching, "--dry-run": how.dry_run, "--ledger": engine.ledger}
    named = [name for name, value in elsewhere.items() if value]
    if named:
        raise UsageError(f"with --engine, {', '.join(named)} needs a judge at a provider: PROVIDER/MODEL")
    scorer = Scorer(options.profile, str(options.judge), _benchmark(options), engine.skip_broken)
    joins = how.work.resume or engine.shard is not None
    job = open_job(place_at(out), sources, scorer, _divided(engine), joins=joins)
    only = None if engine.shard is None else [engine.shard - 1]
    with _each(engine.name, how.work) as each:
        do_shards(each, job, only, how.work.callbacks)
    return job


def _in_rounds(
    engine: Engine, sources: Sequence[Located], out: Located, options: ScanOptions, how: EngineWork
) -> Job | None:
    """Do all shards with a judge elsewhere, which this process asks. Returns None for a dry run."""
    from ib.batch.asking import Rounds
    from ib.batch.job import open_job, planned_job
    from ib.batch.places import place_at
    from ib.batch.questions import asked_scorer
    from ib.batch.rounds import judge_in_rounds, opened, plan_rounds

    if engine.shard is not None:
        raise UsageError(
            f"--shard: one process asks {options.judge} about all shards, within one limit of dollars; omit "
            "--shard, and choose --workers, or --engine ray for several machines"
        )
    ledger = _ledger(engine, out, how)
    judge, costing = opened(options, how.work.callbacks)
    skip = engine.skip_broken
    scorer = asked_scorer(options.profile, judge.spec, _benchmark(options), skip_broken=skip)
    made = (place_at(out), sources, scorer, _divided(engine))
    job = planned_job(*made) if how.dry_run else open_job(*made, joins=how.work.resume)
    with _each(engine.name, how.work) as each:
        most_usd = options.calling.limits.max_cost_usd
        rounds = Rounds(job, judge, costing, ledger, each, how.work, most_usd)
        if not how.dry_run:
            judge_in_rounds(rounds)
            return job
        click.echo("\n".join(map(cost_words, plan_rounds(rounds).cost)))
    return None


def _ledger(engine: Engine, out: Located, how: EngineWork) -> Path:
    """The folder for what is paid for. Raises UsageError if it has to be named."""
    if engine.ledger is not None:
        return engine.ledger
    if isinstance(out, Address) and not how.dry_run:
        raise UsageError(
            f"{out} is in a bucket, which cannot hold the journal of what is paid for; give a folder of this "
            "machine as --ledger"
        )
    return Path(LEDGER) if isinstance(out, Address) else out / LEDGER


def _divided(engine: Engine) -> JobOptions:
    from ib.batch.job import JobOptions

    return JobOptions(shards=engine.shards, cluster=engine.cluster, skip_broken=engine.skip_broken)


def _benchmark(options: ScanOptions) -> str | None:
    return None if options.benchmark is None else str(options.benchmark.absolute())


@contextmanager
def _each(name: str, work: Work) -> Iterator[Each]:
    """What runs a task for each shard."""
    if name == "ray":
        from ib.batch.on_ray import on_ray, started

        with started(work.workers):
            yield on_ray
        return
    from ib.batch.local import Workers

    with Workers(work.workers, work.callbacks.notice) as each:
        yield each


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
