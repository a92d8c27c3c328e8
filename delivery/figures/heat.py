"""The heatmap: every check on every model, in steps of one hue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from delivery.figures.rows import without_case
from delivery.release.view import Release, entries
from delivery.words.counts import found_in, is_half_decided, no_answer
from delivery.words.numbers import percent
from delivery.words.trust import older_check
from ib.board.figures.field_checks import mostly_decided
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, Bucket
from ib.models.release.leaderboard import CheckEntry, ModelEntry

STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The highest rate of each step. A rate of exactly 0 has a step of its own."""


@dataclass(frozen=True)
class Cell:
    """One check on one model."""

    text: str
    """What the cell shows: a percentage without its sign, a count, or a mark."""
    css: str
    """The classes of the cell: its step, `few` if no rate is shown, `gate` if a hard fail
    is a hard fail by the judge, `open` if too few of the cases that were due are decided, and `older` if
    votes answer an older wording."""
    label: str
    """The cell in words; it begins with what the cell shows."""
    href: str | None
    """Where the evidence is, from the home page. None if the check has no clear answer and no evidence."""


@dataclass(frozen=True)
class Row:
    """One check on all models."""

    check: Check
    cells: tuple[Cell, ...]


def step(rate: float) -> int:
    """The step of a rate, from 0 to 5."""
    return next(number for number, highest in enumerate(STEPS) if rate <= highest)


def heatmap(release: Release) -> tuple[tuple[Bucket, str, tuple[Row, ...]], ...]:
    """The rows by dimension, in the order of the benchmark; the cells are in the order of the models."""
    found = [(model, entries(model)) for model in release.models]
    return tuple((bucket, BUCKET_NAMES[bucket], tuple(_rows(release, bucket, found))) for bucket in Bucket)


def _rows(
    release: Release, bucket: Bucket, found: list[tuple[ModelEntry, dict[str, CheckEntry]]]
) -> Iterator[Row]:
    for check in release.checks(bucket):
        yield Row(check, tuple(_cell(release, model, check, known.get(check.id)) for model, known in found))


def _cell(release: Release, model: ModelEntry, check: Check, entry: CheckEntry | None) -> Cell:
    where = f"{check.name}, {model.model}"
    if entry is None or not entry.failures.n:
        open_ = entry is not None and no_answer(entry)
        shown, why = ("?", "no clear answer") if open_ else ("·", without_case(entry))
        if entry is not None and entry.searched:
            why = found_in(entry)
        quoted = release.items(model).get(check.id)
        href = evidence_of(release, model, check.id) if quoted else None
        return Cell(shown, "none", f"{shown} {why}: {where}", href)
    rate = entry.failures
    few = rate.rate is None or not is_half_decided(entry)
    text = f"{rate.k}/{rate.n}" if few else percent(rate.k / rate.n).removesuffix("%")
    shown = text if few else f"{text}%"
    undecided = f", {open_} undecided" if (open_ := no_answer(entry)) else ""
    older = f", {words}" if (words := older_check(entry)) else ""
    label = f"{shown}: {rate.k} of {rate.n}{undecided}{older}, {where}"
    marks = {"older": bool(older), "few": few, "gate": _is_hard_fail(entry), "open": is_partly_open(entry)}
    css = " ".join((f"h{step(rate.k / rate.n)}", *(name for name, holds in marks.items() if holds)))
    phrases = "*" if looks_for_phrases(release, check) else ""
    return Cell(text + phrases, css, label, evidence_of(release, model, check.id))


def looks_for_phrases(release: Release, check: Check) -> bool:
    """True if only listed phrases were looked for. A pass then means only that no listed phrase was found."""
    summary = release.summaries.get(check.id)
    return bool(summary and (summary.no_phrase_found or summary.searched))


def is_partly_open(entry: CheckEntry) -> bool:
    """True if fewer of the cases that were due are decided than a finding needs."""
    return not mostly_decided(entry.failures.n, no_answer(entry))


def _is_hard_fail(entry: CheckEntry) -> bool:
    """True for a gate check with at least one failure by most votes."""
    return entry.gate is not None and entry.failures.k > entry.contested


def evidence_of(release: Release, model: ModelEntry, check_id: str) -> str:
    """The address of the evidence of a check on a model, from the home page."""
    if release.items(model).get(check_id):
        return f"models/{model.slug}/{check_id}/"
    return f"models/{model.slug}/#{check_id}"
