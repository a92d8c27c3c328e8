"""Reading the replies of a finished scan as a stream, transcript by transcript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ib.errors import DataError
from ib.models.scan.artifacts import ReplyLine
from ib.models.scan.judge import JudgeReply
from ib.store.files.reading import raw_lines
from ib.store.folders.journal import read_header, read_reply

Key = tuple[str, str, int]
"""The model, scenario and epoch of a transcript, as `Transcript.key` gives them."""


def replies_of_plan(path: Path, plan_hash: str) -> Replies:
    """The finished journal of a scan. Raises DataError if it belongs to another plan."""
    replies = Replies(path)
    if replies.plan_hash != plan_hash:
        found = "the replies belong to another plan"
        raise DataError.one(path, 1, "plan_hash", found, "the hash of scan_plan.json")
    return replies


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
        self.plan_hash = read_header(first[1], path).plan_hash
        self._ahead: tuple[int, ReplyLine] | None = None

    def of(self, key: Key) -> tuple[dict[str, JudgeReply], dict[str, int]]:
        """The replies on one transcript by request key, and the number of votes per check.

        Transcripts must be asked for in plan order. Raises DataError if a question is answered twice.
        """
        replies: dict[str, JudgeReply] = {}
        votes: dict[str, int] = {}
        for number, row in self._rows(key):
            if row.key in replies:
                found = "the question of an earlier line is answered again"
                raise DataError.one(self._path, number, "key", found, "one line for each question")
            replies[row.key] = row.reply
            votes[row.check_id] = max(votes.get(row.check_id, 0), row.repetition)
        return replies, votes

    def _rows(self, key: Key) -> Iterator[tuple[int, ReplyLine]]:
        while True:
            ahead, self._ahead = self._ahead or self._next(), None
            if ahead is None:
                return
            if ahead[1].played != key:
                self._ahead = ahead
                return
            yield ahead

    def _next(self) -> tuple[int, ReplyLine] | None:
        line = next(self._lines, None)
        return None if line is None else (line[0], read_reply(line[1], self._path, line[0]))

    def close(self) -> None:
        """Raise DataError if a reply belongs to no transcript or is not in plan order."""
        ahead = self._ahead or self._next()
        if ahead is not None:
            model_id, scenario_id, _ = ahead[1].played
            found = f"the reply on {model_id}, {scenario_id} belongs to no transcript or is out of order"
            raise DataError.one(self._path, ahead[0], "", found, "replies in the order of transcripts.jsonl")
