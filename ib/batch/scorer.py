"""One function over batches of conversations, for any engine that runs Python over Arrow."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ib.batch.columns import batch_of, schema
from ib.batch.incoming import Broken, Incoming, refuse
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.sparse import LEFT_OUT, Sparse
from ib.errors import UsageError
from ib.judges.base import LocalJudge
from ib.judges.recorded import RecordedJudge
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeSpec
from ib.pipeline.scan.judges import NONE, open_judge
from ib.pipeline.scan.prepare import ScanOptions, check_profile
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.text.sets import automata_kept, release_automata

Conversation = Transcript | Mapping[str, Any] | Sequence[Any]
"""A transcript, a row with `messages`, or a list of messages: pairs or mappings of role and content."""
ROWS_AT_ONCE = 1_000
"""How many conversations of a list are judged at a time."""


@dataclass(frozen=True)
class Scorer:
    """Judges Arrow batches: `scorer(batch)` returns sparse rows as another batch.

    A scorer is its configuration and nothing else, so it can be pickled and sent to workers. What it needs is
    loaded once in each process, at the first batch.
    """

    profile: str = "smoke"
    """A profile of the benchmark."""
    judge: str = NONE
    """A judge in this process: `none`, `lexical`, `scripts` or `recorded:PATH[,PATH...]`."""
    benchmark: str | None = None
    """The folder of a benchmark; None for that of the package."""
    skip_broken: bool = False
    """True to return a row of the kind `left_out` for a broken conversation. Else it is an error."""

    def __post_init__(self) -> None:
        if isinstance(self.benchmark, PathLike):
            object.__setattr__(self, "benchmark", fspath(self.benchmark))

    @property
    def asked(self) -> JudgeSpec | None:
        """The judge, if it is elsewhere and is asked in rounds (`ib.batch.rounds`); else None."""
        return None

    @property
    def schema(self) -> Any:
        """The Arrow schema of the rows. Raises WorldError without pyarrow."""
        return schema()

    def __call__(self, batch: Any) -> Any:
        """The sparse rows of a pyarrow.RecordBatch of conversations, as a RecordBatch with `schema`.

        The rows of each conversation follow one another, in the order of the batch; the first is of the kind
        `conversation`. Raises DataError with every broken conversation, by its row in the batch.
        """
        return batch_of(self.records(batch.to_pylist()))

    def records(self, conversations: Iterable[Conversation]) -> list[dict[str, Any]]:
        """The sparse rows of some conversations, as mappings. Raises DataError as a call does."""
        return self.numbered(list(enumerate(conversations, start=1)), "batch")

    def numbered(self, conversations: Sequence[tuple[int, Conversation]], name: str) -> list[dict[str, Any]]:
        """`records` of conversations with the numbers of their rows in the file `name`, for messages."""
        with at_work():
            return self.loaded().records(conversations, name, skip_broken=self.skip_broken)

    @property
    def benchmark_hash(self) -> str:
        """The hash of the benchmark. Loads what the first batch needs.

        Raises UsageError for a profile or a judge that cannot be.
        """
        return self.loaded().hash

    def loaded(self) -> Worker:
        """What this process needs to judge, loaded once. Raises as `benchmark_hash` does."""
        return _worker(self.profile, self.judge, self.benchmark)


def score(
    conversations: Iterable[Conversation],
    *,
    profile: str = "smoke",
    judge: str = NONE,
    benchmark: str | PathLike[str] | None = None,
    skip_broken: bool = False,
) -> list[dict[str, Any]]:
    """Judge conversations in memory; returns their sparse rows, as `pandas.DataFrame` takes them.

    The parameters are those of `Scorer`. Raises DataError with every broken conversation of the first
    ROWS_AT_ONCE that have one.
    """
    scorer = Scorer(profile, judge, None if benchmark is None else fspath(benchmark), skip_broken)
    rows: list[dict[str, Any]] = []
    numbered = enumerate(conversations, start=1)
    while some := list(islice(numbered, ROWS_AT_ONCE)):
        rows += scorer.numbered(some, "conversations")
    return rows


class Worker:
    """What a scorer needs, loaded."""

    def __init__(self, benchmark: Benchmark, root: Path, profile: str, judge: LocalJudge) -> None:
        """`root` is the folder of the benchmark."""
        self.judge = judge
        self.engine = ModeEngine(benchmark, profile, judge.spec)
        if isinstance(judge, RecordedJudge):
            self.engine.votes_known = judge.votes_known
        self.hash = benchmark_hash(benchmark)
        self._incoming = Incoming(benchmark, root)
        self._sparse = Sparse(benchmark, profile, judge.spec.model, self.engine.is_shared)

    def records(
        self, conversations: Sequence[tuple[int, Conversation]], name: str, *, skip_broken: bool
    ) -> list[dict[str, Any]]:
        """The sparse rows of conversations, each given with the number of its row in the file `name`."""
        made: list[dict[str, Any]] = []
        for one in self.read(conversations, name, skip_broken=skip_broken):
            if isinstance(one, Broken):
                made.append({"kind": LEFT_OUT, "log_id": one.id, "problem": one.problem})
                continue
            rows = replay(self.engine.rows(one), self.judge.answer)
            made += self._sparse.records(self.engine.header(one), rows)
        return made

    def read(
        self, conversations: Sequence[tuple[int, Conversation]], name: str, *, skip_broken: bool
    ) -> Iterator[IndexedTranscript | Broken]:
        """Conversations as verifiers take them. Raises DataError if one is broken and none is skipped."""
        read = [self._incoming.read(one, row, name) for row, one in conversations]
        if not skip_broken:
            refuse([one for one in read if isinstance(one, Broken)])
        indexed_all = self.engine.index_all(one for one in read if not isinstance(one, Broken))
        yield from (one if isinstance(one, Broken) else next(indexed_all) for one in read)


@lru_cache(maxsize=4)
def _worker(profile: str, judge: str, benchmark: str | None) -> Worker:
    """The worker of this process for a configuration."""
    folder = None if benchmark is None else Path(benchmark)
    root, loaded = folder or benchmark_folder(), load_benchmark(folder)
    check_profile(loaded, ScanOptions(profile=profile, judge=judge))
    return Worker(loaded, root, profile, _local(judge, loaded, root))


def _local(name: str, benchmark: Benchmark, root: Path) -> LocalJudge:
    """The judge of a name. Raises UsageError if it is elsewhere."""
    judge = open_judge(name, benchmark, root)
    if not judge.in_process:
        raise UsageError(
            f"judge {name!r} is asked over the network, and a Scorer keeps no journal of what was paid for; "
            "use `ib scan`, or a judge in this process"
        )
    return judge


def release() -> None:
    """Let go of what the scorers of this process have loaded, and of what their searches have grown."""
    _worker.cache_clear()
    release_automata()


@contextmanager
def at_work() -> Iterator[None]:
    """Keep what the next batch needs: it is searched for the same phrases. Look for no garbage meanwhile:
    there are many objects, and none refers to itself."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        with automata_kept():
            yield
    finally:
        if was_on:
            gc.enable()
