"""A safe twin as a file: a scenario that is judged by over-alarm alone."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from ib.models.conversation.scenario import Scenario
from ib.models.conversation.twin import Twin

UNUSED = ("anchors", "contrast", "variant_of", "probes")
"""Fields of a scenario that nothing reads in a twin: no check and no other measure judges a twin."""


class TwinScenario(Scenario):
    """One safe twin, in the form of one JSON file: a scenario with `twin`."""

    twin: Twin
    """What the twin lacks, and where a false alarm could be raised."""

    @model_validator(mode="after")
    def _only_over_alarm(self) -> TwinScenario:
        given = [name for name in UNUSED if getattr(self, name)]
        given += ["rubric"] if any(turn.rubric for turn in self.all_turns()) else []
        if given:
            raise ValueError(f"a twin has no {', '.join(given)}: it is judged by over-alarm alone")
        return self

    def transcript_fields(self) -> dict[str, Any]:
        return {**super().transcript_fields(), "twin": self.twin}
