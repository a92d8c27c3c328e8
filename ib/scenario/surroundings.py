"""The benchmark that scenarios are linted against, and small functions that all lint rules use."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ib.errors import Path
from ib.models.benchmark.benchmark import Rules
from ib.models.benchmark.check import Check, Due
from ib.models.conversation.contract import CorpusContract
from ib.models.conversation.scenario import Scenario, Turn
from ib.models.conversation.vocabulary import vocabulary

Fault = tuple[Path, str, str]
"""The keys that lead to a value, what was found there, and what is allowed."""
Faults = Iterator[Fault]


@dataclass(frozen=True)
class Surroundings:
    """The parts of the benchmark that scenarios are linted against."""

    checks: Mapping[str, Check]
    rules: Mapping[str, Rules]
    contract: CorpusContract | None
    canary: str
    listenings: frozenset[str] = frozenset()
    """The names that a condition of type `says` may have."""

    def vocabulary(self) -> frozenset[str]:
        """Every tag that a scenario may have: those of checks, and those that the contract adds."""
        return vocabulary(self.checks.values(), self.contract)


def turn_locations(scenario: Scenario) -> Iterator[tuple[Path, Turn]]:
    """Every turn with the keys that lead to it in the file."""
    for index, session in enumerate(scenario.all_sessions()):
        for at, turn in enumerate(session.turns):
            yield ("turns", at) if scenario.sessions is None else ("sessions", index, "turns", at), turn


def due_by_tags(check: Check, scenario: Scenario) -> bool:
    """True if the scope of the check or the tags of the scenario make the check due."""
    return check.due(scenario.circumstances) is not Due.NO


def near(word: str, known: Iterable[str], otherwise: str) -> str:
    """A hint that names up to three known words close to a misspelled one; `otherwise` if none is close."""
    close = difflib.get_close_matches(word, sorted(known), n=3)
    return f"perhaps {' or '.join(close)}" if close else otherwise
