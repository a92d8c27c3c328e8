"""Integrity: every stage demands that a release is what its scan says, and nothing else.

Each rule yields a line for every instance that it finds.
"""

from __future__ import annotations

from collections.abc import Iterable

from ib.board.inputs import GateInputs
from ib.board.inspection import Instances


def nothing(inputs: GateInputs) -> Iterable[str]:
    """A release without a judged row has nothing to publish."""
    if not inputs.results.judged:
        yield "there is no judged row"


def files(inputs: GateInputs) -> Iterable[str]:
    """Every artifact has the hash that the scan wrote down, and none is missing."""
    for name in sorted({*inputs.manifest_files, *inputs.files}):
        if inputs.files.get(name) != inputs.manifest_files.get(name):
            yield f"{name} is not the file that the scan wrote"
    for name in sorted(set(inputs.required_files) - set(inputs.files)):
        yield f"{name} is missing"


def benchmark(inputs: GateInputs) -> Iterable[str]:
    """The benchmark is the one that was scanned."""
    if inputs.plan.benchmark_hash != inputs.benchmark_hash:
        yield "the benchmark changed since the scan; scan again"


def check_set(inputs: GateInputs) -> Iterable[str]:
    """The plan holds every active check and no draft."""
    for check in inputs.benchmark.checks.values():
        if check.is_draft:
            yield f"{check.id} is a draft; a draft is never released"
    active = tuple(inputs.benchmark.checks)
    planned = {item.check_id for item in inputs.plan.checks}
    for check_id in sorted(planned.symmetric_difference(active)):
        yield f"{check_id} is not in both the plan and the inventory"


def rows(inputs: GateInputs) -> Instances:
    """Every result has one row for each active check, in order."""
    return inputs.results.rows_missing


def plan(inputs: GateInputs) -> Iterable[str]:
    """The plan and the results name the same transcripts, and the plan can be made again."""
    planned = [(t.model_id, t.scenario_id, t.epoch, t.transcript_hash) for t in inputs.plan.transcripts]
    stored = inputs.results.identities
    for model_id, scenario_id, *_ in sorted(set(planned).symmetric_difference(stored), key=str):
        yield f"{model_id} on {scenario_id} is not in both plan and results"
    if len(stored) != len(set(stored)):
        yield "a transcript has two results"
    stored_plan, replanned = inputs.plan.model_dump(), inputs.replanned.model_dump()
    for key in stored_plan:
        if stored_plan[key] != replanned[key]:
            yield f"scan_plan.json: {key} is not what the transcripts and the benchmark give"


def verdicts(inputs: GateInputs) -> Instances:
    """Every row can be recomputed from transcripts and replies; the rows that differ are named."""
    return inputs.results.rows_differ


def supplements(inputs: GateInputs) -> Instances:
    """Every supplement can be recomputed from transcripts, scenarios and replies."""
    return inputs.results.supplements_differ


def figures(inputs: GateInputs) -> Iterable[str]:
    """Every figure of the leaderboard can be recomputed from the verdicts."""
    if inputs.leaderboard is inputs.rebuilt:
        return
    stored, rebuilt = inputs.leaderboard.model_dump(), inputs.rebuilt.model_dump()
    for key in stored:
        if stored[key] != rebuilt[key]:
            yield f"leaderboard.json: {key} is not what the verdicts give"


def derived(inputs: GateInputs) -> Iterable[str]:
    """Every artifact that follows from the results can be made again."""
    for name, hashed in sorted(inputs.derived.items()):
        if inputs.files.get(name) != hashed:
            yield f"{name} is not what the results give"


def plays(inputs: GateInputs) -> Instances:
    """Every transcript is a complete play of its scenario, if the benchmark holds that scenario."""
    return inputs.results.misplayed


def prompts(inputs: GateInputs) -> Iterable[str]:
    """Every model was given the same system prompt."""
    told = inputs.results.prompts
    if len(told) > 1:
        shown = ", ".join(sorted("unknown" if one is None else one[:12] for one in told))
        yield f"{len(told)} system prompts in one scan: {shown}"


def scenario_sets(inputs: GateInputs) -> Iterable[str]:
    """Every model played the same scenarios: the same id, epoch and content."""
    sets = inputs.results.scenarios
    if len(sets) < 2:
        return
    common = set.intersection(*sets.values())
    for model_id, mine in sorted(sets.items()):
        for scenario_id, _, _ in sorted(mine - common):
            yield f"{model_id}: {scenario_id} is not the same for every model"


def quotes(inputs: GateInputs) -> Instances:
    """Every FAIL quotes the assistant; the user's words do not count."""
    return inputs.results.unquoted


def leaks(inputs: GateInputs) -> Iterable[str]:
    """No public file holds a key, or a path of a machine outside a quote."""
    for name, data in sorted(inputs.public_bytes.items()):
        for found in inputs.leaks.in_file(data):
            yield f"{name}: {found}"
