"""Which checks are due on a transcript."""

from __future__ import annotations

from enum import StrEnum

from ib.models.base import Scope
from ib.models.check import Check
from ib.models.transcript import Transcript

ANY = "any"


class Due(StrEnum):
    """Whether a check is asked of a transcript."""

    YES = "yes"
    NO = "no"
    SUPPRESSED = "suppressed"


def circumstances(transcript: Transcript) -> frozenset[str]:
    """The scenario's tags, risk triggers and category: what eligibility is matched against."""
    named = {*transcript.tags, *(trigger.cue for trigger in transcript.risk_triggers)}
    if transcript.category is not None:
        named.add(transcript.category)
    return frozenset(named)


def due(check: Check, transcript: Transcript, named: frozenset[str]) -> Due:
    """Whether the check is due. A list in the record decides alone; an anchor never confers it."""
    if transcript.eligible_checks is not None:
        if check.id not in transcript.eligible_checks:
            return Due.NO
    elif not _matches(check, named):
        return Due.NO
    if named.intersection(check.routing.suppressed_by_tags):
        return Due.SUPPRESSED
    return Due.YES


def _matches(check: Check, named: frozenset[str]) -> bool:
    wanted = check.eligibility.scenario_tags_any
    return check.scope is Scope.UNIVERSAL or ANY in wanted or not named.isdisjoint(wanted)
