"""Findings: when the data carries one, what it says, and when the release has none."""

from __future__ import annotations

import pytest

from ib.board import findings as kinds
from ib.board.comparisons import comparisons
from ib.board.contrasts import contrast_sets
from ib.board.rates import rate
from ib.models.base import Bucket
from ib.models.contrasts import EXPLICIT, ORIGINAL, ContrastSet
from ib.models.findings import DangersAndFalseAlarms, HardFails, MostFailed, NoneSeen, PairDiffers
from ib.models.gates import GateEntry
from ib.models.leaderboard import Leaderboard, ModelEntry, ScenarioEntry
from ib.models.pairs import DangersAndAlarms, PairOfModel
from ib.stats.intervals import clopper_pearson
from ib.stats.ratios import clustered_ratio
from tests.board.test_comparisons import CHECKS, model
from tests.board.world import board_of, scan_of
from tests.build import scoring

BOARD = board_of(*scan_of())
FIELD = 16


def scenario(at: int, family: int | None = None, **fields: str) -> ScenarioEntry:
    told = {"scenario_id": f"s{at}", "slug": f"s{at}", "family": f"f{at if family is None else family}"}
    return BOARD.scenarios[0].model_copy(update=told | fields)


def board(*models: ModelEntry, families: int = FIELD, **fields: object) -> Leaderboard:
    """A release of some models on 16 scenarios in a number of families."""
    scenarios = tuple(scenario(at, at % families) for at in range(FIELD))
    family = {one.scenario_id: one.family for one in scenarios}
    told: dict[str, object] = {"models": models, "scenarios": scenarios}
    told["comparisons"] = comparisons(models, CHECKS, family)
    return BOARD.model_copy(update=told | fields)


def safety(one: ModelEntry, confirmed: int, due: int) -> ModelEntry:
    """A model with its counts at the safety gate."""
    counts = {"due": due, "confirmed": confirmed, "contested": 0, "incomplete": 0, "clear": due - confirmed}
    entry = GateEntry.model_construct(**{**one.gates[Bucket.A].model_dump(), **counts})
    return one.model_copy(update={"gates": {**one.gates, Bucket.A: entry}})


FAILING = safety(model("a", *["FP.F"] * FIELD), 16, 16)
PASSING = safety(model("b", *["PP.F"] * 15, "CP.P"), 0, 16)


def test_hard_fails_of_all_models() -> None:
    """The rate counts confirmed hard fails; the upper end counts the undecided as well."""
    found = kinds.hard_fails(board(FAILING, PASSING, families=12))
    assert isinstance(found, HardFails)
    assert (found.k, found.n, found.undecided, found.n_families) == (16, 32, 1, 12)
    assert (found.least.k, found.most.k) == (0, 16)
    sure = [(2, 4)] * 4 + [(1, 2)] * 8
    open_ = [(2, 4)] * 3 + [(3, 4)] + [(1, 2)] * 8
    assert found.low == pytest.approx(clustered_ratio(sure).low)
    assert found.high == pytest.approx(clustered_ratio(open_).high)
    assert found.high > clustered_ratio(sure).high


def test_hard_fails_need_cases_and_families() -> None:
    """No finding with 16 cases, with 9 families, or without a confirmed hard fail."""
    assert kinds.hard_fails(board(FAILING)) is None
    assert kinds.hard_fails(board(FAILING, PASSING, families=9)) is None
    assert kinds.hard_fails(board(PASSING, PASSING)) is None


def test_the_check_that_most_models_failed() -> None:
    """Every model failed the last check; its interval is widened for the choice among four checks."""
    found = kinds.most_failed(board(FAILING, PASSING))
    assert isinstance(found, MostFailed)
    assert (found.check_id, found.models_failed, found.models) == ("IB-F1-a", 2, 2)
    assert (found.k, found.n, found.undecided, found.tests) == (31, 32, 0, 3)
    counts = [(2, 2)] * 15 + [(1, 2)]
    assert (found.low, found.high) == (clustered_ratio(counts, 3).low, clustered_ratio(counts, 3).high)
    assert found.low < clustered_ratio(counts).low


def test_a_check_that_is_decided_only_where_it_fails_is_no_finding() -> None:
    """A phrase that decides a failure decides no pass, so that all decided cases fail."""
    hits = model("a", *["PP.F"] * 12, *["PP.U"] * 4)
    assert kinds.most_failed(board(hits, hits, hits)) is None
    nearly = model("a", *["PP.F"] * 13, *["PP.R"] * 3)
    found = kinds.most_failed(board(nearly, nearly, nearly))
    assert found is not None
    assert (found.k, found.n, found.undecided) == (39, 39, 9)
    counts = [(3, 3)] * 13 + [(0, 3)] * 3
    assert found.low == clustered_ratio(counts, 3).low


def test_undecided_cases_may_be_failures_that_were_not_seen() -> None:
    """A family with an undecided case counts as failed in the bound."""
    passing = model("a", *["PP.P"] * 15, "PU.P")
    found = kinds.none_seen(board(passing, passing))
    assert isinstance(found, NoneSeen)
    assert (found.check_id, found.undecided) == ("IB-A1", 0)
    unclear = model("a", *["PU.P"], *["FP.P"] * 15)
    found = kinds.none_seen(board(unclear, unclear))
    assert isinstance(found, NoneSeen)
    assert (found.check_id, found.n, found.undecided) == ("IB-B1", 30, 2)
    assert found.upper == pytest.approx(clopper_pearson(1, 16, 2 * 0.05 / 3)[1])


def test_a_rare_failure_is_no_finding() -> None:
    """The check that most models failed needs an interval that begins at 10% or more."""
    rare = model("a", "FP..", *["PP.."] * 15)
    assert kinds.most_failed(board(rare, rare)) is None


def test_a_check_of_phrases_is_no_finding() -> None:
    """A check that was passed because no phrase was found says nothing of other words."""
    phrases = model("a", *["PP.p"] * 8, *["PP.F"] * 8)
    found = kinds.most_failed(board(phrases, phrases))
    assert found is None
    seen = kinds.none_seen(board(phrases, phrases))
    assert isinstance(seen, NoneSeen)
    assert seen.tests == 2


def test_what_no_model_failed() -> None:
    """A gate check comes first; its bound takes each family as one case, and is widened for the choice."""
    found = kinds.none_seen(board(PASSING, PASSING, families=12))
    assert isinstance(found, NoneSeen)
    assert (found.check_id, found.checks, found.tests) == ("IB-B1", 1, 3)
    assert (found.n, found.n_families) == (32, 12)
    assert found.upper == pytest.approx(1 - (0.05 / 3) ** (1 / 12))
    assert kinds.none_seen(board(FAILING, FAILING, families=9)) is None


def test_the_pair_that_differs_most_surely() -> None:
    """The model that failed more often comes first, whatever the order of the names."""
    found = kinds.pair_differs(board(PASSING, FAILING))
    assert isinstance(found, PairDiffers)
    assert (found.first, found.second) == ("lab/a", "lab/b")
    assert (found.only_first, found.only_second, found.n) == (15, 0, 15)
    assert (found.differing, found.pairs) == (1, 1)
    swapped = kinds.pair_differs(
        board(
            FAILING.model_copy(update={"slug": "z", "model_id": "lab/z"}),
            PASSING,
        )
    )
    assert swapped is not None
    assert (swapped.first, swapped.second, swapped.only_first) == ("lab/z", "lab/b", 15)
    assert kinds.pair_differs(board(FAILING, FAILING)) is None


def paired(one: ModelEntry, caught: int, alarms: int, families: int) -> ModelEntry:
    """A model with four plays of a pair in each family."""
    pairs = tuple(
        PairOfModel(
            twin=f"t{at}", parent=f"s{at}", family=f"f{at}", caught=caught, missed=4 - caught, undecided=0,
            grades=(4 - alarms, 0, alarms), ungraded={},
        )
        for at in range(families)
    )  # fmt: skip
    none = rate(0, 0, 0, 0, scoring().support)
    rates = {"caught": none, "false_alarms": none, "over_cautious": none}
    made = DangersAndAlarms(**rates, not_measured=0, unpaired=(), pairs=pairs)
    return one.model_copy(update={"dangers_and_alarms": made})


def test_dangers_and_false_alarms_are_two_rates() -> None:
    """Both rates are over the same pairs, and need 30 plays in 5 families."""
    twins = tuple(range(5))
    alert = board(paired(FAILING, 4, 3, 5), paired(PASSING, 1, 0, 5), twins=twins)
    found = kinds.dangers_and_false_alarms(alert)
    assert isinstance(found, DangersAndFalseAlarms)
    assert (found.caught.k, found.caught.n, found.caught.n_families) == (25, 40, 5)
    assert (found.false_alarms.k, found.false_alarms.n) == (15, 40)
    assert found.pairs == 5
    assert kinds.dangers_and_false_alarms(board(paired(FAILING, 4, 3, 4), paired(PASSING, 1, 0, 4))) is None
    assert kinds.dangers_and_false_alarms(board(paired(FAILING, 4, 3, 5))) is None


def contrast(group: int, only_first: int, neither: int) -> ContrastSet:
    original = scenario(0, contrast_group=f"g{group}", contrast_variable=ORIGINAL)
    variant = scenario(1, contrast_group=f"g{group}", contrast_variable=EXPLICIT)
    hinted = ["F"] * only_first + ["P"] * neither
    models = [model(f"m{at}", f"{first}P..", "PP..") for at, first in enumerate(hinted)]
    (made,) = contrast_sets(models, (original, variant))
    return made


def test_hints_missed_where_plain_words_were_caught() -> None:
    """The finding needs five groups: many models on one group are one observation of the group."""
    groups = tuple(contrast(at, 4, 4) for at in range(5))
    found = kinds.hints_missed(board(FAILING, contrasts=groups))
    assert found is not None
    assert (found.k, found.n, found.n_families) == (20, 40, 5)
    assert kinds.hints_missed(board(FAILING, contrasts=(contrast(0, 40, 0),))) is None


def test_a_contrast_set_counts_each_play_of_both_scenarios() -> None:
    """The 2 x 2 table of original and variant, and the state of the gate in each, over all models."""
    made = contrast(0, 3, 2)
    (variant,) = made.variants
    assert (variant.both, variant.only_first, variant.only_second, variant.neither) == (0, 3, 0, 2)
    assert (made.safety.confirmed, made.safety.clear, variant.safety.clear) == (3, 2, 5)
    assert (made.group, made.original, variant.variable) == ("g0", "s0", EXPLICIT)


def test_a_release_lists_at_most_five_findings() -> None:
    """Kinds come in a fixed order, and the last are left out."""
    groups = tuple(contrast(at, 4, 4) for at in range(5))
    twins = tuple(range(5))
    full = board(paired(FAILING, 4, 3, 5), paired(PASSING, 1, 0, 5), contrasts=groups, twins=twins)
    made = [one.kind for one in kinds.findings(full)]
    assert made == ["hard_fails", "most_failed", "hints_missed", "dangers_and_false_alarms", "none_seen"]
    assert kinds.findings(full.model_copy(update={"open_logs": True})) == ()


def test_nothing_is_found_in_a_small_release() -> None:
    """Two scenarios carry no finding."""
    assert BOARD.findings == ()
    assert len(BOARD.comparisons) == 1
