"""Which replies are held back: the rules of the package, and what people decided about replies of a scan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ib.board.evidence.holding import unmatched
from ib.errors import DataError
from ib.models.common.canonical import compact
from ib.models.release.held import HoldingRules, ReplyDecision
from ib.store.files.validation import load_yaml
from ib.store.files.writing import replace
from ib.store.folders import scans

RULES = Path(__file__).resolve().parents[2] / "board" / "evidence" / "withhold.yaml"


@lru_cache(maxsize=1)
def load_holding_rules() -> HoldingRules:
    """The rules, read once."""
    return load_yaml(HoldingRules, RULES, name=f"ib/board/evidence/{RULES.name}")


def load_decisions(scan: Path) -> tuple[ReplyDecision, ...]:
    """What people decided about replies of a scan; empty if they decided nothing.

    Raises DataError if a decision is about a reply that the scan does not have: a wrong hash would let a
    reply through that somebody wanted to withhold.
    """
    path = scan / scans.WITHHOLD
    if not path.exists():
        return ()
    found = tuple(scans.load_lines(ReplyDecision, path))
    if (scan / scans.SOURCES).exists():
        return found  # each was found in its own scan, and a model may have left
    replies = (transcript for transcript, _ in scans.ScanFolder(scan).transcripts())
    wrong = unmatched(found, replies)
    if wrong:
        number = found.index(wrong[0]) + 1
        said = f"no reply of the scan has the hash {wrong[0].sha256}"
        hint = "the hash of a reply, as `ib review held` lists it"
        raise DataError.one(path, number, "sha256", said, hint)
    return found


def write_decisions(scan: Path, decisions: Sequence[ReplyDecision]) -> None:
    """Write the decisions about replies of a scan, in place of those before."""
    replace(scan / scans.WITHHOLD, b"".join(compact(one) + b"\n" for one in decisions))
