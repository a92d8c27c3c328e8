"""The operators of the exam. Another operator is one entry here."""

from __future__ import annotations

from ib.exam.operators.decided import DECIDED
from ib.exam.operators.neutral import NEUTRAL
from ib.exam.operators.operator import Operator
from ib.exam.operators.places import PLACES
from ib.exam.operators.unedited import UNEDITED

OPERATORS: tuple[Operator, ...] = (UNEDITED, *DECIDED, *PLACES, *NEUTRAL)
