"""Asking one judge of a scan: its journal, its cache, and the report of how it went."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ib.errors import WorldError
from ib.judges.base import Judge, lists_calls
from ib.models.scan.judge import JudgeReply, JudgeRequest
from ib.models.scan.plan import AlarmCost, ScanPlan
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.scan.dispatch import Dispatcher
from ib.pipeline.scan.reckoning import Reckoning
from ib.store.folders.cache import AnswerCache
from ib.store.folders.calls import CallList
from ib.store.folders.journal import VOTES, Journal, skip


@dataclass(frozen=True)
class Session:
    """What two judges of a scan have in common."""

    plan: ScanPlan
    plan_hash: str
    calls: CallList
    callbacks: Callbacks
    cache: Path | None
    """The file with the answers of earlier scans; None for no cache."""
    resume: bool
    """Continue the journal of an earlier session, if there is one."""

    @contextlib.contextmanager
    def asking(
        self, judge: Judge, journal: Path, planned_units: int, report: Callable[[dict[str, Any]], None]
    ) -> Iterator[tuple[Dispatcher, Reckoning]]:
        """Ask a judge inside the block. The journal is finished if every question has an answer.

        `report` is called at the end with how the planned units ended, also if the work was stopped.
        """
        opened = self._journal(judge, journal)
        dispatcher = Dispatcher(judge, opened)
        reckoning = Reckoning(self.calls.keys if lists_calls(judge) else None)
        complete = False
        try:
            with self._cache(judge) as dispatcher.cache:
                yield dispatcher, reckoning
            if not dispatcher.faults:
                self.callbacks.notices(opened.finish())
            complete = True
        finally:
            opened.close()
            units = reckoning.units(planned_units, complete=complete)
            actual: dict[str, Any] = {
                "answered": dispatcher.answered,
                "from_cache": dispatcher.cached,
                "units": units,
            }
            if judge.spec == self.plan.judge:
                actual |= self._over_alarm(reckoning, complete=complete)
            with contextlib.nullcontext() if complete else contextlib.suppress(WorldError):
                report({**actual, "complete": complete})

    def _over_alarm(self, reckoning: Reckoning, *, complete: bool) -> dict[str, Any]:
        """The part of the report about safe twins, which only the first judge grades."""
        planned = self.plan.over_alarm
        if planned is None:
            return {}
        units = reckoning.units_of_twins(planned.planned_units, complete=complete)
        return {"over_alarm": AlarmCost(**dict(planned), units=units)}

    def _journal(self, judge: Judge, path: Path) -> Journal[JudgeRequest, JudgeReply]:
        """The journal of a judge. The replies of a judge in this process are free, so none is reused."""
        fsync = skip if judge.in_process else os.fsync
        journal = Journal(path, self.plan_hash, VOTES, resume=self.resume, fsync=fsync)
        self.callbacks.notices(journal.notices)
        journal.only_on({(each.model_id, each.scenario_id, each.epoch) for each in self.plan.transcripts})
        if judge.in_process:
            journal.forget()
        return journal

    @contextlib.contextmanager
    def _cache(self, judge: Judge) -> Iterator[AnswerCache | None]:
        """The cache of answers, if the judge is a model."""
        if self.cache is None or judge.in_process:
            yield None
            return
        with contextlib.closing(AnswerCache(self.cache, self.callbacks.notice)) as cache:
            yield cache
