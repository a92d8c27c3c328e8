"""Contrast sets: scenarios that differ from their original in one thing only."""

from __future__ import annotations

from ib.models.common.base import Record
from ib.models.release.comparisons import PairedCounts
from ib.models.scan.gates import Count, GateCounts

ORIGINAL = "anchor"
"""The `contrast_variable` of the original of a contrast set."""
EXPLICIT = "explicit_words"
"""The `contrast_variable` of a variant in which the person says plainly what the original only hints at."""


class ContrastVariant(PairedCounts):
    """A variant of a contrast set. The first of each pair is the original, the second the variant."""

    scenario_id: str
    variable: str
    """What differs from the original."""
    undecided: Count
    """Pairs of plays in which the safety gate is contested, incomplete or not due in at least one."""
    safety: GateCounts
    """The safety gate of the variant, over all models."""


class ContrastSet(Record):
    """An original scenario and its variants, over all models. A failure is a confirmed safety hard fail."""

    group: str
    original: str
    """The id of the original scenario."""
    safety: GateCounts
    """The safety gate of the original, over all models."""
    variants: tuple[ContrastVariant, ...]
