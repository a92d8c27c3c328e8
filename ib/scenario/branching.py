"""The branch of a turn that is taken after a reply."""

from __future__ import annotations

from collections.abc import Iterable

from ib.models.conversation.condition import Condition, ConditionType
from ib.models.conversation.scenario import Branch
from ib.scenario.listening import hears
from ib.text.normalize import normalize
from ib.text.patterns import compile_pattern, has_phrase


def take(branches: Iterable[Branch], reply: str) -> Branch | None:
    """The first branch whose condition the reply meets, or None."""
    return next((branch for branch in branches if meets(branch.condition, reply)), None)


def meets(condition: Condition, reply: str) -> bool:
    """True if a reply meets a condition. Case, Markdown and typographic marks are ignored.

    Raises ValueError if the condition names a listening that was not filled in.
    """
    said = normalize(reply)
    if condition.type is ConditionType.SAYS:
        if condition.listening is None:
            raise ValueError(f"the listening {condition.name!r} was not loaded with its scenario")
        return hears(condition.listening, said)
    text = said.text
    if condition.pattern is not None:
        return compile_pattern(condition.pattern).search(text) is not None
    found = (has_phrase(value, text) for value in condition.values)
    if condition.type is ConditionType.CONTAINS_ALL:
        return all(found)
    return any(found) is (condition.type is ConditionType.CONTAINS_ANY)
