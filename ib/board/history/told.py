"""A release as its files tell it, of any version of their form: rows, conversations, verdicts, quotes.

An older release is compared with a newer one, so nothing here depends on the models of the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from ib.models.common.canonical import digest

LEADERBOARD = "leaderboard.json"
SCENARIOS = "scenarios.jsonl"
"""The scenarios, in a release whose leaderboard does not have them."""
Key = tuple[str, int | None]
"""The scenario of a conversation, and which play of it."""


@dataclass(frozen=True)
class Conversation:
    """What a release says of one conversation of a model."""

    transcript_hash: str
    letters: Mapping[str, str]
    """The letter of each check, as in `ScenarioOfModel.verdicts`."""


@dataclass(frozen=True)
class Told:
    """The files of a release."""

    files: Mapping[str, bytes]
    """The bytes of each file, by its name in the release."""

    @cached_property
    def board(self) -> Mapping[str, Any]:
        """The leaderboard; empty if the release has none."""
        return _mapping(self.files.get(LEADERBOARD, b"{}"))

    @cached_property
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """The rows of the board by model id, in their order."""
        return {str(row["model_id"]): row for row in self.board.get("models", ())}

    @cached_property
    def checks(self) -> Mapping[str, Mapping[str, Any]]:
        """What the board says of each check over all models."""
        return {str(row["check_id"]): row for row in self.board.get("checks", ())}

    @cached_property
    def scenarios(self) -> Mapping[str, str]:
        """The hash of each scenario as played."""
        return {str(row["scenario_id"]): str(row["scenario_hash"]) for row in self._scenarios}

    @cached_property
    def scenario_slugs(self) -> Mapping[str, str]:
        """The name of the page of each scenario."""
        return {str(row["scenario_id"]): str(row["slug"]) for row in self._scenarios}

    @property
    def _scenarios(self) -> tuple[Mapping[str, Any], ...]:
        return (*self.board.get("scenarios", ()), *self._lines(SCENARIOS))

    def _lines(self, name: str) -> Iterator[Mapping[str, Any]]:
        """The lines of a file after its header. Empty if the release does not have the file."""
        for line in self.files.get(name, b"").splitlines()[1:]:
            yield _mapping(line)

    @cached_property
    def rows(self) -> Mapping[str, str]:
        """The hash of each row of the board with its files, by model id."""
        return {model_id: digest(self._row(row)) for model_id, row in self.models.items()}

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        own = {
            name: hashlib.sha256(data).hexdigest()
            for name, data in self.files.items()
            if "/" in name and name.rsplit("/", 1)[1].split(".json")[0] == row.get("slug")
        }
        return {"row": row, "files": own}

    def conversations(self, model_id: str) -> dict[Key, Conversation]:
        """The conversations of a model."""
        order, row = tuple(self.checks), self.models.get(model_id, {})
        every = (*row.get("scenarios", ()), *self._lines(f"rows/{row.get('slug')}.jsonl"))
        return {
            (str(one["scenario_id"]), one["epoch"]): Conversation(
                str(one["transcript_hash"]),
                dict(zip(order, one.get("verdicts", ""), strict=False)),
            )
            for one in every
        }

    def items(self, model_id: str) -> Mapping[tuple[str, Key], Mapping[str, Any]]:
        """The evidence of a model, by check and conversation."""
        slug = self.models.get(model_id, {}).get("slug")
        told = _mapping(self.files.get(f"evidence/{slug}.json", b"{}"))
        return {
            (str(one["check_id"]), (str(one["scenario_id"]), one["epoch"])): one
            for one in told.get("items", ())
        }

    def quotes(self, item: Mapping[str, Any] | None) -> tuple[str, ...]:
        """The quoted words of a verdict."""
        return tuple(_quoted(item)) if item is not None else ()


def _quoted(item: Mapping[str, Any]) -> Iterator[str]:
    for span in item.get("quotes", ()):
        yield str(span["quote"])


def _mapping(data: bytes) -> dict[str, Any]:
    value = orjson.loads(data)
    return value if isinstance(value, dict) else {}
