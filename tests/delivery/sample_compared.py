"""What the sample release compares: a contrast set, every pair of models, and a finding of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle, islice

from ib.board.figures.comparisons import comparisons
from ib.board.figures.contrasts import contrast_sets
from ib.board.figures.pairs import over_all_models
from ib.models.common.base import Bucket
from ib.models.release.comparisons import EXPLICIT, ORIGINAL
from ib.models.release.findings import (
    BoardFinding,
    CountOf,
    DangersAndFalseAlarms,
    FieldRate,
    GateOfModel,
    HardFails,
    HintsMissed,
    MostFailed,
    NoneSeen,
    PairDiffers,
    TiedCheck,
)
from ib.models.release.leaderboard import Evidence, Leaderboard, ModelEntry
from ib.models.scan.letters import Letter

FIELD = {"k": 14, "n": 61, "undecided": 2, "n_families": 20, "low": 0.11, "high": 0.4}


def compared(board: Leaderboard, evidence: Mapping[str, Evidence], group: str) -> Leaderboard:
    """The release with verdicts, and with everything that compares models; `group` is a contrast group."""
    names = [check.check_id for check in board.checks]
    models = tuple(
        _with_verdicts(model, at, names, evidence[model.slug]) for at, model in enumerate(board.models)
    )
    variables = (ORIGINAL, EXPLICIT)
    scenarios = tuple(
        one.model_copy(update={"contrast_group": group, "contrast_variable": variable})
        for one, variable in zip(board.scenarios, variables, strict=True)
    )
    pairs = (model.dangers_and_alarms for model in models if model.dangers_and_alarms)
    first = board.checks[0].model_copy(update={"split_votes": CountOf(k=3, n=12), "median": 0.25})
    return board.model_copy(
        update={
            "models": models,
            "scenarios": scenarios,
            "checks": (first, *board.checks[1:]),
            "twins": over_all_models(board.twins, pairs),
            "contrasts": contrast_sets(models, scenarios),
            "comparisons": comparisons(models, names, {one.scenario_id: one.family for one in scenarios}),
            "findings": findings(board),
        }
    )


def findings(board: Leaderboard) -> tuple[BoardFinding, ...]:
    """A finding of every kind, some with one case and some with several."""
    check = board.checks[0].check_id
    first, second = board.models[2].model_id, board.models[1].model_id
    rate = FieldRate.model_validate(FIELD)
    return (
        HardFails(
            **FIELD, gate=Bucket.A,
            least=GateOfModel(k=0, n=20, undecided=0), most=GateOfModel(k=9, n=21, undecided=2),
        ),
        MostFailed(
            **FIELD, check_id=check, contested=1, models_failed=2, models=3, tests=41, checks=53,
            tied=tuple(TiedCheck(k=at, n=30, check_id=board.checks[at].check_id) for at in (2, 3)),
        ),
        HintsMissed(**FIELD, reverse=CountOf(k=1, n=48), p=0.0313),
        DangersAndFalseAlarms(pairs=1, models=2, caught=rate, false_alarms=rate),
        NoneSeen(checks=1, tests=41, check_id=check, n=48, undecided=0, n_families=16, upper=0.342),
        PairDiffers(
            gate=Bucket.A, first=first, second=second, only_first=12, only_second=0, n=40, n_families=38,
            families_first=11, families_second=0, difference=0.3, low=0.152, high=0.448, undecided=1,
            adjusted=0.0004, adjusted_against=0.003, differing=2, surviving=1, pairs=3,
        ),
    )  # fmt: skip


_LETTERS = tuple(letter for letter in Letter if letter is not Letter.FOUND)
"""The letters of a release with a judge."""


def _with_verdicts(model: ModelEntry, shift: int, checks: list[str], evidence: Evidence) -> ModelEntry:
    """The model with a letter for each check; each model and transcript begins at another letter.

    Where the evidence has a failure, the letter is that of a failure.
    """
    failed = {
        (item.scenario_id, item.check_id): Letter.CONTESTED if item.contested else Letter.FAIL
        for item in evidence.items
    }
    scenarios = []
    for at, met in enumerate(model.scenarios):
        letters = zip(checks, islice(cycle(_LETTERS), shift + at, None), strict=False)
        told = (failed.get((met.scenario_id, check), letter) for check, letter in letters)
        scenarios.append(met.model_copy(update={"verdicts": "".join(told)}))
    return model.model_copy(update={"scenarios": tuple(scenarios)})
