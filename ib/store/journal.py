"""The journal of replies: append-only, flushed for each, with the plan that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import orjson

from ib.errors import DataError, WorldError
from ib.models.canonical import compact
from ib.models.judge import Answer, Fault, FaultKind, JudgeReply, JudgeRequest, NotRecorded
from ib.models.plan import SCHEMA_VERSION
from ib.store.files import disk, replacing

Order = tuple[int, int]
"""The transcript's place in the plan, and the request's place in its verification."""


UNPLACED: Order = (-1, -1)
"""Taken over from an earlier run, and not asked for again yet."""


class Journal:
    """Writes each answer and fault as it comes; sorted into plan order when the scan is complete."""

    def __init__(self, path: Path, plan_hash: str, *, resume: bool = False) -> None:
        self.path = path
        self.notices: list[str] = []
        self.known: dict[str, JudgeReply] = {}
        self._places: dict[str, tuple[Order, int, int]] = {}
        self._end = 0
        self._header = compact({"kind": "replies", "schema_version": SCHEMA_VERSION, "plan_hash": plan_hash})
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
        """Write a line; where it begins."""
        left = memoryview(line + b"\n")
        with disk(self.path):
            while left:  # unbuffered: what is written has left the process
                left = left[self._file.write(left) :]
        at, self._end = self._end, self._end + len(line) + 1
        return at

    def _load(self, data: bytes, plan_hash: str) -> int:
        """Take over what an earlier run left; the number of bytes that are whole."""
        kept = data.rfind(b"\n") + 1
        if kept < len(data):
            self.notices.append(f"{self.path.name}: a torn last line was dropped")
        lines = data[:kept].splitlines()
        if not lines:
            return 0
        header = read_header(lines[0], self.path)
        if header.get("plan_hash") != plan_hash:
            message = (
                f"{self.path}: was written under another plan; the inputs, the benchmark or the "
                "judge changed since. Scan into another folder."
            )
            raise WorldError(message)
        at = len(lines[0]) + 1
        for number, line in enumerate(lines[1:], start=2):
            row = read_row(line, self.path, number)
            reply = reply_of(row)
            if isinstance(reply, Answer):
                self.known[row["key"]] = reply
                self._places[row["key"]] = (UNPLACED, at, len(line))
            at += len(line) + 1
        return kept

    def write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None:
        """Append one reply. That nobody answered is no reply, and leaves no line."""
        if isinstance(reply, NotRecorded):
            return
        line = compact(_row(request, reply))
        self._places[request.key] = (order, self._append(line), len(line))

    def forget(self) -> None:
        """Take nothing over: a judge in the process is asked again, since its answers cost nothing."""
        self.known.clear()
        self._places.clear()

    def note_known(self, request: JudgeRequest, order: Order) -> None:
        """Give a reply that was taken over its place in the plan."""
        _, offset, length = self._places[request.key]
        self._places[request.key] = (order, offset, length)

    def finish(self) -> None:
        """Rewrite the journal in plan order; the same inputs then give the same bytes."""
        with replacing(self.path) as file:
            file.write(self._header + b"\n")
            for order, offset, length in sorted(self._places.values()):
                if order >= (0, 0):
                    self._file.seek(offset)
                    file.write(self._file.read(length) + b"\n")
        self.close()

    def close(self) -> None:
        self._file.close()


def load_replies(path: Path) -> tuple[str, dict[str, JudgeReply]]:
    """The plan hash and the replies of a finished journal."""
    lines = path.read_bytes().splitlines()
    if not lines:
        raise DataError.one(path, None, "", "the journal is empty", "a header and the replies")
    header = read_header(lines[0], path)
    replies: dict[str, JudgeReply] = {}
    for number, line in enumerate(lines[1:], start=2):
        row = read_row(line, path, number)
        replies[row["key"]] = reply_of(row)
    return str(header.get("plan_hash")), replies


def read_header(line: bytes, path: Path) -> Mapping[str, Any]:
    """The header of a journal; DataError where the file does not begin with one."""
    row = read_row(line, path, 1)
    if row.get("kind") != "replies":
        raise DataError.one(path, 1, "kind", "is no journal of replies", "a header line")
    return row


def read_row(line: bytes, path: Path, number: int) -> Mapping[str, Any]:
    """One line of a journal."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise DataError.one(path, number, "", f"is not JSON: {error}", "a JSON object") from error
    if not isinstance(row, dict):
        raise DataError.one(path, number, "", "is no object", "a JSON object")
    if number > 1 and not isinstance(row.get("key"), str):
        raise DataError.one(path, number, "key", "is missing", "the key of a request")
    if "fault" in row and row["fault"] not in set(FaultKind):
        allowed = ", ".join(FaultKind)
        raise DataError.one(path, number, "fault", f"unknown {row['fault']!r}", allowed)
    return row


def _row(request: JudgeRequest, reply: JudgeReply) -> dict[str, Any]:
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
    if isinstance(reply, Fault):
        return {**row, "fault": reply.kind, "detail": reply.detail}
    return row


def reply_of(row: Mapping[str, Any]) -> JudgeReply:
    """The reply that a journal line holds."""
    if "answer" in row:
        return Answer(str(row["answer"]))
    if "fault" in row:
        return Fault(FaultKind(row["fault"]), str(row.get("detail", "")))
    return NotRecorded()
