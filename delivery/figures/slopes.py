"""The slopes of a contrast set: each model on the original and on a variant, one line a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from delivery.release.view import Release
from delivery.words.gates import STATE
from ib.models.common.base import Bucket
from ib.models.release.leaderboard import ModelEntry
from ib.models.scan.gates import GateState

_LEVELS = (
    ("clear", (GateState.CLEAR,)),
    ("contested or incomplete", (GateState.CONTESTED, GateState.INCOMPLETE)),
    ("not due", (GateState.NOT_DUE,)),
    ("hard fail by the judge", (GateState.FAILED_BY_JUDGE,)),
)
"""What the safety gate says, from top to bottom."""
_ROW, _HEAD = 22, 34
"""The height of a line of text and of the head of a level, in units of the drawing."""
_LONGEST = 24
"""The most characters of a name in the drawing; the table has the whole name."""


@dataclass(frozen=True)
class End:
    """One end of a line: a model on one scenario."""

    y: int
    name: str
    state: str
    href: str
    """The transcript, or the scenario if the release does not carry it, from the home page."""


@dataclass(frozen=True)
class Line:
    """A model on the original and on the variant."""

    model: ModelEntry
    epoch: int | None
    start: End
    end: End
    moved: bool
    """True if one of the two has a hard fail by the judge and the other is clear."""
    undecided: bool
    """True if the gate of one of the two is contested or incomplete: then nothing is known of a change."""


@dataclass(frozen=True)
class Level:
    """What the safety gate says, with the models on each side of which it says so."""

    name: str
    y: int
    left: int
    right: int


@dataclass(frozen=True)
class Slopes:
    """The drawing of one variant of a contrast set."""

    height: int
    levels: tuple[Level, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class _Play:
    """A model that played both scenarios, with the level of each."""

    model: ModelEntry
    epoch: int | None
    scenarios: tuple[str, str]
    states: tuple[GateState, GateState]

    @property
    def levels(self) -> tuple[int, int]:
        first, second = (_level(state) for state in self.states)
        return first, second

    @property
    def moved(self) -> bool:
        return set(self.states) == {GateState.FAILED_BY_JUDGE, GateState.CLEAR}

    @property
    def undecided(self) -> bool:
        return any(state.is_undecided for state in self.states)

    @property
    def name(self) -> str:
        name = self.model.model if self.epoch is None else f"{self.model.model}, run {self.epoch}"
        return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def slopes(release: Release, original: str, variant: str) -> Slopes:
    """The lines of all models that played both scenarios, in alphabetical order on each level."""
    plays = list(_plays(release, original, variant))
    levels: list[Level] = []
    tops: dict[int, int] = {}
    y = 0
    for number, (name, _) in enumerate(_LEVELS):
        left, right = (sum(play.levels[side] == number for play in plays) for side in (0, 1))
        if left or right:
            levels.append(Level(name, y + 20, left, right))
            tops[number] = y + _HEAD
            y += _HEAD + _ROW * max(left, right)
    starts, ends = (_ends(release, plays, side, tops) for side in (0, 1))
    lines = tuple(
        Line(play.model, play.epoch, start, end, play.moved, play.undecided)
        for play, start, end in zip(plays, starts, ends, strict=True)
    )
    return Slopes(y + 8, tuple(levels), lines)


def _plays(release: Release, original: str, variant: str) -> Iterator[_Play]:
    for model in release.models:
        met = {(one.scenario_id, one.epoch): one.gates[Bucket.A].state for one in model.scenarios}
        for scenario_id, epoch in met:
            if scenario_id == original and (variant, epoch) in met:
                states = (met[original, epoch], met[variant, epoch])
                yield _Play(model, epoch, (original, variant), states)


def _ends(release: Release, plays: list[_Play], side: int, tops: Mapping[int, int]) -> list[End]:
    """The ends on one side, each below the other on its level."""
    next_y = dict(tops)
    ends = []
    for play in plays:
        level, scenario_id = play.levels[side], play.scenarios[side]
        path = release.transcript_path(play.model, scenario_id, play.epoch)
        href = path or f"scenarios/{release.slugs[scenario_id]}/"
        ends.append(End(next_y[level] + 8, play.name, STATE[play.states[side]], href))
        next_y[level] += _ROW
    return ends


def _level(state: GateState) -> int:
    return next(number for number, (_, states) in enumerate(_LEVELS) if state in states)
