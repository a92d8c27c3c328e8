"""What a threshold of the gate for builds came to."""

from __future__ import annotations

from ib.models.common.base import Record
from ib.models.scan.gates import Count


class Outcome(Record):
    """One threshold of `--fail-on`, compared with a scan."""

    expression: str
    """The threshold as it was written."""
    tripped: bool
    """True if the count or the rate is over the threshold."""
    k: Count
    """Conversations with what the threshold counts."""
    n: Count
    """Conversations in which it could be seen: those with a clear answer, or those that were searched."""
    unanswered: Count = 0
    """Questions that the threshold is about and that have no clear answer."""
    not_asked: tuple[str, ...] = ()
    """The checks because of which the threshold cannot be compared. Empty if it tripped."""
    said: str = ""
    """The same in one line, with the reason for each check that was not asked."""
