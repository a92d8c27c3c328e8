"""The files of a scan that hold its results, written in plan order, each row as soon as it is ready.

A scan without a judge only computes, so its transcripts are scanned in chunks by several processes.
Chunks are returned in plan order, so the output has the same bytes for any number of processes.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING

from ib.board.figures.blindspot import Profile
from ib.engine.mode_engine import READ_AHEAD
from ib.engine.questions.protocol import Asking, replay
from ib.engine.reading.searched import IndexedTranscript
from ib.errors import WorldError
from ib.judges.recorded import RecordedJudge
from ib.models.common.canonical import compact
from ib.models.scan.judge import NotRecorded
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.scan.derived import DerivedFiles
from ib.pipeline.scan.dispatch import Dispatcher
from ib.pipeline.scan.judging import Judged, Judgment, Watched, judged
from ib.pipeline.scan.prepare import PreparedScan
from ib.pipeline.scan.session import Reckoning
from ib.store.files.writing import replace, replacing
from ib.store.folders import scans
from ib.text import sets

if TYPE_CHECKING:  # slow to import, and needed only with sentinels
    from ib.pipeline.scan.sentinels import PreparedSentinels

LEAST = 4 * READ_AHEAD
"""The smallest number of transcripts for which starting several processes saves time."""
NOT_ASKED = NotRecorded()


@dataclass(frozen=True)
class Chunk:
    """The lines of one or more transcripts, each with its newline."""

    count: int
    results: bytes
    supplements: bytes
    adjudications: bytes
    alarms: bytes = b""
    sentinels: bytes = b""
    counts: Profile | None = None
    """Counts from another process, which the caller must merge into its own."""


def chunk_of(prepared: PreparedScan, judgment: Judgment | Watched, derived: DerivedFiles) -> Chunk:
    """The lines of one transcript. Also counts its result in `derived`, if it has one."""
    if isinstance(judgment, Watched):
        derived.sentinels.append(judgment.outcome)
        return Chunk(0, b"", b"", b"", sentinels=compact(judgment.outcome) + b"\n")
    if not isinstance(judgment, Judged):
        return Chunk(1, b"", b"", b"", alarms=compact(judgment) + b"\n")
    result, supplement = judgment
    return Chunk(
        count=1,
        results=prepared.engine.line(result) + b"\n",
        supplements=b"" if supplement is None else compact(supplement) + b"\n",
        adjudications=b"".join(derived.add(result, supplement)),
    )


def can_be_divided(prepared: PreparedScan, workers: int) -> bool:
    """True if several processes can share a scan: no judge is asked, and there are enough transcripts."""
    enough = len(prepared.spool.entries) >= LEAST
    forks = "fork" in multiprocessing.get_all_start_methods()
    return workers > 1 and enough and forks and prepared.engine.spec.absent


_prepared: PreparedScan | None = None
"""The scan of a worker, inherited by fork from the parent process, so that nothing is loaded twice."""


def chunks_of_workers(prepared: PreparedScan, workers: int) -> Iterator[Chunk]:
    """The results of all transcripts, scanned by that many processes, in plan order.

    Raises WorldError if a process is killed.
    """
    global _prepared  # noqa: PLW0603 - forked workers inherit the value
    _prepared = prepared
    gc.freeze()
    starts = range(0, len(prepared.spool.entries), READ_AHEAD)
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), begin_worker)
    try:
        yield from pool.map(_scan, starts)
    except BrokenProcessPool as error:
        raise WorldError("a worker process was killed; nothing was written; try --workers 1") from error
    finally:
        pool.shutdown(cancel_futures=True)
        _prepared = None
        gc.unfreeze()


def begin_worker() -> None:
    """Set up a worker: it ends with its parent, which handles signals; searches use one thread."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sets.search_in_one_thread()


def _end_with_parent() -> None:
    """End this worker when its parent has ended, however that was killed.

    The sentinel is a pipe that the system closes with the parent, so this works on every system.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _scan(start: int) -> Chunk:
    """Scan one chunk: READ_AHEAD transcripts from position `start` of the plan."""
    prepared = _prepared
    assert prepared is not None
    engine, derived = prepared.engine, DerivedFiles(prepared.benchmark, ())
    pairs = islice(prepared.spool.pairs(start), READ_AHEAD)
    made = [
        chunk_of(prepared, replay(_judged(prepared, indexed), lambda _: NOT_ASKED), derived)
        for indexed in engine.index_all(pairs)
    ]
    return Chunk(
        count=len(made),
        results=b"".join(chunk.results for chunk in made),
        supplements=b"".join(chunk.supplements for chunk in made),
        adjudications=b"".join(chunk.adjudications for chunk in made),
        alarms=b"".join(chunk.alarms for chunk in made),
        counts=derived.profile,
    )


def _judged(prepared: PreparedScan, indexed: IndexedTranscript) -> Asking[Judgment]:
    scenario = prepared.scenarios.get(indexed.transcript.scenario_id)
    return judged(prepared.engine, prepared.beside, indexed, scenario)


def write_results(
    prepared: PreparedScan,
    folder: Path,
    dispatcher: Dispatcher,
    reckoning: Reckoning,
    workers: int,
    callbacks: Callbacks,
) -> None:
    """Write results in plan order, each as soon as it is ready. `reckoning` watches the questions."""
    found = prepared.judge.contradictions() if isinstance(prepared.judge, RecordedJudge) else ()
    contradicted = frozenset(one.record.key for one in found)
    derived = DerivedFiles(prepared.benchmark, contradicted, prepared.plan)
    done, total, watched = 0, len(prepared.spool.entries), b""
    with (
        replacing(folder / scans.RESULTS) as lines,
        replacing(folder / scans.ADJUDICATIONS) as adjudications,
        replacing(folder / scans.SUPPLEMENT) as supplements,
        replacing(folder / scans.OVER_ALARM) as alarms,
    ):
        verifications: Iterable[Asking[Judgment] | Asking[Watched]] = _verifications(prepared)
        if not prepared.engine.spec.absent:  # without a judge, hints ask questions that nobody planned
            verifications = map(reckoning.watched, _verifications(prepared))
        if prepared.sentinels is not None:
            verifications = _with_sentinels(verifications, prepared.sentinels, reckoning, total)
        for chunk in _chunks(prepared, dispatcher.run(verifications), derived, workers):
            lines.write(chunk.results)
            supplements.write(chunk.supplements)
            alarms.write(chunk.alarms)
            watched += chunk.sentinels
            adjudications.write(chunk.adjudications)
            if chunk.counts is not None:
                derived.profile.merge(chunk.counts)
            done += chunk.count
            callbacks.progress("transcripts", done, total)
    contradictions = (compact({"record": c.record, "votes_say": c.votes_say}) + b"\n" for c in found)
    replace(folder / scans.CONTRADICTIONS, b"".join(contradictions))
    if prepared.sentinels is not None:
        replace(folder / scans.SENTINELS, watched)
    for name, data in derived.documents().items():
        replace(folder / name, data)


def _chunks(
    prepared: PreparedScan, judgments: Iterable[Judgment | Watched], derived: DerivedFiles, workers: int
) -> Iterator[Chunk]:
    """Every result, in plan order."""
    if can_be_divided(prepared, workers):
        yield from chunks_of_workers(prepared, workers)
        return
    for judgment in judgments:
        yield chunk_of(prepared, judgment, derived)


def _with_sentinels(
    askings: Iterable[Asking[Judgment] | Asking[Watched]],
    sentinels: PreparedSentinels,
    reckoning: Reckoning,
    total: int,
) -> Iterator[Asking[Judgment] | Asking[Watched]]:
    """The verifications with those of exam items among them, whose questions are counted apart."""
    from ib.pipeline.scan.sentinels import mixed

    apart = reckoning.sentinels
    assert apart is not None, "the session counts sentinels"
    return mixed(askings, [apart.watched(one) for one in sentinels.askings], total)


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _verifications(prepared: PreparedScan) -> Iterator[Asking[Judgment]]:
    """The verification of every transcript, in plan order. The planner has begun the first ones."""
    begun = 0
    while prepared.begun:
        yield prepared.begun.popleft()
        begun += 1
    left = prepared.spool.pairs(begun)
    for indexed in prepared.engine.index_all(left):
        scenario = prepared.scenarios.get(indexed.transcript.scenario_id)
        yield judged(prepared.engine, prepared.beside, indexed, scenario)
