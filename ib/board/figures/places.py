"""Sets of scenarios, and values by scenario, in little memory.

A board of open logs meets a new scenario with each log. So each scenario has a number, its place; a set of
scenarios takes one bit for each of them, and a value takes the bytes of the value.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from math import isnan, nan

Families = Mapping[str, str]
"""The family of each scenario."""
Bounds = tuple[float, float]


class Places:
    """Numbers scenarios in the order in which they are met."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self.names: list[str] = []
        """The scenario of each place."""

    def of(self, scenario_id: str) -> int:
        """The place of a scenario. A new scenario gets the next one."""
        found = self._places.get(scenario_id)
        if found is None:
            found = self._places[scenario_id] = len(self.names)
            self.names.append(scenario_id)
        return found


class Marked:
    """A set of scenarios. Sets that are joined must have the same places."""

    def __init__(self, places: Places) -> None:
        self._places, self._bits = places, bytearray()

    def add(self, scenario_id: str) -> None:
        """Add a scenario."""
        at, bit = divmod(self._places.of(scenario_id), 8)
        if at >= len(self._bits):
            self._bits.extend(bytes(at + 1 - len(self._bits)))
        self._bits[at] |= 1 << bit

    def update(self, other: Marked) -> None:
        """Add the scenarios of another set."""
        self._bits.extend(bytes(max(0, len(other._bits) - len(self._bits))))
        for at, bits in enumerate(other._bits):
            self._bits[at] |= bits

    def __iter__(self) -> Iterator[str]:
        names = self._places.names
        for at, bits in enumerate(self._bits):
            if bits:
                yield from (names[8 * at + bit] for bit in range(8) if bits >> bit & 1)

    def families(self, family: Families) -> int:
        """How many families have a scenario in the set."""
        return len({family[scenario_id] for scenario_id in self})


class Scores:
    """Scores, each with its scenario; None is a score too."""

    def __init__(self, places: Places) -> None:
        self._of, self._values, self._at = places, array("d"), array("I")

    def add(self, value: float | None, scenario_id: str) -> None:
        """Add one score."""
        self._values.append(nan if value is None else value)
        self._at.append(self._of.of(scenario_id))

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[tuple[float | None, str]]:
        names = self._of.names
        for value, place in zip(self._values, self._at, strict=True):
            yield (None if isnan(value) else value), names[place]

    def in_families(self, family: Families) -> list[tuple[float | None, str]]:
        """Each score with its family."""
        return [(value, family[scenario_id]) for value, scenario_id in self]


class Ends:
    """The bounds of scores, in the order of the scores; None is possible too."""

    def __init__(self) -> None:
        self._lows, self._highs = array("d"), array("d")

    def add(self, bounds: Bounds | None) -> None:
        """Add one pair."""
        low, high = (nan, nan) if bounds is None else bounds
        self._lows.append(low)
        self._highs.append(high)

    def __iter__(self) -> Iterator[Bounds | None]:
        for low, high in zip(self._lows, self._highs, strict=True):
            yield None if isnan(low) else (low, high)


class Chances:
    """How often something occurred, and how often it could have, by scenario."""

    def __init__(self, places: Places) -> None:
        self._of, self._at, self._counts = places, array("I"), array("H")

    def add(self, occurred: int, chances: int, scenario_id: str) -> None:
        """Add the counts of one transcript. A transcript has at most 10,000 turns, so that they fit."""
        self._at.append(self._of.of(scenario_id))
        self._counts.extend((occurred, chances))

    def clear(self) -> None:
        """Forget all counts."""
        del self._at[:], self._counts[:]

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[tuple[str, int, int]]:
        """The scenario, the occurrences and the chances of each transcript."""
        counts = iter(self._counts)
        for place in self._at:
            yield self._of.names[place], next(counts), next(counts)
