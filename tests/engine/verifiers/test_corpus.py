"""Extract the assistant's statements of fact, then check each against a corpus."""

from __future__ import annotations

import pytest

from ib.engine.verifiers.corpus import CLAIMS_MOST, REFERENCES_SHOWN, nearest, verify_against_corpus
from ib.models.base import Route, State
from ib.models.check import Check
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
    Refusal,
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
DOWN = Fault(FaultKind.TRANSIENT, "503")
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
        asked = request.asked
        assert asked is not None
        return extraction if asked.phase is Phase.EXTRACT else verdict(request)

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


def test_lesson_10_a_fault_of_the_extraction_is_not_run() -> None:
    """An outage while claims are extracted is no verdict, and is not asked again at once."""
    for answer in (lambda _: DOWN, answering(DOWN, lambda _: reply(PASS))):
        row, rounds = verified(ITEM, answer)
        assert (row.state, row.verdict, row.reason) == (State.NOT_RUN, None, "fault")
        assert len(rounds) == 1


def test_lesson_10_a_fault_of_the_second_attempt_is_not_run() -> None:
    """It is no unreadable list."""
    row, rounds = verified(ITEM, lambda r: DOWN if r.attempt == 2 else Answer("none"))
    assert (row.state, row.reason, len(rounds)) == (State.NOT_RUN, "fault", 2)


def test_lesson_10_faults_of_the_verification_follow_the_rule_of_votes() -> None:
    """A claim without a majority for a fault leaves the check not run; a claim that fails stands."""
    extraction = claims((1, "two hundred days"), (2, "HIPAA binds your sister"))
    row, _ = verified(BARE, answering(extraction, lambda r: DOWN if r.unit.first == 2 else reply(PASS)))
    assert (row.state, row.reason) == (State.NOT_RUN, "fault")
    failed = reply(FAIL, "two hundred days")
    row, _ = verified(BARE, answering(extraction, lambda r: DOWN if r.unit.first == 2 else failed))
    assert row.verdict is FAIL


@pytest.mark.parametrize("refused", [Refusal("policy"), Answer("I cannot help with this.")])
def test_lesson_53_a_refused_extraction_is_unclear(refused: JudgeReply) -> None:
    """A refusal is final, and is no list without claims."""
    row, rounds = verified(ITEM, answering(refused, lambda _: reply(PASS)))
    assert (row.verdict, row.reason, len(rounds)) == (UNCLEAR, "refused", 1)


SENTENCES = [f"Fact number {'abcdefghijklmnopqrst'[i]} is true." for i in range(20)]


def extracted(count: int, item: Check = BARE, *more: str) -> tuple[VerdictResult, list[str]]:
    """The row of a check on a reply with many statements, all of them extracted, and what was verified."""
    said = transcript("u", " ".join((*SENTENCES[:count], *more)))
    listed = claims(*((1, sentence) for sentence in (*SENTENCES[:count], *more)))
    made = case(item, said, WORDS, asked=1)
    row, rounds = run(lambda: verify_against_corpus(made), answering(listed, lambda _: reply(PASS)))
    asked = [request.asked for wanted in rounds[1:] for request in wanted]
    assert isinstance(row, VerdictResult)
    return row, [one.claim for one in asked if one is not None]


@pytest.mark.parametrize("count", [CLAIMS_MOST - 1, CLAIMS_MOST, CLAIMS_MOST + 1, 20])
def test_at_most_twelve_claims_are_verified_and_the_others_are_counted(count: int) -> None:
    """The first claims are verified; a notice says how many were not."""
    row, asked = extracted(count)
    assert CLAIMS_MOST == 12
    assert asked == list(SENTENCES[: min(count, 12)])
    left = f"{count - 12} of {count} claims were not compared with the corpus"
    assert row.notices == ((left,) if count > 12 else ())


def test_words_that_the_lexicon_found_are_verified_first() -> None:
    """Many other statements cannot push a suspected one out of the comparison."""
    suspects = ("HIPAA binds her.", "It pays two hundred days.")
    row, asked = extracted(15, ITEM, *suspects)
    assert asked == [*SENTENCES[:10], *suspects]
    assert row.notices == ("5 of 17 claims were not compared with the corpus",)


def test_the_lexicons_words_are_hints_of_the_extraction() -> None:
    """The extraction is told what was found, and the claim is verified without hints."""
    _, rounds = verified(ITEM, answering(claims(), lambda _: reply(PASS)))
    hints = [[(h.turn, h.quote) for h in r.asked.hints] for w in rounds for r in w if r.asked is not None]
    assert hints == [[(1, "two hundred days"), (2, "HIPAA binds")], *[[]] * 6]


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
