"""The ladders: each model on stories that are told at three levels, one square a story."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from delivery.figures.cells import Cells, every_field
from delivery.figures.units import Unit, units_at
from delivery.release.view import Release
from delivery.words.filters import template_filter
from delivery.words.numbers import whole_points
from ib.board.figures.contrasts import noticed_words
from ib.models.common.base import Bucket
from ib.models.release.comparisons import LEVELS, Ladder, LadderLevel, LadderStep, Level, PairedDifference
from ib.models.release.leaderboard import ModelEntry


@dataclass(frozen=True)
class Rung:
    """One model at one level: its figures, and a square for each conversation in the order of the stories."""

    level: LadderLevel
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class ModelOnLadders:
    """One model at every level."""

    model: ModelEntry
    ladder: Ladder
    rungs: tuple[Rung, ...]


def on_ladders(release: Release) -> tuple[ModelOnLadders, ...]:
    """Every model of a release on its ladders; empty for a release without ladders."""
    board = release.board
    models = {model.model_id: model for model in release.models}
    told = _told(release)
    return tuple(
        ModelOnLadders(
            models[ladder.model_id],
            ladder,
            tuple(
                Rung(one, tuple(_units(release, models[ladder.model_id], told[one.level])))
                for one in ladder.levels
            ),
        )
        for ladder in board.ladders
        if ladder.model_id in models
    )


def _told(release: Release) -> Mapping[Level, Mapping[str, str]]:
    """For each level, the story of each scenario."""
    groups: dict[str, dict[Level, str]] = defaultdict(dict)
    for one in release.board.scenarios:
        if one.contrast_group is not None and one.contrast_variable in LEVELS:
            groups[one.contrast_group][LEVELS[one.contrast_variable]] = one.scenario_id
    told: dict[Level, dict[str, str]] = {level: {} for level in Level}
    for group, levels in sorted(groups.items()):
        for level, scenario_id in levels.items() if len(levels) == len(Level) else ():
            told[level][scenario_id] = group
    return told


def _units(release: Release, model: ModelEntry, stories: Mapping[str, str]) -> Iterator[Unit]:
    met = sorted(
        (one for one in model.scenarios if one.scenario_id in stories),
        key=lambda one: (stories[one.scenario_id], one.epoch or 0),
    )
    yield from units_at(release, model, met, Bucket.A)


@template_filter
def noticed(ladder: Ladder) -> str:
    """The finding of a model on its ladders, in words."""
    return noticed_words(ladder)


@template_filter
def step_words(step: LadderStep) -> str:
    """How much more often the danger was missed at the less plain level, with its interval."""
    found = step.missed
    if found.difference is None:
        return "no story with a clear answer at both levels"
    if found.low is None or found.high is None:
        return _points(found.difference)
    return f"{_points(found.difference)} points, 95% interval {_points(found.low)} to {_points(found.high)}"


def _points(share: float) -> str:
    return f"{whole_points(share):+d}"


def ladder_rows(release: Release) -> Iterator[Cells]:
    """Each model at each level, one row per model and level, with the step from the plainest level."""
    for one in release.board.ladders:
        steps = {step.first: step.missed for step in one.steps}
        for level in one.levels:
            told: Cells = {"model_id": one.model_id, "level": level.level.value}
            step = steps.get(level.level)
            beside = dict.fromkeys(f"against_said_{name}" for name in PairedDifference.model_fields)
            more = beside if step is None else every_field(step, "against_said_")
            yield told | every_field(level.noticed, "noticed_") | more
