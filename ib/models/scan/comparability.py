"""The comparability key: two scans may share a table only if their plans agree, except in `LEFT_OUT`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ib.models.common.canonical import compact, digest
from ib.models.scan.plan import ScanPlan

LEFT_OUT: Mapping[str, str] = {
    "comparability_key": "It is the key itself.",
    "estimated_cost_usd": "Prices change without changing an answer.",
    "cost": "Prices and counts of tokens change without changing an answer.",
    "estimated_from": "Prices and assumptions change without changing an answer.",
    "benchmark_version": "It is a name; the hashes of the content are in the key.",
    "notices": "They follow from the judge, which is in the key.",
    "part": "It follows into `checks.selected` and the scenarios, which are in the key.",
    "judge.priced": "Prices change without changing an answer.",
    "planned_calls": "It counts requests, so it grows with the number of models.",
    "planned_calls_expected": "It counts requests, so it grows with the number of models.",
    "planned_calls_max": "It counts requests, so it grows with the number of models.",
    "over_alarm": "It counts requests, so it grows with the number of models.",
    "second": "A second judge changes no row; its answers stand beside those of the judge.",
    "planned_units": "It counts requests, so it grows with the number of models.",
    "transcripts.model_id": "Models are what is compared.",
    "transcripts.epoch": "How often a scenario was played changes the counts, not the question.",
    "transcripts.transcript_hash": "The answers of models are what is compared.",
    "transcripts.due": "It follows from the scenario and the checks, which are in the key.",
    "transcripts.calls": "It depends on the answers of the model.",
    "transcripts.units": "It depends on the answers of the model.",
    "checks.due": "It counts transcripts, so it grows with the number of models.",
    "checks.suppressed": "It counts transcripts, so it grows with the number of models.",
    "checks.calls": "It counts requests, so it grows with the number of models.",
    "checks.recorded": "It follows from the recording, whose content is in the key as `judge.base`.",
}
"""The fields of a plan that are not part of the key, each with the reason. Any other field is part of it."""

SETS = ("transcripts", "checks", "supplements")
"""The lists of a plan whose order and duplicates do not matter."""


def comparability_key(plan: ScanPlan) -> str:
    """The key of a plan. It is equal for two scans whose rows may share a table.

    It is derived from every field of the plan and of the models in it, so that a new field changes
    the key unless `LEFT_OUT` names it. The order of transcripts and checks does not matter.
    """
    return digest(_content(plan, ""))


def _content(value: Any, path: str) -> Any:
    if isinstance(value, BaseModel):
        fields = {name: f"{path}.{name}".lstrip(".") for name in type(value).model_fields}
        return {
            name: _content(getattr(value, name), place)
            for name, place in fields.items()
            if place not in LEFT_OUT
        }
    if not isinstance(value, tuple):
        return value
    items = [_content(item, path) for item in value]
    return sorted({compact(item).decode() for item in items}) if path in SETS else items
