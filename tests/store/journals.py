"""Reading a whole journal back, for tests."""

from __future__ import annotations

from pathlib import Path

from ib.models.scan.judge import JudgeReply
from ib.store.folders.journal import read_header, read_reply


def load_replies(path: Path) -> tuple[str, dict[str, JudgeReply]]:
    """The plan hash and the replies of a journal, by the key of their request."""
    first, *rest = path.read_bytes().splitlines()
    lines = (read_reply(line, path, number) for number, line in enumerate(rest, start=2))
    return read_header(first, path).plan_hash, {line.key: line.reply for line in lines}
