"""Opening a judge by its name."""

from __future__ import annotations

from pathlib import Path

from ib.errors import UsageError
from ib.judges.base import Judge
from ib.judges.none import NoJudge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark import Benchmark
from ib.models.settings import CallLimits, ModelSettings
from ib.store.votes import load_votes

NONE = "none"
LEXICAL = "lexical"
RECORDED = "recorded:"
USUAL = ModelSettings()
UNLIMITED = CallLimits()


def open_judge(
    name: str,
    benchmark: Benchmark,
    root: Path,
    settings: ModelSettings = USUAL,
    limits: CallLimits = UNLIMITED,
) -> Judge:
    """The judge of a name: `none`, `lexical`, `recorded:PATH[,PATH...]`, or a model such as `openai/gpt-4o`.

    `root` is the folder of the benchmark. `settings` and `limits` apply to a model. Raises UsageError if
    the name is unknown, and DataError if votes files cannot be read. Whether a model can be called is
    checked by its `open`.
    """
    if name == NONE:
        return NoJudge()
    if name == LEXICAL:
        # Imported only when needed, so that a smoke scan starts faster.
        from ib.judges.lexical import LexicalJudge
        from ib.store.lexical import load_lexical

        return LexicalJudge(load_lexical(root, benchmark), benchmark)
    if name.startswith(RECORDED):
        paths = [Path(part) for part in name.removeprefix(RECORDED).split(",") if part]
        if not paths:
            raise UsageError("--judge recorded: has no path; give a votes file or a folder of votes files")
        recording, content_hash = load_votes(tuple(paths), benchmark.checks)
        return RecordedJudge(recording, content_hash, recording.sources)
    if "/" not in name:
        allowed = "none, lexical, recorded:PATH[,PATH...], or a model as PROVIDER/MODEL"
        raise UsageError(f"unknown judge {name!r}; choose {allowed}")
    # Imported only when needed, so that other scans start faster.
    from ib.client.client import Budget
    from ib.client.open import Connection
    from ib.judges.live import LiveJudge

    return LiveJudge(Connection(name, settings, limits, Budget(limits.max_calls)))
