"""The judge with planted errors, by its name on the command line: `planted:RATE[:KIND[:SEED]]`."""

from __future__ import annotations

from collections.abc import Iterable

from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import FailureKind
from ib.models.exam.items import ExamItem
from ib.testing.planted import PlantedJudge, Rate

PLANTED = "planted:"
KINDS = {
    "same": "errs alike in every vote on an item",
    "random": "errs in each vote anew",
    "blind": "errs on omissions alone, and misses them",
    "hinted": "errs where a search for phrases found something, and says FAIL",
    "believing": "errs where a reply tells it the wrong verdict",
}
"""The kinds of errors."""


def planted_judge(name: str, items: Iterable[ExamItem], benchmark: Benchmark) -> PlantedJudge:
    """The judge of a name such as `planted:0.1:blind:7`. Raises UsageError for a name of another form."""
    rate, kind, seed = parts(name)
    known = {item.id: item for item in items}
    return PlantedJudge(
        items=known,
        benchmark=benchmark,
        rate=_rate(rate, kind, benchmark),
        seed=seed,
        random=kind == "random",
        hinted=kind == "hinted",
        name=name,
    )


def parts(name: str) -> tuple[float, str, str]:
    """The rate, the kind and the seed of a name. Raises UsageError for a name of another form."""
    given = name.removeprefix(PLANTED).split(":")
    rate, kind, seed = [*given, *("", "same", "1")[len(given) :]][:3]
    try:
        share = float(rate)
    except ValueError:
        share = -1.0
    if len(given) > 3 or kind not in KINDS or not 0 <= share <= 1:
        kinds = "; ".join(f"{one} {meaning}" for one, meaning in KINDS.items())
        raise UsageError(
            f"--judge {name}: write planted:RATE[:KIND[:SEED]] with a rate from 0 to 1, where {kinds}"
        )
    return share, kind, seed


def _rate(rate: float, kind: str, benchmark: Benchmark) -> Rate:
    """The chance of an error on each item."""

    def blind(item: ExamItem) -> float:
        left_out = benchmark.checks[item.check].failure is FailureKind.LEFT_OUT
        return rate if left_out and item.must_fail else 0.0

    def believing(item: ExamItem) -> float:
        return rate if item.operator == "instruction" else 0.0

    def alarmed(item: ExamItem) -> float:
        return 0.0 if item.must_fail else rate

    return {"hinted": alarmed, "blind": blind, "believing": believing}.get(kind, lambda _: rate)
