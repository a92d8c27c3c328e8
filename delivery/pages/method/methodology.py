"""The page that says how the results were made."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.conversation.scenarios import figures
from delivery.pages.method import audit
from delivery.pages.page import Page
from delivery.release.view import Release
from ib.models.release.rules import RULE_NAMES, RULE_WORDS


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
        "rule_names": RULE_NAMES,
        "rule_words": RULE_WORDS,
    }
    yield Page("methodology.md", "methodology.html", "Methodology", view)
