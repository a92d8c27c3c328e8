"""Counting votes: all small combinations of votes, and the closed forms of STATISTICS.md."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from ib.engine.votes.voting import Stop, combine, first_round, settled, tally
from ib.models.common.base import Aggregation, Verdict
from tests.build import FAIL, NA, PASS, UNCLEAR

VOTES = (*Verdict, None)
WORLDS = [votes for k in (1, 3, 5) for votes in product(VOTES, repeat=k)]
MAJORITY, ANY_FAIL = Aggregation.MAJORITY, Aggregation.ANY_FAIL


def polled(votes: tuple[Verdict | None, ...], stop: Stop) -> tuple[Verdict, int]:
    """The verdict and the number of calls of a stop rule over the votes that would come."""
    asked = len(votes)
    said = votes[: first_round(asked, stop)]
    if len(said) < asked and not settled(said, asked, stop):
        said = votes
    return tally(said, len(said), MAJORITY).verdict, len(said)


def test_a_majority_is_more_than_half_of_the_asked() -> None:
    """A verdict needs more than half of the votes asked; an invalid one stays in the denominator."""
    for votes in WORLDS:
        found = tally(votes, len(votes), MAJORITY)
        winners = [v for v in Verdict if votes.count(v) > len(votes) / 2]
        assert found.verdict == (winners[0] if winners else UNCLEAR)
        assert found.confidence == votes.count(found.verdict) / len(votes)


def test_votes_that_never_came_count_against_every_verdict() -> None:
    """With fewer votes than asked, the share is still that of the asked."""
    assert tally((PASS,), 3, MAJORITY).verdict is UNCLEAR
    assert tally((PASS, PASS), 3, MAJORITY).confidence == 2 / 3


def test_split_says_that_votes_disagree_or_did_not_count() -> None:
    """The votes of a window are split unless every vote is valid and says the same."""
    for votes in WORLDS:
        alike = None not in votes and len(set(votes)) == 1
        assert tally(votes, len(votes), MAJORITY).split is not alike


def test_any_fail_decides_on_one_vote() -> None:
    """Under any_fail one valid FAIL decides, and the confidence says how many of the votes are for it."""
    for votes in WORLDS:
        found = tally(votes, len(votes), ANY_FAIL)
        fails = votes.count(FAIL)
        if not fails:
            assert found == tally(votes, len(votes), MAJORITY)
            continue
        assert found.verdict is FAIL
        assert found.confidence == fails / len(votes)


def test_the_first_vote_alone_ends_the_asking_under_first_pass() -> None:
    """`first_pass` stops on a PASS or NOT_APPLICABLE of the first vote, not on that of a later one."""
    for first, second in product(VOTES, repeat=2):
        assert settled((first, second), 3, Stop.FIRST_PASS) is (first in (PASS, NA))


@pytest.mark.parametrize("asked", range(1, 10))
def test_the_first_round_is_as_small_as_the_stop_rule_allows(asked: int) -> None:
    """`two_agree` first asks for the smallest majority, `first_pass` for one vote, no rule for all."""
    smallest = next(n for n in range(asked + 1) if settled((PASS,) * n, asked, Stop.TWO_AGREE))
    assert first_round(asked, Stop.TWO_AGREE) == smallest
    assert first_round(asked, Stop.FIRST_PASS) == 1
    assert first_round(asked, Stop.NONE) == asked


def test_lesson_24_unclear_votes_are_never_resolved_into_a_fail() -> None:
    """Without a FAIL vote, no combination of five votes gives FAIL."""
    for votes in WORLDS:
        if FAIL not in votes:
            for rule in Aggregation:
                assert tally(votes, len(votes), rule).verdict is not FAIL
    assert tally((UNCLEAR, UNCLEAR, UNCLEAR, PASS, PASS), 5, MAJORITY).verdict is UNCLEAR


def test_lesson_10_invalid_votes_alone_are_neither_pass_nor_fail() -> None:
    """Where no vote counts, the verdict is UNCLEAR with no confidence."""
    for k in (1, 3, 5):
        for rule in Aggregation:
            found = tally((None,) * k, k, rule)
            assert (found.verdict, found.confidence) == (UNCLEAR, 0.0)


def test_lesson_23_two_agree_equals_the_majority() -> None:
    """Stopping when two of three (three of five) agree changes no verdict, valid votes or not."""
    for votes in WORLDS:
        if len(votes) > 1:
            assert polled(votes, Stop.TWO_AGREE)[0] is tally(votes, len(votes), MAJORITY).verdict


def test_lesson_23_adaptive_fails_are_a_subset_of_majority_fails() -> None:
    """Stopping on the first PASS only ever deletes FAILs, and it does delete some."""
    lost = 0
    for votes in WORLDS:
        adaptive = polled(votes, Stop.FIRST_PASS)[0]
        majority = tally(votes, len(votes), MAJORITY).verdict
        if adaptive is FAIL:
            assert majority is FAIL
        lost += majority is FAIL and adaptive is not FAIL
    assert lost > 0


def probability(votes: tuple[Verdict | None, ...], p: float) -> float:
    """The probability of a row of PASS and FAIL votes, each a FAIL with probability p."""
    return p ** votes.count(FAIL) * (1 - p) ** votes.count(PASS)


@pytest.mark.parametrize("p", [0.0, 0.05, 0.3, 0.5, 2 / 3, 0.9, 1.0])
def test_closed_forms_of_the_repetition_rules(p: float) -> None:
    """FAIL probabilities and expected calls by enumeration are those of STATISTICS.md."""
    maj = adaptive = any_fail = calls = adaptive_calls = 0.0
    for votes in product((PASS, FAIL), repeat=3):
        weight = probability(votes, p)
        maj += weight * (tally(votes, 3, MAJORITY).verdict is FAIL)
        any_fail += weight * (tally(votes, 3, ANY_FAIL).verdict is FAIL)
        verdict, asked = polled(votes, Stop.FIRST_PASS)
        adaptive += weight * (verdict is FAIL)
        adaptive_calls += weight * asked
        calls += weight * polled(votes, Stop.TWO_AGREE)[1]
    assert maj == pytest.approx(3 * p**2 - 2 * p**3, abs=1e-12)
    assert adaptive == pytest.approx(2 * p**2 - p**3, abs=1e-12)
    assert adaptive - maj == pytest.approx(-(p**2) * (1 - p), abs=1e-12)
    assert any_fail == pytest.approx(1 - (1 - p) ** 3, abs=1e-12)
    assert adaptive_calls == pytest.approx(1 + 2 * p, abs=1e-12)
    assert calls == pytest.approx(2 + 2 * p * (1 - p), abs=1e-12)


def test_the_order_of_votes_never_matters() -> None:
    """The same votes in any order give the same tally."""
    for votes in WORLDS:
        if len(votes) == 3:
            alike = {tally(v, 3, MAJORITY) for v in (votes, votes[::-1], votes[1:] + votes[:1])}
            assert len(alike) == 1


def test_more_votes_than_asked_is_refused() -> None:
    """A tally of more votes than were asked, or of none asked, is an error."""
    with pytest.raises(ValueError, match="2 votes of 1 asked"):
        tally((PASS, PASS), 1, MAJORITY)
    with pytest.raises(ValueError, match="0 votes of 0 asked"):
        tally((), 0, MAJORITY)


def test_combine_over_every_set_of_windows() -> None:
    """FAIL before UNCLEAR before PASS before NOT_APPLICABLE, whatever the number and order."""
    for k in range(5):
        for verdicts in combinations_with_replacement(Verdict, k):
            expected = next((v for v in (FAIL, UNCLEAR, PASS) if v in verdicts), NA)
            assert combine(verdicts) is expected
            assert combine(verdicts[::-1]) is expected
