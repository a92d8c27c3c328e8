"""Sending requests to a judge: every reply is journaled before it is used.

A local judge is asked one request at a time. A remote judge gets the requests of several transcripts at
once (`ib.pipeline.scan.remote`). Results are yielded in plan order, regardless of arrival order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ib.engine.questions.protocol import Asking, Replies, Requests, at_once, drive
from ib.judges.base import Judge
from ib.models.scan.judge import Answer, Fault, JudgeReply, JudgeRequest, NotRecorded, Refusal
from ib.store.folders.journal import Numbered, Order

Result = TypeVar("Result")
AHEAD = 1_000
"""The most transcripts that are begun and not yet yielded. The results of most of them wait for an
earlier transcript, so this bounds memory."""


class Record(Protocol):
    """A journal: replies are written to it before they are used."""

    @property
    def known(self) -> Mapping[str, JudgeReply]: ...

    def write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None: ...
    def note_known(self, request: JudgeRequest, order: Order) -> None: ...


class Cache(Protocol):
    """Answers of earlier scans."""

    def get(self, key: str) -> Answer | None: ...
    def put(self, key: str, answer: Answer) -> None: ...


@dataclass
class Dispatcher:
    """Asks one judge."""

    judge: Judge
    journal: Record | None = None
    ahead: int = AHEAD
    cache: Cache | None = None
    answered: int = 0
    """The number of replies of the judge."""
    cached: int = 0
    """The number of answers that the cache had."""
    faults: int = 0
    """The number of questions that a remote judge did not answer."""
    last_fault: str = ""
    told: Callable[[bool], None] = lambda _: None
    """Called with each answer: True if a call gave it, False if the journal or the cache had it."""

    def run(self, verifications: Iterable[Asking[Result]]) -> Iterator[Result]:
        """The result of every verification, in the order given."""
        if self.judge.in_process:
            return self._run_here(self.judge.answer, verifications)
        from ib.pipeline.scan.remote import RemoteRun  # imports asyncio, which only a remote judge needs

        return RemoteRun(self.judge, self, self.ahead).run(verifications)

    def _run_here(
        self, answer: Callable[[JudgeRequest], JudgeReply], verifications: Iterable[Asking[Result]]
    ) -> Iterator[Result]:
        """`run` with a local judge."""
        for place, verification in enumerate(verifications):
            numbered = Numbered(place)

            async def ask(wanted: Requests, numbered: Numbered = numbered) -> Replies:
                return tuple(
                    self.known(request, order) or self.keep(request, answer(request), order)
                    for request, order in numbered.next(wanted)
                )

            yield at_once(drive(verification, ask))

    def known(self, request: JudgeRequest, order: Order) -> JudgeReply | None:
        """The reply to a request if it needs no call. Returns None if the judge must be asked."""
        reply = None if self.journal is None else self.journal.known.get(request.key)
        if reply is not None and self.journal is not None:
            self.journal.note_known(request, order)
            self.told(False)
            return reply
        answer = None if self.cache is None else self.cache.get(request.key)
        if answer is not None:
            self.cached += 1
            self._write(request, answer, order)
            self.told(False)
        return answer

    def keep(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> JudgeReply:
        """Write a reply of the judge to the journal, and count it; returns the reply."""
        self._write(request, reply, order)
        if self.cache is not None and isinstance(reply, Answer):
            self.cache.put(request.key, reply)
        self.answered += not isinstance(reply, NotRecorded)
        if isinstance(reply, Fault) and not self.judge.in_process:
            self.faults += 1
            self.last_fault = f"{reply.kind}, {reply.detail}"
        if isinstance(reply, Answer | Refusal):
            self.told(True)
        return reply

    def _write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None:
        if self.journal is not None:
            self.journal.write(request, reply, order)
