"""The requests of one transcript with their places in the plan's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ib.engine.questions.protocol import Requests
from ib.models.scan.judge import JudgeRequest
from ib.store.folders.journal import Order

Placed: TypeAlias = tuple[JudgeRequest, Order]


@dataclass
class Numbered:
    """Numbers the requests of one transcript, over all its rounds."""

    place: int
    """The index of the transcript in the plan."""
    _asked: int = 0

    def next(self, wanted: Requests) -> Sequence[Placed]:
        """The requests of the next round with their orders."""
        first, self._asked = self._asked, self._asked + len(wanted)
        return [(request, (self.place, first + index)) for index, request in enumerate(wanted)]
