"""A comparison with labels in words: the note of a check, and the report of `ib calibrate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ib.models.benchmark.calibration import (
    AgreementFigures,
    Annotator,
    CalibrationFigures,
    CountedShare,
    MeasuredCalibration,
)
from ib.models.common.base import Verdict

UNCLEAR_IS = (
    "UNCLEAR of the judge counts as no FAIL in kappa and AC1; in sensitivity and specificity it is among the "
    "cases, and the interval covers both outcomes. Items without a consensus are in no rate."
)
"""How UNCLEAR is treated."""


def note(measured: MeasuredCalibration) -> str:
    """The note of a check that was compared: who labeled, how much, and all figures, whatever they are."""
    told = measured.figures
    lacks = measured.lacks
    missing = f" For `validated` it lacks: {'; '.join(lacks)}." if lacks else ""
    return (
        f"{measured.judge}, compared with {_who(measured.annotators, told)} on {told.items} conversations "
        f"(failures: {told.failures}; families: {told.families}): "
        f"sensitivity {share_words(told.sensitivity)}, specificity {share_words(told.specificity)}, "
        f"kappa {_kappa(told.judge)}, same turn {share_words(told.same_turn)}.{missing}"
    )


def _who(annotators: Iterable[Annotator], told: CalibrationFigures) -> str:
    """Who made the consensus. Language models are named as such."""
    people = told.basis == "people"
    mine = [one for one in annotators if one.role.is_person is people]
    kind = ("person" if len(mine) == 1 else "people") if people else "language model"
    plural = "" if people or len(mine) == 1 else "s"
    blind = sum(one.blind for one in mine)
    seeing = "blind" if blind == len(mine) else f"{blind} of them blind"
    return f"{len(mine)} {kind}{plural} ({seeing})"


def share_words(share: CountedShare) -> str:
    """A share as k of n with its interval, and how many of the n are UNCLEAR."""
    if share.n == 0:
        return "0 of 0"
    unclear = f", {share.unclear} unclear" if share.unclear else ""
    return f"{share.k} of {share.n} ({share.low:.2f} to {share.high:.2f}{unclear})"


def _kappa(found: AgreementFigures) -> str:
    if found.kappa is None:
        return "not defined"
    return f"{found.kappa:.2f} ({found.kappa_low:.2f} to {found.kappa_high:.2f})"


def _ac1(found: AgreementFigures) -> str:
    if found.ac1 is None:
        return "not defined"
    return f"{found.ac1:.2f} ({found.ac1_low:.2f} to {found.ac1_high:.2f})"


def figures_words(told: CalibrationFigures, annotators: Iterable[Annotator]) -> Iterator[str]:
    """The lines of the report about one check, or about all together."""
    yield (
        f"  items: {told.items}; conversations: {told.conversations}; families: {told.families}; "
        f"failures: {told.failures}; without a consensus: {told.open}; without a verdict: {told.unanswered}"
    )
    yield f"  consensus of {_who(annotators, told)}"
    for pair in told.pairs:
        yield (
            f"  {pair.one} and {pair.other}: {_agreement_words(pair.on_fail)}; "
            f"same verdict {share_words(pair.same_verdict)}; same turn {share_words(pair.same_turn)}"
        )
    if len(told.pairs) > 1:
        yield f"  all annotators: alpha {'not defined' if told.alpha is None else f'{told.alpha:.2f}'}"
    yield f"  judge and consensus: {_agreement_words(told.judge)}"
    yield f"  sensitivity {share_words(told.sensitivity)}; specificity {share_words(told.specificity)}"
    yield f"  evidence of the judge in a labeled turn: {share_words(told.same_turn)}"
    yield from _table_words(told)


def _agreement_words(found: AgreementFigures) -> str:
    return f"{found.agreed} of {found.n} on FAIL or not; kappa {_kappa(found)}; AC1 {_ac1(found)}"


def _table_words(told: CalibrationFigures) -> Iterator[str]:
    columns = [verdict for verdict in Verdict if any(verdict in row for row in told.table.values())]
    if columns:
        yield f"  {'consensus, judge':16}" + "".join(f"{column.value:>16}" for column in columns)
    for verdict, row in told.table.items():
        yield f"  {verdict.value:16}" + "".join(f"{row.get(column, 0):>16}" for column in columns)
