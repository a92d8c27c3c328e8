"""Asking a judge elsewhere about all shards of a job, in rounds.

Workers find the questions (`ib.batch.questions`). One process asks them, for all workers: it alone has the
pace, the limits of calls and dollars, the journal and the batches. Every reply is in its journal before it is
used. At the end of a round, the replies are put into the place of the job, and the workers go on from there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from ib.batch.asking import Questions, RoundJournal, Rounds, Session
from ib.batch.job import Job
from ib.batch.merge import refuse_twice
from ib.batch.questions import REPLIES, Waiting, go_on
from ib.engine.votes.granularity import units_of
from ib.errors import WorldError
from ib.judges.base import RemoteJudge, price_of
from ib.models.common.canonical import pretty
from ib.models.scan.cost import spent_usd
from ib.models.scan.plan import CostReport
from ib.pipeline.common.callbacks import Callbacks, CallWatch
from ib.pipeline.common.costing import Costing, cost_words, costing_of, few_at_once, spent_words
from ib.pipeline.scan.batching import refuse_open
from ib.pipeline.scan.judges import open_judge
from ib.pipeline.scan.prepare import ScanOptions, check_profile, judge_notices
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.validation import load_json
from ib.store.files.writing import disk, only_writer, replace
from ib.store.folders import scans
from ib.store.folders.batches import BatchList
from ib.store.folders.cache import AnswerCache
from ib.store.folders.calls import CallList
from ib.store.folders.journal import Played


def opened(options: ScanOptions, callbacks: Callbacks) -> tuple[RemoteJudge, Costing]:
    """The judge of some options, which is elsewhere, and how its questions are counted.

    Raises UsageError if there is no such judge.
    """
    root, loaded = options.benchmark or benchmark_folder(), load_benchmark(options.benchmark)
    check_profile(loaded, options)
    judge = options.judge
    if isinstance(judge, str):
        judge = open_judge(judge, loaded, root, options.calling, notice=callbacks.notice)
    assert not judge.in_process, "a judge in this process is asked by workers"
    callbacks.notices(judge_notices(judge.spec, "judge"))
    return judge, costing_of(judge, root, asks_again=units_of(judge.spec.granularity).asks_again)


def plan_rounds(rounds: Rounds) -> CostReport:
    """What the questions of the first round are expected to lead to, and cost. Nothing is written.

    Raises DataError with what is wrong with the conversations.
    """
    with _questions(rounds) as questions:
        questions.collect(rounds.job.pending(), _look)
        return _planned(rounds, questions)


def judge_in_rounds(rounds: Rounds) -> None:
    """Do all shards of a job whose judge is elsewhere.

    Raises WorldError if a limit is reached, if questions have no answer, or if a batch was left to its
    provider: what was answered is kept, and the same call goes on. Raises DataError before anything is
    asked if conversations are broken.
    """
    job, ledger = rounds.job, rounds.ledger
    if not job.pending():
        return
    with disk(ledger):
        ledger.mkdir(parents=True, exist_ok=True)
    with only_writer(ledger), _questions(rounds) as questions:
        if job.place.names(REPLIES) and not (ledger / scans.REPLIES).is_file():
            raise WorldError(
                f"{ledger}: has no journal of a judge, but the job has replies, which were paid for; give "
                "the folder of the journal as --ledger, or choose another --out"
            )
        questions.collect(job.pending())
        report = _report(rounds, questions)
        if questions.waiting:
            _ask(rounds, questions, report)


def _look(job: Job, shard: int) -> Waiting:
    """Find the questions on a shard, and write nothing."""
    return go_on(job, shard, writes=False)


@contextlib.contextmanager
def _questions(rounds: Rounds) -> Iterator[Questions]:
    with TemporaryDirectory(prefix="ib-questions-") as folder:
        yield Questions(rounds, Path(folder))


def _report(rounds: Rounds, questions: Questions) -> CostReport:
    """The plan of what is asked, in the ledger before the first question. Says what it may cost."""
    path = rounds.ledger / scans.COST
    report = load_json(CostReport, path) if path.is_file() else _planned(rounds, questions)
    if report.plan_hash != _plan_hash(rounds):
        raise WorldError(f"{rounds.ledger}: is the ledger of another job; choose another folder")
    replace(path, pretty(report))
    for estimate in report.cost:
        rounds.work.callbacks.notice(cost_words(estimate))
    rounds.work.callbacks.notices(few_at_once(report.cost, rounds.most_usd))
    return report


def _planned(rounds: Rounds, questions: Questions) -> CostReport:
    """The plan that the questions of the first round make.

    Raises DataError for conversations that are there twice: they would be paid twice.
    """
    costing, seen, twice = rounds.costing, set[Played](), set[Played]()
    for _, requests in questions:
        costing.add(requests)
        one = (requests[0].model_id, requests[0].scenario_id, requests[0].epoch)
        (twice if one in seen else seen).add(one)
    refuse_twice(twice)
    counts, spec = costing.counts, rounds.judge.spec
    return CostReport(
        plan_hash=_plan_hash(rounds),
        judge=spec.model,
        planned_calls=counts.least,
        planned_calls_expected=ceil(counts.expected),
        planned_calls_max=counts.most,
        planned_units=counts.units_most,
        cost=costing.estimates,
        estimated_cost_usd=costing.usd(priced=spec.priced),
    )


def _plan_hash(rounds: Rounds) -> str:
    return scans.bytes_hash(pretty(rounds.job.plan))


def _ask(rounds: Rounds, questions: Questions, report: CostReport) -> None:
    """Ask until no shard waits. Says what the calls cost, also if the work is stopped."""
    ledger, work, batches = rounds.ledger, rounds.work, BatchList(rounds.ledger)
    if work.batching is None:
        refuse_open(batches, [rounds.judge])
    expected = (report.planned_calls_expected, report.estimated_cost_usd)
    complete = False
    with (
        CallList(ledger) as calls,
        RoundJournal(ledger / scans.REPLIES, report.plan_hash) as record,
        CallWatch(calls, work.callbacks, *(expected if work.batching is None else (None, None))) as watch,
        _cache(rounds) as cache,
    ):
        work.callbacks.notices(record.journal.notices)
        session = Session(rounds, questions, calls, record, watch, cache, batches)
        try:
            session.run()
            complete = True
        finally:
            known = price_of(rounds.judge) is not None
            usd = spent_usd(calls.spending, price_known=known)
            counted = {"answered": session.answered, "from_cache": session.cached, "complete": complete}
            spent = {"spending": calls.spending, "spent_usd": usd}
            replace(ledger / scans.COST, pretty(report.model_copy(update={**counted, **spent})))
            work.callbacks.notices(spent_words(calls.spending, usd, calls.faults, session.cached))


@contextlib.contextmanager
def _cache(rounds: Rounds) -> Iterator[AnswerCache | None]:
    """The cache of answers of earlier scans."""
    if rounds.work.cache is None:
        yield None
        return
    with contextlib.closing(AnswerCache(rounds.work.cache, rounds.work.callbacks.notice)) as cache:
        yield cache
