"""Comparing two models: what is shared, what is a clear answer, and what counts as one case."""

from __future__ import annotations

import pytest

from ib.board.figures.comparisons import comparisons
from ib.models.common.base import Bucket
from ib.models.release.comparisons import Comparison
from ib.models.release.leaderboard import ModelEntry, ScenarioOfModel
from ib.models.scan.gates import GateScore, GateState
from ib.stats.means import clustered_mean
from ib.stats.paired import benjamini_hochberg, holm, mcnemar
from tests.board.world import board_of, scan_of

MODEL = board_of(*scan_of()).models[0]
CHECKS = ("IB-A1", "IB-B1", "IB-C1", "IB-F1-a")
FAMILY = {f"s{at}": f"family {at // 2}" for at in range(8)}
"""Eight scenarios, two in each family."""


def gate(letter: str) -> GateScore:
    states = {"F": GateState.FAILED_BY_JUDGE, "C": GateState.CONTESTED, "U": GateState.INCOMPLETE}
    state = states.get(letter, GateState.CLEAR if letter in "PpN" else GateState.NOT_DUE)
    listed = {state.value: ("IB-A1",)} if letter in states else {}
    return GateScore.model_validate({"state": state, **listed})


def met(at: int, verdicts: str, epoch: int | None = None) -> ScenarioOfModel:
    """A transcript with its verdicts; the first two letters decide the gates."""
    gates = {Bucket.A: gate(verdicts[0]), Bucket.B: gate(verdicts[1])}
    fields = {"scenario_id": f"s{at}", "epoch": epoch, "gates": gates, "verdicts": verdicts}
    return MODEL.scenarios[0].model_copy(update=fields)


def model(slug: str, *verdicts: str) -> ModelEntry:
    """A model with one transcript for each text of verdicts."""
    scenarios = tuple(met(at, text) for at, text in enumerate(verdicts))
    return MODEL.model_copy(update={"model_id": f"lab/{slug}", "slug": slug, "scenarios": scenarios})


def compared(*models: ModelEntry) -> tuple[Comparison, ...]:
    return comparisons(models, CHECKS, FAMILY)


def test_only_clear_answers_of_both_are_counted() -> None:
    """FAIL and contested FAIL of a check are failures; contested and incomplete gates are undecided."""
    first = model("a", "FP..", "CP..", "UP..", "PP..", "FP..", "....")
    second = model("b", "PP..", "PP..", "PP..", "FP..", "FP..", "P...")
    (found,) = compared(first, second)
    safety = found.gates[Bucket.A]
    assert (safety.only_first, safety.only_second, safety.both, safety.neither) == (1, 1, 1, 0)
    assert safety.undecided == 3
    check = found.checks[0]
    assert check.check_id == "IB-A1"
    assert (check.only_first, check.only_second, check.both, check.neither) == (2, 1, 1, 0)
    assert found.all_checks.undecided == 2
    assert found.all_checks.n == 4 + 5
    assert found.shared == 6


def test_cases_of_one_family_are_one_case_of_the_test() -> None:
    """Two failures in one family count once in the test, and twice in the table."""
    first = model("a", "FP..", "FP..", "FP..", "PP..", "FP..", "PP..", "PP..", "PP..")
    second = model("b", "PP..", "PP..", "PP..", "FP..", "PP..", "PP..", "PP..", "PP..")
    (found,) = compared(first, second)
    safety = found.gates[Bucket.A]
    assert (safety.only_first, safety.only_second) == (4, 1)
    assert (safety.families_first, safety.families_second) == (2, 0)
    assert safety.n_families == 4
    assert safety.p == mcnemar(2, 0) == 0.5
    differences = [1.0, 1.0, 1.0, -1.0, 1.0, 0.0, 0.0, 0.0]
    mean = clustered_mean(differences, list(FAMILY.values()), lowest=-1.0)
    assert (safety.difference, safety.low, safety.high) == (mean.mean, mean.low, mean.high)


def test_families_that_are_alike_have_an_exact_interval() -> None:
    """Without spread, the interval takes each family as one case; without a case there is none."""
    (found,) = compared(model("a", "FP..", "FP..", "FP.."), model("b", "PP..", "PP..", "PP.."))
    safety, compliance = found.gates[Bucket.A], found.gates[Bucket.B]
    assert (safety.n_families, safety.difference, safety.high) == (2, 1.0, 1.0)
    assert safety.low == pytest.approx(2 * 0.05 ** (1 / 2) - 1)
    assert (compliance.low, compliance.high) == pytest.approx((0.05 ** (1 / 2) - 1, 1 - 0.05 ** (1 / 2)))
    (none,) = compared(model("a", "UP.."), model("b", "PP.."))
    assert (none.gates[Bucket.A].difference, none.gates[Bucket.A].low) == (None, None)


def test_cases_that_neither_check_was_asked_of_are_not_undecided() -> None:
    """N means that the check does not apply; with an answer of the other model the case is undecided."""
    (found,) = compared(model("a", "PPN.", "PPN.", "PP.."), model("b", "PPN.", "PPP.", "PPS."))
    assert found.all_checks.undecided == 1


def test_checks_of_phrases_are_not_in_all_checks() -> None:
    """A check with one PASS that means only that no phrase was found counts by itself alone."""
    passing = model("c", "PP.P", "PP.P")
    (found, *_) = compared(model("a", "PP.F", "PP.P"), model("b", "PP.p", "PP.P"), passing)
    assert (found.all_checks.n, found.all_checks.only_first) == (4, 0)
    assert found.checks[0].only_first == 1
    (_, other, _) = compared(model("a", "PP.F", "PP.P"), model("b", "PP.p", "PP.P"), passing)
    assert other.all_checks.n == 4


def test_undecided_cases_against_the_difference() -> None:
    """What is known of an undecided case stays; what is not known goes against the model that failed more."""
    told = {f"s{at}": f"f{at}" for at in range(8)}
    first = model("a", *["FP.."] * 6, "UP..", "FP..")
    second = model("b", *["PP.."] * 6, "FP..", "UP..")
    (found,) = comparisons((first, second), CHECKS, told)
    safety = found.gates[Bucket.A]
    assert (safety.p, safety.adjusted_against) == (mcnemar(6, 0), mcnemar(6, 1))
    (swapped,) = comparisons((first.model_copy(update={"slug": "c"}), second), CHECKS, told)
    assert swapped.gates[Bucket.A].adjusted_against == safety.adjusted_against
    (turned,) = comparisons((model("a", "FP..", *["UP.."] * 7), model("b", *["PP.."] * 8)), CHECKS, told)
    assert turned.gates[Bucket.A].adjusted_against == 1.0


def test_pairs_are_adjusted_together() -> None:
    """Holm is over all pairs of a gate, and Benjamini-Hochberg over all checks of all pairs."""
    fails, half, passes = ("FF.F",) * 8, ("FP.P",) * 6 + ("PP.P",) * 2, ("PP.P",) * 8
    found = compared(model("c", *passes), model("a", *fails), model("b", *half))
    assert [(one.first, one.second) for one in found] == [
        ("lab/a", "lab/b"),
        ("lab/a", "lab/c"),
        ("lab/b", "lab/c"),
    ]
    for bucket in (Bucket.A, Bucket.B):
        entries = [one.gates[bucket] for one in found]
        assert [one.adjusted for one in entries] == list(holm([one.p for one in entries]))
    pooled = [one.all_checks for one in found]
    assert [one.adjusted for one in pooled] == list(holm([one.p for one in pooled]))
    # The two models that pass B1 and F1-a everywhere are tested on them as well, with p = 1.
    tested = [row.p for one in found for row in one.checks] + [1.0, 1.0]
    q = [row.q for one in found for row in one.checks]
    assert q == pytest.approx(benjamini_hochberg(tested)[:-2])


def test_a_play_is_compared_with_the_same_play() -> None:
    """Epochs are matched, and a transcript of one model alone is not shared."""
    first = model("a").model_copy(update={"scenarios": (met(0, "FP..", 0), met(0, "PP..", 1))})
    second = model("b").model_copy(update={"scenarios": (met(0, "FP..", 1), met(0, "PP..", 2))})
    (found,) = compared(first, second)
    assert found.shared == 1
    assert found.gates[Bucket.A].only_second == 1


def test_names_decide_nothing() -> None:
    """With the models swapped, the counts are swapped and the p values are the same."""
    a, b = ("FP..", "FP..", "PP..", "UP.."), ("PP..", "PF..", "PP..", "PP..")
    (one,) = compared(model("a", *a), model("b", *b))
    (other,) = compared(model("a", *b), model("b", *a))
    for bucket in (Bucket.A, Bucket.B):
        here, there = one.gates[bucket], other.gates[bucket]
        assert (here.only_first, here.only_second) == (there.only_second, there.only_first)
        assert (here.p, here.adjusted) == (there.p, there.adjusted)
        assert (here.difference or 0) == -(there.difference or 0)
