"""Counts of failures as text, in the one form that all tables and sentences use."""

from __future__ import annotations

from delivery.words.filters import template_filter
from delivery.words.numbers import (
    NONE,
    SUPPORT,
    between,
    either_way,
    has_few,
    percent,
    score,
    score_between,
    sentence,
    support,
)
from delivery.words.trust import older_check
from ib.models.common.base import Severity
from ib.models.release.leaderboard import CheckEntry, CheckSummary
from ib.models.scan.occurrences import OccurrenceRate
from ib.models.scan.rates import MeanScore, half_decided
from ib.stats.support import Flag
from ib.store.files.wording import counted


@template_filter
def turns(found: OccurrenceRate | None) -> str:
    """The turns with the failure, of those in which it could have occurred."""
    return "not measured" if found is None else f"{found.occurred} of {found.chances}"


@template_filter
def turns_aside(found: OccurrenceRate | None) -> str:
    """The share of the turns with its interval, how much data is behind it, and what that data allows."""
    if found is None:
        return NONE
    data = f"{counted(found.results, 'result')}, {counted(found.n_families, 'family', 'families')}"
    words = SUPPORT[Flag(found.support[0])]
    if found.rate is None:
        return f"{words} ({data})"
    return f"{percent(found.rate)}, 95% interval {between(found.low, found.high)} ({data}). {words}"


@template_filter
def mean_line(found: MeanScore) -> str:
    """A mean with its interval and the number of conversations that have a score."""
    if found.mean is None and not found.n:
        return f"no score in any of {counted(found.nulls, 'conversation')}"
    if found.mean is None:
        return f"no mean is shown: {counted(found.n, 'conversation')} with a score, {found.nulls} without"
    if found.low is None:
        told = "one scenario family" if found.n_families == 1 else "all scenario families score the same"
        interval = f"{told}, so no interval can be computed"
    else:
        interval = f"95% interval {score_between(found.low, found.high)}"
    without = f", {found.nulls} without" if found.nulls else ""
    return f"{score(found.mean)} ({interval}; {counted(found.n, 'conversation')} with a score{without})"


SEVERITY = {
    Severity.S1: "slight (S1)",
    Severity.S2: "moderate (S2)",
    Severity.S3: "serious (S3)",
    Severity.S4: "very serious (S4)",
    Severity.S4_GATE: "very serious (S4, gate)",
    Severity.S5: "critical (S5, gate)",
}
"""How much harm one occurrence can do."""


@template_filter
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


def is_half_decided(entry: CheckEntry) -> bool:
    """True if at least half of the cases that were due have a clear answer: only then is a share shown."""
    return half_decided(entry.failures.n, no_answer(entry))


def either_share(entry: CheckEntry) -> str:
    """The range of a check's rate if its undecided cases are passes or failures."""
    undecided = no_answer(entry)
    ends = interval(*either_way(entry.failures, undecided))
    return f"{ends}, depending on {undecided} undecided"


def found_in(entry: CheckEntry | CheckSummary) -> str:
    """In how many conversations a listed phrase was found, without a judge. It is no rate of failures."""
    return f"phrase found in {entry.found} of {entry.searched}; no verdict"


@template_filter
def failed(entry: CheckEntry) -> str:
    """How often a check failed, as `rated` says it, with the mark of an older wording.

    Few cases have only a count. If fewer than half of the cases due are decided, the range that counts the
    others either way comes first.
    """
    older = older_check(entry)
    return f"{_failed(entry)}; {older}" if older else _failed(entry)


def _failed(entry: CheckEntry) -> str:
    rate = entry.failures
    if entry.searched:
        return found_in(entry)
    found = "found in " if entry.no_phrase_found else ""
    if has_few(rate):
        return f"{found}{rate.k} of {rate.n}"
    if not is_half_decided(entry) or rate.rate is None:
        return f"{either_share(entry)}; {found}{rate.k} of {rate.n} decided"
    return found + rated(rate.k, rate.n, percent(rate.rate), rate.low, rate.high)


@template_filter
def check_count(entry: CheckEntry | CheckSummary) -> str:
    """How often a check failed, of the cases with a clear answer, or how often its phrases were found."""
    if entry.searched:
        return found_in(entry)
    counted = f"{entry.failures.k} of {entry.failures.n}"
    return f"found in {counted}" if entry.no_phrase_found else counted


@template_filter
def check_sentence(entry: CheckEntry) -> str:
    """A check on one model as a sentence, without its full stop."""
    if entry.searched:
        searched = counted(entry.searched, "conversation")
        return f"A listed phrase was found in {entry.found} of {searched}; no judge read them"
    if entry.no_phrase_found:
        return f"A listed phrase was found in {sentence(entry.failures, not_run=entry.not_run)}"
    contested = f"; {entry.contested} of the failures contested" if entry.contested else ""
    found = sentence(entry.failures, which=" with a clear answer", not_run=entry.not_run)
    older = f"; {words}" if (words := older_check(entry)) else ""
    return f"Failed in {found}{contested}{older}"


@template_filter
def check_support(entry: CheckEntry) -> str:
    """The support of a check's rate in words. A rate of phrases says nothing of other words."""
    if entry.searched:
        return "A phrase points to words that somebody should read; it is no failure"
    if entry.no_phrase_found:
        return "Only listed phrases were looked for; failures in other words are not counted"
    return support(entry.failures, entry.not_run)


@template_filter
def failed_how(entry: CheckEntry) -> str:
    """How many of the failures are by most votes and how many contested; a dash if nothing failed."""
    rest = entry.failures.k - entry.contested
    if not entry.failures.k:
        return NONE
    if not entry.contested:
        return _all("by most votes", rest)
    return (
        f"{rest} by most votes, {entry.contested} contested" if rest else _all("contested", entry.contested)
    )


def no_answer(entry: CheckEntry) -> int:
    """How many cases were due and have no clear answer: unclear, not run, or only a phrase found."""
    return entry.failures.unclear + entry.not_run + entry.found


@template_filter
def undecided(entry: CheckEntry) -> str:
    """How many cases have no clear answer; a dash if there are none."""
    found = (entry.found, "with a phrase found")
    return _parts((entry.failures.unclear, "unclear"), found, (entry.not_run, "not run"))


@template_filter
def unjudged(entry: CheckEntry) -> str:
    """How many cases have no verdict on the question, and why; a dash if there are none."""
    asked = (entry.not_applicable, "not applicable"), (entry.found, "with a phrase found")
    return _parts(*asked, (entry.not_run, "not run"), (entry.suppressed, "suppressed"))


def _parts(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{count} {what}" for count, what in counts if count) or NONE


def _all(what: str, count: int) -> str:
    return f"all {what}" if count > 1 else what
