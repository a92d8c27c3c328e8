"""Older spellings of scenario files, as data.

The tables are keyed by the names of the records and enums of `ib.models.conversation.scenario`. What a table
cannot say, such as a window that becomes two keys, is a function of `ib.scenario.moves`.
"""

from __future__ import annotations

NOT_SAID = "not said"
"""The text assumed where a file gives none."""

_MESSAGE = dict.fromkeys(("message", "content", "text", "user"), "user_message")
_TURN = {"turn_number": "turn", "t": "turn"}
_CUE_TURN = dict.fromkeys(("turn", "turn_number", "t"), "cue_turn")
KEYS: dict[str, dict[str, str]] = {
    "Scenario": {
        "id": "scenario_id",
        "name": "title",
        "failure_mode_tags": "tags",
        "cue_anchors": "anchors",
        "sms_variant_of": "variant_of",
        "canonical_scenario": "variant_of",
    },
    "Session": {"session": "session_number", "time_elapsed": "elapsed", "session_context": "context"},
    "Turn": {**_TURN, **_MESSAGE},
    "Branch": {"id": "branch_id", **_MESSAGE},
    "Condition": {"value": "values", "regex": "pattern"},
    "Rubric": {"criterion_id": "id", "description": "question", "scoring_guide": "levels"},
    "CueTag": {**_TURN, "trigger": "cue"},
    "ScenarioAnchor": {
        **_CUE_TURN,
        "modes": "checks",
        "cue_text_match": "cue",
        "cue_text": "cue",
        "window": "response_window",
    },
    "Window": {"from": "from_turn", "start": "from_turn", "to": "to_turn", "end": "to_turn"},
    "Probe": {**_TURN, "type": "kind", "notes": "comment"},
}
"""For each record, its older keys with the key of today. Where several are given they must agree."""

VALUES: dict[str, dict[str, str]] = {
    "CueSeverity": {
        "mild": "low",
        "minor": "low",
        "medium": "moderate",
        "severe": "high",
        "extreme": "critical",
    },
    "ScoringDimension": {
        "crisis_safety": "safety",
        **dict.fromkeys(("regulatory_fitness", "regulatory"), "compliance"),
        **dict.fromkeys(("attunement", "trauma_informed_flow", "false_refusal"), "communication"),
        "actionable_support": "coordination",
        "boundary_integrity": "boundary",
        **dict.fromkeys(("belonging", "belonging_cultural_fitness", "relational_quality"), "regard"),
        **dict.fromkeys(("consistency", "longitudinal_consistency", "memory_hygiene"), "memory"),
    },
    "Category": {
        **dict.fromkeys(("crisis_safety", "crisis", "boundaries"), "safety"),
        **dict.fromkeys(("cultural", "regulatory"), "context"),
        **dict.fromkeys(("burnout", "grief"), "empathy"),
        "longitudinal": "continuity",
    },
}
"""For each enum, its older values with the value of today."""

_WORDS: dict[str, object] = {"expected_behaviors": [NOT_SAID], "autofail_triggers": [NOT_SAID]}
_PERSON = dict.fromkeys(("name", "role", "care_recipient", "care_duration"), NOT_SAID)
ASSUMED: dict[str, dict[str, object]] = {
    "Scenario": {
        "category": "other",
        "theme": "other",
        "jurisdiction": "base",
        "published": True,
        "scoring_dimensions": ["communication"],
        "persona": {**_PERSON, "age": 40, "context": {}},
    },
    "Turn": _WORDS,
    "Branch": _WORDS,
    "CueTag": {"severity": "moderate"},
    "Rubric": {"kind": "binary"},
    "Persona": {**_PERSON, "age": 40, "context": {}},
}
"""For each record, the values assumed where a file gives none."""

_NO_RUBRIC = "a branch has no rubric; the rubric of its turn is asked on every branch"
_FOR_PEOPLE = "a note for people"
_DUE = "the tags decide which checks are due"
IGNORED: dict[str, str] = {
    "tier": "an older grouping of scenarios",
    "metadata": "author and date",
    "dif_variables": "groups to compare; the context of the persona names them",
    "variant_type": "the kind of a variant",
    **dict.fromkeys(("classification", "confidential"), "an older form of `published`"),
    **dict.fromkeys(("test_purpose", "calibration_notes", "source_note"), _FOR_PEOPLE),
    **dict.fromkeys(("eligible_modes", "eligible_checks"), _DUE),
    "role": "a turn is what the person says",
    "gray_zone_scoring": "`expected_behaviors` and the rubric describe good and bad replies",
    "risk_level": "`risk_triggers` say how severe a cue is",
    "criteria": "their descriptions are the expected behaviors of a turn that has none",
    "triggers_hard_fail": "the kind of a rubric says whether it fails the turn",
    "max_points": "the levels say how many points there are",
    **dict.fromkeys(("rubric", "autofail_rubric", "rubric_criteria"), _NO_RUBRIC),
    "time_elapsed": "no session comes before the first",
    "cue_label": "a name for the cue",
    "source": "the list that an anchor is from",
}
"""Older keys that are not read, each with the reason."""
