"""The bytes of the files of a release: one row per line, so that diffs are readable."""

from __future__ import annotations

from ib.models.common.canonical import by_row
from ib.models.release.leaderboard import Evidence, Leaderboard
from ib.models.release.qa import Qa
from ib.models.release.transcripts import Transcripts

ROWS = frozenset(
    (
        *("models", "blindspots", "checks", "not_evaluated", "notes"),
        *("items", "alarms", "withheld", "twins"),
        *("transcripts", "messages", "left_out"),
        *("checked", "released", "findings"),
        *("contrasts", "ladders", "comparisons", "gate_rules"),
        "second_judge",
    )
)
"""The fields whose elements each have their own line."""


def release_bytes(document: Leaderboard | Evidence | Transcripts | Qa) -> bytes:
    """The bytes of a file of a release."""
    return by_row(document, ROWS)
