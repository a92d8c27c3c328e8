"""Counts of failures as text, in the one form that all tables and sentences use."""

from __future__ import annotations

from delivery.words import NONE, percent
from ib.models.base import Severity
from ib.models.leaderboard import CheckEntry, CheckSummary

SEVERITY = {
    Severity.S1: "slight (S1)",
    Severity.S2: "moderate (S2)",
    Severity.S3: "serious (S3)",
    Severity.S4: "very serious (S4)",
    Severity.S4_GATE: "very serious (S4, gate)",
    Severity.S5: "critical (S5, gate)",
}
"""How much harm one occurrence can do."""


def severity(code: str) -> str:
    """A severity in words. Raises ValueError for an unknown code."""
    return SEVERITY[Severity(code)]


def interval(low: float | None, high: float | None) -> str:
    """An interval of shares with one percent sign, such as “11 to 40%”; a dash if an end is missing."""
    if low is None or high is None:
        return NONE
    first = percent(low).removesuffix("%")
    return f"{first if first.isdigit() else percent(low)} to {percent(high)}"


def rated(k: int, n: int, share: str, low: float | None, high: float | None) -> str:
    """A count with its share and interval: “7 of 31 · 23% (95% interval 11 to 40%)”."""
    return f"{k} of {n} · {share} (95% interval {interval(low, high)})"


def failed(entry: CheckEntry | CheckSummary) -> str:
    """How often a check failed, as `rated` says it. Few cases have only a count."""
    rate = entry.failures
    found = "found in " if entry.no_phrase_found else ""
    if rate.rate is None or rate.low is None:
        return f"{found}{rate.k} of {rate.n}"
    return found + rated(rate.k, rate.n, percent(rate.rate), rate.low, rate.high)


def confirmed(entry: CheckEntry) -> str:
    """How many of the failures are confirmed and how many contested; a dash if nothing failed."""
    rest = entry.failures.k - entry.contested
    if not entry.failures.k:
        return NONE
    if not entry.contested:
        return _all("confirmed", rest)
    return f"{rest} confirmed, {entry.contested} contested" if rest else _all("contested", entry.contested)


def no_answer(entry: CheckEntry) -> int:
    """How many cases were due and have no clear answer: unclear or not run."""
    return entry.failures.unclear + entry.not_run


def undecided(entry: CheckEntry) -> str:
    """How many cases have no clear answer; a dash if there are none."""
    return _parts((entry.failures.unclear, "unclear"), (entry.not_run, "not run"))


def unjudged(entry: CheckEntry) -> str:
    """How many cases have no verdict on the question, and why; a dash if there are none."""
    asked = (entry.not_applicable, "not applicable"), (entry.not_run, "not run")
    return _parts(*asked, (entry.suppressed, "suppressed"))


def _parts(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{count} {what}" for count, what in counts if count) or NONE


def _all(what: str, count: int) -> str:
    return f"all {what}" if count > 1 else what
