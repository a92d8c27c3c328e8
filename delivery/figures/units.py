"""The units of a gate: one square for each conversation, the failed ones first, each a link to its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from delivery.conversation.moments import quoted_turn
from delivery.figures.heat import evidence_of
from delivery.figures.strips import Bar, Strip, gate_bar, gate_strip
from delivery.release.view import Release
from delivery.words.filters import template_filter
from delivery.words.gates import not_measurable
from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.leaderboard import EvidenceItem, ModelEntry, ScenarioOfModel
from ib.models.scan.gates import GateScore, GateState

MOST = 80
"""Of more conversations than these, no squares are drawn: a bar in proportion stands for all of them."""
WIDE, NARROW = 33, 13
"""The most squares in one row: on a wide screen, and on a phone. A square is 24 pixels wide."""
_ORDER = tuple(GateState)
_CSS = {
    GateState.FAILED_BY_PERSON: "failed",
    GateState.FAILED_BY_JUDGE: "failed",
    GateState.CONTESTED: "contested",
    GateState.INCOMPLETE: "incomplete",
    GateState.CLEARED_BY_PERSON: "clear",
    GateState.CLEAR: "clear",
}


@dataclass(frozen=True)
class Unit:
    """One conversation at a gate."""

    scenario_id: str
    epoch: int | None
    score: GateScore
    href: str
    """The transcript at the first quote of the verdict, from the home page. Without one: the evidence
    of the verdict, or the scenario."""
    older: bool
    """True if a verdict of the gate answers an older wording."""

    @property
    def css(self) -> str:
        """The class of its square: what the gate says, and `older`."""
        return f"{_CSS[self.score.state]} older" if self.older else _CSS[self.score.state]


@dataclass(frozen=True)
class Units:
    """The conversations of a model in which a gate applied."""

    gate: Bucket
    units: tuple[Unit, ...]
    """Empty if there are more than MOST."""
    strip: Strip | None
    """The interval below the squares. None if there are too few conversations, or no figure is drawn."""
    bar: Bar | None
    """What is drawn in place of more than MOST squares. None for so many or fewer."""

    @property
    def wide(self) -> int:
        """How many rows of squares there are on a desk."""
        return -(-len(self.units) // WIDE)

    @property
    def narrow(self) -> int:
        """How many rows of squares there are on a phone."""
        return -(-len(self.units) // NARROW)

    @property
    def groups(self) -> list[tuple[GateScore, list[Unit]]]:
        """The same by what the gate says, each group with the score of its first conversation."""
        found = [list(same) for _, same in groupby(self.units, key=lambda one: one.score.state)]
        return [(same[0].score, same) for same in found]


def units(release: Release, model: ModelEntry) -> dict[Bucket, Units]:
    """The units of a model at each gate. A gate of which more than half is undecided has no squares."""
    found = {}
    for gate in GATE_BUCKETS:
        entry = model.gates[gate]
        every = units_at(release, model, conversations(release, model), gate)
        here = [] if not_measurable(entry) else sorted(every, key=_place)
        if len(here) <= MOST:
            found[gate] = Units(gate, tuple(here), gate_strip(entry), None)
        else:
            found[gate] = Units(gate, (), gate_strip(entry), gate_bar(entry))
    return found


def conversations(_: Release, model: ModelEntry) -> Sequence[ScenarioOfModel]:
    """The results of each conversation of a model: the only place where the units read them."""
    return model.scenarios


AtGate = tuple[ModelEntry, Unit]


def on_scenario(
    release: Release, met: Iterable[tuple[ModelEntry, ScenarioOfModel, object]]
) -> dict[Bucket, list[AtGate]]:
    """The conversations of one scenario at each gate that applied to one of them, the failed ones first.

    Empty for more than MOST conversations, of which no squares are drawn.
    """
    found = {}
    every = list(met)
    for gate in GATE_BUCKETS:
        here = [(model, unit) for model, one, _ in every for unit in units_at(release, model, [one], gate)]
        if 0 < len(here) <= MOST:
            found[gate] = sorted(here, key=lambda one: _ORDER.index(one[1].score.state))
    return found


@template_filter
def rows_of_squares(found: Sequence[AtGate], phone: bool = False) -> int:
    """In how many rows squares are laid out: on a desk, or on a phone."""
    return -(-len(found) // (NARROW if phone else WIDE))


@template_filter
def units_line(found: Sequence[AtGate]) -> str:
    """How many of the conversations failed, and how many are undecided."""
    kinds = Counter(_CSS[unit.score.state] for _, unit in found)
    open_ = kinds["contested"] + kinds["incomplete"]
    return f"{kinds['failed']} of {len(found)} failed{f', {open_} undecided' if open_ else ''}"


def units_at(
    release: Release, model: ModelEntry, every: Iterable[ScenarioOfModel], gate: Bucket
) -> Iterator[Unit]:
    """The conversations among some of a model in which a gate applied, in their order."""
    of_gate = [at for at, check in enumerate(release.board.checks) if check.gate is gate]
    for met in every:
        score = met.gates[gate]
        if score.state is not GateState.NOT_DUE:
            older = any("o" in met.older_questions[at : at + 1] for at in of_gate)
            yield Unit(met.scenario_id, met.epoch, score, _href(release, model, met, score), older)


def _place(unit: Unit) -> tuple[int, str, int]:
    return _ORDER.index(unit.score.state), unit.scenario_id, unit.epoch or 0


def _href(release: Release, model: ModelEntry, met: ScenarioOfModel, score: GateScore) -> str:
    """Where the words behind the state of a gate are, from the home page."""
    items = list(_items(release, model, met, score))
    turns = [turn for item in items if (turn := quoted_turn(item)) is not None]
    path = release.transcript_path(model, met.scenario_id, met.epoch)
    if path is not None:
        return f"{path}#turn-{min(turns)}" if turns else path
    if items:
        return f"{evidence_of(release, model, items[0].check_id)}#{release.case_id(items[0])}"
    return f"scenarios/{release.slugs[met.scenario_id]}/"


def _items(
    release: Release, model: ModelEntry, met: ScenarioOfModel, score: GateScore
) -> Iterator[EvidenceItem]:
    """The published evidence of the checks that decide the state of a gate in one conversation."""
    deciding = score.failed_by_person or score.failed_by_judge or score.contested or score.incomplete
    for check_id in deciding:
        for item in release.items(model).get(check_id, ()):
            if (item.scenario_id, item.epoch) == (met.scenario_id, met.epoch):
                yield item
