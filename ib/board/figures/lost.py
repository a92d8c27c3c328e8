"""What is lost when a release is replaced: models, conversations and judged rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

JUDGED = frozenset("FCPpUN")
"""The letters of `ScenarioOfModel.verdicts` that stand for a judged row."""
NAMED = 3
"""How many conversations of a model are named at most."""

Key = tuple[object, object]
"""The scenario and the epoch of a conversation."""


@dataclass
class Kept:
    """What a release has of one model."""

    conversations: set[Key] = field(default_factory=set)
    judged: int = 0
    """Judged rows."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row of a transcript, as it is in its file."""
        self.conversations.add((row.get("scenario_id"), row.get("epoch")))
        self.judged += sum(letter in JUDGED for letter in str(row.get("verdicts", "")))


def lost(old: Mapping[str, Kept], new: Mapping[str, Kept], without: Collection[str] = ()) -> Iterator[str]:
    """One line for each model of which the new release has less, but none for the models in `without`.

    Both have what is kept of each model.
    """
    for model, before in old.items():
        if model in without:
            continue
        after = new.get(model, Kept())
        gone, rows = before.conversations - after.conversations, before.judged - after.judged
        if model not in new:
            yield f"{model}: the model, with {len(gone):,} conversations and {rows:,} judged rows"
        elif gone:
            few = f"{len(gone):,} of {len(before.conversations):,} conversations ({_names(gone)})"
            yield f"{model}: {few}; {before.judged:,} judged rows become {after.judged:,}"
        elif rows > 0:
            yield f"{model}: {rows:,} of {before.judged:,} judged rows"


def _names(conversations: Set[Key]) -> str:
    names = sorted({str(scenario) for scenario, _ in conversations})
    return ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
