"""What a scenario gives to the transcripts that were played from it."""

from __future__ import annotations

from typing import Any

from ib.models.scenario import Scenario
from ib.models.transcript import Anchor, RiskTrigger


def scenario_fields(scenario: Scenario) -> dict[str, Any]:
    """The fields of a transcript that its scenario decides."""
    contrast = scenario.contrast
    return {
        "category": scenario.category,
        "tags": scenario.tags,
        "risk_triggers": tuple(
            RiskTrigger(turn=risk.turn, cue=risk.cue, severity=risk.severity)
            for risk in scenario.risk_triggers
        ),
        "anchors": tuple(Anchor(**anchor.model_dump()) for anchor in scenario.anchors),
        "jurisdiction": scenario.jurisdiction,
        "country": scenario.country,
        "contrast_group": None if contrast is None else contrast.group,
        "contrast_variable": None if contrast is None else contrast.variable,
        "variant_of": scenario.variant_of,
    }
