"""What the annotators of an item agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ib.models.benchmark.calibration import Annotator, CalibrationItem, Label
from ib.models.common.base import TurnNumber, Verdict

PAIR = 2
"""How many annotators must agree; a third settles where two differ."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """An item with its consensus."""

    item: CalibrationItem
    verdict: Verdict | None
    """PASS, FAIL or NOT_APPLICABLE; None if there is no consensus."""
    turns: frozenset[TurnNumber]
    """For a FAIL: every turn that an annotator who said so named."""
    blind: bool
    """True if two people or more labeled it blind."""


def deciding(annotators: Iterable[Annotator], items: Iterable[CalibrationItem]) -> Mapping[str, Annotator]:
    """Those whose labels make the consensus, by name: people or, if none labeled, language models."""
    labeled = {label.by for item in items for label in item.labels}
    there = {one.name: one for one in annotators if one.name in labeled}
    people = {name: one for name, one in there.items() if one.role.is_person}
    return people or there


def agreed(items: Sequence[CalibrationItem], annotators: Mapping[str, Annotator]) -> list[Agreed]:
    """The items that these annotators labeled, each with their consensus."""
    return [_agreed(item, told, annotators) for item in items if (told := _of(item, annotators))]


def _of(item: CalibrationItem, annotators: Mapping[str, Annotator]) -> list[Label]:
    return [label for label in item.labels if label.by in annotators]


def _agreed(item: CalibrationItem, told: Sequence[Label], annotators: Mapping[str, Annotator]) -> Agreed:
    verdict = consensus(label.verdict for label in told)
    failing = (label.turns for label in told if verdict is label.verdict is Verdict.FAIL)
    blind = sum(annotators[label.by].counts for label in told) >= PAIR
    return Agreed(item, verdict, frozenset(turn for turns in failing for turn in turns), blind)


def consensus(verdicts: Iterable[Verdict]) -> Verdict | None:
    """What one says alone, two agree on, or more than half of three or more say. UNCLEAR decides nothing."""
    said = Counter(verdicts)
    verdict, count = said.most_common(1)[0]
    needed = said.total() if said.total() <= PAIR else said.total() // 2 + 1
    return verdict if count >= needed and verdict is not Verdict.UNCLEAR else None
