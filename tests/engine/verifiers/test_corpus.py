"""Extract the assistant's statements of fact, then check each against a corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ib.engine.verifiers.corpus import CLAIMS_MOST, REFERENCES_SHOWN, nearest, verify_against_corpus
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import references_for
from ib.models.common.base import Route, State
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import (
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
from ib.models.scan.result import VerdictResult
from ib.store.benchmark.loading import load_benchmark
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


def test_claims_are_extracted_and_verified_k_times() -> None:
    """K extractions over the session, then K votes on each claim over its turn alone, in one round."""
    extraction = claims((1, "Medicare pays for two hundred days"), (2, "HIPAA binds your sister"))
    row, rounds = verified(BARE, answering(extraction, lambda _: reply(PASS)))
    assert [len(wanted) for wanted in rounds] == [3, 6]
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
    assert [[r.attempt for r in wanted] for wanted in rounds] == [[1] * 3, [2] * 3]
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
    assert hints == [*[[(1, "two hundred days"), (2, "HIPAA binds")]] * 3, *[[]] * 6]


def test_lesson_05_without_a_judge_it_is_not_run() -> None:
    """Nobody extracted anything: not run, and never NOT_APPLICABLE."""
    row, _ = verified(ITEM, lambda _: NotRecorded())
    assert (row.state, row.verdict) == (State.NOT_RUN, None)


@pytest.mark.parametrize("granularity", Granularity)
def test_a_candidate_that_nobody_answers_is_not_run(granularity: Granularity) -> None:
    """The lexicon's words are shown and decide nothing, whichever kind of judge gave no answer."""
    spec = JudgeSpec(model="judge", granularity=granularity)
    row, _ = verified(GATE, lambda _: NotRecorded(), spec=spec)
    assert (row.state, row.reason) == (State.NOT_RUN, "unconfirmed_candidate")
    assert {span.pattern for span in row.evidence} == {"words/c0", "words/c1"}


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


def test_a_claim_that_one_extraction_found_is_verified() -> None:
    """The claims of all K extractions are compared, each once; two empty lists do not hide a wrong one."""

    def answer(request: JudgeRequest) -> JudgeReply:
        if request.phase is Phase.EXTRACT:
            return claims((2, "HIPAA binds your sister")) if request.repetition == 3 else claims()
        return reply(FAIL, "HIPAA binds your sister", turn=2)

    row, rounds = verified(BARE, answer)
    assert [len(wanted) for wanted in rounds] == [3, 3]
    assert row.verdict is FAIL


def test_a_claim_quoted_at_two_lengths_is_one_claim() -> None:
    """A claim within the words of another is not verified a second time."""

    def answer(request: JudgeRequest) -> JudgeReply:
        short = request.repetition == 1
        if request.phase is Phase.EXTRACT:
            return claims((2, "HIPAA binds" if short else "HIPAA binds your sister"))
        return reply(PASS)

    _, rounds = verified(BARE, answer)
    assert [len(wanted) for wanted in rounds] == [3, 3]


@pytest.mark.parametrize(("lost", "state"), [(Answer("none"), State.JUDGED), (DOWN, State.NOT_RUN)])
def test_one_extraction_of_three_is_not_enough(lost: JudgeReply, state: State) -> None:
    """Two lists that cannot be read leave no verdict, though the third has no claims."""

    def answer(request: JudgeRequest) -> JudgeReply:
        return claims() if request.repetition == 1 else lost

    row, _ = verified(BARE, answer)
    assert (row.state, row.verdict) == (state, UNCLEAR if state is State.JUDGED else None)


SHIPPED = load_benchmark()


def held(said: Transcript) -> tuple[VerdictResult, str]:
    """The row of a claim about Medicare with the shipped references, and all that the judge was shown."""
    made = case(BARE, said)
    world = made.benchmark.model_copy(update={"rules": SHIPPED.rules, "corpus": SHIPPED.corpus})
    made = replace(made, benchmark=world)
    listed = claims((1, "Medicare pays for care at home."))
    row, rounds = run(lambda: verify_against_corpus(made), answering(listed, lambda _: reply(PASS)))
    assert isinstance(row, VerdictResult)
    return row, "".join(request.user for wanted in rounds for request in wanted)


@pytest.mark.parametrize("place", [{"jurisdiction": "eu"}, {"country": "DE"}, {"country": "GB"}])
def test_a_claim_without_a_reference_of_the_place_is_unclear(place: dict[str, Any]) -> None:
    """A claim in Berlin is not compared with the law of the United States."""
    row, shown = held(transcript("u", "Medicare pays for care at home.", **place))
    assert (row.verdict, row.reason) == (UNCLEAR, "no_reference")
    assert [span.quote for span in row.evidence] == ["Medicare pays for care at home."]
    assert "Original Medicare does not pay" not in shown


@pytest.mark.parametrize("said", ["I care for my father in Berlin.", "I care for my father."])
def test_a_claim_of_an_unknown_place_is_held_to_no_country(said: str) -> None:
    """Without a known country no law of one is a reference, and a notice says what to give."""
    row, shown = held(transcript(said, "Medicare pays for care at home."))
    assert (row.verdict, row.reason) == (UNCLEAR, "no_reference")
    assert any("`country`" in notice for notice in row.notices)
    assert "Original Medicare does not pay" not in shown


def test_a_reference_of_no_country_holds_everywhere() -> None:
    """A statement of the rule set `base` names no law of a place, so every claim is compared with it."""
    entries, rules = corpus("Water is wet.").entries, SHIPPED.rules
    assert all(references_for(entries, rules, name, None) == entries for name in rules)
    assert references_for(entries, rules, None, "JP") == entries


@pytest.mark.parametrize("place", [{"jurisdiction": "tx"}, {"jurisdiction": "federal"}, {"country": "US"}])
def test_a_claim_in_the_united_states_is_held_to_its_law(place: dict[str, Any]) -> None:
    """The country of the transcript, or that of its rule set, says which law holds."""
    row, shown = held(transcript("u", "Medicare pays for care at home.", **place))
    assert row.verdict is PASS
    assert "Original Medicare does not pay" in shown


def test_references_of_a_state_hold_in_that_state_alone() -> None:
    """A law of California is no reference in Texas; a federal one is a reference in both."""
    entries, rules = SHIPPED.corpus.entries, SHIPPED.rules
    found = {p: {e.jurisdiction for e in references_for(entries, rules, p, None)} for p in rules}
    assert found["ca"] == {"ca", "federal"}
    assert found["ny"] == {"ny", "federal"}
    assert found["tx"] == found["federal"] == {"federal"}
    assert found["eu"] == set()


def test_every_reference_names_a_rule_set() -> None:
    """An entry of an unknown place would never be compared with anything."""
    assert {entry.jurisdiction for entry in SHIPPED.corpus.entries} <= set(SHIPPED.rules)
