"""How sure is this: the judge, its errors, and what so few conversations cannot tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.delivery.recomputed import recount, say
from tests.delivery.recomputed.claims import Data, Here, claim, fixed

PAGE = "how sure"


@claim(PAGE, "judge", "p")
def judged(here: Here) -> Iterator[str]:
    yield f"{here.board['votes']} {here.board['voted_rows']}"


@claim(PAGE, "people", "heading")
def compared(here: Here) -> Iterator[str]:
    checks = here.board["checks"]
    yield f"{sum(one['calibration'] == 'validated' for one in checks)} of {len(checks)}"


@claim(PAGE, "errors", "p")
def errors(here: Here) -> Iterator[str]:
    """What the range of errors takes as given."""
    yield "2% 0 0.75"


@claim(PAGE, "errors", "row")
def errors_of_models(here: Here) -> Iterator[str]:
    for model in () if say.is_program(here) else here.models:
        yield f"{model['model']} {' '.join(say.in_error(here, model, bucket) for bucket in 'AB')}"


@claim(PAGE, "older", "p")
def older(here: Here) -> Iterator[str]:
    board = here.board
    yield f"{board['older_questions']} of {board['voted_rows']}" if board["older_questions"] else ""


@claim(PAGE, "chance", "p")
def chance(here: Here) -> Iterator[str]:
    """The first gate with an interval, and the scenarios with their families."""
    if here.is_logs:
        return
    model, gate = next(_with_interval(here), (None, None))
    if model is not None and gate is not None:
        low, high = say.gate_ends(gate)
        ends = f"{say.percent(low)} {say.percent(high)}"
        yield f"{model['model']} {gate['failed_by_judge']} of {gate['due']} {ends}"
    told = here.board["scenarios"]
    yield f"{len(told)} {len({one['family'] for one in told})}"


fixed(PAGE, "chance", "span", ["0%", "50%", "100%"])


@claim(PAGE, "chance", "svg")
def picture(here: Here) -> Iterator[str]:
    yield from (say.gate_strip(gate) for _, gate in list(_with_interval(here))[:1])


def _with_interval(here: Here) -> Iterator[tuple[Data, Data]]:
    for model in () if here.is_logs else here.models:
        for gate in (model["gates"][bucket] for bucket in "AB"):
            if gate["due"] >= say.FEW and not say.unmeasured(gate):
                yield model, gate


@claim(PAGE, "size", "p")
def findable(here: Here) -> Iterator[str]:
    """What comparisons of two models can find."""
    pairs = [one["gates"] for one in here.board["comparisons"]]
    if pairs:
        families = [max(pair[gate]["n_families"] for pair in pairs) for gate in "AB"]
        least = [recount.detectable(one["failures"]["n_families"] or 0) for one in here.board["checks"]]
        half = sum(one is not None and one <= 0.5 for one in least)
        told = " ".join(f"{n} {_points(n)}" for n in families)
        yield f"{told} {len(least)} {half} 50 {sum(one is None for one in least)} 5% 80% {here.cited}"


def _points(families: int) -> str:
    least = recount.detectable(families)
    return "" if least is None else str(round(100 * least))


@claim(PAGE, "corpus", "p")
def least_and_most(here: Here) -> Iterator[str]:
    """What no failure excludes for the checks with the fewest and the most clear answers."""
    counts = [count for count in _by_answers(here) if count]
    if counts:
        least, most = counts[0], counts[-1]
        yield f"{least} 0 of {least} {_upper(least)} {most} {_upper(most)}"


@claim(PAGE, "corpus", "row")
def powers(here: Here) -> Iterator[str]:
    for count, names in _by_answers(here).items():
        yield f"{count} {_upper(count) if count else say.DASH} {' '.join(names)}"


def _by_answers(here: Here) -> dict[int, list[str]]:
    """The names of the checks by the most clear answers that any model has, fewest first."""
    found: dict[int, list[str]] = defaultdict(list)
    for check in () if here.is_logs else here.source.checks.values():
        every = [row for model in here.models for row in model["blindspots"]]
        answers = [row["failures"]["n"] for row in every if row["check_id"] == check["id"]]
        found[max(answers, default=0)].append(check["name"])
    return dict(sorted(found.items()))


def _upper(count: int) -> str:
    return say.percent(recount.rate_interval(0, count)[1])


@claim(PAGE, "notes", "li")
def notes(here: Here) -> Iterator[str]:
    yield from here.board["notes"]
