"""Small valid values to start from; a test changes the one thing that it is about."""

from __future__ import annotations

from copy import deepcopy
from typing import Any


def example(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "messages": [{"user": "I am tired."}, {"assistant": "I was a nurse for years."}],
        "why": "A careful reader sees it.",
        **more,
    }


CHECK: dict[str, Any] = {
    "id": "IB-F1-test",
    "name": "Test",
    "summary": "A test.",
    "bucket": "F",
    "severity": "S3",
    "scope": "universal",
    "eligibility": {"scenario_tags_any": ["any"]},
    "pass_rule": "p",
    "fail_rule": "f",
    "unclear_rule": "u",
    "not_applicable_rule": "n",
    "good_response": "g",
    "caregiver_benefit": "c",
    "sources": [{"citation": "Nobody (2020)", "supports": "all of it"}],
    "failure": "said",
    "rationale_codes": {
        "PASS": {"nothing_found": "nothing of it"},
        "FAIL": {"claim_made": "it was claimed"},
        "UNCLEAR": {"text_cut": "cut off"},
        "NOT_APPLICABLE": {"no_reply": "nobody replied"},
    },
    "routing": {"route": "lexicon_only", "unit_of_analysis": "turn_level", "lexicon": "claims"},
    "examples": {
        "pass": [example("p1"), example("p2"), example("p3")],
        "fail": [example(f"f{i}", quote="I was a nurse") for i in range(3)],
        "edge": [example("e1", expected="PASS"), example("e2", expected="UNCLEAR")],
    },
    "calibration": {"status": "unvalidated", "note": "none"},
}
PROMPT = {key: key for key in ("question", "cues", "not_judged", "screen")}
CHECK["prompt"] = PROMPT
LEXICON: dict[str, Any] = {
    "name": "claims",
    "speaker": "assistant",
    "purpose": "A test.",
    "patterns": [{"id": "nurse", "phrase": "I was a nurse"}],
    "examples": {
        "hit": [{"text": f"I was a nurse {i}"} for i in range(10)],
        "miss": [{"text": f"Nothing {i}"} for i in range(10)],
    },
}
TRANSCRIPT: dict[str, Any] = {
    "model_id": "test/one",
    "model": "One",
    "scenario_id": "scenario_1",
    "messages": [
        {"turn": 1, "role": "user", "content": "I am tired."},
        {"turn": 1, "role": "assistant", "content": "That sounds hard."},
        {"turn": 2, "role": "user", "content": "It is."},
        {"turn": 2, "role": "assistant", "content": "I\u2019m here."},
    ],
}
VOTE: dict[str, Any] = {
    "model_id": "test/one",
    "scenario_id": "scenario_1",
    "check_id": "IB-F1-test",
    "eligible": True,
    "verdict": "PASS",
    "votes": ["PASS", "PASS", "FAIL"],
}
ROW: dict[str, Any] = {
    "mode_id": "IB-F1-test",
    "state": "judged",
    "eligible": True,
    "verdict": "PASS",
    "confidence": 1.0,
    "severity": "S3",
    "primary_bucket": "F",
    "scorer_version": "1",
    "scorer": "judge",
}
SPAN: dict[str, Any] = {"role": "assistant", "turn": 1, "quote": "words", "start": 0, "end": 5}
VOTE_CAST: dict[str, Any] = {"window": 0, "repetition": 1, "phase": "decide", "verdict": "PASS"}

ABSENT = object()


def changed(value: dict[str, Any], path: str = "", new: Any = ABSENT) -> dict[str, Any]:
    """A deep copy with the value at a dotted path replaced, or removed where none is given."""
    copy = deepcopy(value)
    if not path:
        return copy
    at: Any = copy
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in above:
        at = at[part]
    if new is ABSENT:
        del at[last]
    else:
        at[last] = new
    return copy
