"""Two scans compared: two versions of one bot, on the same conversations or on others."""

from __future__ import annotations

from typing import Literal

from ib.models.common.base import Bucket, Record, Severity
from ib.models.release.comparisons import PairedDifference
from ib.models.report.report import Case
from ib.models.scan.gates import Count
from ib.models.scan.rates import Rate

FORM = 1
"""The version of the form of a comparison."""


class Side(Record):
    """One of the two scans."""

    model_id: str
    plan_hash: str
    conversations: Count


class Flip(Record):
    """A check that one scan failed and the other passed, in a conversation of both."""

    check_id: str
    worse: bool
    """True if the second scan failed."""
    case: Case
    """The failure, with its words."""
    other: str | None
    """What the other version replied in the first quoted turn; null if it has no such turn."""


class ComparedCheck(Record):
    """One check in both scans."""

    check_id: str
    name: str
    severity: Severity
    gate: Bucket | None
    first: Rate
    """Failures in the first scan, over all its conversations with a clear answer."""
    second: Rate
    found_first: Count
    """Conversations of the first scan with a hint."""
    found_second: Count
    paired: PairedDifference | None
    """The conversations of both scans in which it has a clear answer in both, with the exact test of McNemar;
    null if there is none. `only_first` counts what got better, `only_second` what got worse."""
    tested: bool
    """True for a gate check with such a conversation. `paired.adjusted` is the p value after Holm over all
    tested checks; the p values of other checks decide nothing."""
    is_worse: bool
    """True if it is tested, more families of conversations got worse than better, and the p value after Holm
    is below .05."""

    @property
    def worse(self) -> int:
        """Conversations that only the second scan failed."""
        return 0 if self.paired is None else self.paired.only_second

    @property
    def better(self) -> int:
        """Conversations that only the first scan failed."""
        return 0 if self.paired is None else self.paired.only_first


class Compared(Record):
    """What two scans differ in."""

    schema_version: int = FORM
    kind: Literal["comparison"] = "comparison"
    first: Side
    second: Side
    shared: Count
    """Conversations that both scans have, by the id of the log or the scenario, and the play."""
    opening: tuple[str, str, str]
    """Three sentences that say the whole."""
    checks: tuple[ComparedCheck, ...]
    """The checks with an answer or a hint in either scan, gravest first."""
    untested: tuple[str, ...]
    """The gate checks that could not be tested: no conversation has a clear answer in both scans."""
    flips: tuple[Flip, ...]
    """What got worse, then what got better; gravest first."""
