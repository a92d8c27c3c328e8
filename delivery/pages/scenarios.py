"""The pages of scenarios: a list, and a page for each scenario."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from delivery.conversation.scenarios import beats, grouped, kin, stories
from delivery.figures.units import on_scenario
from delivery.pages.page import Page
from delivery.release.view import Release
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import own_rules
from ib.models.common.base import Verdict
from ib.models.release.leaderboard import EvidenceItem, ModelEntry, ScenarioOfModel
from ib.models.release.pairs import PairOfModel
from ib.models.scan.letters import DECIDED, FAILED

Met = tuple[ModelEntry, ScenarioOfModel, list[EvidenceItem]]


def pages(release: Release) -> Iterator[Page]:
    """The scenarios of the release and of the benchmark; nothing for a release of open logs."""
    if release.board.open_logs:
        return
    told, met = stories(release), release.on_scenarios()
    yield Page("scenarios/index.md", "scenarios.html", "Scenarios", {"told": told, "groups": grouped(told)})
    pairs = _pairs(release)
    for story in told:
        scenario = story.scenario
        law = release.benchmark.rules.get(story.jurisdiction or "")
        view = {
            "story": story,
            "scenario": scenario,
            "met": met.get(story.scenario_id, []),
            "at_gates": on_scenario(release, met.get(story.scenario_id, [])),
            "beats": beats(scenario) if scenario else {},
            "kin": kin(story, told),
            "law": law,
            "own": "" if law is None else own_rules(release.benchmark.rules, law.id),
            "failures": _failures(release, met.get(story.scenario_id, [])),
            "twins": [twin for twin in release.board.twins if twin.parent == story.scenario_id],
            "pairs": pairs,
            "texts": release.background.twins,
        }
        title = f"{scenario.title} ({story.scenario_id})" if scenario else story.title
        yield Page(f"scenarios/{story.slug}.md", "scenario.html", title, view, search=False, by_title=True)


@dataclass(frozen=True)
class Failure:
    """A check that failed in a scenario: who failed, and how many transcripts passed.

    The check may also have no clear answer on a transcript, or not apply to it: that is no pass.
    """

    check: Check
    failed: tuple[tuple[ModelEntry, EvidenceItem], ...]
    passed: int


def _failures(release: Release, met: Sequence[Met]) -> list[Failure]:
    """The checks that failed in a scenario, in the order of the benchmark."""
    failed = defaultdict(list)
    for model, _, items in met:
        for item in items:
            if item.verdict is Verdict.FAIL:
                failed[item.check_id].append((model, item))
    asked = [summary.check_id for summary in release.board.checks]
    passed = Counter(
        check_id
        for _, one, _ in met
        for check_id, letter in zip(asked, one.verdicts, strict=True)
        if letter in DECIDED - FAILED
    )
    checks = release.benchmark.checks.values()
    return [
        Failure(check, tuple(failed[check.id]), passed[check.id]) for check in checks if check.id in failed
    ]


def _pairs(release: Release) -> dict[str, list[tuple[ModelEntry, PairOfModel]]]:
    """The pairs of every model, by the id of the twin."""
    found = defaultdict(list)
    for model in release.models:
        known = model.dangers_and_alarms
        for pair in () if known is None else known.pairs:
            found[pair.twin].append((model, pair))
    return found
