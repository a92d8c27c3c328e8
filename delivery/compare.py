"""Two models side by side: where they differ, scenario by scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from delivery.charts.heat import evidence_of
from delivery.gates import STATE
from delivery.release import Release
from ib.models.base import GATE_BUCKETS, Bucket
from ib.models.check import Check
from ib.models.comparisons import ComparedOnCheck, Comparison
from ib.models.gates import CLEAR_ANSWERS
from ib.models.leaderboard import EvidenceItem, ModelEntry, ScenarioOfModel
from ib.models.letters import DECIDED, FAILED, Letter


@dataclass(frozen=True)
class Difference:
    """A check that one of two models failed on a transcript, and the other passed."""

    check: Check
    failed: ModelEntry
    passed: ModelEntry
    contested: bool
    href: str
    """Where the evidence of the failure is, from the home page."""
    other: str | None
    """Where the other model replies in the same turn. None if the release does not carry the transcript."""


@dataclass(frozen=True)
class Scenario:
    """A shared transcript on which two models differ."""

    scenario_id: str
    slug: str
    epoch: int | None
    gates: tuple[tuple[Bucket, str, str], ...]
    """The gates with two clear answers that differ: the state of the first model, and of the second."""
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Pair:
    """Two models with their comparison."""

    first: ModelEntry
    second: ModelEntry
    comparison: Comparison

    @property
    def slug(self) -> str:
        return f"{self.first.slug}--{self.second.slug}"


def pairs(release: Release) -> tuple[Pair, ...]:
    """Every pair of models of the release."""
    models = {model.model_id: model for model in release.models}
    return tuple(Pair(models[one.first], models[one.second], one) for one in release.board.comparisons)


def slugs_of_pairs(found: tuple[Pair, ...]) -> Mapping[tuple[str, str], Pair]:
    """Each pair by the slugs of its models, in both orders."""
    here = {(pair.first.slug, pair.second.slug): pair for pair in found}
    return here | {(second, first): pair for (first, second), pair in here.items()}


def pair_slug(models: Iterable[ModelEntry], first: str, second: str) -> str:
    """The name of the page of two models, by their ids in any order."""
    slugs = {model.model_id: model.slug for model in models}
    return "--".join(sorted((slugs[first], slugs[second])))


Cases = Mapping[tuple[str, str, str, int | None], EvidenceItem]
"""The evidence by model slug, check, scenario and epoch."""


def cases_of(release: Release) -> Cases:
    """All evidence of a release, each item by its place."""
    return {
        (model.slug, item.check_id, item.scenario_id, item.epoch): item
        for model in release.models
        for items in release.items(model).values()
        for item in items
    }


def checks_of(release: Release, pair: Pair) -> list[tuple[Check, ComparedOnCheck]]:
    """The compared checks, the smallest p value first."""
    checks = release.benchmark.checks
    rows = sorted(pair.comparison.checks, key=lambda row: (row.p, -(row.only_first + row.only_second)))
    return [(checks[row.check_id], row) for row in rows]


def scenarios_of(release: Release, pair: Pair, cases: Cases) -> list[Scenario]:
    """The shared transcripts on which the models differ, by the id of the scenario."""
    others = {(met.scenario_id, met.epoch): met for met in pair.second.scenarios}
    found = []
    for met in sorted(pair.first.scenarios, key=lambda met: (met.scenario_id, str(met.epoch))):
        other = others.get((met.scenario_id, met.epoch))
        if other is not None:
            gates = tuple(_gates(met, other))
            differences = tuple(_differences(release, pair, met, other, cases))
            if gates or differences:
                slug = release.slugs[met.scenario_id]
                found.append(Scenario(met.scenario_id, slug, met.epoch, gates, differences))
    return found


def _gates(one: ScenarioOfModel, other: ScenarioOfModel) -> Iterator[tuple[Bucket, str, str]]:
    for gate in GATE_BUCKETS:
        states = (one.gates[gate].state, other.gates[gate].state)
        if states[0] is not states[1] and all(state in CLEAR_ANSWERS for state in states):
            yield gate, STATE[states[0]], STATE[states[1]]


def _differences(
    release: Release, pair: Pair, one: ScenarioOfModel, other: ScenarioOfModel, cases: Cases
) -> Iterator[Difference]:
    letters = zip(release.board.checks, one.verdicts, other.verdicts, strict=False)
    for summary, here, there in letters:
        if {here, there} <= DECIDED and (here in FAILED) != (there in FAILED):
            sides = (pair.first, pair.second) if here in FAILED else (pair.second, pair.first)
            contested = Letter.CONTESTED in (here, there)
            item = cases.get((sides[0].slug, summary.check_id, one.scenario_id, one.epoch))
            check = release.benchmark.checks[summary.check_id]
            href = evidence_of(release, sides[0], check.id) + (f"#{release.case_id(item)}" if item else "")
            yield Difference(check, *sides, contested, href, _same_turn(release, sides[1], one, item))


def _same_turn(
    release: Release, model: ModelEntry, met: ScenarioOfModel, item: EvidenceItem | None
) -> str | None:
    """The reply of a model in the turn of the first quote, or the start of its transcript."""
    path = release.transcript_path(model, met.scenario_id, met.epoch)
    said = release.transcript(model, met.scenario_id, met.epoch)
    if path is None or said is None or item is None or not item.quotes:
        return path
    turn = item.quotes[0].turn
    return f"{path}#turn-{turn}" if any(message.turn == turn for message in said.messages) else path
