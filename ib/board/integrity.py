"""Integrity: every stage demands that a release is what its scan says, and nothing else.

Each rule yields a line for every instance that it finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ib.board.inputs import GateInputs
from ib.models.base import State, Verdict


def nothing(inputs: GateInputs) -> Iterable[str]:
    """A release without a judged row has nothing to publish."""
    if not inputs.stored or not any(row.state is State.JUDGED for r in inputs.stored for row in r.rows):
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
    """The plan holds every active check and no draft, and every result has one row for each, in order."""
    for check in inputs.benchmark.checks.values():
        if check.is_draft:
            yield f"{check.id} is a draft; a draft is never released"
    active = tuple(inputs.benchmark.checks)
    planned = {item.check_id for item in inputs.plan.checks}
    for check_id in sorted(planned.symmetric_difference(active)):
        yield f"{check_id} is not in both the plan and the inventory"
    for result in inputs.stored:
        if tuple(row.mode_id for row in result.rows) != active:
            yield f"{result.model_id} on {result.scenario_id} does not have one row for each check"


def plan(inputs: GateInputs) -> Iterable[str]:
    """The plan and the results name the same transcripts, and the plan can be made again."""
    planned = [(t.model_id, t.scenario_id, t.epoch, t.transcript_hash) for t in inputs.plan.transcripts]
    stored = [(r.model_id, r.scenario_id, r.epoch, r.transcript_hash) for r in inputs.stored]
    for model_id, scenario_id, *_ in sorted(set(planned).symmetric_difference(stored), key=str):
        yield f"{model_id} on {scenario_id} is not in both plan and results"
    if len(stored) != len(set(stored)):
        yield "a transcript has two results"
    stored_plan, replanned = inputs.plan.model_dump(), inputs.replanned.model_dump()
    for key in stored_plan:
        if stored_plan[key] != replanned[key]:
            yield f"scan_plan.json: {key} is not what the transcripts and the benchmark give"


def verdicts(inputs: GateInputs) -> Iterable[str]:
    """Every row can be recomputed from transcripts and replies; the rows that differ are named."""
    anew = {result.key: result for result in inputs.recomputed}
    for stored in inputs.stored:
        result = anew.get(stored.key)
        if result is None:
            yield f"{stored.model_id} on {stored.scenario_id} cannot be recomputed"
        elif result != stored:
            rows = [old.mode_id for old, new in zip(stored.rows, result.rows, strict=False) if old != new]
            what = ", ".join(rows) if rows else "its score"
            yield f"{stored.model_id} on {stored.scenario_id}: {what} is not what the votes give"


def supplements(inputs: GateInputs) -> Iterable[str]:
    """Every supplement can be recomputed from transcripts, scenarios and replies."""
    if len(inputs.supplements) != len(inputs.supplements_recomputed):
        yield f"{len(inputs.supplements)} supplements where there are {len(inputs.supplements_recomputed)}"
    for stored, anew in zip(inputs.supplements, inputs.supplements_recomputed, strict=False):
        if stored != anew:
            yield f"{stored.model_id} on {stored.scenario_id}: supplement.jsonl is not what the replies give"


def figures(inputs: GateInputs) -> Iterable[str]:
    """Every figure of the leaderboard can be recomputed from the verdicts."""
    stored, rebuilt = inputs.leaderboard.model_dump(), inputs.rebuilt.model_dump()
    for key in stored:
        if stored[key] != rebuilt[key]:
            yield f"leaderboard.json: {key} is not what the verdicts give"


def derived(inputs: GateInputs) -> Iterable[str]:
    """Every artifact that follows from the results can be made again."""
    for name, data in sorted(inputs.derived.items()):
        if inputs.files.get(name) != hashlib.sha256(data).hexdigest():
            yield f"{name} is not what the results give"


def plays(inputs: GateInputs) -> Iterable[str]:
    """Every transcript is a complete play of its scenario, if the benchmark holds that scenario."""
    yield from inputs.contradictions


def prompts(inputs: GateInputs) -> Iterable[str]:
    """Every model was given the same system prompt."""
    told = {p.system_prompt_hash for p in inputs.provenances.values()}
    if len(told) > 1:
        shown = ", ".join(sorted("unknown" if one is None else one[:12] for one in told))
        yield f"{len(told)} system prompts in one scan: {shown}"


def scenario_sets(inputs: GateInputs) -> Iterable[str]:
    """Every model played the same scenarios: the same id, epoch and content."""
    sets: dict[str, set[tuple[str, int, str]]] = {}
    for r in inputs.stored:
        sets.setdefault(r.model_id, set()).add((r.scenario_id, r.key[2], r.scenario_hash))
    if len(sets) < 2:
        return
    common = set.intersection(*sets.values())
    for model_id, mine in sorted(sets.items()):
        for scenario_id, _, _ in sorted(mine - common):
            yield f"{model_id}: {scenario_id} is not the same for every model"


def quotes(inputs: GateInputs) -> Iterable[str]:
    """Every FAIL quotes the assistant; the user's words do not count."""
    for result in inputs.stored:
        for row in result.rows:
            if row.verdict is Verdict.FAIL and not any(s.role == "assistant" for s in row.evidence):
                yield f"{row.mode_id} on {result.scenario_id}: a FAIL without an assistant quote"


def leaks(inputs: GateInputs) -> Iterable[str]:
    """No public file holds a key, or a path of a machine outside a quote."""
    for name, data in sorted(inputs.public_bytes.items()):
        for found in inputs.leaks.in_file(data):
            yield f"{name}: {found}"
