"""What a supplementary measure is. Each is a `Measure` at the end of its own module, listed in `registry`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ib.engine.questions.protocol import Asking
from ib.engine.reading.searched import IndexedTranscript
from ib.measures.phones import Directory
from ib.models.common.base import Record, Verdict
from ib.models.conversation.scenario import Scenario
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.supplement import Supplement, Supplementary

Answers: TypeAlias = tuple[Record, ...]
Counted: TypeAlias = Iterable[tuple[str, Verdict | float | None]]
"""The items of one transcript, each with a verdict, or with a share of 0 to 1 (None if undecided)."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a measure may use: one transcript, the data of the measures, and the judge."""

    indexed: IndexedTranscript
    scenario: Scenario | None
    """None for a log."""
    rules: Supplementary
    known: Directory
    """The telephone numbers of the place of the transcript."""
    spec: JudgeSpec
    reach: int
    """The least characters of a quote that may stand in another turn than stated."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the page of a model says about a measure."""

    about: str
    """What is measured, and how."""
    caption: str = ""
    """The caption of its table, up to the first period. `{model}` is the name of the model."""
    head: str = "Question"
    """The head of the first column."""
    table: str = ""
    """What the table holds, for screen readers; the name of the measure if empty."""
    items: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """For each item its name, and what a failure means."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One supplementary measure: what it asks, how it is counted, its cells, and its words."""

    name: str
    """Its name in plans and files. `Supplement` has a field of this name, or its answers are in `others`."""
    ask: Callable[[Heard], Asking[Answers]]
    """Its answers on one transcript; `Measured`, if `Supplement` has no field for it."""
    words: Words
    count: Callable[[Supplement], Counted] | None = None
    """Its items in a supplement; None if they are those in `others`."""
    items: tuple[str, ...] = ()
    """Items that the leaderboard has even if no transcript has them."""
    asks_judge: bool = False
    """True if a judge must answer. Such a measure is made only if a scan asks for it."""
    one_line: bool = False
    """True if summary.md counts all items together."""
    cell: str = "{measure}.{item}"
    """How the tables of a release name an item."""
    lexicons: Callable[[Supplementary], tuple[str, ...]] = lambda rules: ()
    """The lexicons that are searched for it."""

    def counted(self, supplement: Supplement) -> Counted:
        """The items of one transcript, each with its verdict or share."""
        if self.count is not None:
            return self.count(supplement)
        return ((one.id, one.verdict) for one in supplement.others if one.measure == self.name)

    def row(self, item: str) -> str:
        """The name of an item in the tables of a release."""
        return self.cell.format(measure=self.name, item=item)

    def line(self, item: str) -> str:
        """The name of the line of summary.md that counts an item."""
        return self.name if self.one_line else f"{self.name}, {item}"


def by_rule(find: Callable[[Heard], Answers]) -> Callable[[Heard], Asking[Answers]]:
    """A measure that asks no judge, as a generator without requests."""

    def ask(heard: Heard) -> Asking[Answers]:
        return find(heard)
        yield

    return ask
