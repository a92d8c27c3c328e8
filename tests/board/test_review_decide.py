"""What people decide about a row, and what follows for the score of the conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date
from itertools import product
from typing import Any

import pytest

from ib.board.review.deciding import by_row, decided_result, decided_row, decided_verdict
from ib.board.review.drawing import drawn, gate_draw, gate_keys, item_id
from ib.board.review.marks import span_of
from ib.board.review.population import Case, cases_of
from ib.board.review.standing import Reviewed, left_out, pairs_of
from ib.board.review.summary import summary
from ib.models.common.base import Bucket, Role, Verdict
from ib.models.common.canonical import compact, digest
from ib.models.common.reader import ReaderRole
from ib.models.review.answers import Marked
from ib.models.review.batch import Design, Draw, Purpose
from ib.models.review.reviews import Review, RowKey
from ib.models.scan.decided import Reader
from ib.models.scan.gates import GateState
from ib.models.scan.result import TranscriptResult
from tests.board.world import MODELS, TRANSCRIPTS, WORLD, board_of, scan_of
from tests.build import FAIL, PASS, UNCLEAR, gate_check, reply, row, scoring, span, transcript

HASH = "5" * 64
DRAW = gate_draw(HASH)
LLM = ReaderRole.LANGUAGE_MODEL
ONE, TWO = (FAIL, PASS)
PLAN, MACHINE = scan_of(
    lambda r: (
        reply(FAIL, "answers kindly") if (r.check_id, r.model_id) == ("IB-A1", MODELS[0]) else reply(PASS)
    )
)
SAID = {(t.model_id, t.scenario_id): t for t in TRANSCRIPTS}


def review(
    verdict: Verdict, name: str = "r1", role: ReaderRole = ReaderRole.CLINICIAN, key: RowKey | None = None
) -> Review:
    """What a reader says about a row, with the words that a FAIL needs."""
    model, scenario, epoch, check_id = key or ("m", "s", None, "IB-A1")
    return Review(
        model_id=model, scenario_id=scenario, epoch=epoch, check_id=check_id, row_hash=HASH, batch=HASH,
        draw=DRAW, item="0" * 16, reader=Reader(pseudonym=name, role=role, language="en"),
        date=date(2026, 11, 28), verdict=verdict, note=f"because {name}",
        evidence=(span("words"),) if verdict is FAIL else (),
    )  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_a_majority_of_people_decides(size: int) -> None:
    """One decides alone, two must agree, more decide by more than half; `cannot tell` decides nothing."""
    for said in product((PASS, FAIL, UNCLEAR), repeat=size):
        found = decided_verdict([review(verdict, f"r{n}") for n, verdict in enumerate(said)])
        counts = Counter(said)
        expected = [v for v in (PASS, FAIL) if counts[v] * 2 > size]
        assert found is (expected[0] if expected else None), said


def test_a_language_model_decides_nothing() -> None:
    """Labels of a language model neither decide nor settle, and a decision by one cannot be made."""
    assert decided_verdict([review(FAIL, "bot", LLM)]) is None
    assert decided_verdict([review(FAIL, "a"), review(PASS, "b"), review(FAIL, "bot", LLM)]) is None
    machine = row(gate_check(), PASS)
    assert decided_row(machine, [review(FAIL, "bot", LLM)]) is machine


@pytest.mark.parametrize(
    ("machine", "said", "state", "overall"),
    [
        (PASS, FAIL, GateState.FAILED_BY_PERSON, 0.0),
        (FAIL, FAIL, GateState.FAILED_BY_PERSON, 0.0),
        (FAIL, PASS, GateState.CLEARED_BY_PERSON, 1.0),
        (UNCLEAR, PASS, GateState.CLEARED_BY_PERSON, 1.0),
        (PASS, PASS, GateState.CLEAR, 1.0),
        (FAIL, UNCLEAR, GateState.FAILED_BY_JUDGE, 0.0),
    ],
)
def test_a_decision_moves_gate_and_score(
    machine: Verdict, said: Verdict, state: GateState, overall: float
) -> None:
    """A hard fail of a person scores 0, a cleared gate scores quality, and an open one stays as it was."""
    result = MACHINE[0]
    rows = (row(WORLD.checks["IB-A1"], machine), *result.rows[1:])
    key = (result.model_id, result.scenario_id, result.epoch, "IB-A1")
    found = decided_result(_scored(result, rows), by_row([review(said, key=key)]), WORLD.scoring)
    assert (found.score.gate_state, found.score.overall_score) == (state, overall)
    assert TranscriptResult.model_validate_json(compact(found)) == found


def _scored(result: TranscriptResult, rows: tuple[object, ...]) -> TranscriptResult:
    from ib.engine.scoring import score

    made = result.model_copy(update={"rows": rows})
    return made.model_copy(update={"score": score(made.rows, WORLD.scoring)})


def test_a_decided_row_says_what_it_was() -> None:
    """The row keeps the votes of the machine and what it had said, and is neither contested nor split."""
    machine = row(gate_check(), FAIL, confidence=0.4, split=True)
    found = decided_row(machine, [review(FAIL, "b"), review(FAIL, "a")])
    assert machine.contested
    assert not found.contested
    assert not found.split
    assert not found.unsettled
    assert found.decided is not None
    assert (found.decided.was.verdict, found.decided.was.confidence, found.decided.was.split) == (
        FAIL,
        0.4,
        True,
    )
    assert found.decided.reason == "because b / because a"
    assert b"decided" not in compact(machine)


def test_a_reader_who_says_two_things_is_refused() -> None:
    """The same pseudonym with two different answers is an error; the same answer twice counts once."""
    assert [len(told) for told in by_row([review(FAIL), review(FAIL)]).values()] == [1]
    with pytest.raises(ValueError, match="two different things"):
        by_row([review(FAIL), review(PASS)])


def test_a_third_reader_needs_only_what_is_open() -> None:
    """Every reader answers all items; if two have, a third may answer only those on which they differ."""
    keys: set[RowKey] = {("m", "s", None, "IB-A1"), ("m", "s", None, "IB-A2")}
    same, other = sorted(keys)
    first, second = {same: PASS, other: PASS}, {same: PASS, other: FAIL}
    assert left_out(keys, {"a": first, "b": second, "c": {other: FAIL}}) == {}
    assert left_out(keys, {"a": first, "b": second, "c": {same: PASS}}) == {"c": {other}}
    assert left_out(keys, {"a": first, "b": {other: FAIL}}) == {"b": {same}}


def test_marked_words_are_found_as_written() -> None:
    """Words are looked for in a judged reply of the turn, exactly or by their letters and digits."""
    said = transcript("hello", "You \u201cmust\u201d stop, now.", "ok", "Fine.")
    found = span_of(Marked(turn=1, quote='"must" stop'), said, frozenset({1}))
    assert found is not None
    assert said.messages[1].content[found.start : found.end] == found.quote
    assert (found.role, found.turn) == (Role.ASSISTANT, 1)
    assert span_of(Marked(turn=1, quote="hello"), said, frozenset({1})) is None
    assert span_of(Marked(turn=2, quote="Fine."), said, frozenset({1})) is None


def reviewed(verdict: Verdict = PASS, role: ReaderRole = ReaderRole.CLINICIAN, **changes: Any) -> Reviewed:
    """The whole draw for the gate, answered by one reader. `changes` falsify every review."""
    cases = [one for result in MACHINE for one in cases_of(result)]
    opened, passes = gate_keys(cases, HASH)
    rows = {(r.model_id, r.scenario_id, r.epoch, one.mode_id): one for r in MACHINE for one in r.rows}
    made = [
        review(verdict, role=role, key=key).model_copy(
            update={"item": item_id(key, DRAW, HASH), "row_hash": digest(rows[key]), **changes}
        )
        for key in sorted(opened | passes, key=str)
    ]
    return Reviewed(tuple(made), scoring())


def standing_of(found: Reviewed) -> tuple[int, int, int]:
    """How many problems, undecided rows and unread PASSes the reviews leave."""
    for result in MACHINE:
        found.decide(result, SAID[result.model_id, result.scenario_id])
    standing = found.standing(HASH)
    return len(standing.problems), len(standing.undecided), len(standing.unread)


def test_reviews_of_people_settle_the_gate() -> None:
    """Two FAILs decided and two PASSes read leave nothing; a language model settles nothing."""
    assert standing_of(reviewed()) == (0, 0, 0)
    assert standing_of(reviewed(role=LLM)) == (0, 2, 2)
    assert standing_of(Reviewed((), scoring())) == (0, 2, 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"row_hash": "6" * 64},
        {"item": "1" * 16},
        {"evidence": (span("words that nobody said"),)},
        {"scenario_id": "elsewhere"},
        {"check_id": "IB-C1"},
    ],
    ids=str,
)
def test_a_review_that_does_not_fit_is_a_problem(changes: dict[str, Any]) -> None:
    """A review of another row, item, scenario or check, or with words of nobody, is found."""
    problems, *_ = standing_of(reviewed(**changes))
    assert problems


def test_a_review_that_was_taken_out_is_missed() -> None:
    """Answers that somebody dislikes cannot be left out of a scan."""
    found = reviewed()
    assert standing_of(Reviewed(found.every[1:], scoring()))[0] == 1


def test_a_release_shows_readers_reversals_and_agreement() -> None:
    """Reversals in both directions, agreement of two people by check, and who read, are in the summary."""
    found = reviewed()
    second = [
        one.model_copy(update={"reader": Reader(pseudonym="r2", role=ReaderRole.CAREGIVER, language="es")})
        for one in found.every
    ]
    both = Reviewed((*found.every, *second), scoring())
    assert standing_of(both) == (0, 0, 0)
    shown = summary(both, HASH)
    assert [(one.pseudonym, one.role.value, one.rows) for one in shown.readers] == [
        ("r1", "clinician", 4),
        ("r2", "caregiver", 4),
    ]
    assert sum(one.to_pass for one in shown.checks) == len(shown.reversals) == 2
    assert all(one.was is FAIL and one.now is PASS for one in shown.reversals)
    assert (
        sum(one.agreement.n for one in shown.checks) == sum(one.agreement.agreed for one in shown.checks) == 4
    )
    assert sum(count.total() for count in pairs_of(both.reviews).values()) == 4


def drawn_reviews(draw: Draw, say: Callable[[Case], Verdict]) -> Reviewed:
    """A draw from all verdicts, read by one person."""
    cases = [one for result in MACHINE for one in cases_of(result)]
    made = [
        review(say(case), key=case.key).model_copy(update={"draw": draw})
        for case, _ in drawn(cases, draw, HASH).cases
    ]
    found = Reviewed(tuple(made), scoring())
    for result in MACHINE:
        found.decide(result, SAID[result.model_id, result.scenario_id])
    return found


EVERY = Draw(purpose=Purpose.SAMPLE, design=Design.UNIFORM, n=100_000, seed="s")


def test_rates_corrected_by_people_stand_beside_those_of_the_machine() -> None:
    """Each dimension, model and check has the counts of the machine and of people, and a rate or a reason."""
    found = drawn_reviews(EVERY, lambda case: FAIL if case.bucket == "A" else PASS)
    rates = summary(found, HASH).corrected
    assert rates is not None
    assert rates.draw == EVERY
    by = {(one.bucket, one.model_id, one.check_id): one for one in rates.rates}
    whole = by[Bucket.A, None, None]
    assert (whole.verdicts, whole.machine_failures, whole.decided, whole.failures) == (4, 2, 4, 4)
    assert (whole.rate, whole.reason) == (None, "4 sampled failures; 5 are needed")
    assert by[Bucket.C, None, "IB-C1"].reason == "0 sampled failures; 5 are needed"
    assert by[Bucket.A, MODELS[1], None].machine_failures == 0


def test_a_draw_for_the_gate_corrects_gate_checks_alone() -> None:
    """Without a sample, rates are about gate checks; what a language model read corrects none."""
    found = reviewed()
    standing_of(found)
    rates = summary(found, HASH).corrected
    assert rates is not None
    assert {one.check_id for one in rates.rates if one.check_id} == {"IB-A1", "IB-B1"}
    machines = reviewed(role=LLM)
    standing_of(machines)
    assert summary(machines, HASH).corrected is None


def test_the_board_counts_hard_fails_of_people() -> None:
    """The rate counts a hard fail by a person, its sum holds, and a cleared gate is no failure."""
    key = (MODELS[1], "scenario-1", None, "IB-A1")
    cleared = (MODELS[0], "scenario-1", None, "IB-A1")
    reviews = by_row([review(FAIL, key=key), review(PASS, key=cleared)])
    results = [decided_result(result, reviews, WORLD.scoring) for result in MACHINE]
    first, second = (one.gates["A"] for one in board_of(PLAN, results).models)  # type: ignore[index]
    assert (first.failed_by_judge, first.cleared_by_person, first.failed) == (1, 1, 1)
    assert (second.failed_by_person, second.clear, second.failed) == (1, 1, 1)
    assert first.due == second.due == 2
    assert second.bounds == (0.5, 0.5)
