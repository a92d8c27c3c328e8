"""The list of scenarios and the page of a scenario: its text, and what the models did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.on_models import ORDER, alarm, danger, older_unit, plays_of

SEVERITIES = ("critical", "high", "moderate", "low")
GRAVE = ("high", "critical")
NOTES = ("expected_behaviors", "autofail_triggers")


def stories(here: Here) -> list[str]:
    """The ids of all scenarios of the release or of the benchmark, in order."""
    return sorted({one["scenario_id"] for one in here.board["scenarios"]} | here.source.scenarios.keys())


def entry_of(here: Here, scenario_id: str) -> Data | None:
    return next((one for one in here.board["scenarios"] if one["scenario_id"] == scenario_id), None)


def sessions(scenario: Data) -> list[Data]:
    return scenario.get("sessions") or [{"turns": scenario["turns"]}]


def turns(scenario: Data) -> list[Data]:
    return [turn for session in sessions(scenario) for turn in session["turns"]]


def due(here: Here, scenario: Data) -> list[Data]:
    """The checks that the tags of a scenario bring."""
    cues = {risk["cue"] for risk in scenario.get("risk_triggers", ())}
    tags, found = {*scenario["tags"], *cues, scenario["category"]}, []
    for check in here.checks:
        wanted = set(check.get("eligibility", {}).get("scenario_tags_any", ()))
        suppressed = tags & set(check["routing"].get("suppressed_by_tags", ()))
        if (check["scope"] == "universal" or "any" in wanted or tags & wanted) and not suppressed:
            found.append(check)
    return found


@claim("scenarios", "", "p")
def lead(here: Here) -> Iterator[str]:
    yield f"{len(here.board['scenarios'])} of the {len(stories(here))}"
    known = sum(name in here.source.scenarios for name in stories(here))
    yield str(known) if known < len(list(stories(here))) else ""


def _categories(here: Here) -> list[tuple[str, list[str]]]:
    by_category: dict[str, list[str]] = {}
    for name in stories(here):
        entry, scenario = entry_of(here, name), here.source.scenarios.get(name)
        category = scenario["category"] if scenario else (entry or {}).get("category")
        by_category.setdefault(category or "", []).append(name)
    themes = {name: scenario.get("theme") or "" for name, scenario in here.source.scenarios.items()}
    return [
        (category, sorted(names, key=lambda name: (themes.get(name, ""), name)))
        for category, names in sorted(by_category.items(), key=lambda one: (not one[0], one[0]))
    ]


@claim("scenarios", "category-.+", "heading")
def categories(here: Here) -> Iterator[str]:
    yield from (f"{category} ({len(names)})" for category, names in _categories(here))


@claim("scenarios", "category-.+", "row")
def listed(here: Here) -> Iterator[str]:
    for _, names in _categories(here):
        for name in names:
            scenario = here.source.scenarios.get(name)
            if scenario is None:
                yield f"{name} {say.DASH * 4}"
                continue
            cues = Counter(risk["severity"] for risk in scenario.get("risk_triggers", ()))
            counts = say.listed(f"{cues[one]} {one}" for one in SEVERITIES if cues[one]) or say.DASH
            theme = say.DASH if not scenario.get("theme") else scenario["theme"].replace("_", " ")
            more = len(sessions(scenario))
            length = f"{len(turns(scenario))} {more if more > 1 else ''}"
            yield f"{scenario['title']} {name} {theme} {length} {counts} {len(due(here, scenario))}"


def _told(here: Here) -> tuple[str, Data | None, Data | None]:
    """The scenario of a page: its id, its text, and its entry in the release."""
    slug = here.names[1]
    slugs = {one["slug"]: one["scenario_id"] for one in here.board["scenarios"]}
    named = {re.sub("[_-]+", "-", one): one for one in here.source.scenarios}
    name = slugs.get(slug) or named[slug]
    return name, here.source.scenarios.get(name), entry_of(here, name)


@claim("scenario", "", "heading")
def heading(here: Here) -> Iterator[str]:
    name, scenario, _ = _told(here)
    yield scenario["title"] if scenario else name


@claim("scenario", "", "p")
def description(here: Here) -> Iterator[str]:
    """The description, the turns with grave cues, and why the scenario is not played."""
    _, scenario, entry = _told(here)
    if scenario is not None:
        yield scenario["description"]
        grave: dict[str, set[int]] = {}
        risks = scenario.get("risk_triggers", ())
        for risk in risks:
            if risk["severity"] in GRAVE:
                grave[risk["cue"]] = {one["turn"] for one in risks if one["cue"] == risk["cue"]}
        yield say.listed(f"{cue} {say.listed(map(str, sorted(at)))}" for cue, at in grave.items())
        if entry is None and not scenario.get("published", True):
            yield scenario["unpublished_reason"]


@claim("scenario", "about", "dd")
def facts(here: Here) -> Iterator[str]:
    _, scenario, entry = _told(here)
    if scenario is not None:
        more = len(sessions(scenario))
        yield f"{len(turns(scenario))} {more if more > 1 else ''}"
    if entry is not None:
        yield entry["scenario_hash"]


@claim("scenario", "about", "li")
def kin(here: Here) -> Iterator[str]:
    """Related scenarios: only their titles have numbers."""
    return iter(())


@claim("scenario", "person", "p")
def person(here: Here) -> Iterator[str]:
    _, scenario, _ = _told(here)
    if scenario is not None:
        one = scenario["persona"]
        yield f"{one['name']}, {one['age']}, {one['role']} {one['care_recipient']} {one['care_duration']}"


@claim("scenario", "person", "dd")
def persona(here: Here) -> Iterator[str]:
    _, scenario, _ = _told(here)
    if scenario is not None:
        one = scenario["persona"]
        yield from (str(one["age"]), one["care_recipient"])
        yield from (str(value).replace("_", " ") for value in one.get("context", {}).values())


def _laws(here: Here, scenario: Data | None) -> list[Data]:
    return here.source.laws(scenario["jurisdiction"]) if scenario else []


@claim("scenario", "rules", "summary")
def numbers_of_rules(here: Here) -> Iterator[str]:
    _, scenario, _ = _told(here)
    laws = _laws(here, scenario)
    yield str(len(laws)) if laws else ""
    yield str(len(due(here, scenario))) if scenario else ""


@claim("scenario", "rules", "dt")
def titles_of_laws(here: Here) -> Iterator[str]:
    yield from (law["title"] for law in _laws(here, _told(here)[1]))


@claim("scenario", "rules", "dd")
def laws(here: Here) -> Iterator[str]:
    for law in _laws(here, _told(here)[1]):
        days = [str(law.get(key) or "") for key in ("in_force", "checked")]
        yield f"{law['asks']} {law['citation']} {' '.join(days)} {say.listed(law['applies_to'])}"


@claim("scenario", "conversation", "heading")
def numbers_of_sessions(here: Here) -> Iterator[str]:
    _, scenario, _ = _told(here)
    for session in scenario.get("sessions", ()) or () if scenario else ():
        yield f"{session['session_number']} {session.get('elapsed') or ''}"


def _by_turn(here: Here, told: Any) -> Iterator[str]:
    _, scenario, entry = _told(here)
    for turn in turns(scenario) if scenario else ():
        yield from told(scenario, turn, entry)


@claim("scenario", "turn-.+", "heading")
@claim("scenario", "turn-.+", "summary")
def numbers_of_turns(here: Here) -> Iterator[str]:
    yield from _by_turn(here, lambda _, turn, __: [str(turn["turn"])])


@claim("scenario", "turn-.+", "figcaption")
def speakers(here: Here) -> Iterator[str]:
    """The caregiver speaks, once in the turn and once in each of its branches."""
    yield from _by_turn(here, _speakers)


def _speakers(scenario: Data, turn: Data, _: Data | None) -> list[str]:
    name = scenario["persona"]["name"]
    return [name] * (1 + len(turn.get("branches", ())))


@claim("scenario", "turn-.+", "p")
def notes(here: Here) -> Iterator[str]:
    """The minute, the cues, the anchors, and how often a branch was taken."""
    yield from _by_turn(here, lambda *told: _notes(here, *told))


def _notes(here: Here, scenario: Data, turn: Data, entry: Data | None) -> Iterator[str]:
    yield str(turn["minute"]) if turn.get("minute") is not None else ""
    for one in scenario.get("anchors", ()):
        if one["cue_turn"] == turn["turn"]:
            to = "" if one["from_turn"] == one["to_turn"] else one["to_turn"]
            yield f"{one['from_turn']} {to}"
    for branch in turn.get("branches", ()):
        condition = branch["condition"]
        taken = f"{entry['branches'].get(branch['branch_id'], 0)} of {entry['plays']}" if entry else ""
        heard = here.source.listening[condition["name"]]["meaning"] if condition.get("name") else ""
        yield f"{condition.get('pattern') or ''} {heard} {branch['branch_id']} {taken}"


@claim("scenario", "turn-.+", "dt")
def names_of_branches(here: Here) -> Iterator[str]:
    yield from _by_turn(here, _named_branches)


def _named_branches(_: Data, turn: Data, __: Data | None) -> list[str]:
    branches = turn.get("branches", ())
    return [branch["branch_id"] for branch in branches for note in NOTES if branch.get(note)]


@claim("scenario", "turn-.+", "dd")
def notes_for_readers(here: Here) -> Iterator[str]:
    yield from _by_turn(here, lambda _, turn, __: [turn.get("context_notes") or ""])


@claim("scenario", "turn-.+", "li")
def good_and_failing(here: Here) -> Iterator[str]:
    yield from _by_turn(here, _good_and_failing)


def _good_and_failing(scenario: Data, turn: Data, _: Data | None) -> Iterator[str]:
    for one in (turn, *turn.get("branches", ())):
        for note in NOTES:
            yield from one.get(note, ())
    for one in turn.get("rubric", ()):
        yield f"{one['question']} {one.get('weight', 1):g} {one['id']}"
        yield from (f"{level}: {words}" for level, words in sorted((one.get("levels") or {}).items()))
    for one in scenario.get("probes", ()):
        if one["turn"] == turn["turn"]:
            yield one.get("comment") or ""
    yield from (f"{key.replace('_', ' ')}: {fact}" for key, fact in turn.get("facts", {}).items())


def _met(here: Here) -> list[tuple[Data, Data]]:
    """The transcripts of a scenario."""
    name = _told(here)[0]
    return [(model, met) for model in here.models for met in model["scenarios"] if met["scenario_id"] == name]


def run(met: Data) -> str:
    return "" if met["epoch"] is None else f"run {met['epoch']}"


@claim("scenario", "results", "row")
def met(here: Here) -> Iterator[str]:
    for model, one in _met(here):
        states = " ".join(say.state(here, one["gates"][bucket]["state"]) for bucket in "AB")
        link = "" if here.carried(model, one["scenario_id"], one["epoch"]) else "not published"
        bounds = say.scores(*one["bounds"]) if one["overall_score"] is None and one["bounds"] else ""
        told = f"{model['model']} {run(one)} {link} {len(one['failed_checks'])} {say.older_met(one)} {states}"
        yield f"{told} {say.score(one['overall_score'])} {bounds}"


@claim("scenario", "failures", "row")
def failures(here: Here) -> Iterator[str]:
    name, every = _told(here)[0], _met(here)
    for check in here.checks:
        found = [
            (model, item)
            for model in here.models
            for item in here.source.items(model)
            if (item["scenario_id"], item["check_id"], item["verdict"]) == (name, check["id"], "FAIL")
        ]
        if found:
            told = [
                f"{model['model']} {run(item)} {'contested' if item['contested'] else ''} "
                f"{say.older_item(item)}"
                for model, item in found
            ]
            place = [one["check_id"] for one in here.board["checks"]].index(check["id"])
            passed = sum(met["verdicts"][place] in "Pp" for _, met in every)
            rest = f"{passed} of {len(every)} {say.severity(check)}"
            yield f"{check['name']} {' '.join(told)} {rest}"


@claim("scenario", "failures", "li")
def hashes(here: Here) -> Iterator[str]:
    for _, one in _met(here):
        yield f"{run(one)} {one['transcript_hash']} {one['truncated_turns'] or ''}"


@claim("scenario", "twin-.+", "heading")
def titles_of_twins(here: Here) -> Iterator[str]:
    yield from (here.title(twin["scenario_id"]) for twin in _twins(here))


@claim("scenario", "twin-.+", "p")
def texts_of_twins(here: Here) -> Iterator[str]:
    for twin in _twins(here):
        text = here.source.twins.get(twin["scenario_id"])
        if text is not None:
            yield from (text["description"], text["twin"]["safe_because"])


def _twins(here: Here) -> list[Data]:
    name = _told(here)[0]
    return [one for one in here.board["twins"] if one["parent"] == name]


@claim("scenario", "twin-.+", "row")
def twins(here: Here) -> Iterator[str]:
    for twin in _twins(here):
        for model in here.models:
            for pair in (model["dangers_and_alarms"] or {"pairs": ()})["pairs"]:
                if pair["twin"] == twin["scenario_id"]:
                    yield f"{model['model']} {plays_of(here, model, pair)} {alarm(pair)} {danger(pair)}"


@claim("scenario", "here", "row")
def squares(here: Here) -> Iterator[str]:
    """Each conversation at each gate with its state, the failed ones first, and the counts."""
    name = _told(here)[0]
    for bucket in "AB":
        found = [
            (model, met)
            for model in here.models
            for met in model["scenarios"]
            if met["scenario_id"] == name and met["gates"][bucket]["state"] != "not_due"
        ]
        found.sort(key=lambda one: ORDER.index(one[1]["gates"][bucket]["state"]))
        if found:
            states = Counter(met["gates"][bucket]["state"] for _, met in found)
            failed = states["failed_by_judge"] + states["failed_by_person"]
            open_ = states["contested"] + states["incomplete"]
            told = (
                f"{model['model']}{here.play(met).removeprefix(here.title(name))} "
                f"{say.state(here, met['gates'][bucket]['state'])} {older_unit(here, bucket, met)}"
                for model, met in found
            )
            yield f"{' '.join(told)} {failed} of {len(found)} {f'{open_} undecided' if open_ else ''}"


@claim("scenario", "here", "p")
def below_squares(here: Here) -> Iterator[str]:
    if any(True for _ in squares(here)):
        yield here.cited
