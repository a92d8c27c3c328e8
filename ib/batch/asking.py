"""Asking what the shards of a job wait for, round by round, by one process for all workers."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Self, TypeAlias

from ib.batch.job import Job
from ib.batch.local import Each
from ib.batch.questions import REPLIES, Waiting, files_of, go_on, lines_of, reply_file, unpacked
from ib.engine.questions.protocol import Asking, Requests
from ib.errors import DataError, Findings, WorldError
from ib.judges.base import RemoteJudge
from ib.models.scan.judge import Answer, Fault, JudgeReply, JudgeRequest, Refusal
from ib.pipeline.common.callbacks import CallWatch
from ib.pipeline.common.costing import Costing
from ib.pipeline.scan.batching import ask_in_batches
from ib.pipeline.scan.dispatch import BARREN, Cache, Dispatcher, barren_words
from ib.pipeline.scan.scan import Work
from ib.store.files.writing import disk, replace
from ib.store.folders.batches import BatchList
from ib.store.folders.calls import CallList
from ib.store.folders.journal import VOTES, Journal, Order

PORTION = 96 << 20
"""How many characters of questions are handed to batches at a time. It bounds the memory of the process."""
Wanted: TypeAlias = Iterable[tuple[int, Requests]]
"""Questions on one conversation after the other, each time with the shard of the conversation."""
Answered: TypeAlias = Sequence[tuple[JudgeRequest, JudgeReply]]


@dataclass(frozen=True)
class Rounds:
    """What is asked, by whom, and how."""

    job: Job
    judge: RemoteJudge
    costing: Costing
    """Counts the questions of the first round."""
    ledger: Path
    """The folder of this machine for what was paid for: the journal, calls, batches, the cost report."""
    each: Each
    work: Work
    most_usd: float | None = None
    """The limit of dollars, for a notice."""


@dataclass
class Questions:
    """What the shards wait for, in files of this machine."""

    rounds: Rounds
    folder: Path
    waiting: set[int] = field(default_factory=set)
    """The shards that have questions."""
    heard: bool = False
    """True once a reply of the judge counts as a vote."""

    def collect(self, shards: Iterable[int], task: Callable[[Job, int], Waiting] = go_on) -> None:
        """Let the workers go on with shards.

        Raises DataError with what is wrong with the conversations of all of them.
        """
        findings, listed, rounds = Findings(), sorted(shards), self.rounds
        found = rounds.each(task, rounds.job, listed)
        for one in rounds.work.callbacks.counted(found, len(listed), "shards"):
            findings.extend(one.findings)
            self.heard |= one.heard
            self.waiting.discard(one.shard)
            if one.questions:
                self.waiting.add(one.shard)
                self._path(one.shard).write_bytes(one.questions)
        if findings:
            raise DataError(findings)

    def __iter__(self) -> Iterator[tuple[int, Requests]]:
        for shard in sorted(self.waiting):
            with self._path(shard).open("rb") as file:
                for requests in unpacked(file):
                    yield shard, requests

    def _path(self, shard: int) -> Path:
        return self.folder / str(shard)


class RoundJournal:
    """The journal of the round under way, which also knows its replies: if it is stopped, it is repeated from
    them. A context manager.

    What is known is in memory, so it has to be of one round alone.
    """

    def __init__(self, path: Path, plan_hash: str) -> None:
        """Continue the journal of an earlier session, if there is one. Raises as `Journal` does."""
        self.path, self._plan_hash = path, plan_hash
        self.journal = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()

    def begin_again(self) -> None:
        """Begin with an empty journal: all replies of the last round are in the place of the job."""
        self.journal.close()
        with disk(self.path), self.path.open("rb") as file:
            header = file.readline()
        replace(self.path, header)
        self.journal = self._opened()

    def _opened(self) -> Journal[JudgeRequest, JudgeReply]:
        return Journal(self.path, self._plan_hash, VOTES, resume=True)

    @property
    def known(self) -> Mapping[str, JudgeReply]:
        return self.journal.known

    def write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None:
        self.journal.write(request, reply, order)
        if VOTES.answers(reply):
            self.journal.known[request.key] = reply

    def note_known(self, request: JudgeRequest, order: Order) -> None:
        self.journal.note_known(request, order)


@dataclass
class Session:
    """The rounds of one session."""

    rounds: Rounds
    questions: Questions
    calls: CallList
    record: RoundJournal
    watch: CallWatch
    cache: Cache | None
    batches: BatchList
    answered: int = 0
    cached: int = 0
    _replies: int = 0
    """The answers and refusals of this session, as long as none has counted."""
    _last: JudgeReply | None = None
    _failed: dict[str, str] = field(default_factory=dict)
    """The questions of this session without an answer, and why. They are not asked again before the next."""
    _files: Counter[int] = field(default_factory=Counter)
    """How many files with replies each shard has."""

    def run(self) -> None:
        """Ask in rounds until no shard waits."""
        job, names = self.rounds.job, self.rounds.job.place.names(REPLIES)
        self._files.update({shard: len(files_of(names, job, shard)) for shard in self.questions.waiting})
        while self.questions.waiting:
            answered = self._round()
            if not answered:
                raise WorldError(self._unanswered())
            if self.questions.heard or self.rounds.work.batching is not None:
                self.record.begin_again()
            self.questions.collect(answered)
            if not self.questions.heard and self._replies >= 2 * BARREN and self._last is not None:
                raise WorldError(barren_words(self.rounds.judge.spec.model, self._replies, self._last))

    def _round(self) -> set[int]:
        """Ask what the shards wait for; returns those that have new replies."""
        if self.rounds.work.batching is not None:
            return self._round_in_batches()
        # Few questions are paid for in vain if the judge cannot do this work.
        return self._asked(self._open() if self.questions.heard else _first(self._open(), BARREN))

    def _open(self) -> Wanted:
        """The questions that were not asked in vain in this session."""
        for shard, requests in self.questions:
            wanted = tuple(request for request in requests if request.key not in self._failed)
            if wanted:
                yield shard, wanted

    def _round_in_batches(self) -> set[int]:
        """A round in batches. All are submitted before one is waited for, a portion in memory at a time."""
        batching = self.rounds.work.batching
        assert batching is not None, "the round is one in batches"
        if sum(map(_size, self._open())) > PORTION:
            answered, stopped = self._submitted()
            if stopped is None:
                return answered
            if batching.leave:
                raise stopped
            self.calls.look_back()
        self._terms(leave=batching.leave)
        return set().union(*(self._asked(portion) for portion in _portions(self._open())))

    def _submitted(self) -> tuple[set[int], WorldError | None]:
        """Submit all questions without waiting. Returns the shards with replies, which an earlier session's
        batches had, and why there are not all replies."""
        self._terms(leave=True)
        answered: set[int] = set()
        stopped: WorldError | None = None
        for portion in _portions(self._open()):
            try:
                answered |= self._asked(portion)
            except WorldError as error:  # it was submitted, or something else is met again by whoever waits
                stopped = error
        return answered, stopped

    def _terms(self, *, leave: bool) -> None:
        batching, callbacks = self.rounds.work.batching, self.rounds.work.callbacks
        assert batching is not None, "the round is one in batches"
        terms = dataclasses.replace(batching, leave=leave)
        ask_in_batches(self.rounds.judge, self.batches, terms, callbacks)

    def _asked(self, wanted: Wanted) -> set[int]:
        """Ask questions, and put the replies into the place of the job; returns the shards that got some."""
        judge = self.rounds.judge
        judge.open(self.calls)
        dispatcher = Dispatcher(judge, self.record, cache=self.cache, heard=True, told=self.watch.count)
        if judge.in_batches:
            dispatcher.ahead = sys.maxsize  # PORTION bounds what is in memory
        answered: set[int] = set()
        try:
            found = dispatcher.run(_asking(*one) for one in wanted)
            for shard, group in groupby(found, key=itemgetter(0)):
                if self._put(shard, [pair for _, pairs in group for pair in pairs]):
                    answered.add(shard)
        finally:
            self.answered += dispatcher.answered
            self.cached += dispatcher.cached
        return answered

    def _put(self, shard: int, answered: Answered) -> bool:
        """Put the replies about a shard into the place of the job. Returns False if there are none."""
        lasting = [pair for pair in answered if VOTES.answers(pair[1])]
        for request, reply in answered:
            if isinstance(reply, Answer | Refusal):
                self._replies, self._last = self._replies + 1, reply
            else:
                self._failed[request.key] = (
                    f"{reply.kind}, {reply.detail}" if isinstance(reply, Fault) else ""
                )
        if lasting:
            self._files[shard] += 1
            job = self.rounds.job
            job.place.put(reply_file(job, shard, self._files[shard]), lines_of(lasting))
        return bool(lasting)

    def _unanswered(self) -> str:
        """What to say if the shards that wait can get no further in this session."""
        last = next(reversed(self._failed.values()), "")
        return (
            f"{len(self._failed)} questions have no answer, the last for {last}. Shards that wait for them: "
            f"{len(self.questions.waiting)}. Run the same command with --resume to ask only these questions."
        )


def _asking(shard: int, requests: Requests) -> Asking[tuple[int, Answered]]:
    """A conversation that asks once."""
    replies = yield requests
    return shard, tuple(zip(requests, replies, strict=True))


def _first(wanted: Wanted, count: int) -> Wanted:
    """The first questions, at most that many."""
    for shard, requests in wanted:
        yield shard, requests[:count]
        count -= len(requests)
        if count <= 0:
            return


def _size(asked: tuple[int, Requests]) -> int:
    """The characters of the questions on one conversation."""
    return sum(len(request.system) + len(request.user) for request in asked[1])


def _portions(wanted: Wanted) -> Iterator[list[tuple[int, Requests]]]:
    """Questions in lists of about PORTION characters."""
    portion: list[tuple[int, Requests]] = []
    size = 0
    for one in wanted:
        portion.append(one)
        size += _size(one)
        if size >= PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
