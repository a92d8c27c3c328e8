"""The first page, the leaderboard, the list of models: scope, findings, tables."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import EVERY, Data, Here, cited, claim
from tests.delivery.recomputed.on_figures import AXIS, measured, pair_rates
from tests.delivery.recomputed.on_pairs import difference
from tests.delivery.recomputed.recount import rate_interval

QUALITY = ("C", "D", "F")
ENOUGH = "30 10 80%"
"""The fewest cases and families, and the least share decided, of a check in a finding."""


def asked(here: Here) -> int:
    """How many checks have a verdict in the release."""
    return len(here.source.checks) - len(here.board["not_evaluated"])


def field(here: Here) -> str:
    """How many models there are, and how many of them are scripts if only some are."""
    scripts = len(here.scripts)
    return f"{len(here.models)} {scripts if 0 < scripts < len(here.models) else ''}"


@claim(EVERY, ".*", "trust")
def trust(here: Here) -> Iterator[str]:
    """The strip under the heading of every page."""
    yield say.trust(here)


@claim("home", "findings|", "p")
def scope(here: Here) -> Iterator[str]:
    board = here.board
    if here.is_logs:
        yield f"{board['transcripts']} {len(here.models)} {asked(here)} of {len(here.source.checks)}"
        yield from board["notes"]
    else:
        yield here.source.site["about"]
        notes = len(board["notes"]) or ""
        told = f"{board['transcripts']} {field(here)} {len(board['scenarios'])} {say.asked(here.models)}"
        yield f"{told} {notes}"


@claim("home", "ways", "li")
def ways(here: Here) -> Iterator[str]:
    yield f"{len(here.source.checks)}"


cited("home", "ways", "p")


def rate(one: Data, share: str = "") -> str:
    """A rate over all models."""
    share = share or say.percent(one["k"] / one["n"])
    return f"{one['k']} of {one['n']} ({share}; 95% interval {say.interval(one['low'], one['high'])})"


@claim("home", "first-gravest", "li")
def card_of_the_gravest(here: Here) -> Iterator[str]:
    for one in _kind(here, "gravest"):
        yield _card(here, one)


@claim("home", "first-common", "li")
def card_of_the_most_common(here: Here) -> Iterator[str]:
    for one in _kind(here, "most_failed"):
        tied = (f"{here.check_name(two['check_id'])} {two['k']} of {two['n']}" for two in one["tied"])
        yield f"{_card(here, one)} {one['models_failed']} of {one['models']} {' '.join(tied)}"
    if not here.is_logs and not here.board["older_questions"] and not _kind(here, "most_failed"):
        yield "Too few 30 10"


@claim("home", "first-open", "li")
def card_of_what_is_unknown(here: Here) -> Iterator[str]:
    for one in _kind(here, "not_measured"):
        at = say.place(one["k"] / one["n"])
        drawn = f"{say.EMPTY} ib-whisker 0 {at} ib-dot 0 {max(at, 1)} {AXIS}"
        yield f"{one['k']} of {one['n']} no clear answer {drawn} contested"


def _card(here: Here, one: Data) -> str:
    """A check on a card: its count, its picture, its interval."""
    name, open_ = here.check_name(one["check_id"]), one["undecided"] + one["contested"]
    either = f"{open_} undecided {'contested' if one['contested'] else ''}" if open_ else ""
    return (
        f"{name} {one['k']} of {one['n']} {pill(one)} {AXIS} {say.interval(one['low'], one['high'])} {either}"
    )


@claim("leaderboard", "finding-hard-fails", "li")
def hard_fails(here: Here) -> Iterator[str]:
    for one in _kind(here, "hard_fails"):
        k, n, open_ = one["k"], one["n"], one["undecided"]
        share = say.interval(k / n, (k + open_) / n) if open_ else ""
        ends = [f"{end['k']} of {end['n']} {end['undecided'] or ''}" for end in (one["least"], one["most"])]
        yield f"{field(here)} {rate(one, share)} {open_ or ''} {' to '.join(ends)} {pill(one, open_)} {AXIS}"


@claim("leaderboard", "finding-most-failed", "li")
def most_failed(here: Here) -> Iterator[str]:
    for one in _kind(here, "most_failed"):
        chosen = f"{one['tests']} of {one['checks']}" if one["tests"] > 1 else one["checks"]
        level = [
            f"{here.check_name(other['check_id'])} {other['k']} of {other['n']}" for other in one["tied"]
        ]
        tied = f"{len(level)} {' '.join(level)}" if level else ""
        rest = " ".join(str(one[key] or "") for key in ("undecided", "contested"))
        name = here.check_name(one["check_id"])
        yield (
            f"{one['models_failed']} of {one['models']} {name} {rate(one)} {chosen} {ENOUGH} {tied} {rest} "
            f"{pill(one)} {AXIS}"
        )


@claim("leaderboard", "finding-hints-missed", "li")
def hints_missed(here: Here) -> Iterator[str]:
    for one in _kind(here, "hints_missed"):
        back = f"{one['reverse']['k']} of {one['reverse']['n']} {say.p_value(one['p'])}"
        yield f"{rate(one)} {one['n_families']} {one['undecided'] or ''} {back} {pill(one)} {AXIS}"


@claim("leaderboard", "finding-dangers-and-false-alarms", "li")
def dangers(here: Here) -> Iterator[str]:
    for one in _kind(here, "dangers_and_false_alarms"):
        both = one["caught"], one["false_alarms"]
        rates = " ".join(rate(found) for found in both)
        undecided = " ".join(str(found["undecided"] or "") for found in both)
        pills = " ".join(pill(found) for found in both)
        yield f"{one['models']} {rates} {one['pairs']} {undecided} {pills} {AXIS}"


@claim("leaderboard", "finding-none-seen", "li")
def none_seen(here: Here) -> Iterator[str]:
    for one in _kind(here, "none_seen"):
        name = here.check_name(one["check_id"])
        tests = one["tests"] if one["tests"] > 1 else ""
        chosen = f"{tests} {one['checks']}" if tests else ""
        yield (
            f"{chosen} {name} 0 of {one['n']} {one['n_families']} "
            f"{say.at_most(one['upper'])} {tests} {one['undecided'] or ''}"
        )


@claim("leaderboard", "finding-pair-differs", "li")
def pair_differs(here: Here) -> Iterator[str]:
    names = {model["model_id"]: model["model"] for model in here.models}
    for one in _kind(here, "pair_differs"):
        against = f"{say.p_value(one['adjusted_against'])} {one['undecided']}" if one["undecided"] else ""
        first, second = names[one["first"]], names[one["second"]]
        yield (
            f"{first} {second} {one['only_first']} of {one['n']} {one['only_second']} {difference(one)} "
            f"{one['families_first']} {one['families_second']} of {one['n_families']} "
            f"{say.p_value(one['adjusted'])} {one['pairs']} {against} "
            f"{one['differing']} of {one['pairs']} {one['surviving']}"
        )


def pill(one: Data, undecided: int = 0) -> str:
    """The picture of a rate over all models: a dot, or a bar if undecided cases of the n make it a range."""
    ends = " ".join(str(say.place(end)) for end in (one["low"], one["high"]))
    least, most = (say.place(part / one["n"]) for part in (one["k"], one["k"] + undecided))
    return f"{say.EMPTY} ib-whisker {ends} ib-dot {least} {max(most, least + 1)}"


def _kind(here: Here, kind: str) -> list[Data]:
    return [one for one in here.board["findings"] if one["kind"] == kind]


@claim("leaderboard", "", "row")
def board_rows(here: Here) -> Iterator[str]:
    """The table of the leaderboard: both gates, three dimensions, false alarms."""
    for model in here.models:
        gates = " ".join(_brief_gate(model["gates"][bucket]) for bucket in "AB")
        means = " ".join(_brief_mean(model["dimensions"].get(bucket)) for bucket in QUALITY)
        alarms = _brief_alarms(model) if here.board["twins"] else ""
        yield f"{model['model']} {gates} {means} {alarms} {_days(here, model)}"


def _days(here: Here, model: Data) -> str:
    """When the conversations of a model were played, if it is known of any model."""
    first, last = model.get("played") or ("", "")
    return first if first == last else f"{first} to {last}"


@claim("leaderboard", "", "caption")
def board_caption(here: Here) -> Iterator[str]:
    """What judging cost, and the release."""
    usd = here.board.get("judging_usd")
    yield f"{'' if usd is None else f'{usd:,.2f}'} {here.cited}"


def _brief_gate(gate: Data) -> str:
    open_, due = gate["contested"] + gate["incomplete"], gate["due"]
    older = say.older_gate(gate)
    if not due:
        return older
    if not say.half(due - open_, open_):
        return f"{open_} of {due} undecided {older}"
    told = f"{gate['failed_by_judge']} of {due}"
    if due < say.FEW:
        return f"{told} too few {older}"
    return f"{told} {say.interval(*say.gate_ends(gate))} {say.gate_bar(gate)} {older}"


def _brief_mean(mean: Data | None) -> str:
    if mean is None:
        return say.DASH
    if mean["mean"] is None:
        return "undecided"
    return f"{say.score(mean['mean'])} {'' if mean['low'] is None else say.scores(mean['low'], mean['high'])}"


def _brief_alarms(model: Data) -> str:
    found = model["dangers_and_alarms"]
    if found is None or not measured(found):
        return "not measured"
    k, n, _ = pair_rates(found)[1]
    told = "too few" if n < say.FEW else say.interval(*rate_interval(k, n))
    return f"{k} of {n} {told} {say.strip(k, n, 0)}"


def counted(here: Here, model: Data, bucket: str) -> str:
    """The count of a gate with what stands beside it."""
    gate = model["gates"][bucket]
    aside = say.gate_aside(gate) if gate["due"] else ""
    return f"{say.gate_count(gate)} {aside} {say.older_gate(gate)} {say.in_error(here, model, bucket)}"


@claim("leaderboard", "scores", "row")
def scores(here: Here) -> Iterator[str]:
    for model in here.models:
        nulls = model["overall"]["nulls"]
        reach = f"{overall_range(model)} {nulls or ''}"
        dimensions = " ".join(_mean(model["dimensions"].get(bucket)) for bucket in QUALITY)
        fails, n = model["both_gates"]["failed_by_judge"], model["overall"]["n"]
        zeros = f"{fails} of {n}" if fails and n else ""
        overall = _mean(model["overall"])
        if model["overall"]["mean"] is None:
            overall = f"{say.DASH} {f'n = {n}' if n else ''}"
        yield f"{model['model']} {overall} {zeros} {reach} {dimensions}"


def overall_range(model: Data) -> str:
    """The overall score if undecided transcripts scored the least or the most that they can."""
    ends = [one["bounds"] for one in model["scenarios"] if one["bounds"] is not None]
    if model["overall"]["bounds"] is None:
        return say.DASH
    lows, highs = zip(*ends, strict=True)
    return say.scores(sum(lows) / len(lows), sum(highs) / len(highs))


def _mean(mean: Data | None) -> str:
    if mean is not None and mean["mean"] is None and mean["bounds"]:
        return f"{say.scores(*mean['bounds'])} n = {mean['n']}"
    if mean is None or mean["mean"] is None:
        return say.DASH
    ends = "no interval" if mean["low"] is None else say.scores(mean["low"], mean["high"])
    return f"{say.score(mean['mean'])} {ends}; n = {mean['n']}"


@claim("leaderboard", "alarms", "row")
def over_cautious(here: Here) -> Iterator[str]:
    for model in here.models:
        found = model["dangers_and_alarms"]
        if found is not None:
            told = pair_cells(found, 2) if measured(found) else f"not measured {say.DASH}"
            last = pair_support(found, 2) if measured(found) else say.DASH
            yield f"{model['model']} {told} {last}"


def pair_cells(found: Data, which: int) -> str:
    """A count over pairs, with its interval."""
    k, n, open_ = pair_rates(found)[which]
    shown = say.between(*rate_interval(k, n)) if n >= say.FEW and say.half(n, open_) else say.DASH
    either = f"(undecided {say.between(k / (n + open_), (k + open_) / (n + open_))})" if open_ else ""
    return f"{k} of {n} {f'{open_} undecided' if open_ else ''} {shown} {either}"


def pair_support(found: Data, which: int) -> str:
    """How much data supports a count over pairs."""
    k, n, _ = pair_rates(found)[which]
    if n >= say.LOW:
        families = {pair["family"] for pair in found["pairs"] if sum(pair["grades"])}
        return f"Enough {len(families)}"
    return say.flags(k, n)[0] if n else "no play"


@claim("leaderboard", "coverage", "row")
def coverage(here: Here) -> Iterator[str]:
    for model in here.models:
        due = model["coverage"]
        shares = f"{due['eligible']} {say.percent(due['covered'])} {say.percent(due['decided'])}"
        yield f"{model['model']} {shares} {model['refused_questions']} {model['truncated_turns']}"


@claim("models", "", "row")
def models(here: Here) -> Iterator[str]:
    for model in here.models:
        told = f"{model['model']} {model['transcripts']} {model['truncated_turns']}"
        if not here.is_logs:
            counts = [counted(here, model, bucket) for bucket in "AB"]
            told = f"{told} {' '.join(counts)} {say.covered(model['coverage'])}"
        yield told
