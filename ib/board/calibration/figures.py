"""The figures of a comparison with labels. They follow from the items and the annotators alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from ib.board.calibration.consensus import Agreed, agreed, deciding
from ib.models.benchmark.calibration import (
    AgreementFigures,
    Annotator,
    AnnotatorPair,
    CalibrationFigures,
    CalibrationItem,
    CountedShare,
    Label,
)
from ib.models.common.base import Verdict
from ib.stats.agreement import alpha, clustered_agreement
from ib.stats.ratios import either_way

NEGATIVE = (Verdict.PASS, Verdict.NOT_APPLICABLE)
"""The verdicts on a reply that must not be failed."""
_DIGITS = 4


def calibration_figures(
    items: Sequence[CalibrationItem], annotators: Sequence[Annotator]
) -> CalibrationFigures:
    """The figures of some items. Their order does not matter. Raises ValueError without an item."""
    if not items:
        raise ValueError("a comparison needs at least one item")
    who = deciding(annotators, items)
    told = agreed(items, who)
    answered = [one for one in told if one.item.verdict is not None and one.verdict is not None]
    blind = [one for one in told if one.blind]
    return CalibrationFigures(
        basis="people" if any(one.role.is_person for one in who.values()) else "language_models",
        items=len(told),
        conversations=len({one.item.played for one in told}),
        families=len({one.item.family for one in told}),
        open=sum(one.verdict is None for one in told),
        unanswered=sum(one.item.verdict is None for one in told),
        failures=_failures(told),
        blind_items=len(blind),
        blind_failures=_failures(blind),
        blind_families=len({one.item.family for one in blind}),
        table=_table(answered),
        judge=_agreement((one.item.family, *_each(one.verdict, one.item.verdict)) for one in answered),
        sensitivity=_rate(answered, (Verdict.FAIL,)),
        specificity=_rate(answered, NEGATIVE),
        same_turn=_same_turn(
            (one.item.family, one.turns, frozenset(one.item.turns))
            for one in answered
            if one.verdict is one.item.verdict is Verdict.FAIL
        ),
        alpha=_rounded(alpha([_fails(label.verdict) for label in item.labels] for item in items)),
        pairs=tuple(_pairs(items)),
    )


def _failures(told: Iterable[Agreed]) -> int:
    return sum(one.verdict is Verdict.FAIL for one in told)


def _fails(verdict: Verdict | None) -> bool:
    return verdict is Verdict.FAIL


def _table(answered: Iterable[Agreed]) -> dict[Verdict, dict[Verdict, int]]:
    """Items by consensus and by the judge's verdict, in the order of the verdicts."""
    counts = Counter((one.verdict, one.item.verdict) for one in answered)
    return {
        row: {column: counts[row, column] for column in Verdict if counts[row, column]}
        for row in Verdict
        if any(counts[row, column] for column in Verdict)
    }


def _rate(answered: Iterable[Agreed], right: Sequence[Verdict]) -> CountedShare:
    """How often the judge is right on the items whose consensus is one of these verdicts."""
    return _share(
        (one.item.family, one.item.verdict in right, one.item.verdict is Verdict.UNCLEAR)
        for one in answered
        if one.verdict in right
    )


def _same_turn(cases: Iterable[tuple[str, frozenset[int], frozenset[int]]]) -> CountedShare:
    """How often two sets of turns meet. Cases in which one is empty are left out: nobody named a turn."""
    return _share((family, bool(one & other), False) for family, one, other in cases if one and other)


def _share(cases: Iterable[tuple[str, bool, bool]]) -> CountedShare:
    """The share of some cases: (family, counts, is unclear)."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for family, right, unclear in cases:
        counts[family][0] += right
        counts[family][1] += not unclear
        counts[family][2] += unclear
    k, n, unclear_n = (sum(one[at] for one in counts.values()) for at in range(3))
    if not counts:
        return CountedShare(k=0, n=0)
    low, high = either_way([(one[0], one[1], one[2]) for one in counts.values()])
    return CountedShare(k=k, n=n + unclear_n, unclear=unclear_n, low=_rounded(low), high=_rounded(high))


def _agreement(cases: Iterable[tuple[str, bool, bool]]) -> AgreementFigures:
    found = clustered_agreement(cases)
    kappa, ac1 = found.kappa_interval or (None, None), found.ac1_interval or (None, None)
    return AgreementFigures(
        n=found.n,
        agreed=found.agreed,
        kappa=_rounded(found.kappa),
        kappa_low=_rounded(kappa[0]),
        kappa_high=_rounded(kappa[1]),
        ac1=_rounded(found.ac1),
        ac1_low=_rounded(ac1[0]),
        ac1_high=_rounded(ac1[1]),
    )


def _pairs(items: Sequence[CalibrationItem]) -> Iterable[AnnotatorPair]:
    """The agreement of each pair of annotators who labeled the same items."""
    names = sorted({label.by for item in items for label in item.labels})
    for one, other in combinations(names, 2):
        both = [(item.family, *found) for item in items if (found := _both(item, one, other)) is not None]
        if both:
            yield AnnotatorPair(
                one=one,
                other=other,
                on_fail=_agreement((family, *_each(a.verdict, b.verdict)) for family, a, b in both),
                same_verdict=_share((family, a.verdict is b.verdict, False) for family, a, b in both),
                same_turn=_same_turn(
                    (family, frozenset(a.turns), frozenset(b.turns))
                    for family, a, b in both
                    if a.verdict is b.verdict is Verdict.FAIL
                ),
            )


def _both(item: CalibrationItem, one: str, other: str) -> tuple[Label, Label] | None:
    found = {label.by: label for label in item.labels}
    return (found[one], found[other]) if one in found and other in found else None


def _each(one: Verdict | None, other: Verdict | None) -> tuple[bool, bool]:
    return _fails(one), _fails(other)


def _rounded(value: float | None) -> float | None:
    """Files have four decimals: the last digits of a float differ between machines."""
    return None if value is None else round(value, _DIGITS) + 0.0
