"""The journal of replies: append-only, flushed after each reply, bound to the hash of its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

from ib.errors import DataError, WorldError
from ib.models.canonical import compact
from ib.models.judge import Answer, Fault, FaultKind, JudgeReply, JudgeRequest, NotRecorded
from ib.models.plan import SCHEMA_VERSION
from ib.store.files import disk, replacing
from ib.store.validation import decoded_line
from ib.store.yaml_json import parse_json

Order = tuple[int, int]
"""The index of the transcript in the plan, and the index of the request in its verification."""


UNPLACED: Order = (-1, -1)
"""The order of a reply that was read from an earlier run and has not been asked for again."""


class Keyed(Protocol):
    """Anything with a key, such as a request."""

    @property
    def key(self) -> str: ...


Request = TypeVar("Request", bound=Keyed)
Reply = TypeVar("Reply")


@dataclass(frozen=True)
class Form(Generic[Request, Reply]):
    """How one kind of requests and replies is written to a journal and read back."""

    kind: str
    row: Callable[[Request, Reply], dict[str, Any] | None]
    """The line of a reply. Returns None if the reply is not journaled."""
    reply: Callable[[Mapping[str, Any]], Reply]
    answers: Callable[[Reply], bool]
    """True if a reply is an answer. Answers are not asked for again when work is resumed."""


class Journal(Generic[Request, Reply]):
    """Writes each answer and fault when it arrives. `finish` sorts the lines into plan order."""

    def __init__(
        self, path: Path, plan_hash: str, form: Form[Request, Reply], *, resume: bool = False
    ) -> None:
        self.path = path
        self.form = form
        self.notices: list[str] = []
        self.known: dict[str, Reply] = {}
        self._places: dict[str, tuple[Order, int, int]] = {}
        self._end = 0
        self._header = compact({"kind": form.kind, "schema_version": SCHEMA_VERSION, "plan_hash": plan_hash})
        with disk(path):
            if resume and path.exists():
                kept = self._load(path.read_bytes(), plan_hash)
                self._file: IO[bytes] = path.open("r+b", buffering=0)
                self._file.truncate(kept)
                self._file.seek(kept)
                self._end = kept
                if not kept:
                    self._append(self._header)
            else:
                self._file = path.open("x+b", buffering=0)
                self._append(self._header)

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
        lines = data[:kept].splitlines()
        if not lines:
            return 0
        header = read_header(lines[0], self.path, self.form.kind)
        if header.get("plan_hash") != plan_hash:
            message = (
                f"{self.path}: belongs to another plan, because the inputs, the benchmark, the models or the "
                "judge have changed; choose another folder"
            )
            raise WorldError(message)
        at = len(lines[0]) + 1
        for number, line in enumerate(lines[1:], start=2):
            row = read_row(line, self.path, number)
            reply = _reply(self.form, row, self.path, number)
            if self.form.answers(reply):
                self.known[row["key"]] = reply
                self._places[row["key"]] = (UNPLACED, at, len(line))
            at += len(line) + 1
        return kept

    def write(self, request: Request, reply: Reply, order: Order) -> None:
        """Append one reply. A `NotRecorded` reply is not journaled."""
        row = self.form.row(request, reply)
        if row is None:
            return
        line = compact(row)
        self._places[request.key] = (order, self._append(line), len(line))

    def forget(self) -> None:
        """Drop the replies of an earlier run. A local judge is asked again, since its answers are free."""
        self.known.clear()
        self._places.clear()

    def note_known(self, request: Request, order: Order) -> None:
        """Set the order of a reply that was read from an earlier run."""
        _, offset, length = self._places[request.key]
        self._places[request.key] = (order, offset, length)

    def finish(self) -> None:
        """Rewrite the journal in plan order, so that the same inputs give the same bytes."""
        with replacing(self.path) as file:
            file.write(self._header + b"\n")
            for order, offset, length in sorted(self._places.values()):
                if order >= (0, 0):
                    self._file.seek(offset)
                    file.write(self._file.read(length) + b"\n")
        self.close()

    def close(self) -> None:
        self._file.close()


def _reply(form: Form[Request, Reply], row: Mapping[str, Any], path: Path, number: int) -> Reply:
    """The reply of a row. Raises DataError if the row has no reply."""
    try:
        return form.reply(row)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        found = f"this is not a line of a journal of {form.kind}"
        raise DataError.one(path, number, "", found, "a key, and an answer or a fault") from error


def read_reply(row: Mapping[str, Any], path: Path, number: int) -> JudgeReply:
    """The reply of a row in a scan's journal. Raises DataError if the row has no reply."""
    return _reply(VOTES, row, path, number)


def read_header(line: bytes, path: Path, kind: str = "replies") -> Mapping[str, Any]:
    """The header of a journal. Raises DataError if the first line is no header."""
    row = read_row(line, path, 1)
    if row.get("kind") != kind:
        raise DataError.one(path, 1, "kind", f"this is not a journal of {kind}", f'a header with "{kind}"')
    return row


def read_row(line: bytes, path: Path, number: int) -> Mapping[str, Any]:
    """One line of a journal."""
    row = parse_json(decoded_line(line, str(path), number), str(path), number)
    if not isinstance(row, dict):
        raise DataError.one(path, number, "", "the line is not a JSON object", "one JSON object per line")
    if number > 1 and not isinstance(row.get("key"), str):
        raise DataError.one(path, number, "key", "is missing", "the key of a request")
    if "fault" in row and (not isinstance(row["fault"], str) or row["fault"] not in set(FaultKind)):
        allowed = ", ".join(FaultKind)
        raise DataError.one(path, number, "fault", f"unknown {row['fault']!r}", allowed)
    return row


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
    return {**row, "fault": reply.kind, "detail": reply.detail}


def reply_of(row: Mapping[str, Any]) -> JudgeReply:
    """The reply in a journal line."""
    if "answer" in row:
        if not isinstance(row["answer"], str):
            raise TypeError("an answer is text")
        return Answer(row["answer"])
    if "fault" in row:
        return Fault(FaultKind(row["fault"]), str(row.get("detail", "")))
    return NotRecorded()


VOTES: Form[JudgeRequest, JudgeReply] = Form(
    "replies", _row, reply_of, lambda reply: isinstance(reply, Answer)
)
"""The journal of a scan: the replies of a judge."""
