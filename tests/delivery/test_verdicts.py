"""The verdict on two models: what is established, and nothing that is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from delivery.figures.compare import Pair, pairs, phrases_only
from delivery.figures.dumbbells import MOST, UNDECIDED_MOST, bells
from delivery.release.view import Release
from ib.models.common.base import Bucket
from ib.models.release.comparisons import ComparedOnCheck, PairedDifference
from tests.delivery import sample

RELEASE = Release(*sample.release(), sample.benchmark(), sample.background())
SAME = PairedDifference.model_validate(
    {
        **{"both": 10, "only_first": 1, "only_second": 1, "neither": 28, "undecided": 0, "n_families": 20},
        **{"families_first": 1, "families_second": 1, "difference": 0.0, "low": -0.1, "high": 0.1},
        **{"p": 1.0, "adjusted": 1.0, "adjusted_against": 1.0},
    }
)
APART = SAME.model_copy(
    update={"only_first": 20, "only_second": 0, "families_first": 9, "families_second": 0, "adjusted": 0.01}
)


def check(check_id: str, q: float, *, n: int = 20) -> ComparedOnCheck:
    """A check that only the first model failed, in every case."""
    return ComparedOnCheck(check_id=check_id, both=0, only_first=n, only_second=0, neither=0, p=q / 10, q=q)


def judged() -> list[str]:
    """The ids of the checks that do more than look for phrases."""
    return [one for one in RELEASE.benchmark.checks if one not in phrases_only(RELEASE)]


def pair_of(
    safety: PairedDifference = SAME,
    compliance: PairedDifference = SAME,
    checks: tuple[ComparedOnCheck, ...] = (),
) -> Pair:
    """The first pair of the sample with other figures."""
    pair = pairs(RELEASE)[0]
    told: dict[str, Any] = {"gates": {Bucket.A: safety, Bucket.B: compliance}, "checks": checks}
    return replace(pair, comparison=pair.comparison.model_copy(update=told))


def verdict(**figures: Any) -> str:
    return bells(RELEASE, pair_of(**figures)).verdict


def test_the_verdict_says_where_they_differ() -> None:
    """Gates by name, checks by number, and in plain words if nothing is established."""
    ids = judged()
    assert verdict() == "No difference established"
    assert verdict(safety=APART) == "Differ at the safety gate"
    assert verdict(safety=APART, compliance=APART) == "Differ at both gates"
    assert verdict(checks=(check(ids[0], 0.04),)) == "Differ in 1 check"
    three = tuple(check(one, 0.001) for one in ids[:3])
    assert verdict(compliance=APART, checks=three) == "Differ at the compliance gate and in 3 checks"


@pytest.mark.parametrize(
    "changes",
    [
        {"safety": APART.model_copy(update={"adjusted": 0.05})},
        {"safety": APART.model_copy(update={"families_first": 1, "families_second": 4})},
        {"checks": (check(judged()[0], 0.05),)},
        {"checks": (check(judged()[0], 0.001, n=4),)},
        {"checks": (check(sorted(phrases_only(RELEASE))[0], 0.001),)},
    ],
)
def test_what_is_not_established_is_no_difference(changes: dict[str, Any]) -> None:
    """The limit itself, families that lean the other way, few cases, and phrases establish nothing."""
    assert verdict(**changes) == "No difference established"


def test_few_shared_conversations_make_no_verdict() -> None:
    """Silence about four conversations is not that the models are alike."""
    few = SAME.model_copy(update={"both": 0, "only_first": 1, "only_second": 0, "neither": 3})
    found = bells(RELEASE, pair_of(few, few))
    assert (found.verdict, found.bells) == ("Too few shared conversations to compare", ())


def test_older_questions_make_no_verdict() -> None:
    """Votes on another wording are drawn and marked, and establish nothing."""
    board, evidence = sample.with_older_questions(*sample.release())
    board = board.model_copy(update={"older_questions": board.voted_rows})
    release = Release(board, evidence, sample.benchmark(), sample.background())
    pair = pairs(release)[0]
    told = {"gates": {Bucket.A: APART, Bucket.B: APART}, "checks": ()}
    found = bells(release, replace(pair, comparison=pair.comparison.model_copy(update=told)))
    assert found.verdict == "No verdict: the votes answer an older wording"
    assert [(one.older, one.differs) for one in found.bells] == [(True, False)] * 2


def test_the_picture_has_a_limit() -> None:
    """At most twelve checks, those that differ first, and at most six that may be chance."""
    ids = judged()
    apart = tuple(check(one, 0.001) for one in ids[:20])
    chance = tuple(check(one, 0.5) for one in ids[20:40])
    found = bells(RELEASE, pair_of(checks=(*apart, *chance)))
    assert [one.differs for one in found.bells] == [False, False, *[True] * MOST]
    assert found.verdict == "Differ in 20 checks"
    found = bells(RELEASE, pair_of(checks=chance))
    assert [one.differs for one in found.bells] == [False] * (2 + UNDECIDED_MOST)
