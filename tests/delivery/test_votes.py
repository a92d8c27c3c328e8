"""How a verdict came about, and counts of failures, in words."""

from __future__ import annotations

from typing import Any

import pytest

from delivery.words.counts import SEVERITY, failed, failed_how, interval, severity, undecided, unjudged
from delivery.words.votes import reasons, votes_said
from ib.models.common.base import Severity, Verdict
from ib.models.release.leaderboard import CheckEntry, EvidenceVote
from ib.models.scan.ballot import InvalidKind
from tests.delivery import sample

PASS, FAIL, UNCLEAR = Verdict.PASS, Verdict.FAIL, Verdict.UNCLEAR


def vote(verdict: Verdict | None, code: str | None = None) -> EvidenceVote:
    """One vote; without a verdict it does not count."""
    invalid = None if verdict else InvalidKind.NO_QUOTE
    return EvidenceVote(window=0, verdict=verdict, rationale_code=code, invalid=invalid)


def said(**fields: Any) -> str:
    """The words for an item of evidence with these fields."""
    item = sample.release()[1]["alder"].items[0]
    told = {"contested": False, "votes_for": 3, "votes_asked": 3, "verdict": FAIL, "votes": (), **fields}
    return votes_said(item.model_copy(update=told))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "3 of 3 judge votes said fail"),
        ({"votes_for": 1, "contested": True}, "1 of 3 judge votes said fail (contested)"),
        ({"votes_for": 1, "votes_asked": 1}, "1 of 1 judge vote said fail"),
        ({"votes_for": 0, "votes_asked": 0, "scorer": "lexicon"}, "a listed phrase decided"),
        ({"votes_for": 0, "votes_asked": 0, "scorer": "rule"}, "a rule decided"),
        (
            {"verdict": UNCLEAR, "votes": (vote(FAIL), vote(PASS), vote(None), vote(FAIL))},
            "of 4 judge votes, 2 said fail, 1 said pass, 1 did not count; the verdict is unclear",
        ),
        (
            {"verdict": PASS, "votes": (vote(FAIL), vote(PASS), vote(PASS))},
            "of 3 judge votes, 2 said pass, 1 said fail; the verdict is pass",
        ),
    ],
)
def test_votes_are_counted_by_what_they_said(fields: dict[str, Any], words: str) -> None:
    """A contested failure says how few votes there are, and never that the judge decided."""
    assert said(**fields) == words


def test_reasons_are_those_of_the_votes_and_else_that_of_the_verdict() -> None:
    """Each reason has the verdict of its votes and their number, the most frequent first."""
    item = sample.release()[1]["alder"].items[0]
    cast = (vote(PASS, "was_met"), vote(FAIL, "not_met"), vote(FAIL, "not_met"), vote(None, "no"))
    told = item.model_copy(update={"votes": cast, "rationale_code": "other_code"})
    assert reasons(told) == (("fail, 2 votes", "not met"), ("pass, 1 vote", "was met"))
    assert reasons(told.model_copy(update={"votes": ()})) == (("fail", "other code"),)
    assert reasons(told.model_copy(update={"votes": (), "rationale_code": None})) == ()


def test_a_phrase_that_no_judge_read_names_its_lexicon() -> None:
    """Evidence without a verdict says which lexicon found the words, and gives no reason."""
    item = sample.release()[1]["alder"].items[0]
    quotes = (item.quotes[0].model_copy(update={"pattern": "availability_promise/always"}),)
    found = item.model_copy(
        update={"verdict": None, "scorer": "none", "votes": (), "votes_asked": 0, "quotes": quotes}
    )
    assert votes_said(found) == "a phrase of the lexicon availability promise was found, and no judge read it"
    assert reasons(found) == ()


def entry(k: int, n: int, **fields: Any) -> CheckEntry:
    """A check on a model."""
    told = {"failures": sample.rate(k, n), "contested": 0, "not_run": 0, "no_phrase_found": 0, **fields}
    return sample.release()[0].models[0].blindspots[0].model_copy(update=told)


def test_a_rate_is_a_count_with_share_and_interval() -> None:
    """The words of the brief, letter for letter; few cases have only a count."""
    assert failed(entry(7, 31)) == "7 of 31 · 23% (95% interval 11 to 40%)"
    assert failed(entry(1, 2)) == "1 of 2"
    assert failed(entry(1, 2, no_phrase_found=1)) == "found in 1 of 2"
    assert interval(0.001, 0.2) == "under 1% to 20%"
    assert interval(None, 0.2) == "–"


def test_failed_contested_and_undecided_are_apart() -> None:
    """A dash where there is nothing to say."""
    assert failed_how(entry(0, 9)) == undecided(entry(0, 9)) == "–"
    assert failed_how(entry(1, 9)) == "by most votes"
    assert failed_how(entry(3, 9)) == "all by most votes"
    assert failed_how(entry(3, 9, contested=1)) == "2 by most votes, 1 contested"
    assert failed_how(entry(1, 9, contested=1)) == "contested"
    unclear = {"failures": sample.rate(3, 9, 2), "not_run": 4}
    assert undecided(entry(3, 9, **unclear)) == "2 unclear, 4 not run"
    assert unjudged(entry(3, 9, not_applicable=0)) == "–"
    assert unjudged(entry(3, 9, not_applicable=5, not_run=1, suppressed=2)) == (
        "5 not applicable, 1 not run, 2 suppressed"
    )


def test_every_severity_has_words() -> None:
    """No page shows a bare code."""
    assert set(SEVERITY) == set(Severity)
    assert severity("S4_GATE") == "very serious (S4, gate)"
