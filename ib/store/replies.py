"""The replies of a finished scan, read as a stream in step with its transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ib.errors import DataError
from ib.models.judge import JudgeReply
from ib.store.journal import read_header, read_reply, read_row
from ib.store.lines import raw_lines

Key = tuple[str, str, int]
"""The model, scenario and epoch of a transcript, as `Transcript.key` gives them."""


class Replies:
    """A finished journal. Its lines stand in plan order, so that one transcript's replies are held at once.

    `plan_hash` is the hash of the plan that the journal belongs to.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = raw_lines(path, str(path))
        first = next(self._lines, None)
        if first is None:
            raise DataError.one(path, None, "", "the journal is empty", "a header and the replies")
        self.plan_hash = str(read_header(first[1], path).get("plan_hash"))
        self._ahead: tuple[int, Mapping[str, Any]] | None = None

    def of(self, key: Key) -> tuple[dict[str, JudgeReply], dict[str, int]]:
        """The replies on one transcript by request, and the votes that each check got.

        Transcripts must be asked for in plan order.
        """
        replies: dict[str, JudgeReply] = {}
        votes: dict[str, int] = {}
        for number, row in self._rows(key):
            replies[row["key"]] = read_reply(row, self._path, number)
            check_id = str(row.get("check_id"))
            votes[check_id] = max(votes.get(check_id, 0), int(row.get("repetition", 0)))
        return replies, votes

    def _rows(self, key: Key) -> Iterator[tuple[int, Mapping[str, Any]]]:
        while True:
            ahead, self._ahead = self._ahead or self._next(), None
            if ahead is None:
                return
            if _key(ahead[1]) != key:
                self._ahead = ahead
                return
            yield ahead

    def _next(self) -> tuple[int, Mapping[str, Any]] | None:
        line = next(self._lines, None)
        return None if line is None else (line[0], read_row(line[1], self._path, line[0]))

    def close(self) -> None:
        """Raise DataError if a reply belongs to no transcript, or does not stand in plan order."""
        ahead = self._ahead or self._next()
        if ahead is not None:
            model_id, scenario_id, _ = _key(ahead[1])
            found = f"a reply on {model_id}, {scenario_id}, out of plan order or of no transcript"
            raise DataError.one(self._path, ahead[0], "", found, "the replies on transcripts.jsonl, in order")


def _key(row: Mapping[str, Any]) -> Key:
    epoch = row.get("epoch")
    return (str(row.get("model_id")), str(row.get("scenario_id")), -1 if epoch is None else int(epoch))
