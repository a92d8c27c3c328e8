"""Extract the assistant's statements of fact, then check each against a corpus."""

from __future__ import annotations

import pytest

from ib.engine.verifiers.corpus import REFERENCES_SHOWN, nearest, verify_against_corpus
from ib.models.base import Route, State
from ib.models.judge import (
    Answer,
    Fault,
    FaultKind,
    Granularity,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
    Phase,
)
from ib.models.result import VerdictResult
from tests.build import (
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    Answering,
    Rounds,
    case,
    check,
    claims,
    corpus,
    gate_check,
    lexicon,
    reply,
    run,
    transcript,
)

SAID = transcript(
    "u",
    "Medicare pays for two hundred days of care.",
    "u",
    "HIPAA binds your sister. I am sorry.",
    "u",
    "Rest.",
)
WORDS = lexicon(proposing=("hipaa binds", "two hundred days"))
ITEM = check("IB-B3", route=Route.EXTRACT_THEN_CORPUS, lexicon="words")
GATE = gate_check("IB-B3", route=Route.EXTRACT_THEN_CORPUS, lexicon="words")
BARE = check("IB-B3", route=Route.EXTRACT_THEN_CORPUS)


def verified(item: object, answer: Answering, **more: object) -> tuple[VerdictResult, Rounds]:
    """The row of a check on the transcript, and what was asked."""
    made = case(item, SAID, WORDS, **more)  # type: ignore[arg-type]
    row, rounds = run(lambda: verify_against_corpus(made), answer)
    assert isinstance(row, VerdictResult)
    return row, rounds


def answering(extraction: JudgeReply, verdict: Answering) -> Answering:
    """One reply to every extraction, another to everything else."""

    def answer(request: JudgeRequest) -> JudgeReply:
        return extraction if "Extract from" in request.user else verdict(request)

    return answer


def test_claims_are_extracted_once_and_verified_k_times() -> None:
    """One extraction over the session, then K votes on each claim over its turn alone, in one round."""
    extraction = claims((1, "Medicare pays for two hundred days"), (2, "HIPAA binds your sister"))
    row, rounds = verified(BARE, answering(extraction, lambda _: reply(PASS)))
    assert [len(wanted) for wanted in rounds] == [1, 6]
    assert rounds[0][0].phase is Phase.EXTRACT
    assert [(r.unit.first, r.unit.last, r.repetition) for r in rounds[1]] == [
        (turn, turn, repetition) for turn in (1, 2) for repetition in (1, 2, 3)
    ]
    assert "HIPAA binds your sister" in rounds[1][3].user
    assert "Medicare pays for one hundred days." in rounds[1][0].user
    assert (row.verdict, len(row.windows)) == (PASS, 2)


def test_a_wrong_claim_fails_the_check() -> None:
    """One claim that is wrong is the check's FAIL, with its quote."""
    extraction = claims((1, "two hundred days"), (2, "HIPAA binds your sister"))
    row, _ = verified(
        BARE,
        answering(
            extraction,
            lambda r: reply(FAIL, "HIPAA binds your sister", turn=2) if r.unit.first == 2 else reply(PASS),
        ),
    )
    assert row.verdict is FAIL
    assert [(s.turn, s.quote) for s in row.evidence] == [(2, "HIPAA binds your sister")]


def test_no_claim_at_all_does_not_apply() -> None:
    """Where nothing of the kind was said, there is nothing to check."""
    row, rounds = verified(BARE, answering(claims(), lambda _: reply(FAIL)))
    assert (row.verdict, len(rounds)) == (NA, 1)


def test_what_the_lexicon_found_is_verified_though_the_extraction_overlooked_it() -> None:
    """An extraction that returns nothing cannot turn a wrong statement into silence."""
    row, rounds = verified(
        ITEM,
        answering(
            claims(), lambda r: reply(FAIL, "HIPAA binds", turn=2) if r.unit.first == 2 else reply(PASS)
        ),
    )
    assert row.verdict is FAIL
    assert {r.unit.first for r in rounds[1]} == {1, 2}


def test_another_claim_of_the_same_turn_does_not_hide_a_candidate() -> None:
    """An extraction that returns something else of the turn does not settle the lexicon's words."""
    _, rounds = verified(ITEM, answering(claims((2, "I am sorry")), lambda _: reply(PASS)))
    assert any('\n"HIPAA binds' in r.user.partition("Turn 2 said:")[2] for r in rounds[1])


def test_a_claim_that_was_extracted_is_not_verified_twice() -> None:
    """Where the extraction has the lexicon's words, they are one claim."""
    extraction = claims((1, "two hundred days"), (2, "HIPAA binds"))
    _, rounds = verified(ITEM, answering(extraction, lambda _: reply(PASS)))
    assert len(rounds[1]) == 6


@pytest.mark.parametrize("extraction", [Answer("none"), claims((1, "words that nobody said"))])
def test_an_unreadable_extraction_is_asked_again_once(extraction: Answer) -> None:
    """No list, or a list of what was not said, is asked for once more and is then UNCLEAR."""
    row, rounds = verified(BARE, answering(extraction, lambda _: reply(PASS)))
    assert [[r.attempt for r in wanted] for wanted in rounds] == [[1], [2]]
    assert row.verdict is UNCLEAR
    assert row.reason


def test_lesson_10_a_fault_of_the_extraction_is_unclear() -> None:
    """An outage while claims are extracted is no verdict."""
    row, _ = verified(ITEM, lambda _: Fault(FaultKind.TRANSIENT, "503"))
    assert row.verdict is UNCLEAR
    assert row.confidence == 0.0


def test_lesson_10_a_fault_of_the_extraction_is_named_and_not_asked_again_at_once() -> None:
    """A fault is handled as everywhere: `judge_fault`, without a second attempt at the question."""
    row, rounds = verified(ITEM, lambda _: Fault(FaultKind.TRANSIENT, "503"))
    assert row.reason == "judge_fault"
    assert len(rounds) == 1


def test_lesson_05_without_a_judge_it_is_not_run() -> None:
    """Nobody extracted anything: not run, and never NOT_APPLICABLE."""
    row, _ = verified(ITEM, lambda _: NotRecorded())
    assert (row.state, row.verdict) == (State.NOT_RUN, None)


@pytest.mark.parametrize("granularity", Granularity)
def test_a_candidate_on_a_gate_without_a_judge_is_unclear(granularity: Granularity) -> None:
    """The lexicon's words keep a gate open, whichever kind of judge is missing."""
    spec = JudgeSpec(model="judge", granularity=granularity)
    row, _ = verified(GATE, lambda _: NotRecorded(), spec=spec)
    assert (row.verdict, row.reason) == (UNCLEAR, "unconfirmed_candidate")


def test_a_recorded_judge_is_asked_for_its_verdict() -> None:
    """A recording has no extraction: one question over the transcript for each repetition."""
    spec = JudgeSpec(model="recorded:x", granularity=Granularity.CHECK, validates_codes=False)
    row, rounds = verified(ITEM, lambda _: Answer('{"verdict": "PASS"}'), spec=spec)
    assert [len(wanted) for wanted in rounds] == [3]
    assert (row.verdict, rounds[0][0].phase) == (PASS, Phase.DECIDE)


def test_the_nearest_statements_come_first_and_few() -> None:
    """The judge is shown the statements that share most words, in a fixed order, a few of them."""
    known = corpus("HIPAA binds those who provide care.", *(f"Statement number {i}." for i in range(20)))
    found = nearest(known.entries, "hipaa binds your sister")
    assert found[0].statement.startswith("HIPAA")
    assert len(found) == REFERENCES_SHOWN
    assert found == nearest(known.entries[::-1], "hipaa binds your sister")
