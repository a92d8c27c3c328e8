"""The page that says how the results were made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from delivery.conversation.scenarios import figures
from delivery.pages import audit
from delivery.pages.page import Page
from delivery.release.view import Release
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS
from ib.models.release.rules import RULE_NAMES, RULE_WORDS

HALF = 0.5
"""The difference that the page asks checks for."""


def pages(release: Release) -> Iterator[Page]:
    """One page, with the numbers of the benchmark and links to the lists for auditors."""
    checks = release.benchmark.checks.values()
    view = {
        "gates": [check for check in checks if check.gate is not None],
        "escalating": [check for check in checks if check.escalates_to is not None],
        "scoring": release.benchmark.scoring,
        "profile": release.benchmark.scoring.profiles.get(release.board.profile),
        "figures": figures(release),
        "characters": release.background.characters,
        "lists": audit.lists(release),
        "findable": list(findable(release)),
        "small_checks": small_checks(release),
        "rule_names": RULE_NAMES,
        "rule_words": RULE_WORDS,
    }
    yield Page("methodology.md", "methodology.html", "Methodology", view)


def findable(release: Release) -> Iterator[dict[str, Any]]:
    """For each gate: the families of the pair of models with the most, and the least difference it can show.

    Empty if no two models are compared.
    """
    for gate in GATE_BUCKETS if release.board.comparisons else ():
        most = max((one.gates[gate] for one in release.board.comparisons), key=lambda one: one.n_families)
        yield {"name": BUCKET_NAMES[gate], "families": most.n_families, "least": most.detectable}


def small_checks(release: Release) -> dict[str, int]:
    """How many checks can show a difference of half of the families, and how many none at all."""
    least = [one.detectable for one in release.board.checks]
    return {
        "half": sum(one is not None and one <= HALF for one in least),
        "none": sum(one is None for one in least),
    }
