"""The outcomes of all checks on one transcript as a text: one letter for each check."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from ib.models.common.base import State, Verdict
from ib.models.common.reason import Reason
from ib.models.scan.result import VerdictResult


class Letter(StrEnum):
    """The outcome of one check on one transcript."""

    FAIL = "F"
    CONTESTED = "C"
    """A FAIL that fewer than most of the votes say."""
    PASS = "P"
    NO_PHRASE = "p"
    """A PASS that means only that no known phrase was found."""
    UNCLEAR = "U"
    NOT_APPLICABLE = "N"
    FOUND = "f"
    """A listed phrase was found, and no judge read it."""
    NOT_RUN = "R"
    SUPPRESSED = "S"
    INELIGIBLE = "."


FAILED = frozenset("FC")
"""The letters of a FAIL, as rates count it."""
DECIDED = frozenset("FCPp")
"""The letters of a clear answer, PASS or FAIL."""

_OF_VERDICT = {
    Verdict.PASS: Letter.PASS,
    Verdict.FAIL: Letter.FAIL,
    Verdict.UNCLEAR: Letter.UNCLEAR,
    Verdict.NOT_APPLICABLE: Letter.NOT_APPLICABLE,
}
_OF_STATE = {
    State.INELIGIBLE: Letter.INELIGIBLE,
    State.SUPPRESSED: Letter.SUPPRESSED,
    State.NOT_RUN: Letter.NOT_RUN,
    State.FOUND: Letter.FOUND,
}


def letter(row: VerdictResult) -> Letter:
    """The letter of a row."""
    if row.verdict is None:
        return _OF_STATE[row.state]
    if row.contested:
        return Letter.CONTESTED
    return Letter.NO_PHRASE if row.reason is Reason.NO_PHRASE_FOUND else _OF_VERDICT[row.verdict]


def older_questions(rows: Iterable[VerdictResult]) -> str:
    """An o for each row whose votes answer an older wording and a dot for any other; empty without such."""
    marks = "".join("o" if row.older_question else "." for row in rows)
    return marks if "o" in marks else ""
