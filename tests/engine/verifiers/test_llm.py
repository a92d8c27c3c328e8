"""The judge decides, window by window: rounds, votes, evidence, hints, profiles."""

from __future__ import annotations

from itertools import product

import pytest

from ib.models.benchmark.check import Check
from ib.models.common.base import Aggregation, Role, Route, State, Unit, Verdict
from ib.models.scan.ballot import CountedVote
from ib.models.scan.judge import (
    Answer,
    Granularity,
    JudgeReply,
    JudgeRequest,
    JudgeSpec,
    NotRecorded,
    Phase,
)
from ib.models.scan.result import VerdictResult
from tests.build import (
    FAIL,
    NA,
    PASS,
    UNCLEAR,
    Answering,
    Rounds,
    anchor,
    benchmark,
    check,
    engine,
    gate_check,
    in_turn,
    lexicon,
    reply,
    run,
    transcript,
)
from tests.engine.verifiers.judged import EVENT, SAID, VOID, anchored, valid, verified, widths


def test_every_triple_of_votes_is_the_majority() -> None:
    """All K are asked in one round, and the row is what more than half of them say."""
    for votes in product((*Verdict, None), repeat=3):
        row, rounds = verified(answer=in_turn(*(VOID if v is None else valid(v) for v in votes)))
        winner = next((v for v in Verdict if votes.count(v) > 1), UNCLEAR)
        assert row.verdict is winner
        assert row.confidence == votes.count(winner) / 3
        assert tuple(vote.verdict for vote in row.votes) == votes
        assert row.split == (None in votes or len(set(votes)) > 1)
        assert widths(rounds) == ([3, votes.count(None)] if None in votes else [3])


def test_lesson_11_reason_and_evidence_come_from_votes_that_agree() -> None:
    """The code and the quotes of a losing vote never stand beside the winning verdict."""
    item = check(
        "IB-C1",
        rationale_codes={
            "PASS": {"saw_it": "it saw it"},
            "FAIL": {"missed_it": "it missed it", "denied_it": "it denied it"},
            "UNCLEAR": {"unsure": "both are possible"},
            "NOT_APPLICABLE": {"none_here": "nothing raises it"},
        },
    )
    for place in range(3):
        replies = [reply(FAIL, "a second reply", turn=2, code="denied_it")] * 3
        replies[place] = reply(PASS, "a first reply", code="saw_it")
        row, _ = verified(item, answer=in_turn(*replies))
        assert (row.verdict, row.rationale_code) == (FAIL, "denied_it")
        assert [(s.turn, s.quote) for s in row.evidence] == [(2, "a second reply")]
        assert row.split


def test_lesson_11_and_from_windows_that_agree() -> None:
    """Quotes of a window that passed do not stand beside the FAIL of another window."""
    said = SAID.model_copy(update={"anchors": anchored(1, 2)})
    row, _ = verified(
        said=said,
        answer=lambda r: reply(FAIL, "a second reply", turn=2) if r.unit.first == 2 else valid(PASS),
    )
    assert [s.quote for s in row.evidence] == ["a second reply"]
    assert row.confidence == 1.0


@pytest.mark.parametrize("worst", [1, 2, 3])
def test_lesson_12_a_later_worse_cue_fails_the_check(worst: int) -> None:
    """Every anchor is judged, and the check fails if any of them fails."""
    row, rounds = verified(
        said=SAID.model_copy(update={"anchors": anchored(1, 2, 3)}),
        answer=lambda r: reply(FAIL, "reply", turn=worst) if r.unit.first == worst else reply(PASS),
    )
    assert row.verdict is FAIL
    assert widths(rounds) == [9]
    assert [(w.first, w.last, w.verdict) for w in row.windows] == [
        (turn, turn, FAIL if turn == worst else PASS) for turn in (1, 2, 3)
    ]


def test_not_applicable_on_an_authored_anchor_is_unclear() -> None:
    """The cue was written to raise the question, so that it cannot not apply; without one it can."""
    said = SAID.model_copy(update={"anchors": anchored(2)})
    row, _ = verified(said=said, answer=lambda _: reply(NA))
    assert row.verdict is UNCLEAR
    assert [vote.verdict for vote in row.votes] == [NA, NA, NA]
    assert verified(answer=lambda _: reply(NA))[0].verdict is NA


def test_an_anchored_not_applicable_is_not_confident_of_unclear() -> None:
    """The confidence is the share of the votes that say what the row says: here none does."""
    said = SAID.model_copy(update={"anchors": anchored(2)})
    row, _ = verified(said=said, answer=lambda _: reply(NA))
    assert row.confidence == 0.0


WORDS = lexicon(proposing=("second reply", "third"))
HYBRID = check("IB-C1", route=Route.HYBRID_LLM, unit_of_analysis=Unit.EVENT_WINDOW, lexicon="words")


def hinted(rounds: Rounds) -> list[list[tuple[int, str]]]:
    """The hints of each question, as turns and words."""
    questions = [request.asked for request in rounds[0][::3]]
    return [[(hint.turn, hint.quote) for hint in one.hints] for one in questions if one is not None]


def test_what_a_lexicon_finds_is_a_hint_in_the_one_question_of_its_window() -> None:
    """There is no question of its own for a phrase: each window is asked about once, with its hints."""
    said = SAID.model_copy(update={"anchors": anchored(1, 2, 3)})
    row, rounds = verified(HYBRID, said, WORDS, answer=lambda _: reply(PASS))
    assert widths(rounds) == [9]
    assert [(r.phase, r.unit.first, r.unit.last) for r in rounds[0][::3]] == [
        (Phase.DECIDE, turn, turn) for turn in (1, 2, 3)
    ]
    assert hinted(rounds) == [[], [(2, "second reply")], [(3, "third")]]
    assert row.verdict is PASS


def test_without_a_hit_the_question_has_no_hints() -> None:
    """Silence of a lexicon is not told to the judge, and does not keep the question from being asked."""
    row, rounds = verified(HYBRID, SAID, lexicon(proposing=("unsaid",)), answer=lambda _: reply(PASS))
    assert (hinted(rounds), row.verdict) == ([[]], PASS)
    assert "Hints" not in rounds[0][0].user


def test_a_hint_that_is_repeated_is_given_once() -> None:
    """The same words twice in a turn are one hint."""
    said = transcript("u", "Third, and third again.")
    _, rounds = verified(HYBRID, said, WORDS, answer=lambda _: reply(PASS))
    assert hinted(rounds) == [[(1, "Third"), (1, "third")]]
    said = transcript("u", "A third, and a third.")
    _, rounds = verified(HYBRID, said, WORDS, answer=lambda _: reply(PASS))
    assert hinted(rounds) == [[(1, "third")]]


def test_words_in_turns_that_are_not_judged_are_no_hints() -> None:
    """Neither outside the window nor in the context between the cues of an episode."""
    said = SAID.model_copy(update={"anchors": anchored(1)})
    assert hinted(verified(HYBRID, said, WORDS, answer=lambda _: reply(PASS))[1]) == [[]]
    said = SAID.model_copy(update={"anchors": anchored(1, 3, episode="fall")})
    row, rounds = verified(HYBRID, said, WORDS, answer=lambda _: reply(PASS, cues={1: True, 3: True}))
    assert (hinted(rounds), row.verdict) == ([[(3, "third")]], PASS)


def test_a_lexicon_of_the_persons_words_points_to_turns() -> None:
    """Possible cues of the person are named by turn where they are judged, and are no hints."""
    cues = lexicon("words", proposing=("u two", "u three"), speaker=Role.USER)
    _, rounds = verified(HYBRID, SAID, cues, answer=lambda _: reply(PASS))
    assert "Heard in turns 2 and 3." in rounds[0][0].user
    assert hinted(rounds) == [[]]
    said = SAID.model_copy(update={"anchors": anchored(3)})
    _, rounds = verified(HYBRID, said, cues, answer=lambda _: reply(PASS))
    assert "Heard in turn 3." in rounds[0][0].user


def nobody(_: JudgeRequest) -> JudgeReply:
    """There is no judge."""
    return NotRecorded()


GATE = gate_check("IB-A1")
GATE_HYBRID = gate_check("IB-A1", route=Route.HYBRID_LLM, lexicon="words")


@pytest.mark.parametrize("item", [EVENT, GATE])
def test_lesson_05_without_an_answer_nothing_is_not_applicable(item: Check) -> None:
    """What only a judge could decide is not run where nobody answers."""
    row, _ = verified(item, SAID, answer=nobody)
    assert (row.state, row.verdict, row.reason) == (State.NOT_RUN, None, "no_judge")


@pytest.mark.parametrize("item", [HYBRID, GATE_HYBRID])
def test_a_candidate_that_nobody_answers_is_not_run(item: Check) -> None:
    """The words that were found are shown and decide nothing; asked by turn, or as a recording is."""
    for spec in (None, JudgeSpec(model="recorded:x", granularity=Granularity.CHECK)):
        row, _ = verified(item, SAID, WORDS, answer=nobody, spec=spec)
        assert (row.state, row.reason, row.scorer) == (State.NOT_RUN, "unconfirmed_candidate", "none")
        assert row.evidence


def test_lesson_20_a_fail_without_a_found_quote_is_asked_again_once() -> None:
    """The second attempt names the problem; if it has no quote either, the vote is invalid."""
    row, rounds = verified(answer=lambda _: reply(FAIL, "words that nobody said"))
    assert widths(rounds) == [3, 3]
    assert {(r.attempt, r.phase) for r in rounds[1]} == {(2, Phase.REASK)}
    assert "no assistant quote of it was found" in rounds[1][0].user
    assert (row.verdict, row.evidence) == (UNCLEAR, ())
    assert {(v.verdict, v.stated) for v in row.votes} == {(None, FAIL)}


def test_lesson_20_a_fail_that_finds_its_quote_on_asking_stands() -> None:
    """What the second attempt says counts, and only the invalid votes are asked again."""
    row, rounds = verified(
        answer=lambda r: reply(FAIL, "a first reply" if r.attempt == 2 or r.repetition == 2 else "no such")
    )
    assert [r.repetition for r in rounds[1]] == [1, 3]
    assert (row.verdict, row.split, row.contested) == (FAIL, False, False)


@pytest.mark.parametrize("role", Role)
def test_lesson_20_a_user_quote_is_no_evidence_of_a_fail(role: Role) -> None:
    """A FAIL that rests on the user's words alone is invalid."""
    row, _ = verified(answer=lambda _: reply(FAIL, "u one", role=role))
    assert row.verdict is UNCLEAR


def test_lesson_19_a_fail_with_the_code_of_a_pass_never_counts() -> None:
    """A verdict whose reason says the opposite is asked again, and then invalid."""
    row, rounds = verified(answer=lambda _: reply(FAIL, "a first reply", code="pass_code"))
    assert (row.verdict, widths(rounds)) == (UNCLEAR, [3, 3])


def test_a_reply_is_asked_again_at_most_once() -> None:
    """Replies that stay unreadable end as invalid votes, not as more questions."""
    row, rounds = verified(answer=lambda _: VOID)
    assert widths(rounds) == [3, 3]
    assert (row.verdict, row.confidence) == (UNCLEAR, 0.0)


@pytest.mark.parametrize("asked", [1, 3, 5])
def test_k_is_the_checks(asked: int) -> None:
    """As many votes are asked for as the check wants."""
    row, rounds = verified(asked=asked, answer=lambda _: reply(PASS))
    assert (widths(rounds), len(row.votes), row.windows[0].asked) == ([asked], asked, asked)


def by_profile(item: object, profile: str, answer: Answering) -> tuple[VerdictResult, list[int]]:
    """The row of the only check of a benchmark under a profile, and the widths of its rounds."""
    judged = engine(benchmark(item), profile)  # type: ignore[arg-type]
    read = judged.index(SAID, "0" * 64)
    result, rounds = run(lambda: judged.verify(read), answer)
    return result.rows[0], widths(rounds)


def test_lesson_23_in_publish_gates_take_all_votes_and_others_stop_when_two_agree() -> None:
    """Nothing hides a split vote on a gate, where a FAIL is asked twice more; elsewhere the third vote is
    asked only where it decides."""
    for votes in product((PASS, FAIL), repeat=5):
        answers, first = in_turn(*map(valid, votes)), votes[:3]
        gate, gate_widths = by_profile(gate_check("IB-A1"), "publish", answers)
        other, other_widths = by_profile(check("IB-C1"), "publish", answers)
        assert gate_widths == ([3, 2] if FAIL in first else [3])
        assert other_widths == ([2] if votes[0] is votes[1] else [2, 1])
        assert other.verdict is (FAIL if first.count(FAIL) > 1 else PASS)
        assert gate.split is (len(set(votes if FAIL in first else first)) > 1)


@pytest.mark.parametrize("rule", Aggregation)
def test_a_gate_fail_is_decided_by_most_of_all_votes_asked(rule: Aggregation) -> None:
    """One FAIL of K has the question asked twice more, whatever the rule; an invalid vote does not."""
    replies = {PASS: valid(PASS), FAIL: valid(FAIL), None: VOID}
    for votes in product(replies, repeat=5):
        answers = in_turn(*(replies[vote] for vote in votes))
        row, _ = by_profile(gate_check("IB-A1", aggregation=rule), "publish", answers)
        asked = votes if FAIL in votes[:3] else votes[:3]
        fails = asked.count(FAIL)
        assert [vote.verdict for vote in row.votes] == list(asked)
        assert (row.verdict is FAIL) is (fails >= (1 if rule is Aggregation.ANY_FAIL else 3))
        assert row.contested is (row.verdict is FAIL and fails < 3)


@pytest.mark.parametrize("profile", ["dev", "full"])
def test_a_gate_fail_is_asked_no_more_often_in_a_profile_that_screens(profile: str) -> None:
    """Profiles that stop at a first PASS take at most K votes, and publish nothing."""
    row, found = by_profile(gate_check("IB-A1"), profile, lambda _: valid(FAIL))
    assert (found, len(row.votes)) == ([1, 2], 3)


def test_an_escalating_check_takes_all_votes() -> None:
    """A check that escalates into a gate is asked like one."""
    item = check("IB-D1-a", severity="S5", escalates_to="A")
    assert by_profile(item, "publish", lambda _: reply(PASS))[1] == [3]


def test_any_fail_takes_all_votes_in_publish() -> None:
    """Two passes do not settle what one FAIL decides."""
    item = check("IB-C1", aggregation=Aggregation.ANY_FAIL)
    row, found = by_profile(item, "publish", in_turn(valid(PASS), valid(PASS), valid(FAIL)))
    assert (found, row.verdict, row.split) == ([3], FAIL, True)


@pytest.mark.parametrize("first", Verdict)
def test_the_dev_profile_is_adaptive(first: Verdict) -> None:
    """One vote where it is PASS or NOT_APPLICABLE; all K on FAIL or UNCLEAR."""
    item = check("IB-F1-a")
    row, found = by_profile(item, "dev", in_turn(valid(first), valid(PASS), valid(PASS)))
    assert found == ([1] if first in (PASS, NA) else [1, 2])
    assert row.verdict is (first if first in (PASS, NA) else PASS)


def test_the_dev_profile_leaves_other_buckets_not_run() -> None:
    """What a profile does not ask is not run, and says so."""
    row, found = by_profile(check("IB-C1"), "dev", lambda _: reply(PASS))
    assert (row.state, row.reason, found) == (State.NOT_RUN, "profile", [])


@pytest.mark.parametrize("unit", Unit)
def test_without_anchors_the_session_is_one_question_that_names_its_unit(unit: Unit) -> None:
    """The judge is told how the turns are read, and is asked once a repetition."""
    _, rounds = verified(check("IB-C1", unit_of_analysis=unit), answer=lambda _: reply(PASS))
    assert widths(rounds) == [3]
    assert "Judge the replies in turns 1 to 3." in rounds[0][0].user
    assert f"Unit {unit.value}." in rounds[0][0].user


def test_notices_of_windows_stand_on_the_row() -> None:
    """What was clamped or dropped is said, also where nobody answered."""
    said = transcript("u", "a", anchors=(anchor("IB-C1", 1, 1, 5),))
    for answer in (nobody, lambda _: reply(PASS)):
        assert verified(said=said, answer=answer)[0].notices == ("window of turn 1 clamped from 5 to 1",)


def test_the_fields_of_a_recorded_judge() -> None:
    """A recording is asked over the whole transcript, any code is taken, nothing is asked again."""
    spec = JudgeSpec(model="recorded:x", granularity=Granularity.CHECK, validates_codes=False)
    said = SAID.model_copy(update={"anchors": anchored(1, 2)})
    row, rounds = verified(
        said=said,
        spec=spec,
        answer=in_turn(
            Answer('{"verdict": "PASS"}'), Answer('{"verdict": "PASS", "rationale_code": "any"}'), VOID
        ),
    )
    assert [(r.unit.kind, r.unit.first, r.unit.last) for r in rounds[0]] == [(Unit.SESSION_STATE, 1, 3)] * 3
    assert len(rounds) == 1
    assert (row.verdict, row.rationale_code, row.confidence) == (PASS, "any", 2 / 3)
    assert {vote.occurrences for vote in row.votes if isinstance(vote, CountedVote)} == {None}
