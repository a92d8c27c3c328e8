"""What a release says of a second judge: agreement on the sample, and what would change."""

from __future__ import annotations

import pytest

from ib.board.figures.second import SecondTally
from ib.engine.second import ChangedRow, Compared
from ib.models.common.base import Unit, Verdict
from ib.models.common.canonical import digest
from ib.models.release.bytes import release_bytes
from ib.models.release.leaderboard import Leaderboard
from ib.models.scan.judge import JudgeSpec, Phase
from ib.models.scan.second import SecondJudging, SecondOpinion, SecondPlan
from ib.stats.intervals import rate_interval
from tests.board.world import WORLD, clean
from tests.build import FAIL, PASS, UNCLEAR

PLAN = SecondPlan(
    judge=JudgeSpec(model="house/second"), share=0.2, planned_questions=1, planned_calls=1,
    planned_calls_expected=1, planned_calls_max=9, planned_units=9, estimated_cost_usd=None,
)  # fmt: skip


def opinion(
    check_id: str, first: Verdict, second: Verdict | None, *, sampled: bool = True, gate_fail: bool = False
) -> SecondOpinion:
    """One question to both judges."""
    return SecondOpinion(
        question=digest([check_id, first]), model_id="lab/alpha", scenario_id="scenario-1", epoch=None,
        check_id=check_id, phase=Phase.DECIDE, unit=Unit.SESSION_STATE, turns=(1, 1), ordinal=0,
        sampled=sampled, gate_fail=gate_fail, first=first, second=second,
    )  # fmt: skip


def judging(*found: Compared) -> SecondJudging:
    """The entry of the leaderboard."""
    tally = SecondTally()
    for one in found:
        tally.add(one)
    return tally.entry(PLAN, WORLD)


def of_questions(*opinions: SecondOpinion) -> Compared:
    """A transcript with these questions."""
    return Compared(opinions, ())


def test_agreement_is_measured_on_the_sample_alone() -> None:
    """Gate FAILs outside of the sample are selected: they would make the judges look as if they disagreed."""
    found = judging(
        of_questions(
            *[opinion("IB-C1", PASS, PASS)] * 36,
            opinion("IB-C1", PASS, FAIL),
            opinion("IB-A1", FAIL, PASS, gate_fail=True),
            *[opinion("IB-A1", FAIL, FAIL, gate_fail=True)] * 2,
            *[opinion("IB-A1", FAIL, PASS, sampled=False, gate_fail=True)] * 5,
        )
    ).all_checks
    low, high = rate_interval(38, 40)
    said = found.agreement
    assert (said.n, said.agreed, said.rate, said.low, said.high) == (40, 38, 0.95, low, high)
    assert said.kappa == pytest.approx(0.6396396396396391, abs=1e-9)
    assert said.ac1 == pytest.approx(0.9419448476052249, abs=1e-9)
    assert said.support == ("ok",)
    assert (found.questions, found.gate_fails, found.gate_fails_not_shared) == (45, 8, 6)


def test_a_question_without_an_answer_is_counted_and_left_out() -> None:
    """It is neither agreement nor disagreement, and shares no failure."""
    found = judging(
        of_questions(opinion("IB-A1", FAIL, None, gate_fail=True), opinion("IB-C1", PASS, PASS))
    ).all_checks
    assert (found.questions, found.unanswered, found.gate_fails) == (2, 1, 0)
    assert (found.agreement.n, found.agreement.agreed) == (1, 1)


def test_an_unclear_answer_does_not_share_a_gate_fail() -> None:
    """Only a FAIL does."""
    found = judging(of_questions(opinion("IB-A1", FAIL, UNCLEAR, gate_fail=True)))
    assert found.checks[0].gate_fails_not_shared == 1


@pytest.mark.parametrize(("n", "shown"), [(0, False), (4, False), (5, True)])
def test_few_questions_give_counts_and_no_rate(n: int, shown: bool) -> None:
    """Neither a rate nor kappa nor AC1; no question gives no interval."""
    said = judging(
        of_questions(*[opinion("IB-C1", PASS, PASS)] * (n - 1), *[opinion("IB-C1", FAIL, FAIL)] * min(n, 1))
    ).all_checks.agreement
    assert said.n == said.agreed == n
    assert [(value is not None) for value in (said.rate, said.kappa, said.ac1)] == [shown] * 3
    assert (said.low is None) == (n == 0)


def test_total_disagreement_is_no_event_that_did_not_happen() -> None:
    """The flag `zero_events` is about failures, and an agreement of 0 is none."""
    said = judging(of_questions(*[opinion("IB-C1", PASS, FAIL)] * 40)).all_checks.agreement
    assert (said.rate, said.support) == (0.0, ("ok",))


def test_what_would_change_is_counted_by_check() -> None:
    """Rows with the same verdict are in the denominator; a FAIL may go or come."""
    rows = (
        ChangedRow("IB-A1", FAIL, PASS),
        ChangedRow("IB-A1", FAIL, FAIL),
        ChangedRow("IB-C1", PASS, FAIL),
        ChangedRow("IB-C1", PASS, UNCLEAR),
        ChangedRow("IB-C1", PASS, PASS),
    )
    found = judging(Compared((), rows[:3]), Compared((), rows[3:]))
    told = {c.check_id: (c.rows, c.rows_changed, c.fails_removed, c.fails_added) for c in found.checks}
    assert told == {"IB-A1": (2, 1, 1, 0), "IB-C1": (3, 2, 0, 1)}
    whole = found.all_checks
    assert (whole.rows, whole.rows_changed, whole.fails_removed, whole.fails_added) == (5, 3, 1, 1)


def test_checks_come_in_the_order_of_the_benchmark() -> None:
    """Not in the order in which the questions were met; a check without a question is not listed."""
    found = judging(of_questions(opinion("IB-C1", PASS, PASS), opinion("IB-A1", PASS, PASS)))
    assert [one.check_id for one in found.checks] == ["IB-A1", "IB-C1"]


def test_a_leaderboard_has_a_line_for_each_check() -> None:
    """And it is read back as it was."""
    found = judging(of_questions(opinion("IB-C1", PASS, PASS), opinion("IB-A1", PASS, PASS)))
    board = clean().leaderboard.model_copy(update={"second_judge": found})
    data = release_bytes(board)
    assert release_bytes(Leaderboard.model_validate_json(data)) == data
    assert Leaderboard.model_validate_json(data).second_judge == found
    lines = [line for line in data.decode().splitlines() if '"fails_removed":' in line]
    assert len(lines) == 3
