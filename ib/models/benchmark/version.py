"""Versions of the benchmark: what a closed version held, and what has changed since.

Items are compared by the hashes of their parsed content. A change of a comment, of the layout of a file or of
the code that reads it changes no hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import StringConstraints

from ib.models.common.base import Record, Text

VersionId = Annotated[str, StringConstraints(pattern=r"^(?:0|[1-9]\d{0,3})(?:\.(?:0|[1-9]\d{0,3})){2}$")]
"""Three whole numbers joined by dots, such as `1.0.0`."""
PartHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
"""The first 16 digits of the SHA-256 of the content."""


class Kind(StrEnum):
    """The kinds of items. An item is named `KIND/ID`, or `KIND` if there is only one of its kind."""

    CHECK = "check"
    LEXICON = "lexicon"
    WORDS = "words"
    RULE_SET = "rule_set"
    SCENARIO = "scenario"
    LISTENING = "listening"
    TWIN = "twin"
    FRAME = "frame"
    SCORING = "scoring"
    CLAIMS = "claims"
    SUPPLEMENTARY = "supplementary"
    OVER_ALARM = "over_alarm"
    SYSTEM_PROMPT = "system_prompt"
    LEXICAL = "lexical"
    """The rules of the lexical judge, which are in no hash of a check."""
    REFERENCE = "reference"
    SCREENING = "screening"
    """What the screening questions list. A reply to one is about several checks."""
    COUNTRIES = "countries"
    """The countries of the rule sets, which judges are told."""


SHARED = (Kind.SCREENING, Kind.COUNTRIES)
"""Kinds that repeat parts of other items, so that an item can depend on these parts alone."""
IN_KEY = (
    *(Kind.CHECK, Kind.LEXICON, Kind.WORDS, Kind.RULE_SET, Kind.SCENARIO, Kind.TWIN),
    *(Kind.FRAME, Kind.SCORING, Kind.CLAIMS, Kind.SUPPLEMENTARY, Kind.OVER_ALARM),
)
"""Kinds whose hashes are part of the comparability key of a scan of the whole benchmark."""


class Item(Record):
    """One item of the benchmark, as it was when the version was closed."""

    parts: dict[str, PartHash]
    """The hash of the content under each key at the top of the item."""
    uses: tuple[str, ...] = ()
    """The other items that its results depend on."""


class ClosedVersion(Record):
    """A closed version of the benchmark: its items with their hashes. It never changes again."""

    version: VersionId
    items: dict[str, Item]
    """All items by name, without drafts."""


class VersionNotes(Record):
    """What people say about versions. Counts and lists are generated."""

    notes: dict[VersionId, Text]
    """A few sentences for a version, without numbers."""


def order(version: str) -> tuple[int, ...]:
    """Sort key of versions: 1.10.0 comes after 1.9.0."""
    return tuple(map(int, version.split(".")))


def kind_of(item: str) -> Kind:
    """The kind of an item, from its name."""
    return Kind(item.partition("/")[0])


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between the items of two versions."""

    before: Mapping[str, Item]
    after: Mapping[str, Item]

    @property
    def added(self) -> tuple[str, ...]:
        """The new items."""
        return tuple(sorted(self.after.keys() - self.before.keys()))

    @property
    def removed(self) -> tuple[str, ...]:
        """The items that are gone."""
        return tuple(sorted(self.before.keys() - self.after.keys()))

    @property
    def changed(self) -> dict[str, tuple[str, ...]]:
        """The items that have changed, each with the keys that differ."""
        both = sorted(self.before.keys() & self.after.keys())
        found = {name: tuple(self._keys(name)) for name in both}
        return {name: keys for name, keys in found.items() if keys}

    def _keys(self, name: str) -> Iterator[str]:
        old, new = self.before[name].parts, self.after[name].parts
        return (key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key))

    @property
    def differing(self) -> frozenset[str]:
        """Every item that is new, gone or changed."""
        return frozenset((*self.added, *self.removed, *self.changed))

    @property
    def breaks_tables(self) -> bool:
        """True if results from before and after never share a table: their comparability keys differ."""
        return any(kind_of(name) in IN_KEY for name in self.differing)

    def lost(self, kind: Kind) -> dict[str, tuple[str, ...]]:
        """The items of a kind whose results no longer compare, each with the items that are the reason.

        Only items that both versions have are listed.
        """
        differing = self.differing
        both = sorted(name for name in self.before.keys() & self.after.keys() if kind_of(name) is kind)
        found = {name: tuple(sorted(differing & self._read(name))) for name in both}
        return {name: reasons for name, reasons in found.items() if reasons}

    def _read(self, name: str) -> frozenset[str]:
        """An item and all items that it used before or uses now."""
        return frozenset((name, *self.before[name].uses, *self.after[name].uses))
