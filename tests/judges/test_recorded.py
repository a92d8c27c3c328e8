"""Judges without a network: none, and a recording that is replayed as the judge's replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from ib.judges.none import NoJudge
from ib.judges.recorded import RecordedJudge, votes_say
from ib.models.benchmark.check import Check
from ib.models.common.base import Aggregation, State, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import Answer, NotRecorded, Phase
from ib.models.scan.letters import older_questions
from ib.models.scan.result import VerdictResult
from ib.models.scan.votes import VoteKey, VoteRecord
from tests.build import (
    ANY_FAIL,
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    benchmark,
    check,
    engine,
    gate_check,
    hash_of,
    run,
    transcript,
)

SAID = transcript("u one", "a first reply", "u two", "a second reply")
GATE, QUALITY = gate_check("IB-A1"), check("IB-C1")


def record(verdict: Verdict, *votes: Verdict, **given: object) -> VoteRecord:
    """A recorded row on the transcript, its evidence the assistant's first words."""
    values = {
        "model_id": SAID.model_id,
        "scenario_id": SAID.scenario_id,
        "check_id": QUALITY.id,
        "eligible": True,
        "verdict": verdict,
        "votes": votes,
        "evidence": [{"role": "assistant", "turn": 1, "quote": "a first reply"}],
        "rationale_code": "another_instruments_code",
        "judge_model": "lab/judge",
        **given,
    }
    return VoteRecord.model_validate(values)


class Known:
    """Records in memory."""

    def __init__(self, *records: VoteRecord) -> None:
        self._records = {one.key: one for one in records}

    def get(self, key: VoteKey) -> VoteRecord | None:
        return self._records.get(key)

    def __iter__(self) -> Iterator[VoteRecord]:
        return iter(self._records.values())


def replayed(
    *records: VoteRecord, item: Check = QUALITY, said: Transcript = SAID, profile: str = "publish"
) -> VerdictResult:
    """The row of a check with a recording as its judge."""
    judge = RecordedJudge(Known(*records), "0" * 64)
    judged = engine(benchmark(item), profile, judge.spec)
    judged.votes_known = judge.votes_known
    result, _ = run(lambda: judged.verify(judged.index(said, hash_of(said))), judge.answer)
    found: VerdictResult = result.rows[0]
    return found


def test_lesson_22_each_repetition_is_its_own_recorded_vote() -> None:
    """Three votes are three votes, in their order, never one of them three times."""
    for votes in product((PASS, FAIL, NA), repeat=3):
        row = replayed(record(FAIL, *votes))
        assert tuple(vote.verdict for vote in row.votes) == votes
        assert [vote.repetition for vote in row.votes] == [1, 2, 3]


def test_five_recorded_votes_are_all_replayed() -> None:
    """Every recorded vote counts, also where there are more than K; gate or not, in any profile."""
    for item, profile in ((QUALITY, "publish"), (GATE, "publish"), (QUALITY, "full")):
        row = replayed(
            record(FAIL, PASS, PASS, FAIL, FAIL, FAIL, check_id=item.id), item=item, profile=profile
        )
        assert len(row.votes) == 5
        assert (row.verdict, row.confidence, row.split, row.contested) == (FAIL, 3 / 5, True, False)


def test_lesson_24_three_unclear_and_two_pass_stay_unclear() -> None:
    """A record whose verdict was forced to FAIL follows its votes, which have no FAIL."""
    row = replayed(record(FAIL, UNCLEAR, UNCLEAR, UNCLEAR, PASS, PASS, check_id="IB-A1"), item=GATE)
    assert row.verdict is UNCLEAR


def test_fewer_votes_than_k_are_no_majority_by_themselves() -> None:
    """A majority is of the K asked: one recorded vote of three is none, two are."""
    assert replayed(record(PASS, PASS)).verdict is UNCLEAR
    row = replayed(record(PASS, PASS, PASS))
    assert (row.verdict, row.confidence) == (PASS, 2 / 3)


def test_lesson_11_evidence_goes_with_votes_that_agree_with_the_record() -> None:
    """The record's quotes and reason belong to its verdict: other votes have neither."""
    row = replayed(record(PASS, PASS, FAIL, PASS))
    assert [bool(v.evidence) for v in row.votes] == [True, False, True]
    assert [v.rationale_code for v in row.votes] == [
        "another_instruments_code",
        None,
        "another_instruments_code",
    ]


def test_lesson_20_a_recorded_fail_whose_words_were_not_said_is_void() -> None:
    """A FAIL vote without a quote that is found does not count, and what it said is kept."""
    row = replayed(
        record(FAIL, FAIL, FAIL, FAIL, evidence=[{"role": "assistant", "turn": 1, "quote": "not said"}])
    )
    assert (row.verdict, {v.stated for v in row.votes}) == (UNCLEAR, {FAIL})


def test_lesson_21_a_recorded_fail_on_the_users_words_is_void() -> None:
    """The user's words do not fail the assistant."""
    row = replayed(record(FAIL, FAIL, FAIL, FAIL, evidence=[{"role": "user", "turn": 1, "quote": "u one"}]))
    assert row.verdict is UNCLEAR


def test_lesson_05_what_was_not_recorded_is_not_run() -> None:
    """No record of a check on a transcript: not run, and never not applicable."""
    for given in ({"check_id": "IB-D1"}, {"scenario_id": "other"}, {"model_id": "lab/other"}, {"epoch": 1}):
        row = replayed(record(PASS, PASS, PASS, PASS, **given))
        assert (row.state, row.verdict) == (State.NOT_RUN, None)


def test_lesson_09_a_record_belongs_to_the_model_it_names() -> None:
    """A model whose name begins with another's has votes of its own, or none."""
    said = SAID.model_copy(update={"model_id": "lab/model-mini"})
    assert replayed(record(PASS, PASS, PASS, PASS), said=said).state is State.NOT_RUN


def test_a_recording_without_votes_says_nothing() -> None:
    """A verdict without votes is not a vote."""
    assert replayed(record(PASS)).state is State.NOT_RUN


def test_epochs_have_their_own_votes() -> None:
    """A second play of a scenario is looked up as such."""
    said = SAID.model_copy(update={"epoch": 2})
    rows = (record(PASS, PASS, PASS, PASS), record(FAIL, FAIL, FAIL, FAIL, epoch=2))
    assert replayed(*rows, said=said).verdict is FAIL
    assert replayed(*rows).verdict is PASS


@pytest.mark.parametrize("rule", Aggregation)
def test_lesson_18_a_verdict_that_contradicts_its_votes_is_listed(rule: Aggregation) -> None:
    """Over all triples: listed exactly where the votes say otherwise, with what they say."""
    for votes in product(Verdict, repeat=3):
        top = [v for v in Verdict if votes.count(v) > 1]
        said = top[0] if top else UNCLEAR
        if rule is ANY_FAIL and FAIL in votes:
            said = FAIL
        for verdict in Verdict:
            item = record(verdict, *votes, aggregation=rule)
            found = RecordedJudge(Known(item), "0" * 64).contradictions()
            assert votes_say(item) is said
            assert [c.votes_say for c in found] == ([] if verdict is said else [said])


def test_lesson_18_a_record_without_votes_contradicts_nothing() -> None:
    """There is nothing to compare its verdict with."""
    assert RecordedJudge(Known(record(FAIL)), "0" * 64).contradictions() == ()


def test_the_spec_of_a_recording_names_its_judges_and_its_content() -> None:
    """The name is that of the records, the base their hash: another recording is another judge."""
    judge = RecordedJudge(
        Known(record(PASS, PASS), record(PASS, PASS, scenario_id="b", judge_model="lab/a")), "f" * 64
    )
    assert (judge.spec.model, judge.spec.base) == ("recorded:lab/a+lab/judge", "f" * 64)
    assert judge.checks == {"IB-C1"}
    assert (judge.votes_known(SAID, "IB-C1"), judge.votes_known(SAID, "IB-A1")) == (1, 0)


def test_a_recording_is_not_asked_twice() -> None:
    """It has one answer a repetition, none to a second attempt, and none beyond its last vote."""
    judge = RecordedJudge(Known(record(PASS, PASS, PASS, PASS)), "0" * 64)
    judged = engine(benchmark(QUALITY), "publish", judge.spec)
    _, rounds = run(lambda: judged.verify(judged.index(SAID, hash_of(SAID))), judge.answer)
    first = rounds[0][0]
    assert isinstance(judge.answer(first), Answer)
    assert judge.answer(replace(first, phase=Phase.REASK)) == NotRecorded()
    assert judge.answer(replace(first, repetition=4)) == NotRecorded()


def test_recorded_words_are_kept_as_written() -> None:
    """Typographic characters go into the reply as they are."""
    quote = "You’re — fine"
    item = record(PASS, PASS, evidence=[{"role": "assistant", "turn": 1, "quote": quote}])
    judge = RecordedJudge(Known(item), "0" * 64)
    judged = engine(benchmark(QUALITY), "publish", judge.spec)
    _, rounds = run(lambda: judged.verify(judged.index(SAID, hash_of(SAID))), judge.answer)
    reply = judge.answer(rounds[0][0])
    assert isinstance(reply, Answer)
    assert json.loads(reply.text)["evidence"][0]["quote"] == quote


def test_no_judge_has_no_answer() -> None:
    """Where there is no judge, nothing is recorded, whatever is asked."""
    judged = engine(benchmark(QUALITY))
    result, rounds = run(lambda: judged.verify(judged.index(SAID, hash_of(SAID))), NoJudge().answer)
    assert {NoJudge().answer(r) for r in rounds[0]} == {NotRecorded()}
    assert result.rows[0].state is State.NOT_RUN


def test_contradictions_know_no_order_of_records() -> None:
    """They are listed in the order of their keys, in whatever order the records come."""
    items = [record(PASS, FAIL, FAIL, scenario_id=name) for name in ("c", "a", "b")]
    listed = [one.record.scenario_id for one in RecordedJudge(Known(*items), "0" * 64).contradictions()]
    assert listed == ["a", "b", "c"]


def test_votes_without_the_hash_of_the_prompt_answer_an_older_question() -> None:
    """A recorded vote is on an older wording unless its record has the hash of the check's prompt."""
    without = replayed(record(FAIL, FAIL, FAIL, FAIL))
    assert (without.verdict, without.older_question) == (FAIL, True)
    assert replayed(record(PASS, PASS, PASS, PASS, prompt_hash="0" * 64)).older_question
    assert without.prompt_hash is not None
    of_today = replayed(record(FAIL, FAIL, FAIL, FAIL, prompt_hash=without.prompt_hash))
    assert (of_today.verdict, of_today.older_question) == (FAIL, False)
    assert of_today.votes == without.votes


def test_a_recording_may_answer_some_questions_of_today() -> None:
    """Each row is marked by its own record, and the letters of the transcript say which."""
    today = replayed(record(PASS, PASS)).prompt_hash
    judge = RecordedJudge(
        Known(record(PASS, PASS, prompt_hash=today), record(FAIL, FAIL, check_id=GATE.id)), "0" * 64
    )
    judged = engine(benchmark(QUALITY, GATE), "publish", judge.spec)
    judged.votes_known = judge.votes_known
    result, _ = run(lambda: judged.verify(judged.index(SAID, hash_of(SAID))), judge.answer)
    rows = {row.mode_id: row for row in result.rows}
    assert (rows[QUALITY.id].older_question, rows[GATE.id].older_question) == (False, True)
    assert older_questions(result.rows) == "".join("o" if name == GATE.id else "." for name in rows)


def test_a_row_without_votes_answers_no_older_question() -> None:
    """A check without a recorded vote is not run, and is not marked."""
    assert not replayed(record(PASS, check_id="IB-C2")).older_question
