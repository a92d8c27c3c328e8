"""Reading a whole journal back, for tests."""

from __future__ import annotations

from pathlib import Path

from ib.models.judge import JudgeReply
from ib.store.journal import read_header, read_reply, read_row


def load_replies(path: Path) -> tuple[str, dict[str, JudgeReply]]:
    """The plan hash and the replies of a finished journal, by the key of their request."""
    first, *rest = path.read_bytes().splitlines()
    replies: dict[str, JudgeReply] = {}
    for number, line in enumerate(rest, start=2):
        row = read_row(line, path, number)
        replies[row["key"]] = read_reply(row, path, number)
    return str(read_header(first, path).get("plan_hash")), replies
