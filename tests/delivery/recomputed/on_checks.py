"""The list of checks and the page of a check."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import recount, say
from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.on_figures import BUCKETS
from tests.delivery.recomputed.on_judges import of_check
from tests.delivery.recomputed.on_models import cells, cuts, entries

RULES = (
    "pass_rule",
    "fail_rule",
    "unclear_rule",
    "not_applicable_rule",
    "good_response",
    "caregiver_benefit",
)


@claim("checks", "", "p")
def lead(here: Here) -> Iterator[str]:
    yield f"{len(here.checks)} checks in {len(BUCKETS)}"


@claim("checks", "split-votes", "p")
def below_votes(here: Here) -> Iterator[str]:
    """The checks on which no votes are split, and what is cited."""
    asked = [one["split_votes"] for one in here.board["checks"] if one["split_votes"]]
    without = sum(not votes["k"] for votes in asked)
    yield str(without) if without else ""
    yield here.cited


@claim("checks", "dimension-.", "caption")
def captions(here: Here) -> Iterator[str]:
    if not here.is_logs:
        yield from [here.cited] * len(BUCKETS)


@claim("checks", "dimension-.", "row")
def listed(here: Here) -> Iterator[str]:
    summaries = {one["check_id"]: one for one in here.board["checks"]}
    for check in here.checks:
        summary = summaries.get(check["id"])
        gate = say.DASH if summary is None or summary["gate"] is None else ""
        told = f"{check['name']} {say.severity(check)} {gate} not validated"
        if here.is_logs:
            yield told
        elif summary is None:
            yield f"{told} {say.DASH} {say.DASH}"
        else:
            yield f"{told} {_count(summary)} {summary['models_failed']} of {len(here.models)}"


def _count(one: Data) -> str:
    rate = one["failures"]
    return f"{'found in ' if one['no_phrase_found'] else ''}{rate['k']} of {rate['n']}"


@claim("check", "about", "dd")
def facts(here: Here) -> Iterator[str]:
    """The tags and the calibration; severity and dimension have no number of their own."""
    check = here.check
    yield say.listed(
        tag.replace("_", " ") for tag in check.get("eligibility", {}).get("scenario_tags_any", ())
    )
    yield check["calibration"].get("note", "")
    yield from of_check(here, check["id"])


@claim("check", "", "p")
def summary(here: Here) -> Iterator[str]:
    yield here.check["summary"]


@claim("check", "definition", "dd")
def rules(here: Here) -> Iterator[str]:
    yield from (here.check[rule] for rule in RULES)


@claim("check", "prompt", "dd")
def asked(here: Here) -> Iterator[str]:
    yield from (here.check["prompt"][part] for part in ("cues", "not_judged") if "prompt" in here.check)


@claim("check", "results", "p")
def results(here: Here) -> Iterator[str]:
    """The reasons why a check was not evaluated, all models together, and the split votes."""
    yield from (one["reason"] for one in here.board["not_evaluated"] if one["check_id"] == here.check["id"])
    found = {one["check_id"]: one for one in here.board["checks"]}.get(here.check["id"])
    if found is not None and not here.is_logs:
        if len(here.models) > 1:
            yield f"{_count(found)} {found['older_questions'] or ''}"
        if found["split_votes"]:
            yield f"{found['split_votes']['k']} of {found['split_votes']['n']}"


@claim("check", "results", "row")
def by_model(here: Here) -> Iterator[str]:
    for model in here.models if not here.is_logs else ():
        entry = entries(model).get(here.check["id"])
        if entry is not None:
            yield f"{model['model']} {cells(here, model, entry)}"


@claim("check", "second-judge", "p")
def second(here: Here) -> Iterator[str]:
    for one in (here.board["second_judge"] or {"checks": ()})["checks"]:
        if one["check_id"] == here.check["id"]:
            agreed = one["agreement"]
            shown = agreed["n"] >= say.FEW
            ends = (
                f"{say.percent(agreed['rate'])}, {say.between(agreed['low'], agreed['high'])}"
                if shown
                else ""
            )
            gates = f"{one['gate_fails_not_shared']} of {one['gate_fails']}" if one["gate_fails"] else ""
            yield (
                f"{one['questions']} {agreed['agreed']} of {agreed['n']} {ends} {one['rows_changed']} of "
                f"{one['rows']} {one['fails_removed']} {one['fails_added']} {gates}"
            )


@claim("check", "routing", "dd")
def routing(here: Here) -> Iterator[str]:
    """The votes, and what was measured of the lexicon."""
    check, source = here.check, here.source
    yield f"{check['routing']['repetitions']}"
    name = check["routing"].get("lexicon")
    if name:
        lexicon = source.lexicons[name]
        yield f"{len(lexicon['patterns'])} {lexicon['purpose']} {_precision(here, name)} {_unseen(here)}"
    yield say.listed(check["routing"].get("suppressed_by_tags", ()))


def _precision(here: Here, name: str) -> str:
    measured = here.source.summary("precision")
    judged = measured["lexicons"].get(name) if measured else None
    return f"{judged['right']} of {judged['hits']}" if judged and judged["hits"] else ""


def _unseen(here: Here) -> str:
    """How much unseen wording a lexicon, or a group of it, finds."""
    routing = here.check["routing"]
    measured = here.source.summary("recall")
    whole = measured["lexicons"].get(routing["lexicon"]) if measured else None
    if whole is None:
        return ""
    held = whole.get("groups", {}).get(routing.get("lexicon_group", ""), whole)
    if not held["hold"]:
        return ""
    found = held["decided"] + held["proposed"]
    wrong = whole["near_decided"] + whole["near_proposed"]
    ends = say.between(*recount.rate_interval(found, held["hold"]))
    return f"{found} of {held['hold']} {ends} {wrong} of {whole['near']}"


@claim("check", "pilot", "p")
def pilot(here: Here) -> Iterator[str]:
    """What two readers of the prompt agreed on."""
    piloted = here.source.summary("pilot")
    if piloted and "prompt" in here.check:
        found = piloted["checks"].get(here.check["id"])
        if found is not None:
            agreed = [f"{found[key]:.2f}" for key in ("kappa", "ac1") if found.get(key) is not None]
            yield f"{found['n']} {found['agreed']} of {found['n']} {' '.join(agreed)}"
        none = piloted.get("no_failures", {}).get(here.check["id"])
        yield none["why"] if none else ""


@claim("check", "examples", "summary")
@claim("check", "examples", "heading")
def names_of_examples(here: Here) -> Iterator[str]:
    yield from (one["id"].replace("-", " ") for one in _examples(here.check))


@claim("check", "examples", "p")
def examples(here: Here) -> Iterator[str]:
    for one in _examples(here.check):
        for message in one["messages"]:
            yield " ".join(str(message[key]) for key in ("session", "minute") if message.get(key) is not None)
        yield one["why"]


def _examples(check: Data) -> list[Data]:
    return [one for kind in ("pass", "fail", "edge") for one in check["examples"].get(kind, ())]


@claim("check", "sources", "li")
def sources(here: Here) -> Iterator[str]:
    for one in here.check["sources"]:
        yield f"{one['citation']} {one['supports']} {one.get('checked') or ''}"


@claim("check", "sources", "p")
def check_hash(here: Here) -> Iterator[str]:
    yield from (one["check_hash"] for one in here.board["checks"] if one["check_id"] == here.check["id"])


@claim("check", "words", "p")
def in_words(here: Here) -> Iterator[str]:
    """The turn of each message, and how many words are cut before it."""
    yield from (f"{turn} {before or ''}" for turn, before, _ in cuts(here))
