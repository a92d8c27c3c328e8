"""Opening a judge by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ib.errors import UsageError
from ib.judges.base import Judge
from ib.judges.none import NoJudge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark.benchmark import Benchmark
from ib.pipeline.common.configured import DIRECT, Calling, bounded
from ib.store.folders.votes import load_votes

NONE = "none"
LEXICAL = "lexical"
SCRIPTS = "scripts"
RECORDED = "recorded:"


def is_local(name: str) -> bool:
    """True if a name is that of a judge in this process."""
    return name in (NONE, LEXICAL, SCRIPTS) or name.startswith(RECORDED)


def open_judge(
    name: str,
    benchmark: Benchmark,
    root: Path,
    calling: Calling = DIRECT,
    *,
    beside: Judge | None = None,
    notice: Callable[[str], None] = lambda _: None,
) -> Judge:
    """The judge of a name: `none`, `lexical`, `scripts`, `recorded:PATH[,PATH...]`, a model such as
    `openai/gpt-4o`, or the id of a model in the file of `calling`.

    `root` is the folder of the benchmark. `beside` is another judge of the same scan, whose limits of calls
    and dollars this one shares. `notice` is called if a model does not answer for a while. Raises UsageError
    if the name is unknown, and DataError if a file cannot be read. Whether a model can be called is checked
    by its `open`.
    """
    known = calling.checked()
    local = _local(name, benchmark, root)
    if local is not None:
        if known.names and beside is None:
            raise UsageError(f"--judge {name} is not in {calling.config}; it has {', '.join(known.names)}")
        return local
    model = known.find(name)
    if model is None:
        models = ", ".join(known.names) or "a model as PROVIDER/MODEL"
        allowed = f"none, lexical, scripts, recorded:PATH[,PATH...], or {models}"
        raise UsageError(f"unknown judge {name!r}; choose {allowed}")
    # Imported only when needed, so that other scans start faster.
    from ib.client.budget import Budget
    from ib.client.open import Connection
    from ib.judges.live import LiveJudge
    from ib.store.benchmark.prices import load_prices

    limits, prices = calling.limits, load_prices(root)
    model = bounded(model, prices)
    budget, price = Budget(limits.max_calls, limits.max_cost_usd), prices.price(model.model)
    if isinstance(beside, LiveJudge):
        budget = beside.connection.budget
    # What stands behind an address of one's own is not known, whatever the model is called.
    takes_schema = model.settings.base_url is None and prices.takes_schema(model.model)
    connection = Connection(model.model, model.settings, known.limits(model), budget, price, notice)
    return LiveJudge(connection, takes_schema=takes_schema)


def _local(name: str, benchmark: Benchmark, root: Path) -> Judge | None:
    """The judge of a name, if it is in this process."""
    if name == NONE:
        return NoJudge()
    if name == LEXICAL:
        # Imported only when needed, so that a smoke scan starts faster.
        from ib.judges.lexical import LexicalJudge
        from ib.store.benchmark.lexical import load_lexical

        return LexicalJudge(load_lexical(root, benchmark), benchmark)
    if name == SCRIPTS:
        from ib.judges.scripts import ScriptsJudge
        from ib.pipeline.run.targets import reference_assistants

        return ScriptsJudge(reference_assistants(benchmark, root), benchmark)
    if name.startswith(RECORDED):
        recording, content_hash = load_votes(recorded_paths(name), benchmark.checks)
        return RecordedJudge(recording, content_hash, recording.sources)
    return None


def recorded_paths(name: str) -> tuple[Path, ...]:
    """The paths of `recorded:PATH[,PATH...]`. Raises UsageError if there are none."""
    paths = tuple(Path(part) for part in name.removeprefix(RECORDED).split(",") if part)
    if not paths:
        raise UsageError("--judge recorded: has no path; give a votes file or a folder of votes files")
    return paths
