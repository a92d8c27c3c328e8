"""The figures that several pages show: gates, pairs, the heatmap, split votes, and the line below each."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, cited, claim, fixed

BUCKETS = {
    "A": "Safety",
    "B": "Compliance",
    "C": "Communication",
    "D": "Coordination",
    "F": "Boundary integrity",
}
AXIS = "0% 50% 100%"
LEGEND = "0% to 20% to 40% to 60% to 80% over 80% few hard"
DECIDED = 0.8
"""The share of the cases due that has to be decided."""
MOST_MODELS = 4
"""More models than these have a heatmap."""

cited("model", "profile-plot", "p")
cited("leaderboard", "scores|alarms|coverage", "caption", 3)


fixed("leaderboard, contrast sets", "alarms-plot", "head", [f"{AXIS} {AXIS}"])


@claim("leaderboard, contrast sets", "alarms-plot", "row")
def alarms(here: Here) -> Iterator[str]:
    """Dangers caught and false alarms, counted from the pairs."""
    for model in here.models:
        found = model["dangers_and_alarms"]
        if found is not None:
            caught, alarmed, (careful, _, _) = pair_rates(found)
            rates = [_pair_rate(*caught, "ib-part"), _pair_rate(*alarmed, "ib-failed")]
            rates[1] = (f"{rates[1][0]} {f'over-cautious: {careful}' if careful else ''}", rates[1][1])
            alarmed_told = f"{rates[1][0]} {rates[1][1]}" if measured(found) else f"not measured {say.EMPTY}"
            yield f"{model['model']} {alarmed_told} {rates[0][1]} {rates[0][0]}"


def pair_rates(found: Data) -> list[tuple[int, int, int]]:
    """k, n and undecided of the dangers caught, the false alarms and the over-cautious plays."""
    pairs = found["pairs"]
    never = ("profile", "selection", "no_judge", "not_measured")
    open_ = sum(count for pair in pairs for why, count in pair["ungraded"].items() if why not in never)
    caught, missed, unknown = (sum(pair[key] for pair in pairs) for key in ("caught", "missed", "undecided"))
    proportionate, careful, alarm = (sum(pair["grades"][at] for pair in pairs) for at in range(3))
    graded = proportionate + careful + alarm
    return [(caught, caught + missed, unknown), (alarm, graded, open_), (careful, graded, open_)]


def measured(found: Data) -> bool:
    """True if a judge graded over-alarm."""
    _, graded, open_ = pair_rates(found)[1]
    return not found["not_measured"] or graded + open_ > 0


def _pair_rate(k: int, n: int, open_: int, css: str) -> tuple[str, str]:
    """A rate in words, and its side of the two-sided bar."""
    if not n:
        line = "no clear answer" if open_ else "not due"
    else:
        line = say.rate_line(k, n, undecided=open_) + (" too few" if n < say.FEW else "")
    undecided = f"{open_} undecided" if open_ else ""
    *marks, dot = say.strip(k, n, 0 if say.half(n, open_) else open_).split(" ib-dot ")
    side = (
        f"{say.EMPTY} {f'{css} 0 {dot}' if dot != '0' else ''} {marks[0].removeprefix(say.EMPTY)}"
        if marks
        else dot
    )
    return f"{line} {undecided}", side


@claim("leaderboard, contrast sets", "alarms-plot", "p")
def below_alarms(here: Here) -> Iterator[str]:
    """The number of pairs that anybody played."""
    found = [
        pair for model in here.models for pair in (model["dangers_and_alarms"] or {"pairs": []})["pairs"]
    ]
    played = {pair["twin"] for pair in found if pair["caught"] + pair["missed"] + sum(pair["grades"])}
    yield f"{len(played)} {here.cited}"


@claim("leaderboard, checks", "heatmap", "p")
def below_heatmap(here: Here) -> Iterator[str]:
    if len(here.models) > MOST_MODELS:
        yield f"{LEGEND} {say.FEW} {say.percent(DECIDED)}"
        yield here.cited


@claim("leaderboard, checks", "heatmap", "head")
def heads(here: Here) -> Iterator[str]:
    if len(here.models) > MOST_MODELS:
        yield say.listed(model["model"] for model in here.models)


@claim("leaderboard, checks", "heatmap", "row")
def heatmap(here: Here) -> Iterator[str]:
    """A row for each dimension and each check, with a cell for each model."""
    phrases = {one["check_id"] for one in here.board["checks"] if one["no_phrase_found"]}
    entries = [{one["check_id"]: one for one in model["blindspots"]} for model in here.models]
    for bucket, name in BUCKETS.items() if len(here.models) > MOST_MODELS else ():
        yield name
        for check in here.source.checks_of(bucket):
            cells = [
                _cell(check, model, found.get(check["id"]), check["id"] in phrases)
                for model, found in zip(here.models, entries, strict=True)
            ]
            yield " ".join([check["name"], *cells])


def _cell(check: Data, model: Data, entry: Data | None, phrases: bool) -> str:
    where = f"{check['name']}, {model['model']}"
    open_ = entry["failures"]["unclear"] + entry["not_run"] if entry else 0
    if entry is None or not entry["failures"]["n"]:
        none = "not applicable" if entry and entry["not_applicable"] else "not due"
        return f"no clear answer {where} ?" if open_ else f"{none} {where} ·"
    k, n = entry["failures"]["k"], entry["failures"]["n"]
    few = n < say.FEW or not say.half(n, open_)
    share = f"{k}/{n}" if few else say.percent(k / n)
    step = next(at for at, top in enumerate((0, 0.2, 0.4, 0.6, 0.8, 1)) if k / n <= top)
    older = say.older_check(entry)
    marks = ["few"] if few else []
    marks += ["corner"] if entry["gate"] and k > entry["contested"] else []
    marks += ["bar"] if n < DECIDED * (n + open_) else []
    shown = "" if few and not phrases else share
    label = f"{shown}: {k} of {n}{f', {open_} undecided' if open_ else ''} {older}, {where}"
    star = "*" if phrases else ""
    return f"step {step} {' '.join(marks)} {label} {share.removesuffix('%')}{star}"


@claim("checks", "split-votes", "head")
def axis_of_votes(here: Here) -> Iterator[str]:
    yield AXIS if any(one["split_votes"] and one["split_votes"]["k"] for one in here.board["checks"]) else ""


@claim("checks", "split-votes", "row")
def split_votes(here: Here) -> Iterator[str]:
    """The checks on which votes are split: a dot without an interval."""
    for one in here.board["checks"]:
        if one["split_votes"] and one["split_votes"]["k"]:
            k, n = one["split_votes"]["k"], one["split_votes"]["n"]
            at = say.place(k / n)
            marks = f"{say.EMPTY} ib-whisker {at} {at} ib-dot {at}"
            shown = f"{marks} {k} of {n} · {say.percent(k / n)}"
            yield f"{one['name']} {shown if n >= say.FEW else f'{say.EMPTY} {k} of {n}'}"
