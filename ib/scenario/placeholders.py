"""The texts that stand in a new scenario until its author replaces them, and the rule that finds them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ib.errors import Path
from ib.models.conversation.scenario import Scenario
from ib.scenario.surroundings import Faults, Surroundings

NOT_SAID = "(say it here)"
TURN_TEXTS = ("(What the person says in turn {}.)", "(What a good reply does.)", "(What no reply may do.)")
"""The message of the person, a behavior that is expected, and one that fails. The message names its turn."""
_LEFT = re.compile("|".join(re.escape(text).replace(r"\{\}", r"\d+") for text in (NOT_SAID, *TURN_TEXTS)))


def placeholders(scenario: Scenario, around: Surroundings) -> Faults:
    """Texts of `ib new` that nobody has replaced."""
    for place, text in _texts(scenario.model_dump(mode="json", exclude_none=True), ()):
        left = _LEFT.search(text)
        if left is not None:
            yield place, f"has the placeholder {left[0]!r}", "the text itself"


def _texts(value: Any, place: Path) -> Iterator[tuple[Path, str]]:
    """Every text in a value, with the keys that lead to it."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*place, key))
