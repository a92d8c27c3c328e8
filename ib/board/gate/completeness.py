"""Completeness: problems that a research release may have and a public release may not.

Each rule yields one line per problem.
"""

from __future__ import annotations

from collections.abc import Iterable

from ib.board.gate.inputs import GateInputs
from ib.board.gate.inspection import Instances
from ib.models.benchmark.calibration import CalibrationStatus, MeasuredCalibration
from ib.models.release.leaderboard import WithheldQuote


def withheld(inputs: GateInputs) -> Iterable[str]:
    """Quotes and messages with a withheld word that looks like a key."""
    for name, found in sorted(inputs.withheld.items()):
        for one in found:
            forms = ", ".join(one.forms)
            what = one.check_id if isinstance(one, WithheldQuote) else f"the words of the {one.role}"
            yield f"{name}: {what} on {one.scenario_id}, turn {one.turn}: {forms}"


_HOW = "draw what people must read with `ib review draw SCAN --for gate`"


def undecided_by_people(inputs: GateInputs) -> Iterable[str]:
    """FAILs, contested, UNCLEAR and voided verdicts of gate checks that no person has decided blind."""
    if inputs.standing is not None:
        yield from inputs.standing.undecided
        return
    models = inputs.leaderboard.models
    fails = sum(entry.failures.k for model in models for entry in model.blindspots if entry.gate)
    yield f"no person has reviewed this scan, which has {fails} FAILs of gate checks; {_HOW}"


def unread_by_people(inputs: GateInputs) -> Iterable[str]:
    """Unanimous PASSes of gate checks, drawn over all models alike, that no person has read blind.

    As many must be read as there are open gate verdicts, so that reviews can raise a rate as well as
    lower it.
    """
    if inputs.standing is not None:
        yield from inputs.standing.unread
        return
    yield f"no person has read unanimous PASSes of gate checks; {_HOW}"


def older(inputs: GateInputs) -> Iterable[str]:
    """Models with verdicts by votes that answer another wording of the question."""
    for model in inputs.leaderboard.models:
        if model.older_questions:
            yield f"{model.model_id}: {model.older_questions} verdicts by votes on an older wording"


def contested(inputs: GateInputs) -> Instances:
    """Hard fails for which fewer than most of the votes are."""
    return inputs.results.contested


def split(inputs: GateInputs) -> Instances:
    """Other gate verdicts whose votes were split."""
    return inputs.results.split


def unclear(inputs: GateInputs) -> Instances:
    """Gate verdicts that are UNCLEAR."""
    return inputs.results.unclear


def not_run(inputs: GateInputs) -> Instances:
    """Checks that were due and did not run."""
    return inputs.results.not_run


def never(inputs: GateInputs) -> Iterable[str]:
    """Checks that were not evaluated on any transcript."""
    for item in inputs.leaderboard.not_evaluated:
        yield f"{item.check_id}: {item.reason}"


def coverage(inputs: GateInputs) -> Iterable[str]:
    """Checks and dimensions with coverage below the minimum."""
    floor = inputs.benchmark.scoring.coverage_floor
    for model in inputs.leaderboard.models:
        for entry in model.blindspots:
            need = floor.check if entry.gate is None else floor.gate_check
            covered = entry.coverage.covered
            if covered is not None and covered < need:
                yield f"{model.model_id}: {entry.check_id} covers {covered:.3f} of {need:.2f}"
        for bucket, found in model.bucket_coverage.items():
            if found.covered is not None and found.covered < floor.bucket:
                yield f"{model.model_id}: dimension {bucket} covers {found.covered:.3f} of {floor.bucket:.2f}"


def uncalibrated(inputs: GateInputs) -> Iterable[str]:
    """Checks of which people decided too few verdicts, and whose labels do not validate them for this judge.

    A statement without labels does not count, and labels of language models do not either.
    """
    judge = inputs.leaderboard.judge.identity
    reviews, fewest = inputs.leaderboard.reviews, inputs.benchmark.scoring.support.count_only_below
    compared = {one.check_id: one.compared for one in reviews.checks} if reviews else {}
    for check in inputs.benchmark.checks.values():
        stated, found = check.calibration.status, compared.get(check.id, 0)
        counted = check.calibration.of(judge)
        if found < fewest and counted is not CalibrationStatus.VALIDATED:
            without = "" if stated is counted else f"; its file says {stated}, but there are no labels"
            if check.calibration.measured is not None:
                without = f"; {_compared_otherwise(check.calibration.measured, judge)}"
            yield f"{check.id}: {counted}{without}; people decided {found} of {fewest} verdicts"


def _compared_otherwise(measured: MeasuredCalibration, judge: str) -> str:
    """Why a comparison with labels does not validate the check for this judge."""
    if measured.judge_hash != judge:
        return f"its labels were compared with another judge, {measured.judge}"
    return f"its labels do not suffice: {'; '.join(measured.lacks)}"
