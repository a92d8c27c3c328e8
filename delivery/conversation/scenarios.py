"""Data for the scenario pages: the text, related scenarios and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from delivery.conversation.moments import Piece, marked
from delivery.release.background import due, is_as_played
from delivery.release.view import Release, further_slugs
from delivery.words.filters import template_filter
from delivery.words.numbers import words
from ib.models.benchmark.check import Check
from ib.models.conversation.scenario import (
    CueSeverity,
    CueTag,
    Probe,
    Scenario,
    ScenarioAnchor,
    Turn,
)
from ib.models.release.leaderboard import ScenarioEntry

GRAVE = (CueSeverity.HIGH, CueSeverity.CRITICAL)
"""The severities that the content note of a scenario page lists."""


@dataclass(frozen=True)
class Story:
    """A scenario of the benchmark, of the release, or of both."""

    scenario_id: str
    slug: str
    entry: ScenarioEntry | None
    """The results in the release; None if no model met the scenario."""
    scenario: Scenario | None
    """The text; None if the background does not have the scenario."""
    due: tuple[Check, ...] = ()

    @property
    def title(self) -> str:
        return self.scenario.title if self.scenario else f"Scenario {self.scenario_id}"

    @property
    def category(self) -> str | None:
        if self.scenario:
            return self.scenario.category
        return self.entry.category if self.entry else None

    @property
    def theme(self) -> str | None:
        return self.scenario.theme if self.scenario else None

    @property
    def jurisdiction(self) -> str | None:
        if self.scenario:
            return self.scenario.jurisdiction
        return self.entry.jurisdiction if self.entry else None

    @property
    def models(self) -> int:
        return len(self.entry.models) if self.entry else 0

    @property
    def turns(self) -> int:
        return sum(1 for _ in self.scenario.all_turns()) if self.scenario else 0

    @property
    def sessions(self) -> int:
        return len(self.scenario.all_sessions()) if self.scenario else 0

    @property
    def as_played(self) -> bool:
        """True if the models of the release met exactly this text."""
        return bool(self.entry and self.scenario and is_as_played(self.entry, self.scenario))

    @cached_property
    def cues(self) -> Counter[CueSeverity]:
        """The number of risk cues, by severity."""
        return Counter(risk.severity for risk in self.scenario.risk_triggers) if self.scenario else Counter()

    @property
    def cues_told(self) -> str:
        """The number of risk cues by severity as text, the gravest first; empty if there are none."""
        counts = ((self.cues[severity], severity.value) for severity in reversed(CueSeverity))
        return ", ".join(f"{count} {name}" for count, name in counts if count)

    @cached_property
    def grave(self) -> dict[str, tuple[int, ...]]:
        """Cues with a high or critical severity in some turn, each with all turns that contain the cue."""
        risks = self.scenario.risk_triggers if self.scenario else ()
        found: dict[str, list[int]] = {risk.cue: [] for risk in risks if risk.severity in GRAVE}
        for risk in risks:
            if risk.cue in found:
                found[risk.cue].append(risk.turn)
        return {cue: tuple(sorted(set(turns))) for cue, turns in found.items()}


@dataclass(frozen=True)
class Beat:
    """A turn, with the cues, anchors and probes that the scenario lists for it."""

    turn: Turn
    cues: tuple[CueTag, ...]
    anchors: tuple[ScenarioAnchor, ...]
    probes: tuple[Probe, ...]

    @property
    def said(self) -> tuple[Piece, ...]:
        """The person's words, with those that call for an answer as quoted pieces."""
        text = self.turn.user_message
        places = ((text.find(anchor.cue), len(anchor.cue)) for anchor in self.anchors)
        return marked(text, ((at, at + length) for at, length in places if at >= 0))


@template_filter
def plain(text: str) -> tuple[Piece, ...]:
    """A message without marks."""
    return (Piece(text),)


@dataclass(frozen=True)
class Kin:
    """A related scenario, and the relation."""

    story: Story
    how: str


def stories(release: Release) -> tuple[Story, ...]:
    """Every scenario of the release or the background, sorted by id. Open logs have no scenarios."""
    entries = {entry.scenario_id: entry for entry in release.board.scenarios}
    known = {} if release.board.open_logs else release.background.scenarios
    slugs = {entry.scenario_id: entry.slug for entry in entries.values()}
    slugs |= further_slugs(sorted(known.keys() - entries.keys()), set(slugs.values()))
    return tuple(
        Story(
            scenario_id,
            slugs[scenario_id],
            entries.get(scenario_id),
            known.get(scenario_id),
            due(known[scenario_id], release.benchmark.checks) if scenario_id in known else (),
        )
        for scenario_id in sorted(slugs)
    )


def grouped(told: Sequence[Story]) -> list[tuple[str | None, list[Story]]]:
    """The stories by category, sorted by theme. Stories without a category come last."""
    names = sorted({story.category for story in told}, key=lambda name: (name is None, name or ""))
    return [
        (name, sorted((s for s in told if s.category == name), key=lambda s: (s.theme or "", s.scenario_id)))
        for name in names
    ]


def beats(scenario: Scenario) -> dict[int, Beat]:
    """The turns of a scenario, by number."""
    return {
        turn.turn: Beat(
            turn,
            tuple(risk for risk in scenario.risk_triggers if risk.turn == turn.turn),
            tuple(anchor for anchor in scenario.anchors if anchor.cue_turn == turn.turn),
            tuple(probe for probe in scenario.probes if probe.turn == turn.turn),
        )
        for turn in scenario.all_turns()
    }


def kin(story: Story, told: Sequence[Story]) -> tuple[Kin, ...]:
    """The other scenarios of the same family, each with its relation to this one."""
    return tuple(Kin(other, how) for other in told if (how := _how(story.scenario, other.scenario)))


def _how(here: Scenario | None, other: Scenario | None) -> str:
    if here is None or other is None or here.scenario_id == other.scenario_id:
        return ""
    said = []
    if here.variant_of == other.scenario_id:
        said.append("this scenario is a variant of it")
    if other.variant_of == here.scenario_id:
        said.append("a variant of this scenario")
    if here.variant_of is not None and here.variant_of == other.variant_of:
        said.append("a variant of the same scenario")
    if here.contrast and other.contrast and here.contrast.group == other.contrast.group:
        said.append(f"in the same contrast group, {_place(other.contrast.variable)}")
    return "; ".join(said)


_DIFFERS = {
    "explicit_words": "the person says in plain words what the original only hints at",
    "plain_humor": "it is plainly a joke, with no danger",
    "cue_removed": "the cue of danger is removed",
    "religious_language": "the person says the same in religious words",
}


@template_filter
def what_differs(variable: str) -> str:
    """In what a variant of a contrast group differs from the original; its code in words if it is new."""
    return _DIFFERS.get(variable, words(variable))


def _place(variable: str) -> str:
    if variable == "anchor":
        return "as its original scenario"
    return f"where this differs: {what_differs(variable)}"


@dataclass(frozen=True)
class Figures:
    """Counts over the scenarios of a benchmark."""

    scenarios: int
    played: int
    """Number of these scenarios that the release has."""
    published: int
    turns: int
    fewest: int
    most: int
    sessions: int
    """Number of scenarios with more than one session."""
    branching: int
    cues: int
    grave: int
    anchors: int
    probes: int
    rubrics: int
    groups: int
    variants: int
    places: int


def figures(release: Release) -> Figures | None:
    """The counts for the background. Returns None if the background has no scenarios."""
    told = tuple(release.background.scenarios.values())
    if not told:
        return None
    turns = [list(scenario.all_turns()) for scenario in told]
    cues = [risk.severity for scenario in told for risk in scenario.risk_triggers]
    return Figures(
        scenarios=len(told),
        played=sum(one.scenario_id in release.background.scenarios for one in release.board.scenarios),
        published=sum(scenario.published for scenario in told),
        turns=sum(map(len, turns)),
        fewest=min(map(len, turns)),
        most=max(map(len, turns)),
        sessions=sum(len(scenario.all_sessions()) > 1 for scenario in told),
        branching=sum(any(turn.branches for turn in said) for said in turns),
        cues=len(cues),
        grave=sum(severity in GRAVE for severity in cues),
        anchors=sum(len(scenario.anchors) for scenario in told),
        probes=sum(len(scenario.probes) for scenario in told),
        rubrics=sum(len(turn.rubric) for said in turns for turn in said),
        groups=len({scenario.contrast.group for scenario in told if scenario.contrast}),
        variants=sum(scenario.variant_of is not None for scenario in told),
        places=len({scenario.jurisdiction for scenario in told}),
    )
