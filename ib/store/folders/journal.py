"""The journal of replies: append-only, written after each reply, bound to the hash of its plan.

A line is handed to the operating system as soon as its reply arrives, so a killed process (kill -9) loses
no reply that it had received. The disk is told to store the lines in groups (fsync), because that takes
milliseconds: a power cut loses at most the last group.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from ib.errors import DataError, WorldError
from ib.models.common.canonical import compact
from ib.models.scan.artifacts import JournalHeader, ReplyLine
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, NotRecorded, Refusal
from ib.models.scan.plan import SCHEMA_VERSION
from ib.store.files.validation import model_of_line
from ib.store.files.writing import disk, replacing, sync_folder

Order = tuple[int, int]
"""The index of the transcript in the plan, and the index of the request in its verification."""


UNPLACED: Order = (-1, -1)
"""The order of a reply that was read from an earlier run and has not been asked for again."""
Placed = tuple[JudgeRequest, Order]
GROUP = 64
"""The most replies that a power cut may lose."""
GROUP_SECONDS = 0.5
"""A reply makes the disk store all lines if the last time was at least this long ago."""


@dataclass
class Numbered:
    """Numbers the requests of one transcript, over all its rounds."""

    place: int
    """The index of the transcript in the plan."""
    _asked: int = 0

    def next(self, wanted: Sequence[JudgeRequest]) -> Sequence[Placed]:
        """The requests of the next round with their orders."""
        first, self._asked = self._asked, self._asked + len(wanted)
        return [(request, (self.place, first + index)) for index, request in enumerate(wanted)]


class Keyed(Protocol):
    """Anything with a key, such as a request."""

    @property
    def key(self) -> str: ...


Request = TypeVar("Request", bound=Keyed)
Reply = TypeVar("Reply")
Reply_co = TypeVar("Reply_co", covariant=True)
Model = TypeVar("Model", bound=BaseModel)


Played = tuple[str, str, int | None]
"""The model, scenario and epoch of a transcript."""


class Line(Keyed, Protocol[Reply_co]):
    """A parsed line of a journal."""

    @property
    def model_id(self) -> str: ...
    @property
    def scenario_id(self) -> str: ...
    @property
    def epoch(self) -> int | None: ...
    @property
    def reply(self) -> Reply_co: ...


@dataclass(frozen=True)
class Form(Generic[Request, Reply]):
    """How one kind of requests and replies is written to a journal and read back."""

    kind: str
    row: Callable[[Request, Reply], dict[str, Any] | None]
    """The line of a reply. Returns None if the reply is not journaled."""
    line: Callable[[bytes, Path, int], Line[Reply]]
    """Parses a line, given its file and number. Raises DataError with all findings."""
    answers: Callable[[Reply], bool]
    """True if a reply is an answer. Answers are not asked for again when work is resumed."""


class Journal(Generic[Request, Reply]):
    """Writes each answer and fault when it arrives. `finish` sorts the lines into plan order."""

    def __init__(
        self,
        path: Path,
        plan_hash: str,
        form: Form[Request, Reply],
        *,
        resume: bool = False,
        fsync: Callable[[int], None] = os.fsync,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create a journal, or with `resume` continue one.

        Raises WorldError if the journal belongs to another plan, and DataError if a line in it is not a
        line of such a journal.
        """
        self.path = path
        self.form = form
        self.notices: list[str] = []
        self.known: dict[str, Reply] = {}
        self._places: dict[str, tuple[Order, int, int]] = {}
        self._first_lines: dict[Played, int] = {}
        self._fsync, self._now = fsync, now
        self._unsynced, self._synced_at = 0, now()
        self._header = compact({"kind": form.kind, "schema_version": SCHEMA_VERSION, "plan_hash": plan_hash})
        with disk(path):
            there = resume and path.exists()
            self._end = self._load(path.read_bytes(), plan_hash) if there else 0
            self._file: IO[bytes] = path.open("r+b" if there else "x+b", buffering=0)
            try:
                self._begin()
            except BaseException:
                self._file.close()
                raise

    def _begin(self) -> None:
        """Cut off a torn line, and write the header if there is none."""
        self._file.truncate(self._end)
        self._file.seek(self._end)
        if not self._end:
            self._append(self._header)
            sync_folder(self.path.parent)

    def _append(self, line: bytes) -> int:
        """Write a line; returns its offset."""
        left = memoryview(line + b"\n")
        with disk(self.path):
            while left:  # unbuffered: written bytes survive a kill of this process
                left = left[self._file.write(left) :]
        at, self._end = self._end, self._end + len(line) + 1
        return at

    def _load(self, data: bytes, plan_hash: str) -> int:
        """Read the replies of an earlier run; returns the length of its complete lines in bytes."""
        kept = data.rfind(b"\n") + 1
        if kept < len(data):
            self.notices.append(f"{self.path.name}: an incomplete last line was dropped")
        if not kept:
            return 0
        header, *lines = data[: kept - 1].split(b"\n")
        if read_header(header, self.path, self.form.kind).plan_hash != plan_hash:
            message = (
                f"{self.path}: belongs to another plan, because the inputs, the benchmark, the models or the "
                "judge have changed; choose another folder"
            )
            raise WorldError(message)
        at = len(header) + 1
        for number, raw in enumerate(lines, start=2):
            line = self.form.line(raw, self.path, number)
            self._first_lines.setdefault((line.model_id, line.scenario_id, line.epoch), number)
            if self.form.answers(line.reply):
                self._learn(line, number)
                self._places[line.key] = (UNPLACED, at, len(raw))
            at += len(raw) + 1
        return kept

    def _learn(self, line: Line[Reply], number: int) -> None:
        """Take over the answer of a line. Raises DataError if an earlier line has another one."""
        if line.key not in self.known:
            self.known[line.key] = line.reply
        elif self.known[line.key] == line.reply:
            self.notices.append(f"{self.path.name}: line {number} repeats an earlier line and was dropped")
        else:
            found = "another answer to the question of an earlier line"
            raise DataError.one(self.path, number, "key", found, "one answer; delete one of the two lines")

    def only_on(self, transcripts: Container[Played]) -> None:
        """Raises DataError and closes the journal if an earlier reply is not on one of these transcripts."""
        for played, number in self._first_lines.items():
            if played not in transcripts:
                self.close()
                found = f"a reply on {played[0]}, {played[1]}, which is not in the plan"
                hint = "only replies of this plan; delete the line"
                raise DataError.one(self.path, number, "", found, hint)

    def write(self, request: Request, reply: Reply, order: Order) -> None:
        """Append one reply. A `NotRecorded` reply is not journaled."""
        row = self.form.row(request, reply)
        if row is None:
            return
        line = compact(row)
        self._places[request.key] = (order, self._append(line), len(line))
        self._unsynced += 1
        if self._unsynced >= GROUP or self._now() - self._synced_at >= GROUP_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Wait until the disk has stored all lines."""
        if self._unsynced:
            with disk(self.path):
                self._fsync(self._file.fileno())
        self._unsynced, self._synced_at = 0, self._now()

    def forget(self) -> None:
        """Drop the replies of an earlier run. A local judge is asked again, since its answers are free."""
        self.known.clear()
        self._places.clear()

    def note_known(self, request: Request, order: Order) -> None:
        """Set the order of a reply that was read from an earlier run."""
        _, offset, length = self._places[request.key]
        self._places[request.key] = (order, offset, length)

    def finish(self) -> list[str]:
        """Rewrite the journal in plan order, so that the same inputs give the same bytes; returns notices.

        Replies of an earlier run that were not asked for again are dropped.
        """
        with replacing(self.path) as file:
            file.write(self._header + b"\n")
            for order, offset, length in sorted(self._places.values()):
                if order >= (0, 0):
                    self._file.seek(offset)
                    file.write(self._file.read(length) + b"\n")
        self._unsynced = 0  # the disk has stored the new file
        self.close()
        unasked = sum(order == UNPLACED for order, _, _ in self._places.values())
        said = f"{self.path.name}: {unasked} of its replies were not asked for and were dropped"
        return [said] if unasked else []

    def close(self) -> None:
        """Store the last group and close the file. A closed journal stays closed."""
        if self._file.closed:
            return
        try:
            self.sync()
        finally:
            self._file.close()


def skip(_: int) -> None:
    """Use as `fsync` where replies cost nothing: a power cut then loses more of them."""


def parsed(model: type[Model], line: bytes, path: Path, number: int) -> Model:
    """A line of a journal as a model. Raises DataError with all findings."""
    found = model_of_line(model, line, str(path), number)
    if isinstance(found, list):
        raise DataError(found)
    return found


def read_header(line: bytes, path: Path, kind: str = "replies") -> JournalHeader:
    """The first line of a journal. Raises DataError if it is not the header of this kind of journal."""
    header = parsed(JournalHeader, line, path, 1)
    if header.kind != kind:
        raise DataError.one(path, 1, "kind", f"this is not a journal of {kind}", f'a header with "{kind}"')
    return header


def read_reply(line: bytes, path: Path, number: int) -> ReplyLine:
    """A line of a scan's journal after the first. Raises DataError with all findings."""
    return parsed(ReplyLine, line, path, number)


def _row(request: JudgeRequest, reply: JudgeReply) -> dict[str, Any] | None:
    if isinstance(reply, NotRecorded):
        return None
    row: dict[str, Any] = {
        "key": request.key,
        "check_id": request.check_id,
        "model_id": request.model_id,
        "scenario_id": request.scenario_id,
        "epoch": request.epoch,
        "phase": request.phase,
        "turns": [request.unit.first, request.unit.last],
        "repetition": request.repetition,
        "attempt": request.attempt,
    }
    if isinstance(reply, Answer):
        return {**row, "answer": reply.text}
    if isinstance(reply, Refusal):
        return {**row, "refused": reply.detail}
    return {**row, "fault": reply.kind, "detail": reply.detail}


VOTES: Form[JudgeRequest, JudgeReply] = Form(
    "replies", _row, read_reply, lambda reply: isinstance(reply, Answer | Refusal)
)
"""The journal of a scan: the replies of a judge."""
