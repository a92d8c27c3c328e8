"""Sending requests to a judge: every reply is journaled before it is used.

A local judge is asked one request at a time. A remote judge gets the requests of several transcripts at
once (`ib.pipeline.scan.remote`). Results are yielded in plan order, regardless of arrival order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeVar

from ib.engine.questions.protocol import Asking, Replies, Requests, at_once, drive
from ib.errors import WorldError
from ib.judges.base import Judge
from ib.models.scan.judge import Answer, Fault, JudgeReply, JudgeRequest, NotRecorded, Refusal, UnitSpan
from ib.store.files.leaks import without_keys
from ib.store.folders.journal import Numbered, Order

Result = TypeVar("Result")
AHEAD = 1_000
"""The most transcripts that are begun and not yet yielded. The results of most of them wait for an
earlier transcript, so this bounds memory."""
BARREN = 20
"""So many questions whose replies do not count, and no reply that counts, end the work."""
SHOWN = 200
"""The most characters of a reply that an error shows."""


Question: TypeAlias = tuple[str, str, int | None, str, UnitSpan]
"""The model, scenario and epoch of a transcript, the check, and the part of the transcript."""


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
    fresh: Collection[tuple[str, str, int | None]] = ()
    """The conversations about which the cache is not used: only a new answer tells how the judge is today."""
    answered: int = 0
    """The number of replies of the judge."""
    cached: int = 0
    """The number of answers that the cache had."""
    faults: int = 0
    """The number of questions that a remote judge did not answer."""
    last_fault: str = ""
    told: Callable[[bool], None] = lambda _: None
    """Called with each answer: True if a call gave it, False if the journal or the cache had it."""
    heard: bool = False
    """True once a reply of a remote judge has counted as a vote, in this session or in an earlier one."""
    _unheard: set[Question] = field(default_factory=set)
    """The questions of this session whose last reply does not count, as long as none has counted."""
    _ahead: dict[str, JudgeReply] = field(default_factory=dict)
    """Replies to second requests that were made ahead of their round, by key."""

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
        reply = self._ahead.pop(request.key, None)
        if reply is not None:
            if self.journal is not None:
                self.journal.note_known(request, order)
            return reply
        reply = None if self.journal is None else self.journal.known.get(request.key)
        if reply is not None and self.journal is not None:
            self.journal.note_known(request, order)
            self.told(False)
            self._remember(request, reply)
            return reply
        answer = self._cached(request)
        if answer is not None:
            self.cached += 1
            self._write(request, answer, order)
            self.told(False)
            self._remember(request, answer)
        return answer

    def keep(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> JudgeReply:
        """Write a reply of the judge to the journal, and count it; returns the reply.

        Raises WorldError if the replies to BARREN questions do not count, and no reply did: then the judge
        cannot do this work, and every other question would be paid for in vain.
        """
        self._write(request, reply, order)
        if self.cache is not None and isinstance(reply, Answer) and not self._is_fresh(request):
            self.cache.put(request.key, reply)
        self.answered += not isinstance(reply, NotRecorded)
        if isinstance(reply, Fault) and not self.judge.in_process:
            self.faults += 1
            self.last_fault = f"{reply.kind}, {reply.detail}"
        if isinstance(reply, Answer | Refusal):
            self.told(True)
        self._hear(request, reply)
        return reply

    def _remember(self, request: JudgeRequest, reply: JudgeReply) -> None:
        """Note if a known reply counts. One that does not is an old failure, which says nothing new."""
        if not (self.heard or self.judge.in_process or request.counts is None):
            self.heard = request.counts(reply)

    def _hear(self, request: JudgeRequest, reply: JudgeReply) -> None:
        """Count the questions whose last reply does not count, until the first reply that does."""
        self._remember(request, reply)
        if self.heard or self.judge.in_process or not isinstance(reply, Answer | Refusal):
            return
        if not self._tells(request, reply):
            return
        place = (request.model_id, request.scenario_id, request.epoch)
        self._unheard.add((*place, request.check_id, request.unit))
        if len(self._unheard) >= BARREN:
            error = WorldError(barren_words(self.judge.spec.model, len(self._unheard), reply))
            self.judge.give_up(error)
            raise error

    def _tells(self, request: JudgeRequest, reply: JudgeReply) -> bool:
        """False if the second reply to the first repetition of a question will say more than this reply."""
        batched = self.judge.in_process or self.judge.in_batches
        if batched or request.again is None or isinstance(reply, Refusal):
            return True
        return request.repetition == 1 and self.second(request, reply) is None

    def second(self, request: JudgeRequest, reply: JudgeReply) -> JudgeRequest | None:
        """The request to make at once after a first reply that does not count; None if there is none.

        Else a question is asked once more only when all questions of its round have a reply, and by then a
        judge that cannot do this work has been paid for all of them. One repetition of each question is
        enough. Ends with the first reply that counts.
        """
        if self.heard or self.judge.in_process or self.judge.in_batches:
            return None
        if request.again is None or request.repetition > 1:
            return None
        second = request.again(reply) if isinstance(reply, Answer) else None
        return None if second is None or self._has(second) else second

    def _has(self, request: JudgeRequest) -> bool:
        """True if a reply needs no call."""
        kept = self.journal is not None and request.key in self.journal.known
        return kept or self._cached(request) is not None

    def _cached(self, request: JudgeRequest) -> Answer | None:
        if self.cache is None or self._is_fresh(request):
            return None
        return self.cache.get(request.key)

    def _is_fresh(self, request: JudgeRequest) -> bool:
        return (request.model_id, request.scenario_id, request.epoch) in self.fresh

    def keep_ahead(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None:
        """`keep` a reply to a second request, which `known` gives when its round asks for it."""
        self.keep(request, reply, order)
        if isinstance(reply, Answer | Refusal):
            self._ahead[request.key] = reply

    def _write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None:
        if self.journal is not None:
            self.journal.write(request, reply, order)


def barren_words(judge: str, questions: int, reply: JudgeReply) -> str:
    """What to say of a judge whose replies do not count."""
    return (
        f"{judge} gave none of its first {questions} questions a reply that counts: each is a refusal, not "
        f"in the form asked for, or quotes what nobody said. The last reply: {_shown(reply)}. All replies "
        "are kept, and none is asked for again. Choose another judge, or go on with --resume."
    )


def _shown(reply: JudgeReply) -> str:
    """A reply in quotation marks on one line: shortened, without keys, with control characters escaped."""
    if isinstance(reply, Refusal):
        return f"a refusal ({reply.detail})"
    text = without_keys(reply.text) if isinstance(reply, Answer) else ""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
