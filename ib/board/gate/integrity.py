"""Integrity: at every stage, a release must match its scan exactly.

Each rule yields one line per problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from ib.board.evidence.transcripts import mismatches
from ib.board.gate.inputs import GateInputs
from ib.board.gate.inspection import Instances, identity_of
from ib.models.conversation.contract import CORE
from ib.models.release.leaderboard import FIRST_DAY
from ib.models.release.rows import TranscriptRow
from ib.models.release.source import SOURCE_FILES

NAMES = {"benchmark_version"}
"""Fields of a plan that may differ from the recomputed plan: a release has the version of the benchmark that
computes it, and `benchmark` compares the content."""


def nothing(inputs: GateInputs) -> Iterable[str]:
    """A release needs at least one row that was judged, or searched for phrases without a judge."""
    if not inputs.results.judged:
        yield "there is no row that was judged or searched for phrases"


def files(inputs: GateInputs) -> Iterable[str]:
    """Every artifact exists and has the hash in the manifest of the scan."""
    for name in sorted({*inputs.manifest_files, *inputs.files}):
        if inputs.files.get(name) != inputs.manifest_files.get(name):
            yield f"{name} has changed since the scan wrote it"
    for name in sorted(set(inputs.required_files) - set(inputs.files)):
        yield f"{name} is missing"


def released(inputs: GateInputs) -> Iterable[str]:
    """The day of the release is not before the first day of the benchmark, and not in the future."""
    day = inputs.leaderboard.released
    if day < FIRST_DAY:
        yield f"leaderboard.json: released is {day}, before the first day of the benchmark, {FIRST_DAY}"
    if day > inputs.today:
        yield f"leaderboard.json: released is {day}, which is in the future: today is {inputs.today} (UTC)"


def benchmark(inputs: GateInputs) -> Iterable[str]:
    """The benchmark is the one that the scan used."""
    if inputs.plan.benchmark_hash != inputs.benchmark_hash:
        yield "the benchmark changed since the scan; scan again"


def check_set(inputs: GateInputs) -> Iterable[str]:
    """The plan has every active check and no draft."""
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


ESTIMATED = {
    *("planned_calls_expected", "planned_calls_max", "estimated_cost_usd", "cost", "estimated_from"),
    "over_alarm",  # a part of these counts
}  # fmt: skip
"""What a plan estimated from prices and assumptions of its day. No figure of a release depends on it."""


def plan(inputs: GateInputs) -> Iterable[str]:
    """The plan and the results have the same transcripts, and the plan can be recomputed."""
    results, every = inputs.results, inputs.plan.transcripts
    left = set(map(identity_of, every[results.as_planned :]))
    for model_id, scenario_id, *_ in sorted(left.symmetric_difference(results.identities), key=str):
        yield f"{model_id} on {scenario_id} is not in both plan and results"
    found = [*map(identity_of, every[: results.as_planned]), *results.identities]
    if len(found) != len(set(found)):
        yield "a transcript has two results"
    for key in type(inputs.plan).model_fields:
        differ = getattr(inputs.plan, key) != getattr(inputs.replanned, key)
        if differ and key not in (*ESTIMATED, *NAMES):
            yield f"scan_plan.json: {key} does not match the transcripts and the benchmark"


def verdicts(inputs: GateInputs) -> Instances:
    """Every row matches the row recomputed from transcripts and replies."""
    return inputs.results.rows_differ


def supplements(inputs: GateInputs) -> Instances:
    """Every supplement matches the one recomputed from transcripts, scenarios and replies."""
    return inputs.results.supplements_differ


def over_alarm(inputs: GateInputs) -> Instances:
    """Every grade of over-alarm matches the one recomputed from transcripts and replies."""
    return inputs.results.alarms_differ


def figures(inputs: GateInputs) -> Iterable[str]:
    """Every figure of the leaderboard matches the figure recomputed from the verdicts."""
    for name, found in sorted(inputs.stored_lines.items()):
        if found != inputs.lines[name].sha256:
            yield f"{name} does not match the verdicts"
    if inputs.leaderboard is inputs.rebuilt:
        return
    stored, rebuilt = inputs.leaderboard.model_dump(), inputs.rebuilt.model_dump()
    for key in stored:
        if stored[key] != rebuilt[key]:
            yield f"leaderboard.json: {key} does not match the verdicts"


def derived(inputs: GateInputs) -> Iterable[str]:
    """Every artifact that is derived from the results matches the recomputed one."""
    for name, hashed in sorted(inputs.derived.items()):
        if inputs.files.get(name) != hashed:
            yield f"{name} does not match the results"


def plays(inputs: GateInputs) -> Instances:
    """Every transcript is a complete play of its scenario, if the benchmark has the scenario."""
    return inputs.results.misplayed


def prompts(inputs: GateInputs) -> Iterable[str]:
    """Every model was given the same system prompt, unless models are not compared."""
    told = inputs.results.prompts
    if len(told) > 1 and not inputs.plan.only_open_logs:
        shown = ", ".join(sorted("unknown" if one is None else one[:12] for one in told))
        yield f"{len(told)} system prompts in one scan: {shown}"


def scenario_sets(inputs: GateInputs) -> Iterable[str]:
    """Every model played the same scenarios: the same id, epoch and content.

    Models of open logs have nothing in common, and are not compared.
    """
    sets = inputs.results.scenarios
    if len(sets) < 2 or inputs.plan.only_open_logs:
        return
    common = set.intersection(*sets.values())
    for model_id, mine in sorted(sets.items()):
        for scenario_id, _, _ in sorted(mine - common):
            yield f"{model_id}: {scenario_id} is not the same for every model"


def open_logs(inputs: GateInputs) -> Iterable[str]:
    """A release has only open logs, or none."""
    found, total = inputs.plan.open_logs, len(inputs.plan.transcripts)
    if 0 < found < total:
        yield (
            f"{found} of {total} transcripts are open logs, and the others have a scenario or tags; scan and "
            "publish each kind by itself, because models are compared on scenarios and not on open logs"
        )


def one_set(inputs: GateInputs) -> Iterable[str]:
    """All transcripts are of the core, or of one set: a rate over both would say nothing of either."""
    sets = sorted({planned.set or CORE for planned in inputs.plan.transcripts})
    if len(sets) > 1:
        yield f"the transcripts are of {' and '.join(sets)}; scan each with --set, and publish each by itself"


def quotes(inputs: GateInputs) -> Instances:
    """Every FAIL has a quote of the assistant. Quotes of the user do not count."""
    return inputs.results.unquoted


def transcripts(inputs: GateInputs) -> Iterable[str]:
    """Every transcript of a model is carried or left out, and every quote is where it says it is."""
    twins = inputs.leaderboard.twins
    for model in inputs.leaderboard.models:
        evidence, said = inputs.quoted[model.slug]
        rows = _rows(inputs.lines[f"rows/{model.slug}.jsonl"])
        for problem in mismatches(model, rows, twins, evidence, said):
            yield f"transcripts/{model.slug}.json: {problem}"


def _rows(lines: Iterable[bytes]) -> Iterator[TranscriptRow]:
    """The rows of a file of lines, after its first line."""
    return (TranscriptRow.model_validate_json(line) for line in islice(lines, 1, None))


def reviews(inputs: GateInputs) -> Iterable[str]:
    """Every review is about a row of the scan, marks words of it, and answers an item of its draw."""
    return () if inputs.standing is None else inputs.standing.problems


def leaks(inputs: GateInputs) -> Iterable[str]:
    """No public file contains a key, or a machine path outside a quote.

    What a source may not contain is withheld before the source is packed.
    """
    for name, data in sorted(inputs.public_bytes.items()):
        for found in () if name in SOURCE_FILES else inputs.leaks.in_file(data):
            yield f"{name}: {found}"
    for name, lines in sorted(inputs.lines.items()):
        for found in inputs.leaks.in_lines(lines):
            yield f"{name}: {found}"
