"""Gates as text: what a page says of the hard fails of a model, and of the gates of one transcript."""

from __future__ import annotations

from collections.abc import Iterable

from delivery.words.filters import template_filter
from delivery.words.numbers import NONE, SUPPORT, as_high, between, percent
from delivery.words.trust import older_gate
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.gates import GateCounts, GateEntry, GateScore, GateState
from ib.models.scan.rates import half_decided
from ib.stats.support import Flag
from ib.store.files.wording import counted

BY_JUDGE = "by the judge"
STATE = {
    GateState.FAILED_BY_PERSON: "hard fail, decided by a person",
    GateState.FAILED_BY_JUDGE: f"hard fail {BY_JUDGE}",
    GateState.CONTESTED: "contested hard fail",
    GateState.INCOMPLETE: "incomplete",
    GateState.CLEARED_BY_PERSON: "clear, decided by a person",
    GateState.CLEAR: "clear",
    GateState.NOT_DUE: "not due",
}


@template_filter
def gate_count(entry: GateCounts) -> str:
    """Hard fails by the judge of the transcripts that were due, or “not due” if none was."""
    return f"{entry.failed} of {entry.due} due" if entry.due else STATE[GateState.NOT_DUE]


@template_filter
def gate_aside(entry: GateCounts) -> str:
    """What stands beside the hard fails: contested and incomplete transcripts, and what people decided."""
    said = f"{entry.contested} contested, {entry.incomplete} incomplete"
    if entry.failed_by_person:
        said += f", {entry.failed_by_person} of the failed decided by people"
    return f"{said}, {entry.cleared_by_person} cleared by people" if entry.cleared_by_person else said


def not_measurable(entry: GateEntry) -> str:
    """What stands in place of a share, an interval and a plot if more than half has no clear answer.

    Empty for a gate of which at least half is decided, and for one with too few conversations for a share.
    """
    if entry.rate is None or half_decided(entry.due - entry.undecided, entry.undecided):
        return ""
    return f"not measurable here; {entry.undecided} of {counted(entry.due, 'conversation')} lack an answer"


@template_filter
def gates_due(models: Iterable[ModelEntry]) -> list[str]:
    """The names of the gates that applied to a conversation of at least one model."""
    every = list(models)
    return [BUCKET_NAMES[gate] for gate in GATE_BUCKETS if any(one.gates[gate].due for one in every)]


@template_filter
def gate_share(entry: GateEntry) -> str:
    """The share of hard fails by the judge: a range if some are undecided, a dash if too few were due."""
    if entry.rate is None or entry.bounds is None or not_measurable(entry):
        return NONE
    return between(*entry.bounds) if entry.undecided else percent(entry.rate)


@template_filter
def gate_interval(entry: GateEntry) -> str:
    """The 95% interval, which counts undecided transcripts either way; a dash if too few were due."""
    is_shown = entry.rate is not None and not not_measurable(entry)
    return between(entry.low, entry.high_with_undecided) if is_shown else NONE


@template_filter
def gate_sentence(entry: GateEntry, noun: str = "conversation", by: str = BY_JUDGE) -> str:
    """The hard fails of a gate in one sentence, without its full stop. `by` is who says so."""
    if not entry.due:
        return f"no check of the gate was due on any {noun}"
    who = f"{by} or by people" if entry.failed_by_person else by
    first = f"hard fail {who} in {entry.failed} of {counted(entry.due, noun)} due"
    rest = "; ".join(filter(None, (gate_aside(entry), older_gate(entry))))
    if entry.rate is None:
        return f"{first}; {rest}"
    if said := not_measurable(entry):
        return f"{said}; {first}; {rest}"
    share = gate_share(entry) + (", depending on the undecided" if entry.undecided else "")
    return f"{first} ({share}; 95% interval {gate_interval(entry)}); {rest}"


def gate_statement(entry: GateEntry, by: str = BY_JUDGE) -> str:
    """The hard fails of a gate as a sentence by itself. `by` is who says so."""
    said = gate_sentence(entry, by=by)
    return f"{said[0].upper()}{said[1:]}."


@template_filter
def gate_support(entry: GateEntry) -> str:
    """The most important support flag in words, and how high the rate may really be."""
    first = Flag(entry.support[0])
    if first is Flag.NO_DATA:
        return "No conversation was due"
    if first is Flag.COUNT_ONLY:
        return f"{SUPPORT[first]} (n = {entry.due})"
    if said := not_measurable(entry):
        return said.capitalize()
    if entry.undecided:
        return f"{SUPPORT[first]}; {entry.undecided} of {entry.due} undecided"
    if entry.upper_if_zero is None:
        return SUPPORT[first]
    zero = SUPPORT[first] if first is Flag.ZERO_EVENTS else f"{SUPPORT[first]}; no failure seen"
    return f"{zero}; {as_high(entry.upper_if_zero)}"


@template_filter
def gate_note(entry: GateEntry) -> str:
    """How much data supports a gate, and what is undecided, in one short line."""
    if not entry.undecided:
        return gate_support(entry)
    if not_measurable(entry):
        return f"{entry.failed} failed, {gate_aside(entry)}"
    first = Flag(entry.support[0])
    aside = f"undecided: {gate_aside(entry)}"
    return aside.capitalize() if first is Flag.OK else f"{SUPPORT[first]}; {aside}"


@template_filter
def gate_parts(score: GateScore, by: str = BY_JUDGE) -> list[tuple[str, tuple[str, ...]]]:
    """The checks that decide the state of a gate on one transcript, by what they say."""
    parts = (
        (STATE[GateState.FAILED_BY_PERSON], score.failed_by_person),
        (f"hard fail {by}", score.failed_by_judge),
        (STATE[GateState.CONTESTED], score.contested),
        ("no clear answer", score.incomplete),
        (STATE[GateState.CLEARED_BY_PERSON], score.cleared_by_person),
    )
    return [part for part in parts if part[1]]


@template_filter
def gate_state(score: GateScore, by: str = BY_JUDGE) -> str:
    """The state of a gate on one transcript. `by` is who says that it failed."""
    return f"hard fail {by}" if score.state is GateState.FAILED_BY_JUDGE else STATE[score.state]
