"""Asking the second judge of a scan, after the first one has answered everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ib.engine.questions.protocol import Asking, replay
from ib.engine.second import Compared
from ib.engine.verifiers.base import PutQuestion
from ib.models.common.canonical import compact
from ib.models.scan.judge import JudgeReply, JudgeRequest, NotRecorded
from ib.pipeline.scan.dispatch import Dispatcher
from ib.pipeline.scan.prepare import PreparedScan
from ib.pipeline.scan.second import PreparedSecond, planned_cost
from ib.pipeline.scan.session import Session, lost_words
from ib.store.files.writing import replacing
from ib.store.folders import scans
from ib.store.folders.replies import Replies

NOT_ASKED = NotRecorded()


def ask_second(
    prepared: PreparedScan,
    second: PreparedSecond,
    folder: Path,
    session: Session,
    report: Callable[[Mapping[str, object]], None],
) -> Dispatcher:
    """Ask the second judge, and write `second.jsonl`. The first judge's journal must be finished.

    The returned dispatcher says how many questions have no answer.
    """

    def report_second(actual: Mapping[str, object]) -> None:
        report({"second": planned_cost(second.plan).model_copy(update=actual)})

    path, units, total = folder / scans.SECOND_REPLIES, second.plan.planned_units, len(prepared.spool.entries)
    with (
        session.asking(second.judge, path, units, report_second) as (dispatcher, reckoning),
        replacing(folder / scans.SECOND) as lines,
    ):
        found = dispatcher.run(map(reckoning.watched, _comparisons(prepared, second, folder)))
        lost: Counter[tuple[str, int]] = Counter()
        for compared in session.callbacks.counted(found, total, "transcripts of the second judge"):
            lines.writelines(second_lines(compared))
            model = compared.opinions[0].model_id if compared.opinions else ""
            lost.update({(model, 0): compared.refused, (model, 1): compared.unreadable})
    of_models = {model: (lost[model, 0], lost[model, 1]) for model, _ in lost}
    session.callbacks.notices(lost_words(second.judge.spec.model, of_models))
    return dispatcher


def second_lines(compared: Compared) -> Iterator[bytes]:
    """The lines of `second.jsonl` about one transcript, each with its newline."""
    return (compact(opinion) + b"\n" for opinion in compared.opinions)


def _comparisons(prepared: PreparedScan, second: PreparedSecond, folder: Path) -> Iterator[Asking[Compared]]:
    """The questions to the second judge on every transcript, in plan order.

    What the first judge was asked follows from its replies, which are read from its journal.
    """
    replies = Replies(folder / scans.REPLIES)
    for indexed in prepared.engine.index_all(prepared.spool.pairs()):
        known, _ = replies.of(indexed.transcript.key)
        put: list[PutQuestion] = []
        result = replay(prepared.engine.verify(indexed, put), _replies_in(known))
        yield second.asks.compare(put, result)


def _replies_in(known: Mapping[str, JudgeReply]) -> Callable[[JudgeRequest], JudgeReply]:
    """The reply to a request, by its key."""
    return lambda request: known.get(request.key, NOT_ASKED)
