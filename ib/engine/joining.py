"""What a scenario gives to the transcripts that were played from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ib.models.canonical import digest
from ib.models.scenario import Scenario
from ib.models.transcript import Anchor, RiskTrigger, Transcript


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


def conflicts(transcript: Transcript, scenario: Scenario) -> Iterator[tuple[str, Any]]:
    """The fields in which a transcript says other than its scenario, each with what the scenario says.

    What a transcript leaves out it does not contradict.
    """
    for name, value in scenario_fields(scenario).items():
        said = getattr(transcript, name)
        if said not in (None, ()) and said != value:
            yield name, value
    played = None if transcript.provenance is None else transcript.provenance.scenario_hash
    if played not in (None, digest(scenario)):
        yield "provenance.scenario_hash", "the hash of another version of the scenario"
    last = max(turn.turn for turn in scenario.all_turns())
    if transcript.turns > last:
        yield "messages", f"{last} turns"


def joined(transcript: Transcript, scenario: Scenario) -> Transcript:
    """The transcript with everything that its scenario decides."""
    return transcript.model_copy(update=scenario_fields(scenario))
