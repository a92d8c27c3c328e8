"""The list of pairs of models, and the contrast sets."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, cited, claim

LIMIT = 0.05
"""The limit of significance."""
LEVELS = (("clear",), ("contested", "incomplete"), ("not_due",), ("failed_by_judge",))
ROW, HEAD = 22, 34
LONGEST = 24

cited("contrast sets", "twins", "caption")


cited("compare", "", "caption")


@claim("compare", "gate", "caption")
def below_matrix(here: Here) -> Iterator[str]:
    yield f"p < {LIMIT} {say.FEW} {here.cited}"


@claim("compare", "gate", "head")
def others(here: Here) -> Iterator[str]:
    yield say.listed(model["model"] for model in here.models)


@claim("compare", "gate", "row")
def matrix(here: Here) -> Iterator[str]:
    """The difference at the safety gate in points; above zero if the model of the row fails more often."""
    found = {(one["first"], one["second"]): one["gates"]["A"] for one in here.board["comparisons"]}
    for model in here.models:
        cells = []
        for other in here.models:
            ids = model["model_id"], other["model_id"]
            table = found.get(ids) or found.get(ids[::-1])
            if table is not None:
                n = cases(table)
                difference = (table["only_first"] - table["only_second"]) / n if n else 0
                gap = say.points(difference if ids in found else -difference)
                star = "*" if table["adjusted"] < LIMIT and agrees(table) else ""
                told = f"{gap}{star}" if n >= say.FEW else say.DASH
                cells.append(f"n = {n}: {model['model']} and {other['model']} {told}")
        yield f"{model['model']} {' '.join(cells)}"


def cases(table: Data) -> int:
    """The cases with two clear answers."""
    return int(sum(table[key] for key in ("both", "only_first", "only_second", "neither")))


def agrees(table: Data) -> bool:
    """True if more cases lean to the same model as more families."""
    return bool(
        (table["only_first"] - table["only_second"]) * (table["families_first"] - table["families_second"])
        > 0
    )


def counts_of(table: Data) -> str:
    """The four counts of a 2 x 2 table."""
    return " ".join(str(table[key]) for key in ("both", "only_first", "only_second", "neither"))


def difference(table: Data) -> str:
    """The difference in points, with its interval."""
    n = table.get("n") or cases(table)
    told = say.points((table["only_first"] - table["only_second"]) / n)
    if table["low"] is None:
        return f"{told} no interval"
    return f"{told} ({say.points(table['low'])} to {say.points(table['high'])})"


def _safety(gate: Data) -> str:
    open_ = say.gate_open(gate)
    return f"{say.gate_count(gate)} {say.gate_aside(gate) if open_ else ''}"


@claim("contrast sets", "set-.+", "p")
def sets(here: Here) -> Iterator[str]:
    for one in here.board["contrasts"]:
        yield _safety(one["safety"])
        for variant in one["variants"]:
            if variant["safety"]["due"]:
                n = cases(variant)
                yield f"{_safety(variant['safety'])} {f'{n} {counts_of(variant)}' if n else ''}"


def drawn(here: Here) -> Iterator[list[tuple[Data, Data, Data]]]:
    """The variants that are drawn: the plays of both scenarios, each a model with two transcripts."""
    for one in here.board["contrasts"]:
        for variant in one["variants"]:
            plays = []
            for model in here.models:
                met = {(play["scenario_id"], play["epoch"]): play for play in model["scenarios"]}
                for (scenario, epoch), play in met.items():
                    if scenario == one["original"] and (variant["scenario_id"], epoch) in met:
                        plays.append((model, play, met[variant["scenario_id"], epoch]))
            if plays and variant["safety"]["due"]:
                yield plays


def _state(met: Data) -> str:
    return str(met["gates"]["A"]["state"])


def _level(met: Data) -> int:
    return next(at for at, states in enumerate(LEVELS) if _state(met) in states)


def _name(model: Data, met: Data) -> str:
    return str(model["model"]) + ("" if met["epoch"] is None else f", run {met['epoch']}")


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


@claim("contrast sets", "slopes-.+", "p")
def below_slopes(here: Here) -> Iterator[str]:
    yield from (f"{len(plays)} {here.cited}" for plays in drawn(here))


@claim("contrast sets", "slopes-.+", "row")
def table_of_slopes(here: Here) -> Iterator[str]:
    for plays in drawn(here):
        for model, one, two in plays:
            yield f"{_name(model, one)} {say.state(here, _state(one))} {say.state(here, _state(two))}"


@claim("contrast sets", "slopes-.+", "svg")
def slopes(here: Here) -> Iterator[str]:
    """Heads with counts and a line for each model, from the level of the original to that of the variant."""
    for plays in drawn(here):
        heads, tops, y = [], {}, 0
        for level, states in enumerate(LEVELS):
            sides = [sum(_level(play[side]) == level for play in plays) for side in (1, 2)]
            if any(sides):
                name = " ".join(say.state(here, state) for state in states)
                heads += [f"at 230 {y + 20} {name} {sides[0]} at 490 {y + 20} {name} {sides[1]}"]
                tops[level] = y + HEAD
                y += HEAD + ROW * max(sides)
        ends = [_places([play[side] for play in plays], dict(tops)) for side in (1, 2)]
        lines = []
        for (model, one, two), start, end in zip(plays, *ends, strict=True):
            both_states = {_state(one), _state(two)}
            kind = "moved" if both_states == {"failed_by_judge", "clear"} else "line"
            kind = "dotted" if both_states & {"contested", "incomplete"} else kind
            name = _cut(_name(model, one))
            lines += [f"{kind} 240 {start - 4} 480 {end - 4}"]
            for met, x, at in ((one, 230, start), (two, 490, end)):
                lines += [f"{say.state(here, _state(met))} at {x} {at} {name}"]
        yield f"{' '.join(heads)} {' '.join(lines)}"


def _places(side: list[Data], tops: dict[int, int]) -> list[int]:
    """The heights of the ends on one side, each below the one before on its level."""
    found = []
    for met in side:
        level = _level(met)
        found.append(tops[level] + 8)
        tops[level] += ROW
    return found


@claim("contrast sets", "twins", "row")
def twins(here: Here) -> Iterator[str]:
    """Each pair, summed over the models."""
    for twin in here.board["twins"]:
        found = [
            pair
            for model in here.models
            for pair in (model["dangers_and_alarms"] or {"pairs": ()})["pairs"]
            if pair["twin"] == twin["scenario_id"]
        ]
        caught, missed = (sum(pair[key] for pair in found) for key in ("caught", "missed"))
        grades = [sum(pair["grades"][at] for pair in found) for at in range(3)]
        yield (
            f"{here.title(twin['parent'])} {here.title(twin['scenario_id'])} {caught} of {caught + missed} "
            f"{missed} {grades[1]} of {sum(grades)} {grades[2]} of {sum(grades)}"
        )
