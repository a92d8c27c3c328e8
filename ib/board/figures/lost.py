"""What is lost when a release is replaced: models, conversations and judged rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ib.models.release.leaderboard import Leaderboard

JUDGED = frozenset("FCPpUN")
"""The letters of `ScenarioOfModel.verdicts` that stand for a judged row."""
NAMED = 3
"""How many conversations of a model are named at most."""

Key = tuple[object, object]
"""The scenario and the epoch of a conversation."""


@dataclass(frozen=True)
class _Rows:
    """What a leaderboard has of one model."""

    conversations: frozenset[Key]
    judged: int


def lost(old: Mapping[str, Any], new: Leaderboard, without: Collection[str] = ()) -> Iterator[str]:
    """One line for each model of which the new leaderboard has less, but none for the models in `without`.

    `old` is a leaderboard as it is in its file, of any version of the form.
    """
    kept = _rows(new.model_dump(mode="json", include={"models"}))
    for model, before in _rows(old).items():
        if model in without:
            continue
        after = kept.get(model, _Rows(frozenset(), 0))
        gone, rows = before.conversations - after.conversations, before.judged - after.judged
        if model not in kept:
            yield f"{model}: the model, with {len(gone):,} conversations and {rows:,} judged rows"
        elif gone:
            few = f"{len(gone):,} of {len(before.conversations):,} conversations ({_names(gone)})"
            yield f"{model}: {few}; {before.judged:,} judged rows become {after.judged:,}"
        elif rows > 0:
            yield f"{model}: {rows:,} of {before.judged:,} judged rows"


def _rows(board: Mapping[str, Any]) -> dict[str, _Rows]:
    """What a leaderboard has of each model. A model without the usual fields has no conversations."""
    return {
        str(model.get("model_id")): _Rows(
            frozenset((one.get("scenario_id"), one.get("epoch")) for one in model.get("scenarios", ())),
            sum(letter in JUDGED for one in model.get("scenarios", ()) for letter in one.get("verdicts", "")),
        )
        for model in board.get("models", ())
    }


def _names(conversations: frozenset[Key]) -> str:
    names = sorted({str(scenario) for scenario, _ in conversations})
    return ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")
