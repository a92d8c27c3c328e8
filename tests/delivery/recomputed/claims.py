"""The list of claims: which part of which kind of page is recomputed by which function.

A new table is claimed by a function that says what its rows have to show:

    @claim("model", "alarms", "row")
    def alarms(here: Here) -> Iterator[str]:
        for pair in here.model["dangers_and_alarms"]["pairs"]:
            yield f"{here.title(pair['parent'])} {pair['caught']} caught"

Only the numbers count and, in rows and drawings, also names and words such as “contested”. The other words
are there to be read, and need not be those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.delivery.reading import Element
from tests.delivery.recomputed.data import Source

Data = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Here:
    """A page, with what it is made from."""

    source: Source
    kind: str
    address: str
    root: Element
    """The page itself, for what depends on how much of a long reply it shows."""

    @property
    def board(self) -> Data:
        return self.source.board

    @property
    def models(self) -> list[Data]:
        return self.source.models

    @property
    def names(self) -> list[str]:
        """The parts of the address."""
        return self.address.strip("/").split("/")

    @cached_property
    def model(self) -> Data:
        """The model of the page."""
        return self.by_slug[self.names[1]]

    @property
    def by_slug(self) -> dict[str, Data]:
        return {one["slug"]: one for one in self.models}

    @property
    def check(self) -> Data:
        """The check of the page."""
        return self.source.checks[self.names[-1]]

    @property
    def is_logs(self) -> bool:
        return bool(self.board["open_logs"])

    def title(self, scenario_id: str) -> str:
        """What the pages call a scenario or a twin."""
        return self.source.titles.get(scenario_id, scenario_id.replace("_", " "))

    def check_name(self, check_id: str) -> str:
        return str(self.source.checks[check_id]["name"])

    def is_veiled(self, check_id: str) -> bool:
        """True if the words of a failure are folded, and repeated nowhere."""
        gates = {one["check_id"]: one["gate"] for one in self.board["checks"]}
        return gates.get(check_id) is not None or self.source.checks[check_id]["severity"] == "S5"

    @property
    def checks(self) -> list[Data]:
        """All checks, in the order of the pages."""
        return [one for bucket in "ABCDF" for one in self.source.checks_of(bucket)]

    @property
    def scripts(self) -> dict[str, Data]:
        """The reference assistants of the release, by the slug of the model."""
        named = {one["slug"]: one["model_id"].partition("reference/")[2] for one in self.models}
        return {
            slug: self.source.characters[name]
            for slug, name in named.items()
            if name in self.source.characters
        }

    @property
    def character(self) -> Data | None:
        """The script of the model of the page; None for any other model."""
        return self.scripts.get(self.names[1])

    def carried(self, model: Data, scenario_id: str, epoch: int | None) -> Data | None:
        """A transcript that the release carries."""
        return self.source.plays.get((model["slug"], scenario_id, epoch))

    def play(self, met: Data) -> str:
        """A scenario with its run."""
        run = "" if met["epoch"] is None else f", run {met['epoch']}"
        return self.title(met["scenario_id"]) + run

    @property
    def cited(self) -> str:
        """The line below every figure: version and number of models. The release counts as a name."""
        version = self.board["benchmark_version"]
        return f"{'' if version is None else version} {len(self.models)}"


Told = Callable[[Here], Iterable[str]]
EVERY = "every kind of page"


@dataclass(frozen=True)
class Claim:
    """A function that recomputes a part of a kind of page."""

    kinds: tuple[str, ...]
    section: str
    """A pattern for the ids of the figures or headings to which it belongs."""
    tag: str
    told: Told

    def is_of(self, kind: str) -> bool:
        """True if the claim is for such a page."""
        return kind in self.kinds or self.kinds == (EVERY,)

    def holds(self, kind: str, section: str, tag: str) -> bool:
        """True if the claim is for such a part."""
        return self.is_of(kind) and tag == self.tag and re.fullmatch(self.section, section) is not None

    def __str__(self) -> str:
        return f"{self.told.__module__.rsplit('.', 1)[-1]}.{self.told.__name__}"


CLAIMS: list[Claim] = []


def claim(kinds: str, section: str, tag: str) -> Callable[[Told], Told]:
    """Claim the parts with a tag in the sections that match a pattern, on kinds of page split by commas."""

    def add(told: Told) -> Told:
        CLAIMS.append(Claim(tuple(kinds.split(", ")), section, tag, told))
        return told

    return add


def cited(kinds: str, section: str, tag: str, times: int = 1) -> None:
    """Claim captions that show only what is cited."""

    def release(here: Here) -> Iterable[str]:
        return [here.cited] * times

    claim(kinds, section, tag)(release)


def fixed(kinds: str, section: str, tag: str, told: list[str]) -> None:
    """Claim parts that no data changes, such as the words of an axis."""
    claim(kinds, section, tag)(lambda _: told)
