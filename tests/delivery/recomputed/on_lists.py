"""The lists of transcripts."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed.claims import Data, Here, claim

GRADES = ("proportionate", "over-cautious", "false alarm")


def carried(here: Here, model: Data, *, twins: bool) -> list[Data]:
    """The transcripts of a model that the release carries, of scenarios or of safe twins."""
    safe = {one["scenario_id"] for one in here.board["twins"]}
    found = [one for (slug, *_), one in here.source.plays.items() if slug == model["slug"]]
    return [one for one in found if (one["scenario_id"] in safe) == twins]


def failed(model: Data, one: Data) -> int:
    """How many checks failed in a transcript."""
    places = {(met["scenario_id"], met["epoch"]): met for met in model["scenarios"]}
    return len(places[one["scenario_id"], one["epoch"]]["failed_checks"])


def left_out(here: Here, model: Data) -> int:
    rows = sum("left_out" in row for row in here.source.rows(model["slug"]))
    return rows + len(here.source.transcripts[model["slug"]]["left_out"])


@claim("transcripts", "", "row")
def by_model(here: Here) -> Iterator[str]:
    for model in here.models:
        plays, twins = (carried(here, model, twins=which) for which in (False, True))
        failing = sum(failed(model, one) > 0 for one in plays)
        yield f"{model['model']} {len(plays)} {failing} {len(twins)} {left_out(here, model)}"


def _length(one: Data) -> int:
    return len({message["turn"] for message in one["messages"]})


@claim("transcripts of a model", "scenarios", "caption")
def number_of_scenarios(here: Here) -> Iterator[str]:
    yield str(len(carried(here, here.model, twins=False)))


@claim("transcripts of a model", "twins", "caption")
def number_of_twins(here: Here) -> Iterator[str]:
    yield str(len(carried(here, here.model, twins=True)) or "")


@claim("transcripts of a model", "scenarios", "row")
def scenarios(here: Here) -> Iterator[str]:
    for one in carried(here, here.model, twins=False):
        yield f"{here.play(one)} {_length(one)} {failed(here.model, one)}"


@claim("transcripts of a model", "twins", "row")
def twins(here: Here) -> Iterator[str]:
    """A transcript has the grade of its alarm; without one, what is left of the counts of its twin."""
    for one in carried(here, here.model, twins=True):
        yield f"{here.play(one)} {_length(one)} {' or '.join(grades(here, here.model, one))}"


def grades(here: Here, model: Data, one: Data) -> list[str]:
    """The grades that a play of a twin can have, in words."""
    for alarm in here.source.evidence[model["slug"]]["alarms"]:
        if (alarm["scenario_id"], alarm["epoch"]) == (one["scenario_id"], one["epoch"]):
            return [GRADES[alarm["grade"]]]
    for pair in (model["dangers_and_alarms"] or {"pairs": []})["pairs"]:
        if pair["twin"] == one["scenario_id"]:
            reasons = [f"no grade ({why.replace('_', ' ')})" for why in pair["ungraded"]]
            return [GRADES[0]] * (pair["grades"][0] > 0) + reasons
    return ["not counted, because the scenario was not played"]


def grade(here: Here, model: Data, one: Data) -> int | None:
    """The grade of a play of a twin, if it can have only one."""
    found = grades(here, model, one)
    return GRADES.index(found[0]) if len(found) == 1 and found[0] in GRADES else None


@claim("transcripts of a model", "scenarios|twins", "p")
def missing(here: Here) -> Iterator[str]:
    yield str(left_out(here, here.model) or "")
