"""The supplementary measures, in the order of plans, files and pages. A new one is one line here."""

from __future__ import annotations

from collections.abc import Collection

from ib.measures.coordination import COORDINATION
from ib.measures.grading import REGARD, RUBRICS
from ib.measures.measure import Measure
from ib.measures.memory import MEMORY

MEASURES: tuple[Measure, ...] = (MEMORY, COORDINATION, REGARD, RUBRICS)


def chosen(asked: Collection[str]) -> tuple[Measure, ...]:
    """The measures of a scan: all that ask no judge, and those whose names are asked for."""
    return tuple(one for one in MEASURES if not one.asks_judge or one.name in asked)
