"""The checks of up to four models: one row a check, one line a model."""

from __future__ import annotations

from collections.abc import Iterator

from tests.delivery.recomputed import say
from tests.delivery.recomputed.claims import Data, Here, claim
from tests.delivery.recomputed.on_figures import AXIS, MOST_MODELS
from tests.delivery.recomputed.on_models import GRAVEST, entries, is_rated

PAGES = "leaderboard, checks"
GROUPS = ("failed", "passed", "sparse")


def groups(here: Here) -> dict[str, list[Data]]:
    """The checks by what their models say; empty where there is a heatmap."""
    found: dict[str, list[Data]] = {name: [] for name in GROUPS}
    if len(here.models) <= MOST_MODELS and not here.is_logs:
        for check in sorted(here.source.checks.values(), key=lambda one: _place(here, one)):
            met = _met(here, check)
            rated = any(is_rated(one) for one in met)
            failed = any(one["failures"]["k"] for one in met)
            found["failed" if failed else "passed" if rated else "sparse"].append(check)
    return found


def _met(here: Here, check: Data) -> list[Data]:
    every = (entries(model).get(check["id"]) for model in here.models)
    return [one for one in every if one is not None]


def _place(here: Here, check: Data) -> tuple[int, float, str]:
    shares = [
        one["failures"]["k"] / one["failures"]["n"] for one in _met(here, check) if one["failures"]["n"]
    ]
    return GRAVEST.index(check["severity"]), -max(shares, default=0), check["id"]


def tables(here: Here) -> list[list[Data]]:
    return [rows for rows in groups(here).values() if rows]


@claim(PAGES, "by-check", "figcaption")
def above(here: Here) -> Iterator[str]:
    if tables(here):
        yield "0%"


@claim(PAGES, "by-check", "title")
def about(here: Here) -> Iterator[str]:
    yield from ["0%"] * len(tables(here))


@claim(PAGES, "by-check", "head")
def axis(here: Here) -> Iterator[str]:
    yield from [AXIS] * len(tables(here))


@claim(PAGES, "by-check", "summary")
def folded(here: Here) -> Iterator[str]:
    found = groups(here)
    yield from (str(len(found[name])) for name in ("passed", "sparse") if found[name])


@claim(PAGES, "by-check", "p")
def below(here: Here) -> Iterator[str]:
    if tables(here):
        yield here.cited


@claim(PAGES, "by-check", "row")
def checks(here: Here) -> Iterator[str]:
    """Each check with its models, in the order of the groups."""
    for rows in tables(here):
        for check in rows:
            lanes = [f"{model['model']} {_lane(entries(model).get(check['id']))}" for model in here.models]
            yield f"{check['name']} {say.severity(check)} {' '.join(lanes)}"


def _lane(one: Data | None) -> str:
    """One check on one model: the marks, the rate, and what is undecided or contested."""
    k, n = (one["failures"]["k"], one["failures"]["n"]) if one else (0, 0)
    open_ = one["failures"]["unclear"] + one["not_run"] if one else 0
    if one is None or not n:
        why = "not applicable" if one and one["not_applicable"] else "not due"
        return f"{say.EMPTY} {'no clear answer' if open_ else why}"
    line = say.rate_line(k, n, "found in" if one["no_phrase_found"] else "", open_)
    either = f"{say.interval(k / (n + open_), (k + open_) / (n + open_))} {open_} undecided"
    either = either if n >= say.FEW else f"{open_} undecided"
    contested = f"{one['contested']} contested" if one["contested"] else ""
    told = f"{say.strip(k, n, open_)} {line} {say.older_check(one)}"
    return f"{told} {either if open_ and (n < say.FEW or is_rated(one)) else ''} {contested}"


@claim("check", "drawn", "row")
def one_check(here: Here) -> Iterator[str]:
    """Each model with a case of the check."""
    for model in () if here.is_logs else here.models:
        one = entries(model).get(here.check["id"])
        if one is not None and one["failures"]["n"]:
            yield f"{model['model']} {_lane(one)}"


@claim("check", "drawn", "head")
def axis_of_one_check(here: Here) -> Iterator[str]:
    if any(True for _ in one_check(here)):
        yield AXIS


@claim("check", "drawn", "p")
def below_one_check(here: Here) -> Iterator[str]:
    if any(True for _ in one_check(here)):
        yield here.cited
