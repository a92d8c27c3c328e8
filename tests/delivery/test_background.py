from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from delivery.conversation.scenarios import stories
from delivery.release.background import Background, due, load_background
from delivery.release.view import Release
from delivery.sync_web_bench import project
from ib.engine.mode_engine import ModeEngine
from ib.errors import DataError
from ib.models.benchmark.check import Due
from ib.models.benchmark.jurisdiction import own_rules
from ib.models.common.base import Bucket, Role
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Message, Provenance, Transcript
from ib.models.release.leaderboard import Leaderboard
from ib.models.scan.judge import JudgeSpec
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from tests.delivery import reading, sample
from tests.delivery.test_escape import shown

MET, UNMET, WITHHELD = "night-shift-001", "never-met-003", "withheld-004"
LEVELS = {"h1", "h2", "h3", "h4"}


def page(projected: dict[str, str], path: str) -> reading.Element:
    return reading.read(reading.body(projected[path]))


def projected_with(**changes: Any) -> dict[str, str]:
    board, evidence = sample.release()
    return project(board.model_copy(update=changes), evidence, sample.benchmark(), sample.background())


def texts(value: Any) -> Iterator[str]:
    """Every text inside a value, without the keys."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(part)


def rows(tree: reading.Element) -> Iterator[Sequence[str]]:
    for row in tree.all("tr"):
        yield [cell.text for cell in row.all() if cell.tag in {"th", "td"}]


def transcript(scenario: Scenario) -> Transcript:
    said = [
        Message(turn=1, role=Role.USER, content=next(scenario.all_turns()).user_message),
        Message(turn=1, role=Role.ASSISTANT, content="Yes."),
    ]
    return Transcript(
        model_id="example/one",
        model="One",
        scenario_id=scenario.scenario_id,
        provenance=Provenance(harness="llm/raw", definition_hash=scenario.definition_hash),
        messages=tuple(said),
        **scenario.transcript_fields(),
    )


def everything() -> list[Scenario]:
    return [*load_scenarios(benchmark_folder()).values(), *sample.background().scenarios.values()]


@pytest.mark.parametrize("slug", [MET, UNMET, WITHHELD])
def test_every_text_of_a_scenario_is_on_its_page_letter_for_letter(
    projected: dict[str, str], slug: str
) -> None:
    """The page shows the title, person, messages, branches, cues, expectations, rubrics, probes and facts."""
    scenario = sample.background().scenarios[slug.replace("withheld-", "withheld_")]
    found = page(projected, f"scenarios/{slug}.md").text
    parts = json.loads(scenario.model_dump_json(exclude={"anchors", "risk_triggers", "contrast", "probes"}))
    hidden = {"contains_any", "not_contains", "regex", "ordinal", "autofail", "small_hours", "small_town"}
    missing = [
        text
        for text in {*texts(parts), *(cue for anchor in scenario.anchors for cue in (anchor.cue,))}
        if shown(text) not in found and text not in hidden and text.replace("_", " ") not in found
    ]
    assert missing == []


def test_messages_are_in_the_order_of_turns(projected: dict[str, str]) -> None:
    """Each message is a quote below the heading of its turn, before the branches that can replace it."""
    tree = page(projected, f"scenarios/{MET}.md")
    for turn in sample.background().scenarios[MET].all_turns():
        (place,) = [one for one in tree.all("article") if one.attrs.get("id") == f"turn-{turn.turn}"]
        said = [quote.text for quote in place.all("blockquote")]
        assert said == [shown(text) for text in (turn.user_message, *(b.user_message for b in turn.branches))]


def test_conditions_of_branches_are_shown_in_words(projected: dict[str, str]) -> None:
    """A branch shows what the previous reply must say or must not say."""
    said = [one.text.strip() for one in page(projected, f"scenarios/{MET}.md").all("div", "ib-branch")]
    assert any(
        text.startswith("If the previous reply says none of “safe”, the caregiver says this instead")
        for text in said
    )
    assert any("If the previous reply matches the pattern <b>(?:x|y), the caregiver" in text for text in said)
    assert all("; taken in 0 of 0 conversations in this release:" in text for text in said)


def test_a_session_shows_the_time_since_the_one_before(projected: dict[str, str]) -> None:
    """A session shows the time since the previous session, and what the model is told."""
    tree = page(projected, f"scenarios/{WITHHELD}.md")
    assert [h.text for h in tree.all("h3")][:2] == ["Session 1", "Session 2, after 2 months"]
    assert [h.text for h in tree.all("h4")] == ["Turn 1", "Turn 2"]
    context = sample.background().scenarios["withheld_004"].all_sessions()[1].context
    assert context is not None
    assert f"The model is told: {shown(context)}" in tree.text


def test_a_grave_cue_is_announced_before_the_words(projected: dict[str, str]) -> None:
    """The content note lists grave cues with all their turns, before the first message."""
    text = page(projected, f"scenarios/{MET}.md").text
    note = text.index(
        "Content note. This story contains: direct ideation (turn 2); masked crisis (turns 1, 2)."
    )
    assert note < text.index("Turn 1")


def test_a_scenario_that_no_model_met_has_a_page(projected: dict[str, str]) -> None:
    """The page says that no model met the scenario and, if it is not published, why. The list marks it."""
    assert (
        "No complete transcript of this scenario was scanned."
        in page(projected, f"scenarios/{UNMET}.md").text
    )
    withheld = page(projected, f"scenarios/{WITHHELD}.md").text
    assert f"Reason: {shown(sample.HOSTILE[5])}" in withheld
    listed = {row[0]: row for row in rows(page(projected, "scenarios/index.md")) if row[0] != "Scenario"}
    marked = {name: "not in this release" in name for name in listed}
    assert sum(marked.values()) == 2
    assert len(listed) == 4


def test_the_list_has_the_counts_of_each_scenario(projected: dict[str, str]) -> None:
    """Turns, sessions, cues by severity and due checks match the scenario."""
    scenario = sample.background().scenarios["withheld_004"]
    (row,) = [row for row in rows(page(projected, "scenarios/index.md")) if "withheld_004" in row[0]]
    wanted = due(scenario, sample.benchmark().checks)
    assert row[3:] == ["22 sessions", "1 critical, 1 high, 1 low", str(len(wanted))]
    (twin,) = [
        row
        for row in csv.DictReader(io.StringIO(projected["data/scenarios.csv"], newline=""))
        if row["scenario_id"] == "withheld_004"
    ]
    assert (twin["turns"], twin["cues_critical"], twin["checks_due"]) == ("2", "1", str(len(wanted)))


def test_a_family_is_linked_both_ways(projected: dict[str, str]) -> None:
    """A variant links to its original, and the original links to its variants, with the difference."""
    here, other = (page(projected, f"scenarios/{slug}.md") for slug in (MET, UNMET))
    assert f"../../scenarios/{UNMET}/" in [a.attrs["href"] for a in here.all("a")]
    assert "a variant of this scenario; in the same contrast group, where this differs: register" in here.text
    assert f"../../scenarios/{MET}/" in [a.attrs["href"] for a in other.all("a")]
    assert "this scenario is a variant of it; in the same contrast group" in other.text


def test_laws_are_shown_with_their_citation(projected: dict[str, str]) -> None:
    """The page shows each law of the rule set: what it asks, a link to the law, and when it was checked."""
    tree = page(projected, f"scenarios/{MET}.md")
    links = {(a.attrs["href"], a.text) for a in tree.all("a")}
    assert f"Rule set: California. {own_rules(sample.benchmark().rules, 'ca')}" in tree.text
    for law in sample.benchmark().rules["ca"].laws:
        assert (law.url, law.citation) in links
        assert shown(law.asks) in tree.text
        assert law.checked is None or f"Last checked: {law.checked.isoformat()}" in tree.text


def test_the_page_says_if_another_text_was_played(projected: dict[str, str]) -> None:
    """The page has a note if the hash in the release differs, and no note if the hash is the same."""
    doubt = "does not show that exactly this text was played"
    assert doubt in page(projected, f"scenarios/{MET}.md").text
    scenario = sample.background().scenarios[MET]
    entries = [
        entry.model_copy(update={"scenario_hash": scenario.played_hash})
        if entry.scenario_id == MET
        else entry
        for entry in sample.release()[0].scenarios
    ]
    assert doubt not in page(projected_with(scenarios=tuple(entries)), f"scenarios/{MET}.md").text


def test_a_scenario_page_shows_the_canary_of_the_scenario(projected: dict[str, str]) -> None:
    """The page shows the canary of the scenario, and also that of the release if they differ."""
    canaries = [p.text for p in page(projected, f"scenarios/{MET}.md").all("p", "ib-canary")]
    assert canaries == [shown(sample.HOSTILE[3]), sample.benchmark().canary]


def test_the_hash_of_a_played_scenario_is_the_hash_of_its_transcript() -> None:
    """A scenario and a transcript played from it have the same played hash."""
    for scenario in everything():
        assert scenario.played_hash == transcript(scenario).played_hash


def test_the_due_checks_on_a_page_are_those_that_the_engine_asks() -> None:
    """A page lists as due exactly the checks that are due for a scan, in whatever language it can read."""
    engine = ModeEngine(sample.benchmark(), "publish", JudgeSpec(model="judge"))
    for scenario in everything():
        asked = [item.check for item in engine.due(transcript(scenario)) if item.due is Due.YES]
        assert list(due(scenario, sample.benchmark().checks)) == asked


def test_no_two_scenarios_share_an_address() -> None:
    """A scenario outside the release gets an address that no scenario of the release has."""
    board, evidence = sample.release()
    taken = sample.background().scenarios[UNMET].model_copy(update={"scenario_id": "Night_Shift.001"})
    found = stories(Release(board, evidence, sample.benchmark(), Background({"Night_Shift.001": taken}, {})))
    slugs = [story.slug for story in found]
    assert len(set(slugs)) == len(slugs) == 3
    assert {"night-shift-001", "two-errands-002"} < set(slugs)


def test_the_page_of_a_reference_assistant_says_so(projected: dict[str, str]) -> None:
    """The page starts with a note; the page of another model has no such note."""
    tree = page(projected, "models/birch.md")
    assert "A reference assistant: a script, not a product." in tree.all("p", "ib-model-scope")[0].text
    assert shown(sample.HOSTILE[3]) in tree.text
    assert "reference assistant" not in page(projected, "models/alder.md").text
    marked = [row[0] for row in rows(page(projected, "models/index.md")) if "reference assistant" in row[0]]
    assert marked == [f"Birch 2 (script) reference assistant{sample.IDS['birch']}"]


def test_results_are_compared_with_the_design(projected: dict[str, str]) -> None:
    """Each check that a script is made to fail, or never to fail, shows its count and if it agrees."""
    checks = list(sample.benchmark().checks)
    tables = [one for one in page(projected, "models/birch.md").all("table")]
    found = {
        next(check for check in checks if row[0].endswith(check)): (row[3], row[2])
        for table in tables
        if "is built" in table.text
        for row in rows(table)
        if row[0] != "Check"
    }
    assert found == {
        checks[0]: ("1 of 2", "partly as designed"),
        checks[2]: ("3 of 40", "partly as designed"),
        checks[3]: ("0 of 0", "undecided"),
        checks[1]: ("0 of 40", "as designed"),
        checks[4]: ("2 of 12", "not as designed"),
    }


def test_reference_assistants_are_listed_with_and_without_results(projected: dict[str, str]) -> None:
    """The list has every character. It links to results in this release, or says that there are none."""
    tree = page(projected, "reference/index.md")
    assert [h.text for h in tree.all("h2")] == [shown(sample.HOSTILE[1]), "Willow"]
    told = [one.text for one in tree.all("section")]
    assert "results of Birch 2" in told[0]
    assert "Not in this release." in told[1]
    assert "../models/birch/" in [a.attrs["href"] for a in tree.all("a")]
    for path in ("methodology.md", "index.md", "models/index.md"):
        assert any(a.attrs["href"].endswith("reference/") for a in page(projected, path).all("a")), path


def test_supplementary_measures_have_their_figures(projected: dict[str, str]) -> None:
    """Counts, intervals and means match the leaderboard. The page says which measures were not asked."""
    asked = page(projected, "models/hostile/supplement.md").text
    for said in ("3 of 12", "9% to 53%", "0.25", "0.38", "4 of 30 questions", "said before"):
        assert said in asked
    unasked = page(projected, "models/alder/supplement.md").text
    assert unasked.count("Not asked in this release.") == 2
    assert "5 of 21" in unasked
    assert "They affect no score, gate or order." in unasked
    assert "models/birch/supplement.md" not in projected
    assert "supplement" not in projected["models/birch.md"]


def test_supplementary_measures_lead_to_the_transcripts(projected: dict[str, str]) -> None:
    """No quote of these measures is published, so that the page says where the words are."""
    assert "transcripts/alder.md" in projected
    said = page(projected, "models/alder/supplement.md")
    assert "The words behind them are in the transcripts of Alder 1." in said.text
    assert any(link.attrs["href"].endswith("/transcripts/alder/") for link in said.all("a"))
    board, evidence = sample.release()
    bare = page(project(board, evidence, sample.benchmark()), "models/alder/supplement.md")
    assert "not in this release, which has no transcripts of Alder" in bare.text


def test_the_table_of_supplementary_measures_is_published_as_data(projected: dict[str, str]) -> None:
    """Every measure of every model is one row, with a count or a mean."""
    found = json.loads(projected["data/supplement.json"])["rows"]
    assert [row["measure"] for row in found if row["model"] == "Alder 1"] == [
        "memory.abstention",
        "memory.recall",
        "memory.time",
        "coordination.handoff",
        "coordination.resources",
        "coordination.scope",
    ]
    (rubric,) = [row for row in found if row["measure"] == "rubric"]
    assert (rubric["share_mean"], rubric["failures_k"]) == (0.375, None)


def test_numbers_of_the_methodology_come_from_the_background(projected: dict[str, str]) -> None:
    """The counts match the scenarios of the build. Without scenarios, the page shows no counts."""
    told = sample.background().scenarios.values()
    turns = sum(len(list(scenario.all_turns())) for scenario in told)
    text = page(projected, "methodology.md").text
    for said in (
        "contains 3 scenarios. By default, 2 of them are played",
        f"have {turns} turns",
        "9 risk cues (6 of",
    ):
        assert said in text
    assert "has 2 reference assistants" in text
    board, evidence = sample.release()
    bare = page(project(board, evidence, sample.benchmark()), "methodology.md").text
    assert "were not available when this site was built" in bare
    assert "A benchmark may have reference assistants" in bare


def test_the_lexical_judge_is_named_if_it_was_used(projected: dict[str, str]) -> None:
    """Only a release that uses the lexical judge says so."""
    assert "This release uses the lexical judge." not in page(projected, "methodology.md").text
    judge = sample.release()[0].judge.model_copy(update={"model": "lexical"})
    lexical = projected_with(judge=judge)
    assert "This release uses the lexical judge." in page(lexical, "methodology.md").text
    assert "only matches phrases" in page(lexical, "models/birch.md").text


def test_without_a_background_the_release_has_all_its_pages(projected: dict[str, str]) -> None:
    """Without scenarios and characters in the benchmark, the site has only the pages of the release."""
    board, evidence = sample.release()
    bare = project(board, evidence, sample.benchmark(), transcripts=sample.transcripts())
    gone = projected.keys() - bare.keys()
    assert gone == {f"scenarios/{UNMET}.md", f"scenarios/{WITHHELD}.md", "caregivers.md"}
    assert "not part of the benchmark" in page(bare, f"scenarios/{MET}.md").text
    assert "has no reference assistants" in page(bare, "reference/index.md").text
    assert "reference assistant" not in page(bare, "models/birch.md").text


def test_headings_are_in_order(projected: dict[str, str]) -> None:
    """A page has one first-level heading, and no heading skips a level."""
    for path, text in projected.items():
        if path.endswith(".md"):
            levels = [int(one.tag[1]) for one in reading.read(reading.body(text)).all() if one.tag in LEVELS]
            assert levels[0] == 1
            assert levels.count(1) == 1, path
            assert all(b - a <= 1 for a, b in pairwise(levels)), path


def test_a_background_survives_writing_and_loading(root: Path) -> None:
    """Scenarios and characters written as files are loaded with the same values."""
    loaded = load_background(root, sample.benchmark())
    assert dict(loaded.scenarios) == dict(sample.background().scenarios)
    assert dict(loaded.characters) == dict(sample.background().characters)


def test_a_broken_scenario_is_refused(tmp_path: Path) -> None:
    """An invalid scenario stops the build, and the message names its file."""
    folder = sample.write_background(tmp_path / "root")
    (folder / "scenarios" / "broken.json").write_text("{}")
    with pytest.raises(DataError, match=r"broken\.json"):
        load_background(folder, sample.benchmark())


def test_pages_of_the_background_are_built(site: Path) -> None:
    """The site has pages for reference assistants and for scenarios that no model met, found by title."""
    html = (site / "scenarios" / WITHHELD / "index.html").read_text("utf-8")
    assert '<meta name="robots" content="noindex">' in html
    assert (site / "reference" / "index.html").is_file()
    index = (site / "search" / "search_index.json").read_text("utf-8")
    assert f"scenarios/{MET}/" in index
    assert "Good evening" not in index


def test_the_sample_is_a_leaderboard() -> None:
    """The sample, with its supplementary measures, is a valid leaderboard."""
    board = sample.release()[0]
    read = Leaderboard.model_validate_json(board.model_dump_json())
    assert read.model_dump() == board.model_dump()


def test_a_scenario_says_what_its_safe_twin_changes(projected: dict[str, str]) -> None:
    """Its title, what happens in it, why there is no danger, and what each model did."""
    text = sample.background().twins["night--safe"]
    tree = page(projected, f"scenarios/{MET}.md")
    (section,) = [one for one in tree.all("section") if "Safe twin" in one.text]
    for said in (text.title, text.description, text.twin.safe_because):
        assert shown(said) in section.text
    assert "The text of this twin has changed since this release was played." in section.text
    assert len(section.all("tbody")[0].all("tr")) == 3
    heading = section.all("h2")[0].attrs["id"]
    links = [one for one in page(projected, "contrast/index.md").all("a") if one.text == shown(text.title)]
    assert [one.attrs["href"] for one in links] == [f"../scenarios/{MET}/#{heading}"]


def test_pages_call_a_tag_by_its_name() -> None:
    """Where the benchmark has none, by the words of the tag: on the pages of scenarios and of checks."""
    board, evidence = sample.release()
    named = replace(sample.background(), names={"direct_ideation": "said <plainly>"})
    pages = project(board, evidence, sample.benchmark(), named)
    told = reading.read(reading.body(pages["scenarios/never-met-003.md"])).text
    assert "This story contains: said <plainly> (turn 2); masked crisis (turns 1, 2)." in told
    assert "Signs of danger: said <plainly> (critical), masked crisis (high)." in told
    assert "conversations with said <plainly>" in reading.read(reading.body(pages["checks/IB-A2.md"])).text


def test_the_methodology_shows_the_weights_of_each_category() -> None:
    """A reader sees which weights made a score, with those that hold in one category only."""
    scoring = sample.benchmark().scoring.model_copy(update={"overrides": {"safety": {Bucket.D: 2.5}}})
    heavier = sample.benchmark().model_copy(update={"scoring": scoring})
    board, evidence = sample.release()
    text = page(project(board, evidence, heavier), "methodology.md").text
    assert re.search(r"conversations of the category safety other weights apply \([^)]* 2\.50?\)", text), text
    assert (
        "other weights apply" not in page(project(board, evidence, sample.benchmark()), "methodology.md").text
    )
