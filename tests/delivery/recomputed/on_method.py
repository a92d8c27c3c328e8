"""Methodology, the lists for auditors, and the pages about the site."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.on_models import facts as facts_of
from tests.delivery.recomputed.on_models import gate_leads, open_gate
from tests.delivery.recomputed.on_scenarios import GRAVE, sessions, turns

HASHES = ("benchmark_hash", "plan_hash", "results_hash", "comparability_key")
TABLES = {
    "findings": "",
    "gates": "by the judge contested incomplete",
    **dict.fromkeys(("scores", "gate-rules", "heatmap", "blindspots"), ""),
    "checks": "split",
    **dict.fromkeys(("scenario-results", "transcripts", "scenarios", "supplement"), ""),
    **dict.fromkeys(("alarms", "pairs", "twins"), "caught"),
    **dict.fromkeys(("comparisons", "comparisons-by-check", "contrasts"), ""),
}
"""The tables that every release has, each with the words for states in its description."""


@claim("methodology", "release", "dd")
def release(here: Here) -> Iterator[str]:
    board = here.board
    profile = here.source.scoring["profiles"].get(board["profile"], {})
    recorded = board["judge"]["model"].startswith("recorded:")
    yield "" if recorded else str(profile.get("votes_after_gate_fail") or "")
    yield board["judge"]["model"].removeprefix("recorded:")
    yield from (str(board[key]) for key in ("transcripts", "judged_rows", "votes"))
    yield str(here.source.frame["version"])
    yield board["benchmark_version"] or ""
    yield from (board[key] for key in HASHES)
    yield board.get("draw", {}).get("key_hash", "")
    yield board["judge"]["base"] or ""


@claim("methodology", "open-logs", "p")
def logs(here: Here) -> Iterator[str]:
    yield str(here.board["transcripts"]) if here.is_logs else ""


@claim("methodology", "scenarios", "p")
def scenarios(here: Here) -> Iterator[str]:
    """What the scenarios of the benchmark contain."""
    if here.is_logs or not here.source.scenarios:
        return
    told = list(here.source.scenarios.values())
    met = {one["scenario_id"] for one in here.board["scenarios"]}
    ours = met & here.source.scenarios.keys()
    lengths = [len(turns(one)) for one in told]
    risks = [risk["severity"] for one in told for risk in one.get("risk_triggers", ())]
    contrasts = {one["contrast"]["group"] for one in told if one.get("contrast")}
    rubrics = sum(len(turn.get("rubric", ())) for one in told for turn in turns(one))
    counts = (
        len(told),
        sum(one.get("published", True) for one in told),
        len(ours),
        *([len(met - ours)] if met - ours else []),
        sum(lengths),
        min(lengths),
        max(lengths),
        len({one["jurisdiction"] for one in told}),
        sum(len(sessions(one)) > 1 for one in told),
        sum(any(turn.get("branches") for turn in turns(one)) for one in told),
        sum(bool(one.get("variant_of")) for one in told),
        len(contrasts),
        len(risks),
        sum(severity in GRAVE for severity in risks),
        sum(len(one.get("anchors", ())) for one in told),
    )
    yield " ".join(map(str, counts))
    yield str(rubrics or "")


@claim("methodology", "reference", "p")
def characters(here: Here) -> Iterator[str]:
    yield str(len(here.source.characters) or "")


@claim("methodology", "", "p")
def recorded(here: Here) -> Iterator[str]:
    """How many of the recorded verdicts answer an older wording."""
    board = here.board
    if board["judge"]["model"].startswith("recorded:"):
        yield f"{board['older_questions']} of {board['voted_rows']}"


@claim("methodology", "other-rules", "caption")
def below_rules(here: Here) -> Iterator[str]:
    yield here.cited


@claim("methodology", "other-rules", "row")
def other_rules(here: Here) -> Iterator[str]:
    for model in here.models:
        told = [
            f"{one['failed']} of {one['due']} {say.score(one['mean'])}"
            + (f" {one['undecided']} open" if one["undecided"] else "")
            for one in model["gate_rules"]
        ]
        yield f"{model['model']} {' '.join(told)}"


@claim("methodology", "gates", "p")
def refused(here: Here) -> Iterator[str]:
    yield say.listed(f"{model['model']} {model['refused_questions']}" for model in here.models)


@claim("methodology", "quality", "p")
def weights(here: Here) -> Iterator[str]:
    scoring = here.source.scoring
    given = [scoring["weights"], *(own for _, own in sorted(scoring.get("overrides", {}).items()))]
    yield say.listed(say.score(weight) for own in given for _, weight in sorted(own.items()))


@claim("methodology", "coverage", "p")
def floors(here: Here) -> Iterator[str]:
    floor = here.source.scoring["coverage_floor"]
    yield say.listed(say.percent(floor[key]) for key in ("check", "bucket", "gate_check"))


@claim("methodology", "votes", "p")
def more_votes(here: Here) -> Iterator[str]:
    recorded = here.board["judge"]["model"].startswith("recorded:")
    profile = here.source.scoring["profiles"].get(here.board["profile"], {})
    yield "" if recorded else str(profile.get("votes_after_gate_fail") or "")


@claim("methodology", "second-judge", "p")
def second(here: Here) -> Iterator[str]:
    if here.board["second_judge"]:
        yield say.percent(here.board["second_judge"]["share"])


@claim("methodology", "second-judge", "caption")
def few_questions(here: Here) -> Iterator[str]:
    yield str(say.FEW) if here.board["second_judge"] else ""


@claim("methodology", "second-judge", "row")
def both_judges(here: Here) -> Iterator[str]:
    found = here.board["second_judge"]
    if found:
        yield _judged(found["all_checks"])
        yield from (f"{here.check_name(one['check_id'])} {_judged(one)}" for one in found["checks"])


def _judged(one: Data) -> str:
    agreed = one["agreement"]
    shown = agreed["n"] >= say.FEW
    share = f"{say.percent(agreed['agreed'] / agreed['n'])} {say.between(agreed['low'], agreed['high'])}"
    coefficients = [_coefficient(agreed[key]) for key in ("kappa", "ac1")]
    return (
        f"{agreed['agreed']} of {agreed['n']} {share if shown else say.DASH * 2} {' '.join(coefficients)} "
        f"{one['rows_changed']} of {one['rows']} {one['fails_removed']} {one['fails_added']} "
        f"{one['gate_fails_not_shared']} of {one['gate_fails']} {one['unanswered']} of {one['questions']}"
    )


def _coefficient(value: float | None) -> str:
    if value is None:
        return say.DASH
    return "over 0.99" if 0.995 <= value < 1 else f"{value:.2f}".replace("-", say.MINUS)


@claim("methodology", "evidence", "p")
def corrected(here: Here) -> Iterator[str]:
    yield str(here.source.scoring["corrected_quote_min_chars"])


@claim("methodology", "intervals", "p")
def support(here: Here) -> Iterator[str]:
    limits = here.source.scoring["support"]
    yield f"{limits['count_only_below']} {limits['low_power_below']} {100 * limits['wide_from']:.0f}"


@claim("methodology", "not-evaluated", "heading")
def number_not_evaluated(here: Here) -> Iterator[str]:
    yield str(len(here.board["not_evaluated"]))


@claim("methodology", "not-evaluated", "li")
def not_evaluated(here: Here) -> Iterator[str]:
    yield from (f"{one['check_id']} {one['reason'].replace('_', ' ')}" for one in here.board["not_evaluated"])


@claim("methodology", "audit", "li")
def lengths_of_lists(here: Here) -> Iterator[str]:
    yield from (str(len(here.board[key])) for key in LISTS.values())


LISTS = {
    "open-gates": "open_gates",
    "contradictions": "record_contradictions",
    "voided-votes": "voided_votes",
}


def _by_model(here: Here) -> list[tuple[str, list[Data]]]:
    names = {model["model_id"]: model["model"] for model in here.models}
    found: dict[str, list[Data]] = {}
    for one in here.board[LISTS[here.names[1]]]:
        found.setdefault(names[one["model_id"]], []).append(one)
    return sorted(found.items(), key=lambda one: one[0].casefold())


@claim("part of the methodology", "", "summary")
def listed(here: Here) -> Iterator[str]:
    yield from (f"{name}: {len(items)}" for name, items in _by_model(here))


@claim("part of the methodology", "", "row")
def audited(here: Here) -> Iterator[str]:
    for _, items in _by_model(here):
        for one in items:
            yield f"{here.play(one)} {here.check_name(one['check_id'])} {_audited(here, one)}"


def _audited(here: Here, one: Data) -> str:
    if here.names[1] == "open-gates":
        return open_gate(one)
    published = _verdict(one["published"])
    if here.names[1] == "voided-votes":
        return f"{one['votes']} {published}"
    votes = say.listed(map(_verdict, one["votes"]))
    return f"{_verdict(one['recorded'])} {votes} {_verdict(one['votes_say'])} {published}"


def _verdict(verdict: str | None) -> str:
    return "none" if verdict is None else verdict.lower().replace("_", " ")


@claim("about", "cite", "p")
@claim("data", "hashes", "p")
def named(here: Here) -> Iterator[str]:
    yield here.board["results_hash"][:12]


@claim("limits", "", "dd")
def limits(here: Here) -> Iterator[str]:
    yield here.board["judge"]["model"]
    yield f"{len(here.checks)} of {len(here.checks)}"
    yield f"{len(here.board['open_gates'])} {len(here.board['not_evaluated'])}"


@claim("data", "hashes", "dd")
def hashes(here: Here) -> Iterator[str]:
    yield from (here.board[key] for key in ("results_hash", "benchmark_hash", "comparability_key"))
    yield here.board.get("draw", {}).get("key_hash", "")


@claim("data", "canonical", "row")
def files_of_models(here: Here) -> Iterator[str]:
    for model in here.models:
        yield f"{model['model']} evidence/{model['slug']}.json transcripts/{model['slug']}.json"


@claim("data", "tables", "row")
def tables(here: Here) -> Iterator[str]:
    yield from (f"{states} {name}.csv {name}.json" for name, states in TABLES.items())


@claim("reference assistants", "character-.+", "p")
def summaries(here: Here) -> Iterator[str]:
    yield from (one["summary"] for one in _scripts(here))


@claim("reference assistants", "character-.+", "summary")
def promised(here: Here) -> Iterator[str]:
    for one in _scripts(here):
        yield from (str(len(one.get(key, ()))) for key in ("fails", "never_fails"))


def _scripts(here: Here) -> list[Data]:
    return sorted(here.source.characters.values(), key=lambda one: (one["name"].casefold(), one["id"]))


@claim("home", "models", "p")
def leads_of_logs(here: Here) -> Iterator[str]:
    for model in here.models if here.is_logs else ():
        yield from gate_leads(here, model)


@claim("home", "models", "dd")
def facts_of_logs(here: Here) -> Iterator[str]:
    for model in here.models if here.is_logs else ():
        yield from facts_of(model)
