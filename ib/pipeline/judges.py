"""Opening a judge by its name."""

from __future__ import annotations

from pathlib import Path

from ib.errors import UsageError
from ib.judges.base import Judge
from ib.judges.none import NoJudge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark import Benchmark
from ib.store.votes import load_votes, vote_files

NONE = "none"
LEXICAL = "lexical"
RECORDED = "recorded:"


def open_judge(name: str, benchmark: Benchmark, root: Path) -> Judge:
    """The judge of a name: `none`, `lexical`, or `recorded:PATH[,PATH...]`.

    `root` is the folder of the benchmark. Raises UsageError for any other name, and DataError for
    votes files that cannot be read.
    """
    if name == NONE:
        return NoJudge()
    if name == LEXICAL:
        # Imported where it is asked for: a smoke scan starts faster without it.
        from ib.judges.lexical import LexicalJudge
        from ib.store.lexical import load_lexical

        return LexicalJudge(load_lexical(root, benchmark), benchmark)
    if name.startswith(RECORDED):
        paths = [Path(part) for part in name.removeprefix(RECORDED).split(",") if part]
        if not paths:
            raise UsageError("judge recorded: needs the path of a votes file or of a folder of them")
        files = tuple(file for path in paths for file in vote_files(path))
        return RecordedJudge(*load_votes(files, benchmark.checks))
    raise UsageError(f"judge {name!r} is not known; choose none, lexical or recorded:PATH[,PATH...]")
