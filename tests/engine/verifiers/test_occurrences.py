"""In which turns a failure occurred, of those that the judge was told to judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from ib.engine.verifiers.corpus import verify_against_corpus
from ib.models.common.base import Aggregation, Unit, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Answer, Granularity, JudgeSpec
from ib.models.scan.occurrences import Occurrences
from tests.build import (
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    Answering,
    anchor,
    case,
    check,
    claims,
    in_turn,
    reply,
    run,
    transcript,
)
from tests.engine.verifiers.judged import EVENT, SAID, VOID, anchored, verified

ITEM = check("IB-C1", aggregation=Aggregation.ANY_FAIL)
GOOD = check("IB-C1", recovery="counts")
QUOTES = {1: "a first reply", 2: "a second reply", 3: "a third reply"}


def named(*turns: int, verdict: Verdict = FAIL) -> Answer:
    """A vote that names the failure in these turns."""
    value: Mapping[str, Any] = {
        "nearest": {"turn": 1, "quote": QUOTES[1]},
        "occurrences": [{"turn": turn, "quote": QUOTES[turn]} for turn in turns],
        "code": f"{verdict.value.lower()}_code",
        "verdict": verdict.value,
    }
    return Answer(json.dumps(value))


def found(item: Any, answer: Answering, said: Transcript = SAID, **more: Any) -> tuple[Verdict, Any]:
    """The verdict of a row, with its occurrences as (turns, chances), or None."""
    row, _ = verified(item, said, answer=answer, **more)
    assert row.verdict is not None
    told = row.occurrences
    return row.verdict, None if told is None else (told.turns, told.chances)


def test_a_turn_counts_if_most_votes_asked_name_it() -> None:
    """Over all triples of votes that name two turns, one, or none, or do not count."""
    votes = {named(1, 2): {1, 2}, named(2): {2}, reply(PASS): set(), VOID: set()}
    for triple in product(votes, repeat=3):
        if all(vote == VOID for vote in triple) or FAIL not in {_verdict(vote) for vote in triple}:
            continue
        most = tuple(turn for turn in (1, 2, 3) if sum(turn in votes[vote] for vote in triple) > 1)
        assert found(ITEM, in_turn(*triple)) == (FAIL, (most, 3))


def _verdict(answer: Answer) -> str | None:
    return json.loads(answer.text)["verdict"] if answer != VOID else None


def test_a_fail_by_one_vote_may_have_no_occurrence() -> None:
    """The verdict follows one vote, the occurrences most of them."""
    assert found(ITEM, in_turn(named(2), reply(PASS), reply(PASS))) == (FAIL, ((), 3))


def test_words_that_were_not_said_are_no_occurrence() -> None:
    """A vote counts with one quote that is found; a turn only with its own."""
    value = json.loads(named(1).text)
    value["occurrences"].append({"turn": 3, "quote": "never said by anybody"})
    assert found(ITEM, lambda _: Answer(json.dumps(value))) == (FAIL, ((1,), 3))


def test_a_failure_that_was_made_good_has_occurred() -> None:
    """Where recovery counts, a PASS has occurrences."""
    assert found(GOOD, lambda _: named(1, verdict=PASS)) == (PASS, ((1,), 3))


@pytest.mark.parametrize("verdict", [UNCLEAR, NA])
def test_without_pass_or_fail_nothing_is_counted(verdict: Verdict) -> None:
    """Neither a situation that did not come up nor an open question is a chance."""
    assert found(check("IB-C1"), lambda _: reply(verdict)) == (verdict, None)


def test_chances_are_the_replies_of_windows_that_pass_or_fail() -> None:
    """Turns of context, windows that are not decided and turns without a reply are no chances."""
    item = EVENT.model_copy(update={"id": "IB-C1"})
    two = SAID.model_copy(update={"anchors": anchored(1, 3)})
    assert found(item, lambda _: reply(PASS), two) == (PASS, ((), 2))
    assert found(item, lambda r: named(r.unit.first), two) == (FAIL, ((1, 3), 2))
    only_first: Answering = lambda r: named(1) if r.unit.first == 1 else reply(UNCLEAR)  # noqa: E731
    assert found(item, only_first, two) == (FAIL, ((1,), 1))
    same = SAID.model_copy(update={"anchors": (*anchored(1, 2), *anchored(2))})
    assert found(item, lambda _: reply(PASS), same) == (PASS, ((), 2))
    silent = SAID.model_copy(update={"messages": tuple(m for i, m in enumerate(SAID.messages) if i != 1)})
    assert found(check("IB-C1"), lambda _: reply(PASS), silent) == (PASS, ((), 2))


def test_the_context_of_an_episode_is_no_chance() -> None:
    """What lies between the response windows of two cues is shown and not judged."""
    given = (anchor("IB-C1", 1, 1, 1, "fall"), anchor("IB-C1", 3, 3, 3, "fall"))
    said = transcript("u", QUOTES[1], "u", QUOTES[2], "u", QUOTES[3], anchors=given)
    assert found(EVENT, lambda _: reply(PASS, cues={1: True, 3: True}), said) == (PASS, ((), 2))


def test_a_recording_measures_no_occurrences() -> None:
    """They are never derived from the evidence of a record."""
    spec = JudgeSpec(model="recorded:x", granularity=Granularity.CHECK, validates_codes=False)
    told = {"verdict": "FAIL", "evidence": [{"role": "assistant", "turn": 1, "quote": QUOTES[1]}]}
    assert found(check("IB-C1"), lambda _: Answer(json.dumps(told)), spec=spec) == (FAIL, None)


def test_chances_of_claims_are_the_turns_with_a_claim_that_was_compared() -> None:
    """Only they were put to the judge."""
    item = check("IB-C1", route="extract_then_corpus", unit_of_analysis=Unit.TURN_LEVEL)
    listed = claims((1, QUOTES[1]), (1, "first reply"), (3, QUOTES[3]))
    row, _ = run(
        lambda: verify_against_corpus(case(item, SAID)),
        lambda r: listed if r.phase == "extract" else named(3) if r.unit.first == 3 else reply(PASS),
    )
    assert (row.verdict, row.occurrences) == (FAIL, Occurrences(turns=(3,), chances=2))


@pytest.mark.parametrize(
    ("turns", "chances", "said"),
    [((2, 1), 3, "in order"), ((1, 1), 3, "each once"), ((1, 2), 1, "more than")],
)
def test_occurrences_are_among_the_chances(turns: tuple[int, ...], chances: int, said: str) -> None:
    """Turns in order, each once, and not more than the chances."""
    with pytest.raises(ValueError, match=said):
        Occurrences(turns=turns, chances=chances)
