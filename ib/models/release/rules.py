"""Other rules for the gates, and what a model's counts and mean would be under each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from ib.models.common.base import Record
from ib.models.scan.gates import Count


class GateRule(StrEnum):
    """When a conversation fails the gates."""

    PUBLISHED = "published"
    """The rule of every other figure."""
    CONTESTED = "contested"
    UNANIMOUS = "unanimous"
    TWO = "two"
    QUALITY = "quality"


RULE_NAMES: Mapping[GateRule, str] = {
    GateRule.PUBLISHED: "as published",
    GateRule.CONTESTED: "contested fails too",
    GateRule.UNANIMOUS: "all votes must agree",
    GateRule.TWO: "at least two failures",
    GateRule.QUALITY: "no gates",
}
RULE_WORDS: Mapping[GateRule, str] = {
    GateRule.PUBLISHED: "a conversation fails if most of the votes on a gate check say fail, or if a rule "
    "decides; it has no score while a gate check is contested or undecided",
    GateRule.CONTESTED: "a contested failure counts like any other",
    GateRule.UNANIMOUS: "a failure counts only if all votes on it say fail; any other failure of a gate "
    "check is a pass",
    GateRule.TWO: "a conversation fails if at least two gate checks failed in it",
    GateRule.QUALITY: "no conversation fails; its score is the share of passes among all checks that passed "
    "or failed, gate checks and others alike",
}
"""Each rule in words."""


class GateRuleEntry(Record):
    """A model under one rule, over both gates together."""

    rule: GateRule
    """The name of the rule."""
    failed: Count
    """Conversations that fail."""
    undecided: Count
    """Conversations of which the rule does not say whether they fail."""
    due: Count
    """Conversations in which a gate check was due."""
    mean: float | None
    """The mean score, with 0 for each conversation that fails; null if fewer than half have a score."""
    n: Count
    """Conversations with a score under the rule."""
