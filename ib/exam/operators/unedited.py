"""The text as it is."""

from __future__ import annotations

from collections.abc import Iterator

from ib.exam.operators.operator import Edited, Lines, Operator, kept
from ib.exam.texts.bases import Base


def _edit(base: Base, _: Lines) -> Iterator[Edited]:
    yield kept(base, base.messages)


UNEDITED = Operator("unedited", "The text as it is.", _edit)
