"""Asking one judge of a scan: its journal, its cache, and the report of how it went."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ib.engine.questions.protocol import Asking
from ib.errors import WorldError
from ib.judges.base import Judge, lists_calls
from ib.models.scan.cost import UnitState
from ib.models.scan.judge import Answer, Fault, JudgeReply, JudgeRequest, Refusal, UnitSpan
from ib.models.scan.over_alarm import OVER_ALARM
from ib.models.scan.plan import AlarmCost, ScanPlan
from ib.pipeline.common.callbacks import Callbacks, CallWatch
from ib.pipeline.scan.dispatch import Dispatcher
from ib.store.folders import scans
from ib.store.folders.cache import AnswerCache
from ib.store.folders.calls import CallList
from ib.store.folders.journal import VOTES, Journal, Played, skip

if TYPE_CHECKING:  # slow to import, and needed only with sentinels
    from ib.pipeline.scan.sentinels import PreparedSentinels

Result = TypeVar("Result")
Unit = tuple[str, UnitSpan, int]
"""A repetition of a question about one transcript. A second attempt is the same unit."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """The last request of a unit, and how it ended; None while it waits for a reply."""

    key: str
    state: UnitState | None


@dataclass
class Reckoning:
    """Watches the questions of a scan and counts how its units ended."""

    paid: Collection[str] | None = None
    """The keys of the requests that were paid for; None if the judge lists no calls. It may grow."""
    sentinels: Reckoning | None = None
    """Watches the questions about exam items, which are counted apart."""
    _counts: Counter[UnitState] = field(default_factory=Counter)
    _twins: Counter[UnitState] = field(default_factory=Counter)
    """The part of `_counts` that grades safe twins."""
    _under_way: dict[int, dict[Unit, _Ended]] = field(default_factory=dict)
    _begun: int = 0

    def watched(self, asking: Asking[Result]) -> Asking[Result]:
        """The verification of one transcript. Its units are counted when it has a result."""
        self._begun += 1
        place, units = self._begun, dict[Unit, _Ended]()
        self._under_way[place] = units
        try:
            wanted = next(asking)
            while True:
                units.update((_unit(request), _Ended(request.key, None)) for request in wanted)
                replies = yield wanted
                for request, reply in zip(wanted, replies, strict=True):
                    units[_unit(request)] = _Ended(request.key, _state(reply))
                wanted = asking.send(replies)
        except StopIteration as stop:
            self._end(self._under_way.pop(place), self._counts, self._twins)
            result: Result = stop.value
            return result

    def _end(
        self, units: Mapping[Unit, _Ended], counts: Counter[UnitState], twins: Counter[UnitState]
    ) -> None:
        """Count how the units of one transcript ended."""
        for unit, ended in units.items():
            state = self._final(ended)
            counts[state] += 1
            twins[state] += unit[0] == OVER_ALARM

    def _final(self, ended: _Ended) -> UnitState:
        """The state of a unit, also if the work was stopped before its reply was used."""
        if ended.state is None:
            return UnitState.ANSWERED if ended.key in (self.paid or ()) else UnitState.NOT_ASKED
        if ended.state is UnitState.ANSWERED and self.paid is not None and ended.key not in self.paid:
            return UnitState.FROM_CACHE
        return ended.state

    def units(self, planned: int, *, complete: bool) -> dict[UnitState, int]:
        """How the planned units ended. Units that were not asked were not needed if the work is complete."""
        return _with_rest(self._so_far()[0], planned, complete=complete)

    def units_of_twins(self, planned: int, *, complete: bool) -> dict[UnitState, int]:
        """How the planned units that grade safe twins ended; they are part of `units`."""
        return _with_rest(self._so_far()[1], planned, complete=complete)

    def _so_far(self) -> tuple[Counter[UnitState], Counter[UnitState]]:
        """How all units have ended so far, and those that grade safe twins."""
        counts, twins = self._counts.copy(), self._twins.copy()
        for units in self._under_way.values():
            self._end(units, counts, twins)
        return counts, twins


def _with_rest(counts: Counter[UnitState], planned: int, *, complete: bool) -> dict[UnitState, int]:
    counts[UnitState.NOT_NEEDED if complete else UnitState.NOT_ASKED] += planned - counts.total()
    return {state: counts[state] for state in UnitState}


def _unit(request: JudgeRequest) -> Unit:
    return (request.check_id, request.unit, request.repetition)


def _state(reply: JudgeReply) -> UnitState:
    if isinstance(reply, Answer):
        return UnitState.ANSWERED
    if isinstance(reply, Refusal):
        return UnitState.REFUSED
    return UnitState.FAULT if isinstance(reply, Fault) else UnitState.NOT_RECORDED


@dataclass(frozen=True)
class Session:
    """What two judges of a scan have in common."""

    plan: ScanPlan
    plan_hash: str
    calls: CallList
    watch: CallWatch
    callbacks: Callbacks
    cache: Path | None
    """The file with the answers of earlier scans; None for no cache."""
    resume: bool
    """Continue the journal of an earlier session, if there is one."""
    sentinels: PreparedSentinels | None = None
    """The exam items among the questions to the first judge; None if there are none."""

    @contextlib.contextmanager
    def asking(
        self, judge: Judge, journal: Path, planned_units: int, report: Callable[[dict[str, Any]], None]
    ) -> Iterator[tuple[Dispatcher, Reckoning]]:
        """Ask a judge inside the block. The journal is finished if every question has an answer.

        `report` is called at the end with how the planned units ended, also if the work was stopped.
        """
        opened = [self._journal(judge, journal)]
        paid = self.calls.keys if lists_calls(judge) else None
        dispatcher, reckoning = Dispatcher(judge, opened[0]), Reckoning(paid)
        sentinels = self.sentinels if judge.spec == self.plan.judge else None
        if sentinels is not None:
            opened.append(
                self._journal_on(sentinels.played, judge, journal.with_name(scans.SENTINEL_REPLIES))
            )
            dispatcher.journal = sentinels.apart(*opened)
            dispatcher.fresh, reckoning.sentinels = sentinels.played, Reckoning(paid)
        if not judge.in_process:
            dispatcher.told = self.watch.count
        complete = False
        try:
            with self._cache(judge) as dispatcher.cache:
                yield dispatcher, reckoning
            if not dispatcher.faults:
                for one in opened:
                    self.callbacks.notices(one.finish())
            complete = True
        finally:
            for one in opened:
                one.close()
            units = reckoning.units(planned_units, complete=complete)
            actual: dict[str, Any] = {
                "answered": dispatcher.answered,
                "from_cache": dispatcher.cached,
                "units": units,
            }
            if judge.spec == self.plan.judge:
                actual |= self._over_alarm(reckoning, complete=complete)
            if sentinels is not None and reckoning.sentinels is not None:
                ended = reckoning.sentinels.units(sentinels.plan.planned_units, complete=complete)
                actual["sentinels"] = sentinels.cost(ended)
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
        """The journal of a judge."""
        planned = {(each.model_id, each.scenario_id, each.epoch) for each in self.plan.transcripts}
        return self._journal_on(planned, judge, path)

    def _journal_on(
        self, conversations: Collection[Played], judge: Judge, path: Path
    ) -> Journal[JudgeRequest, JudgeReply]:
        """A journal about some conversations. The replies of a judge in this process are free, so none is
        reused."""
        fsync = skip if judge.in_process else os.fsync
        journal = Journal(path, self.plan_hash, VOTES, resume=self.resume, fsync=fsync)
        self.callbacks.notices(journal.notices)
        journal.only_on(conversations)
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


Lost = Mapping[str, tuple[int, int]]
"""For each model under test, the questions that a judge refused, and those whose reply cannot be read."""


def lost_words(judge: str, lost: Lost) -> Iterator[str]:
    """One sentence about the questions that a judge did not answer, if there are any."""
    refused, unreadable = (
        _by_model({model: pair[place] for model, pair in lost.items()}) for place in (0, 1)
    )
    said = [f"refused {refused}"] if refused else []
    said += [f"did not answer {unreadable} in the form asked for"] if unreadable else []
    if said:
        yield (
            f"the judge {judge} {' and '.join(said)}; such votes do not count, so their checks can be UNCLEAR"
        )


def _by_model(numbers: Mapping[str, int]) -> str:
    """The sum of some numbers of questions, and those of each model; empty for 0."""
    total = sum(numbers.values())
    models = ", ".join(f"{model}: {number:,}" for model, number in sorted(numbers.items()) if number)
    return f"{total:,} {'question' if total == 1 else 'questions'} ({models})" if total else ""
