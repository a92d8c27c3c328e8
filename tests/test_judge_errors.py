"""How often wrong votes alone make a flawless model fail a gate, over the whole corpus."""

from __future__ import annotations

from functools import partial
from itertools import product

import pytest

from ib.engine.questions.protocol import begin
from ib.engine.verifiers.llm import verify_with_judge
from ib.engine.votes.errors import CORRELATIONS, WRONG, chance_of, failed_by_error, of_question, polls
from ib.engine.votes.voting import Quota
from ib.models.common.base import Aggregation, Unit
from ib.models.scan.judge import Phase
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios
from tests.build import FAIL, PASS, case, engine, gate_check, hash_of, in_turn, reply, run, transcript
from tools.judge_errors import (
    ALLOWED,
    OF_TWO,
    allowed_error,
    either,
    gate_questions,
    judge_errors,
    of_model,
    of_play,
    played,
)

MOST_WINDOWS = 8
"""The most windows of gate checks in one play."""
MOST_ANY_FAIL = 4
"""The most of these that fail by a single vote."""
MOST_FAILED_PLAY = 0.002
"""The highest chance of a hard fail by most votes in a play of any scenario, with independent votes."""
MOST_FAILED_MODEL = 0.04
"""The same of a model that plays all scenarios of the core, or of one set: a release has one of them."""
PUBLISHED = Quota(3, after_fail=2)
"""The votes on a question of a gate check in a publish scan."""
BENCHMARK = load_benchmark()
SCENARIOS = load_scenarios(benchmark_folder())
ASKED = gate_questions(BENCHMARK, SCENARIOS)


def test_lesson_46_wrong_votes_alone_seldom_make_a_hard_fail() -> None:
    """In the worst play, and of a model that plays all scenarios of the core, or of one set."""
    plays = {name: of_play(questions) for name, questions in ASKED.items()}
    worst = max(plays, key=lambda name: plays[name].by_most)
    assert plays[worst].by_most <= MOST_FAILED_PLAY, worst
    for part in {scenario.set for scenario in SCENARIOS.values()}:
        of_part = [found for name, found in plays.items() if SCENARIOS[name].set == part]
        assert either(of_part).by_most <= MOST_FAILED_MODEL, part


def test_few_questions_of_one_play_close_a_gate() -> None:
    """Those that are asked whatever the judge answers, and those of them that one vote fails."""
    for name, questions in ASKED.items():
        rules = [one.rule for one in questions if not (one.screened or one.of_claims)]
        assert len(rules) <= MOST_WINDOWS, name
        assert rules.count(Aggregation.ANY_FAIL) <= MOST_ANY_FAIL, name


def test_the_questions_are_those_of_the_first_round() -> None:
    """Every question that is certain is asked K times at once, and no other question of a gate check is."""
    judged = engine(BENCHMARK)
    for name, scenario in SCENARIOS.items():
        said = played(scenario)
        requests, _ = begin(judged.verify(judged.index(said, hash_of(said))))
        first = [r for r in requests if r.phase is Phase.DECIDE and r.repetition == 1]
        gates = [r.check_id for r in first if BENCHMARK.checks[r.check_id].gate is not None]
        certain = [one for one in ASKED[name] if not (one.screened or one.of_claims)]
        assert len(gates) == len(certain), name
        assert {one.quota for one in ASKED[name]} <= {PUBLISHED}


@pytest.mark.parametrize("rule", Aggregation)
def test_a_question_fails_and_is_failed_as_in_a_scan(rule: Aggregation) -> None:
    """The chances are those of the engine's rows over every pattern of wrong votes."""
    check = gate_check(aggregation=rule, unit_of_analysis=Unit.EVENT_WINDOW, repetitions=PUBLISHED.asked)
    said = transcript("words", "reply")
    by_most = failed = 0.0
    for wrong in product((False, True), repeat=PUBLISHED.most):
        votes = in_turn(*(reply(FAIL, "reply") if one else reply(PASS) for one in wrong))
        made = case(check, said, asked=PUBLISHED.asked, after_fail=PUBLISHED.after_fail)
        row, _ = run(partial(verify_with_judge, made), votes)
        chance = WRONG ** sum(wrong) * (1 - WRONG) ** (len(wrong) - sum(wrong))
        failed += chance * (row.verdict is FAIL)
        by_most += chance * (row.verdict is FAIL and not row.contested)
    found = of_question(rule, PUBLISHED, WRONG)
    assert (found.by_most, found.failed) == pytest.approx((by_most, failed), abs=1e-15)


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_votes_have_the_share_and_the_correlation_that_are_named(share: float, correlation: float) -> None:
    """Of all votes, and of any two votes on a question; the chances of all ends of a poll sum to 1."""
    triples = {votes: chance_of(votes, share, correlation) for votes in product((False, True), repeat=3)}
    assert sum(triples.values()) == pytest.approx(1)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        both = sum(chance for votes, chance in triples.items() if votes[first] and votes[second])
        assert sum(c for votes, c in triples.items() if votes[first]) == pytest.approx(share)
        assert (both - share**2) / (share * (1 - share)) == pytest.approx(correlation)
    ends = (chance_of([vote is FAIL for vote in votes], share, correlation) for votes in polls(PUBLISHED))
    assert sum(ends) == pytest.approx(1)


def test_the_page_states_every_figure() -> None:
    """Every correlation and every share is printed, with the chances of a model."""
    page = judge_errors(BENCHMARK, SCENARIOS)
    model = either(of_play(questions) for questions in ASKED.values())
    assert f"| 0 | model, all scenarios | {model.by_most:.2%} | {model.failed:.1%} |" in page
    assert all(page.count(f"| {one:g} | model, all scenarios |") == 1 for one in CORRELATIONS)
    assert all(f"| any vote | {share:g} | {CORRELATIONS[0]:g} |" in page for share in (0.5, 0.7, 0.9))


@pytest.mark.parametrize(("correlation", "of_two"), [*product(CORRELATIONS, (None, *OF_TWO))])
def test_the_allowed_error_is_where_the_allowed_share_is_reached(
    correlation: float, of_two: float | None
) -> None:
    """With this share of wrong votes the chance is the allowed one, and with a little more it is above."""
    share = allowed_error(ASKED, correlation, of_two)
    assert of_model(ASKED, share, correlation, of_two) == pytest.approx(ALLOWED, abs=1e-6)
    assert of_model(ASKED, share * 1.01, correlation, of_two) > ALLOWED


def test_two_judges_help_only_as_far_as_their_errors_differ() -> None:
    """With the same errors two are one; the less their errors go together, the more may each be wrong."""
    assert of_model(ASKED, 0.01, 0.5, of_two=1.0) == pytest.approx(of_model(ASKED, 0.01, 0.5))
    allowed = [allowed_error(ASKED, 0.5, of_two) for of_two in OF_TWO]
    assert sorted(allowed) == allowed
    assert allowed[0] > allowed_error(ASKED, 0.5)


def test_the_page_leads_with_what_is_needed_and_ends_with_independence() -> None:
    """Independent votes are the ideal, so they stand last in every table."""
    page = judge_errors(BENCHMARK, SCENARIOS)
    assert page.index("What a judge would have to be like") < page.index("A model without a fault")
    assert CORRELATIONS[-1] == OF_TWO[-1] == 0.0


def test_the_page_leads_with_the_specificity_that_a_judge_needs() -> None:
    """The first row is one judge and two of different families at the highest correlation."""
    needed = (allowed_error(ASKED, CORRELATIONS[0], of_two) for of_two in (None, *OF_TWO))
    row = " | ".join(f"{1 - share:.3%}" for share in needed)
    page = judge_errors(BENCHMARK, SCENARIOS)
    assert f"| {CORRELATIONS[0]:g} | {row} |" in page


def test_questions_that_fail_by_error_are_a_sum_over_checks() -> None:
    """None for no question; with a correlation more fail by most votes than with independent votes."""
    gate = Quota(3, after_fail=2)
    assert failed_by_error((), 0.75) == 0
    asked = [(Aggregation.MAJORITY, gate, 100), (Aggregation.ANY_FAIL, Quota(3), 50)]
    for correlation in CORRELATIONS:
        found = [of_question(rule, quota, WRONG, correlation).by_most for rule, quota, _ in asked]
        assert failed_by_error(asked, correlation) == pytest.approx(100 * found[0] + 50 * found[1])
    assert failed_by_error(asked, 0.0) < 0.2
    assert 1 < failed_by_error(asked, 0.75) < WRONG * 150
