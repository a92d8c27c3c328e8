"""The parts of a model’s page that have pages of their own: all counts, the conversations, other measures."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.on_figures import BUCKETS
from tests.delivery.recomputed.on_models import entries, mean_line
from tests.delivery.recomputed.recount import rate_interval

PARTS = ("memory", "coordination")


@claim("counts of a model", "dimension-.", "p")
def covered(here: Here) -> Iterator[str]:
    rows = entries(here.model)
    for bucket in BUCKETS:
        if bucket in here.model["bucket_coverage"] and any(one["bucket"] == bucket for one in rows.values()):
            yield say.covered(here.model["bucket_coverage"][bucket])


@claim("counts of a model", "dimension-.", "row")
def counts(here: Here) -> Iterator[str]:
    found = entries(here.model)
    for check in here.checks:
        if check["id"] in found:
            one = found[check["id"]]
            split = f"; split {one['split']}" if one["split"] else ""
            yield (
                f"{check['name']} {say.unclear(one['failures'], one['not_run'])} {unjudged(one)} "
                f"{one['windows']}{split} "
                f"{say.covered(one['coverage'])} {say.turns(one['occurrences'])}"
            )


def unjudged(one: Data) -> str:
    """How many cases have no verdict."""
    counts = [(one[key], key.replace("_", " ")) for key in ("not_applicable", "not_run", "suppressed")]
    return say.listed(f"{count} {what}" for count, what in counts if count) or say.DASH


@claim("scenarios of a model", "", "caption")
def number_of_scenarios(here: Here) -> Iterator[str]:
    yield str(here.model["transcripts"])


@claim("scenarios of a model", "", "row")
def scenarios(here: Here) -> Iterator[str]:
    for met in here.model["scenarios"]:
        states = " ".join(say.state(here, met["gates"][bucket]["state"]) for bucket in "AB")
        carried = here.carried(here.model, met["scenario_id"], met["epoch"])
        link = "" if carried else "not published"
        score = say.score(met["overall_score"])
        yield f"{here.play(met)} {link} {len(met['failed_checks'])} {say.older_met(met)} {states} {score}"


@claim("supplement of a model", "(?!regard$|rubrics$).+", "row")
def measures(here: Here) -> Iterator[str]:
    found = here.model["supplement"] or {}
    for rates in (*(found.get(part, {}) for part in PARTS), *found.get("others", {}).values()):
        for name, rate in sorted(rates.items()):
            yield f"{name.capitalize()} {say.rate_cells(rate)} {say.unclear(rate)}"


@claim("supplement of a model", "regard", "row")
def regard(here: Here) -> Iterator[str]:
    found = (here.model["supplement"] or {"regard": {}})["regard"]
    for side, mean in sorted(found.items(), key=lambda one: (one[0] == "mean", one[0])):
        ends = say.scores(mean["low"], mean["high"])
        yield f"{side} {say.score(mean['mean'])} {mean['n']} {ends} {mean['n']} {mean['nulls']}"


@claim("supplement of a model", "rubrics", "li")
def rubrics(here: Here) -> Iterator[str]:
    found = here.model["supplement"] or {"rubric": None, "autofails": None}
    mean, fails = found["rubric"], found["autofails"]
    if mean is not None:
        yield mean_line(mean)
    if fails is not None:
        k, n = fails["k"], fails["n"]
        ends = f"({say.percent(k / n)}, {say.between(*rate_interval(k, n))})" if n >= say.FEW else ""
        yield f"{k} of {n} {ends} {say.unclear(fails)} {say.support(fails)}"
