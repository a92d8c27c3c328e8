"""Reading the replies of a finished scan as a stream, transcript by transcript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from ib.errors import DataError
from ib.models.artifacts import JournalHeader, ReplyLine
from ib.models.judge import Answer, Fault, JudgeReply
from ib.store.lines import raw_lines
from ib.store.validation import model_of_line

Model = TypeVar("Model", bound=BaseModel)
Key = tuple[str, str, int]
"""The model, scenario and epoch of a transcript, as `Transcript.key` gives them."""


class Replies:
    """A finished journal. Its lines are in plan order, so memory holds the replies of one transcript.

    `plan_hash` is the hash of the journal's plan.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = raw_lines(path, str(path))
        first = next(self._lines, None)
        if first is None:
            raise DataError.one(path, None, "", "is empty", "a journal with a header line")
        self.plan_hash = _line(JournalHeader, path, *first).plan_hash
        self._ahead: tuple[int, ReplyLine] | None = None

    def of(self, key: Key) -> tuple[dict[str, JudgeReply], dict[str, int]]:
        """The replies on one transcript by request key, and the number of votes per check.

        Transcripts must be asked for in plan order.
        """
        replies: dict[str, JudgeReply] = {}
        votes: dict[str, int] = {}
        for number, row in self._rows(key):
            replies[row.key] = self._reply(row, number)
            votes[row.check_id] = max(votes.get(row.check_id, 0), row.repetition)
        return replies, votes

    def _reply(self, row: ReplyLine, number: int) -> JudgeReply:
        if row.answer is not None and row.fault is None:
            return Answer(row.answer)
        if row.fault is not None and row.answer is None:
            return Fault(row.fault, row.detail)
        found = "neither an answer nor a fault" if row.fault is None else "both an answer and a fault"
        raise DataError.one(self._path, number, "", found, "one of the two")

    def _rows(self, key: Key) -> Iterator[tuple[int, ReplyLine]]:
        while True:
            ahead, self._ahead = self._ahead or self._next(), None
            if ahead is None:
                return
            if _key(ahead[1]) != key:
                self._ahead = ahead
                return
            yield ahead

    def _next(self) -> tuple[int, ReplyLine] | None:
        line = next(self._lines, None)
        return None if line is None else (line[0], _line(ReplyLine, self._path, *line))

    def close(self) -> None:
        """Raise DataError if a reply belongs to no transcript or is not in plan order."""
        ahead = self._ahead or self._next()
        if ahead is not None:
            model_id, scenario_id, _ = _key(ahead[1])
            found = f"the reply on {model_id}, {scenario_id} belongs to no transcript or is out of order"
            raise DataError.one(self._path, ahead[0], "", found, "replies in the order of transcripts.jsonl")


def _line(model: type[Model], path: Path, number: int, line: bytes) -> Model:
    """Parse a line of a journal. Raises DataError with all findings."""
    parsed = model_of_line(model, line, str(path), number)
    if isinstance(parsed, list):
        raise DataError(parsed)
    return parsed


def _key(row: ReplyLine) -> Key:
    return (row.model_id, row.scenario_id, -1 if row.epoch is None else row.epoch)
