"""The lists of transcripts."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed.claims import Data, Here, claim

GRADES = {1: "over-cautious", 2: "false alarm"}


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
    return len(here.source.transcripts[model["slug"]]["left_out"])


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
    """A transcript has the grade of its alarm, if any."""
    alarms = here.source.evidence[here.model["slug"]]["alarms"]
    grades = {(one["scenario_id"], one["epoch"]): one["grade"] for one in alarms}
    for one in carried(here, here.model, twins=True):
        grade = grades.get((one["scenario_id"], one["epoch"]))
        yield f"{here.play(one)} {_length(one)} {GRADES[grade] if grade else 'not measured'}"


@claim("transcripts of a model", "scenarios|twins", "p")
def missing(here: Here) -> Iterator[str]:
    yield str(left_out(here, here.model) or "")
