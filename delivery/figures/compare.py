"""Two models side by side: where they differ, check by check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from delivery.conversation.moments import Sides, quoted_turn, sides
from delivery.figures.heat import evidence_of
from delivery.release.view import Release
from delivery.words.filters import template_filter
from ib.models.benchmark.check import Check
from ib.models.common.base import GATE_BUCKETS, Bucket
from ib.models.release.comparisons import ComparedOnCheck, Comparison
from ib.models.release.leaderboard import EvidenceItem, ModelEntry, ScenarioOfModel
from ib.models.scan.gates import HARD_FAILS, one_failed
from ib.models.scan.letters import DECIDED, FAILED, Letter


@dataclass(frozen=True)
class Difference:
    """A transcript on which one of two models failed, at a check or at a gate, and the other passed."""

    scenario_id: str
    epoch: int | None
    failed: ModelEntry
    passed: ModelEntry
    href: str
    """Where the failure is, from the home page: the evidence of a check, or the transcript."""
    other: str | None
    """Where the other model replies in the same turn. None if the release does not carry the transcript."""
    contested: bool = False
    older: bool = False
    """True if a verdict of the two answers an older wording."""
    item: EvidenceItem | None = None


@dataclass(frozen=True)
class OneSided:
    """The transcripts on which only one model failed."""

    failed: ModelEntry
    passed: ModelEntry
    differences: tuple[Difference, ...]
    """The transcripts by the id of the scenario; the one that is shown in words is left out."""
    count: int
    """How many there are, with the one that is shown in words."""


@dataclass(frozen=True)
class Section:
    """A check on which two models differ: one difference in words, and the others as links."""

    check: Check
    shown: Difference
    sides: Sides
    ways: tuple[OneSided, ...]


@dataclass(frozen=True)
class Pair:
    """Two models with their comparison."""

    first: ModelEntry
    second: ModelEntry
    comparison: Comparison

    @property
    def slug(self) -> str:
        """The name of its page."""
        return _slug(self.first.slug, self.second.slug)

    def by_failure(self, *, first: bool) -> tuple[ModelEntry, ModelEntry]:
        """The model that failed, which is the first one or the second, and the other."""
        return (self.first, self.second) if first else (self.second, self.first)


def _slug(*models: str) -> str:
    """The name of the page of two models by their slugs, in any order."""
    return "--".join(sorted(models))


def pairs(release: Release) -> tuple[Pair, ...]:
    """Every pair of models of the release."""
    models = {model.model_id: model for model in release.models}
    return tuple(Pair(models[one.first], models[one.second], one) for one in release.board.comparisons)


def slugs_of_pairs(found: tuple[Pair, ...]) -> Mapping[tuple[str, str], Pair]:
    """Each pair by the slugs of its models, in both orders."""
    here = {(pair.first.slug, pair.second.slug): pair for pair in found}
    return here | {(second, first): pair for (first, second), pair in here.items()}


@template_filter
def pair_slug(models: Iterable[ModelEntry], first: str, second: str) -> str:
    """The name of the page of two models, by their ids in any order."""
    slugs = {model.model_id: model.slug for model in models}
    return _slug(slugs[first], slugs[second])


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


def phrases_only(release: Release) -> frozenset[str]:
    """The checks for which only phrases were looked for in some transcript: a pass of theirs says little."""
    return frozenset(one.check_id for one in release.board.checks if one.no_phrase_found or one.searched)


def gates_of(release: Release, pair: Pair) -> list[tuple[Bucket, tuple[OneSided, ...]]]:
    """The gates at which only one model has a hard fail by the judge, and the other is clear."""
    found = []
    for gate in GATE_BUCKETS:
        differences = []
        for one, other in _shared(pair):
            states = (one.gates[gate].state, other.gates[gate].state)
            if one_failed(states):
                failed, passed = pair.by_failure(first=states[0] in HARD_FAILS)
                place = (one.scenario_id, one.epoch)
                here, there = (release.transcript_path(model, *place) for model in (failed, passed))
                href = here or f"scenarios/{release.slugs[one.scenario_id]}/"
                differences.append(Difference(*place, failed, passed, href, there))
        if differences:
            found.append((gate, _ways(pair, differences)))
    return found


def sections_of(release: Release, pair: Pair, cases: Cases, left_out: Set[str]) -> list[Section]:
    """The checks on which the models differ, in the order of `checks_of`, without those that are left out.

    The difference in words is the first one by the id of the scenario. Contested failures come after
    failures by most votes, and failures without a published quote come last.
    """
    found: dict[str, list[Difference]] = {}
    for one, other in _shared(pair):
        for check_id, difference in _differences(release, pair, one, other, cases):
            if check_id not in left_out:
                found.setdefault(check_id, []).append(difference)
    sections = []
    for check, _ in checks_of(release, pair):
        if check.id in found:
            shown = min(found[check.id], key=lambda one: (quoted_turn(one.item) is None, one.contested))
            words = sides(release, shown.failed, shown.passed, shown.scenario_id, shown.epoch, shown.item)
            sections.append(Section(check, shown, words, _ways(pair, found[check.id], shown)))
    return sections


def _shared(pair: Pair) -> Iterator[tuple[ScenarioOfModel, ScenarioOfModel]]:
    """The transcripts that both models have, by the id of the scenario."""
    others = {(met.scenario_id, met.epoch): met for met in pair.second.scenarios}
    for met in sorted(pair.first.scenarios, key=lambda met: (met.scenario_id, met.epoch or 0)):
        if (met.scenario_id, met.epoch) in others:
            yield met, others[met.scenario_id, met.epoch]


def _differences(
    release: Release, pair: Pair, one: ScenarioOfModel, other: ScenarioOfModel, cases: Cases
) -> Iterator[tuple[str, Difference]]:
    """The checks on which the models differ in one transcript."""
    letters = zip(release.board.checks, one.verdicts, other.verdicts, strict=True)
    for at, (summary, here, there) in enumerate(letters):
        if {here, there} <= DECIDED and (here in FAILED) != (there in FAILED):
            failed, passed = pair.by_failure(first=here in FAILED)
            item = cases.get((failed.slug, summary.check_id, one.scenario_id, one.epoch))
            made = Difference(
                one.scenario_id,
                one.epoch,
                failed,
                passed,
                href=evidence_of(release, failed, summary.check_id)
                + (f"#{release.case_id(item)}" if item else ""),
                other=_same_turn(release, passed, one, item),
                contested=Letter.CONTESTED in (here, there),
                older="o" in one.older_questions[at : at + 1] + other.older_questions[at : at + 1],
                item=item,
            )
            yield summary.check_id, made


def _same_turn(
    release: Release, model: ModelEntry, met: ScenarioOfModel, item: EvidenceItem | None
) -> str | None:
    """The turn of the first quote in the transcript of a model, or the start of the transcript."""
    path = release.transcript_path(model, met.scenario_id, met.epoch)
    said = release.transcript(model, met.scenario_id, met.epoch)
    turn = quoted_turn(item)
    if path is None or said is None or turn is None:
        return path
    return f"{path}#turn-{turn}" if any(message.turn == turn for message in said.messages) else path


def _ways(pair: Pair, differences: list[Difference], shown: Difference | None = None) -> tuple[OneSided, ...]:
    """The differences by the model that failed; a model that never failed alone is left out."""
    ways = []
    for failed, passed in (pair.by_failure(first=True), pair.by_failure(first=False)):
        here = [one for one in differences if one.failed is failed]
        if here:
            rest = tuple(one for one in here if one is not shown)
            ways.append(OneSided(failed, passed, rest, len(here)))
    return tuple(ways)
