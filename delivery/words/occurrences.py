"""Occurrences over chances as text: in how many turns a failure occurred."""

from __future__ import annotations

from delivery.words.numbers import NONE, SUPPORT, between, percent
from ib.models.scan.occurrences import OccurrenceRate
from ib.stats.support import Flag
from ib.store.files.wording import counted


def turns(found: OccurrenceRate | None) -> str:
    """The turns with the failure, of those in which it could have occurred."""
    return "not measured" if found is None else f"{found.occurred} of {found.chances}"


def turns_aside(found: OccurrenceRate | None) -> str:
    """The share of the turns with its interval, how much data is behind it, and what that data allows."""
    if found is None:
        return NONE
    data = f"{counted(found.results, 'result')}, {counted(found.n_families, 'family', 'families')}"
    words = SUPPORT[Flag(found.support[0])]
    if found.rate is None:
        return f"{words} ({data})"
    return f"{percent(found.rate)}, 95% interval {between(found.low, found.high)} ({data}). {words}"
