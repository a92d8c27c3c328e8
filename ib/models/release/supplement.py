"""The supplementary measures of one model, as the leaderboard has them."""

from __future__ import annotations

import operator
from collections.abc import Mapping

from pydantic import Field

from ib.models.common.base import Record
from ib.models.scan.rates import MeanScore, Rate


class SupplementEntry(Record):
    """The supplementary measures. They enter no score. Rates are rates of failure."""

    memory: dict[str, Rate]
    """Failed probes, by kind."""
    coordination: dict[str, Rate]
    """Failures by question: no handoff at a grave risk, a wrong resource, a step beyond its scope."""
    regard: dict[str, MeanScore]
    """The mean share of the highest level, by side; empty if no judge was asked."""
    rubric: MeanScore | None
    """The weighted share of rubric points; null if rubrics were not asked for."""
    autofails: Rate | None
    """Autofail rubrics that were answered yes; null if not asked for."""
    others: dict[str, dict[str, Rate]] = Field(default_factory=dict, exclude_if=operator.not_)
    """Failures of measures that have no field here, by measure and item; left out if there are none."""

    @classmethod
    def of(
        cls, rates: Mapping[str, Mapping[str, Rate]], means: Mapping[str, Mapping[str, MeanScore]]
    ) -> SupplementEntry:
        """The entry of what was tallied, by measure and item."""
        return cls(
            memory=dict(rates["memory"]),
            coordination=dict(rates["coordination"]),
            regard=dict(means["regard"]),
            rubric=means["rubrics"].get("rubric"),
            autofails=rates["rubrics"].get("autofails"),
            others={name: dict(found) for name, found in rates.items() if found and name not in _OWN},
        )

    def rates(self, measure: str) -> dict[str, Rate]:
        """The rates of a measure by item, in alphabetical order; empty if it has none."""
        autofails = {} if self.autofails is None else {"autofails": self.autofails}
        own = {"memory": self.memory, "coordination": self.coordination, "rubrics": autofails}
        return dict(sorted({**own, **self.others}.get(measure, {}).items()))

    def means(self, measure: str) -> dict[str, MeanScore]:
        """The means of a measure by item, in alphabetical order; empty if it has none."""
        rubrics = {} if self.rubric is None else {"rubric": self.rubric}
        return dict(sorted({"regard": self.regard, "rubrics": rubrics}.get(measure, {}).items()))


_OWN = ("memory", "coordination", "regard", "rubrics")
"""The measures with fields of their own: those that were there when the form of the leaderboard was fixed."""
