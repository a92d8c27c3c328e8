"""The contract of a scenario corpus: limits and counts that all its scenarios must satisfy."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ib.models.base import Record, Slug, Text


class Sizes(Record):
    """Bounds on the length of a scenario."""

    turns_least: Annotated[int, Field(ge=1)]
    turns_most: Annotated[int, Field(ge=1)]
    turns_most_without_break: Annotated[int, Field(ge=1)] | None = None
    """`turns_most` for a scenario without `sessions`; null if the limit is the same."""
    message_chars: Annotated[int, Field(ge=1)]


class Counts(Record):
    """How many scenarios of each kind a corpus has. Keys that begin with `least_` are minimums; the others
    are exact."""

    scenarios: int
    published: int
    branching: int
    contrast_variants: int
    contrast_groups: int
    text_variants: int
    least_with_rubric: int
    least_with_probes: int
    least_multi_session: int
    least_per_jurisdiction: int
    least_due_per_check: int
    categories: dict[Slug, int]
    themes: dict[str, int]
    """Counts by `category/theme`."""


class CorpusContract(Record):
    """Rules for a corpus of scenarios that the schema of one file cannot express."""

    canary: Text
    tags: dict[Slug, Text]
    """Tags that no check uses, each with its meaning."""
    persona_context: dict[Slug, tuple[str, ...]]
    """Keys that every persona's context has, with the allowed values. An empty list allows any value."""
    sizes: Sizes
    counts: Counts | None = None
