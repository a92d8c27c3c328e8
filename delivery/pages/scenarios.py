"""The pages of scenarios: a list, and a page for each scenario."""

from __future__ import annotations

from collections.abc import Iterator

from delivery.pages.page import Page
from delivery.release import Release
from delivery.scenarios import beats, grouped, kin, stories
from ib.models.jurisdiction import country_of


def pages(release: Release) -> Iterator[Page]:
    """The scenarios of the release and of the benchmark; nothing for a release of open logs."""
    if release.board.open_logs:
        return
    told, met = stories(release), release.on_scenarios()
    yield Page("scenarios/index.md", "scenarios.html", "Scenarios", {"told": told, "groups": grouped(told)})
    for story in told:
        scenario = story.scenario
        law = release.benchmark.rules.get(story.jurisdiction or "")
        view = {
            "story": story,
            "scenario": scenario,
            "met": met.get(story.scenario_id, []),
            "beats": beats(scenario) if scenario else {},
            "kin": kin(story, told),
            "law": law,
            "country": country_of(scenario.country if scenario else None, law),
        }
        title = f"{scenario.title} ({story.scenario_id})" if scenario else story.title
        yield Page(f"scenarios/{story.slug}.md", "scenario.html", title, view, search=False, by_title=True)
