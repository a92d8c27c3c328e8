"""The page of the judges: sittings of the exam, counted from their outcomes a second time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from tests.delivery.recomputed import recount, say
from tests.delivery.recomputed.claims import Data, Here, claim

PAGE = "judges"
NEUTRAL = ("padded", "texted", "mistyped", "capitals", "instruction")
UNLABELED: Data = {"plan": {"readings": None}}
"""A sitting without wrong labels, for rates that no label bears on."""
ORDER = ("unedited", "cut", "padded", "instruction")
"""The edits of the sample, in the order of the page."""


def sittings(here: Here) -> list[Data]:
    """The sittings, the newest first."""
    return sorted(here.source.exams, key=lambda one: str(one["day"]), reverse=True)


def sure(one: Data, check: str | None = None, operator: str | None = None) -> list[Data]:
    """The outcomes that are in rates."""
    return [
        of
        for of in one["outcomes"]
        if not (of["arguable"] or of["disputed"])
        and check in (None, of["check"])
        and operator in (None, of["operator"])
    ]


def wrong(of: Data) -> bool:
    return bool(of["must_fail"] != (of["verdict"] == "FAIL"))


def rate(one: Data, cases: Iterable[Data], holds: Callable[[Data], bool]) -> str:
    """k of n with share and bounds, by base text, widened by wrong labels."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for of in cases:
        counts[of["base"]][0] += holds(of)
        counts[of["base"]][1] += 1
    if not counts:
        return say.DASH
    k, n = (sum(of[at] for of in counts.values()) for at in (0, 1))
    low, high = (round(end, 12) for end in recount.clustered(counts))
    error = (one["plan"]["readings"] or {}).get("label_error") or 0.0
    low, high = max(0.0, (low - error) / (1 - error)), min(1.0, high / (1 - error))
    return f"{k} of {n} {say.percent(k / n)} ({say.between(low, high)})"


def right(one: Data, cases: Iterable[Data], *, must_fail: bool) -> str:
    return rate(one, [of for of in cases if of["must_fail"] is must_fail], lambda of: not wrong(of))


def cost(one: Data) -> str:
    return "not known, or $0.00" if one["dollars"] is None else f"${one['dollars']:.2f}"


def older(here: Here, one: Data) -> bool:
    return bool(one["plan"]["benchmark_hash"] != here.board["benchmark_hash"])


@claim(PAGE, "sittings", "row")
def listed(here: Here) -> Iterator[str]:
    for one in sittings(here):
        mark = "older wording" if older(here, one) else ""
        refused = sum(of["refused"] for of in one["outcomes"])
        plan = one["plan"]
        yield (
            f"{one['judge']['model']} {one['day']} {mark} {plan['benchmark_hash'][:12]} "
            f"{len(one['outcomes'])} {plan['items_hash'][:12]} {plan['seed']} {refused} {cost(one)}"
        )


@claim(PAGE, "pairs", "row")
def side_by_side(here: Here) -> Iterator[str]:
    for one, other in combinations(sittings(here), 2):
        if one["plan"]["items_hash"] != other["plan"]["items_hash"]:
            continue
        both = {of["id"]: of for of in sure(other)}
        errs = [(wrong(of), wrong(both[of["id"]])) for of in sure(one)]
        first, second = (sum(pair[at] for pair in errs) for at in (0, 1))
        each, n = sum(a and b for a, b in errs), len(errs)
        phi = (n * each - first * second) / math.sqrt(first * (n - first) * second * (n - second))
        alike = [of for of in sure(one) if wrong(of) == wrong(both[of["id"]])]
        left = rate(UNLABELED, alike, wrong)
        names = f"{one['judge']['model']} and {other['judge']['model']}"
        counts = f"{first} of {n} {second} of {n} {each} {phi:.2f}"
        yield f"{names} {counts} {left} {cost(one)} {cost(other)}".replace("-", say.MINUS)


@claim(PAGE, r"sitting-\d+", "heading")
def heads(here: Here) -> Iterator[str]:
    yield from (f"{one['judge']['model']} {one['day']}" for one in sittings(here))


@claim(PAGE, r"sitting-\d+", "p")
def told(here: Here) -> Iterator[str]:
    """Wrong labels, items apart, edits that are out; votes, and edits that should change nothing and did."""
    for one in sittings(here):
        read = one["plan"]["readings"]
        error = say.percent(read["label_error"]) if read else ""
        found = f"{read['disputed']} of {read['read']} {error}" if read else ""
        arguable = sum(of["arguable"] for of in one["outcomes"])
        apart = [of for of in one["outcomes"] if of["disputed"]]
        yield f"{found} {arguable} {len(apart)} {sum(not wrong(of) for of in apart)}"
        moved = (f"{name} {k} of {n}" for name, k, n in _moved(one) if k)
        votes = f"{_votes(one, must_fail=True)} {_votes(one, must_fail=False)}".replace("-", say.MINUS)
        yield f"{votes} {'; '.join(moved)}"


def _votes(one: Data, *, must_fail: bool) -> str:
    """Wrong votes, and the kappa of Fleiss and Cuzick of votes on one item."""
    items = [of for of in sure(one) if of["must_fail"] is must_fail]
    counts = [
        (sum((vote == "FAIL") is not must_fail for vote in of["votes"]), len(of["votes"])) for of in items
    ]
    bad, votes = sum(k for k, _ in counts), sum(n for _, n in counts)
    share = bad / votes
    within = sum(k * (n - k) / n for k, n in counts)
    kappa = 1 - within / ((votes - len(counts)) * share * (1 - share))
    return f"{bad} of {votes} {kappa:.2f}"


def _moved(one: Data) -> Iterator[tuple[str, int, int]]:
    plain = {of["base"]: of for of in sure(one, operator="unedited")}
    for name in ORDER:
        if name in NEUTRAL:
            own = [of for of in sure(one, operator=name) if of["base"] in plain]
            yield name, sum(wrong(of) != wrong(plain[of["base"]]) for of in own), len(own)


@claim(PAGE, r"sitting-\d+", "summary")
def folds(here: Here) -> Iterator[str]:
    for at, one in enumerate(sittings(here), start=1):
        yield f"{len(one['plan']['checks'])} {one['judge']['model']} {at}"
        yield f"{len({of['operator'] for of in one['outcomes']})} {one['judge']['model']} {at}"


@claim(PAGE, r"sitting-\d+", "label")
def labels(here: Here) -> Iterator[str]:
    for at, one in enumerate(sittings(here), start=1):
        yield from (f"{one['judge']['model']} {at}" for _ in range(2))


@claim(PAGE, r"sitting-\d+", "row")
def rows(here: Here) -> Iterator[str]:
    for one in sittings(here):
        yield from (_check(here, one, of["check"]) for of in one["plan"]["checks"])
        plain = {of["base"]: of for of in sure(one, operator="unedited")}
        for name in ORDER:
            own = sure(one, operator=name)
            pairs = [of for of in own if of["base"] in plain]
            changed = rate(UNLABELED, pairs, lambda of: wrong(of) != wrong(plain[of["base"]]))  # noqa: B023
            told = f"{right(one, own, must_fail=True)} {right(one, own, must_fail=False)}"
            yield f"{name} {told} {changed if name in NEUTRAL else say.DASH}"


def _check(here: Here, one: Data, check: str) -> str:
    own = sure(one, check)
    found = [
        rate(one, [of for of in own if of[key] is not None], lambda of: bool(of[key]))  # noqa: B023
        for key in ("right_turn", "right_words")
    ]
    unclear = sum(of["verdict"] in ("UNCLEAR", None) for of in own)
    rates = f"{right(one, own, must_fail=True)} {right(one, own, must_fail=False)}"
    return f"{here.check_name(check)} {check} {rates} {' '.join(found)} {unclear}"


def of_check(here: Here, check: str) -> Iterator[str]:
    """What each sitting says of a check on its page."""
    for one in sittings(here):
        if own := sure(one, check):
            rates = f"{right(one, own, must_fail=True)} {right(one, own, must_fail=False)}"
            yield f"{one['judge']['model']} {rates}"
