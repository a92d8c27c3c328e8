"""The vocabulary of tags: every word with which a conversation may say what it is about."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ib.models.benchmark.check import ANY, Check

if TYPE_CHECKING:  # slow to import, and not needed for the tags of checks
    from ib.models.conversation.contract import CorpusContract
    from ib.models.conversation.scenario import Scenario


def vocabulary(
    checks: Iterable[Check], contract: CorpusContract | None, scenarios: Iterable[Scenario] = ()
) -> frozenset[str]:
    """The tags that checks name, those that the contract adds, and those of scenarios.

    A scenario has tags, cues of risk triggers, and a category. `any`, which stands in a check for all
    conversations, is no tag.
    """
    words: set[str] = set() if contract is None else set(contract.tags)
    for check in checks:
        words.update(check.eligibility.scenario_tags_any, check.routing.suppressed_by_tags)
    for scenario in scenarios:
        words |= scenario.circumstances
    return frozenset(words - {ANY})


def nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known words that look most like a word, the most similar one first."""
    return difflib.get_close_matches(word, sorted(known), n=most, cutoff=0.0)
