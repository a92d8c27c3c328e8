"""The files of a scan that hold its results, written in plan order, each row as soon as it is ready."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ib.engine.questions.protocol import Asking
from ib.judges.recorded import RecordedJudge
from ib.models.common.canonical import compact
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.scan.chunks import Chunk, can_be_divided, chunk_of, chunks_of_workers
from ib.pipeline.scan.derived import DerivedFiles
from ib.pipeline.scan.dispatch import Dispatcher
from ib.pipeline.scan.judging import Judgment, judged
from ib.pipeline.scan.prepare import PreparedScan
from ib.pipeline.scan.reckoning import Reckoning
from ib.store.files.writing import replace, replacing
from ib.store.folders import scans


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
    derived = DerivedFiles(prepared.benchmark, frozenset(one.record.key for one in found))
    done, total = 0, len(prepared.spool.entries)
    with (
        replacing(folder / scans.RESULTS) as lines,
        replacing(folder / scans.ADJUDICATIONS) as adjudications,
        replacing(folder / scans.SUPPLEMENT) as supplements,
        replacing(folder / scans.OVER_ALARM) as alarms,
    ):
        verifications = _verifications(prepared)
        if not prepared.engine.spec.absent:  # without a judge, hints ask questions that nobody planned
            verifications = map(reckoning.watched, verifications)
        for chunk in _chunks(prepared, dispatcher.run(verifications), derived, workers):
            lines.write(chunk.results)
            supplements.write(chunk.supplements)
            alarms.write(chunk.alarms)
            adjudications.write(chunk.adjudications)
            if chunk.counts is not None:
                derived.profile.merge(chunk.counts)
            done += chunk.count
            callbacks.progress("transcripts", done, total)
    contradictions = (compact({"record": c.record, "votes_say": c.votes_say}) + b"\n" for c in found)
    replace(folder / scans.CONTRADICTIONS, b"".join(contradictions))
    for name, data in derived.documents().items():
        replace(folder / name, data)


def _chunks(
    prepared: PreparedScan, judgments: Iterable[Judgment], derived: DerivedFiles, workers: int
) -> Iterator[Chunk]:
    """Every result, in plan order."""
    if can_be_divided(prepared, workers):
        yield from chunks_of_workers(prepared, workers)
        return
    for judgment in judgments:
        yield chunk_of(prepared, judgment, derived)


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
