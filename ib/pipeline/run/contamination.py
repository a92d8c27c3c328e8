"""The test for contamination: a run of forced choices about the words of the public draw, and its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ib.errors import DataError, UsageError
from ib.models.common.canonical import compact
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Transcript
from ib.models.draw.contamination import (
    ALPHA,
    OPTIONS,
    SHARES,
    Contamination,
    ContaminationItem,
    ContaminationWords,
    Power,
)
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.configured import DIRECT, Calling
from ib.pipeline.common.costing import few_at_once
from ib.pipeline.run.play import PreparedRun, plan_of, run_plays
from ib.pipeline.run.targets import open_models
from ib.scenario.forced_choice import Choice, asked, choices, items, letter, name_of
from ib.scenario.playing import SystemPrompt
from ib.stats.guessing import least_hits, power, tail
from ib.store.benchmark.drawing import Drawing
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import FOLDER, load_scenarios, scenario_paths
from ib.store.files.reading import raw_lines
from ib.store.files.validation import load_yaml, model_of_line
from ib.store.files.writing import replace
from ib.store.folders import runs
from ib.store.folders.scans import bytes_hash

WORDS = "configs/contamination.yaml"
RESULT = "contamination.jsonl"


@dataclass(frozen=True)
class PreparedTest:
    """A test that is ready: its questions are made, and its cost is known."""

    run: PreparedRun
    items: dict[str, ContaminationItem]
    """Each question by the id under which it is played."""
    draw: str

    def power(self) -> tuple[Power, ...]:
        """The power of the test if every question is answered."""
        return _power(len(self.items))


def prepare_test(
    names: Sequence[str],
    folder: Path | None = None,
    calling: Calling = DIRECT,
    *,
    limit: int | None = None,
    callbacks: Callbacks = SILENT,
) -> PreparedTest:
    """Make the questions about the public draw of a benchmark, at most `limit` of them, and plan their calls.

    Raises UsageError if no scenario has slots.
    """
    root = folder or benchmark_folder()
    benchmark, words = load_benchmark(folder), _words(root)
    made = [*items(_choices(root))][:limit]
    if not made:
        raise UsageError(f"no scenario in {root / FOLDER} has slots, so that no draw can be asked about")
    scenarios = tuple(asked(choice, item, words) for choice, item in made)
    models = open_models(names, benchmark, root, calling, callbacks)
    system = SystemPrompt(words.system, bytes_hash(words.system.encode()))
    plan = plan_of(models, scenarios, system, benchmark, root, 1)
    callbacks.notices((*plan.notices, *few_at_once(plan.cost, calling.limits.max_cost_usd)))
    by_name = {name_of(item): item for _, item in made}
    return PreparedTest(PreparedRun(models, scenarios, system, plan), by_name, made[0][0].drawn.draw)


def _words(root: Path) -> ContaminationWords:
    """The words of the test: those of the benchmark, or of the package if it has none."""
    own = root / WORDS
    return load_yaml(ContaminationWords, own if own.is_file() else benchmark_folder() / WORDS)


def _choices(root: Path) -> Iterator[Choice]:
    """Every slot of every active scenario."""
    paths = scenario_paths(root)
    drawing = Drawing(root, paths)
    for name, scenario in sorted(load_scenarios(root).items()):
        template = drawing.template(Scenario, paths[name])
        own = {key: slot for key, slot in template.slots.items() if key not in template.inherited}
        if own and not scenario.is_draft:
            yield from choices(scenario, own, template.messages)


def run_test(
    prepared: PreparedTest,
    folder: Path,
    *,
    resume: bool = False,
    parallel: int = 1,
    callbacks: Callbacks = SILENT,
) -> tuple[Contamination, ...]:
    """Ask every question, and write the result of each model. Questions without a reply are counted apart."""
    failed = run_plays(prepared.run, folder, resume=resume, parallel=(parallel, 1), callbacks=callbacks)
    replies: dict[str, list[tuple[ContaminationItem, str]]] = {}
    for transcript in _transcripts(folder / runs.TRANSCRIPTS):
        item = prepared.items[transcript.scenario_id]
        replies.setdefault(transcript.model_id, []).append((item, transcript.messages[1].content))
    results = tuple(
        result_of(
            model.spec.model_id,
            replies.get(model.spec.model_id, []),
            sum(each.model_id == model.spec.model_id for each in failed),
            draw=prepared.draw,
            plan_hash=bytes_hash(prepared.run.plan_bytes),
        )
        for model in prepared.run.models
    )
    replace(folder / RESULT, b"".join(compact(result) + b"\n" for result in results))
    return results


def _transcripts(path: Path) -> Iterator[Transcript]:
    for number, line in raw_lines(path, str(path)):
        read = model_of_line(Transcript, line, str(path), number)
        if isinstance(read, list):
            raise DataError(read)
        yield read


def result_of(
    model_id: str, replies: Sequence[tuple[ContaminationItem, str]], faults: int, *, draw: str, plan_hash: str
) -> Contamination:
    """The result of one model, from its replies."""
    named = [letter(reply, item.options) for item, reply in replies]
    right = sum(choice == item.right for choice, (item, _) in zip(named, replies, strict=True))
    count = len(replies)
    p_value = tail(right, count, 1 / OPTIONS)
    return Contamination(
        model_id=model_id,
        draw=draw,
        plan_hash=plan_hash,
        asked=count,
        faults=faults,
        no_answer=named.count(None),
        right=right,
        p_value=p_value,
        flagged=right >= least_hits(count, OPTIONS, ALPHA),
        power=_power(count),
    )


def _power(count: int) -> tuple[Power, ...]:
    return tuple(Power(share=share, power=power(count, OPTIONS, ALPHA, share)) for share in SHARES)
