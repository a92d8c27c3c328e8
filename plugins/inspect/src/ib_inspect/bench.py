"""A benchmark with its engine, loaded once in each process, and one conversation judged by it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspect_ai.model import Model
from inspect_ai.util import collect

from ib.batch.incoming import Broken, Incoming, refuse
from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import Replies, Requests, drive
from ib.errors import DataError, Finding
from ib.models.benchmark.benchmark import benchmark_hash
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.part import Part
from ib.pipeline.common.select import check_part
from ib.pipeline.scan.judging import Judged, Judgment, judged
from ib.pipeline.scan.prepare import fitted
from ib.pipeline.scan.supplements import open_beside
from ib.store.benchmark.drawing import private_key
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import Scenarios
from ib.store.folders.transcripts import placed
from ib_inspect import grader
from ib_inspect.asked import check_judged


class Bench:
    """The checks of one profile, asked of one judge."""

    def __init__(self, spec: JudgeSpec, profile: str, root: Path, part: Part, draw: str | None) -> None:
        self.benchmark = load_benchmark(root)
        check_judged(self.benchmark, profile)
        self.engine = ModeEngine(self.benchmark, profile, spec, part=part)
        check_part(part, self.benchmark.checks, self.engine.in_profile)
        self.scenarios = Scenarios(root, None if draw is None else private_key(Path(draw)))
        self.hash = benchmark_hash(self.benchmark)
        self._beside = open_beside(self.engine, root)
        self._incoming = Incoming(self.benchmark, root)

    def played(self, value: Mapping[str, Any]) -> Transcript:
        """A play of a scenario, as the solver wrote it. Raises DataError if it differs from its scenario."""
        transcript = Transcript.model_validate(value)
        found = placed(fitted(transcript, self.scenarios), self.benchmark.rules)
        if isinstance(found, Finding):
            raise DataError([found])
        return found

    def foreign(self, value: Mapping[str, Any], name: str) -> Transcript | None:
        """A conversation of another source, as `ib scan` reads a row of Scout's database.

        Returns None for one that is left out because it failed before its end. Raises DataError for one that
        cannot be read.
        """
        found = self._incoming.read(value, 1, name)
        if isinstance(found, Broken):
            refuse([found])
            return None
        return found[0]

    async def judge(self, transcript: Transcript, model: Model, *, cache: bool | None) -> Judgment:
        """What the judge says of a conversation. Questions of the same round are asked together."""

        async def answer(wanted: Requests) -> Replies:
            return tuple(await collect(*(grader.ask(model, one, cache=cache) for one in wanted)))

        pair = (transcript, line_hash(transcript_line(transcript)))
        (indexed,) = self.engine.index_all([pair])
        scenario = self.scenarios.get(transcript.scenario_id)
        return await drive(judged(self.engine, self._beside, indexed, scenario), answer)

    def line(self, judgment: Judgment) -> str:
        """The line of a judgment as `ib scan` writes it: in results.jsonl, or in over_alarm.jsonl."""
        if isinstance(judgment, Judged):
            return self.engine.line(judgment.result).decode()
        return compact(judgment).decode()


def bench_for(
    model: Model, profile: str, benchmark: str | None, checks: tuple[str, ...] = (), draw: str | None = None
) -> Bench:
    """The bench for a judge, the same one for the same arguments.

    Raises DataError for files that cannot be read, and UsageError for an unknown profile or check.
    """
    spec = grader.spec_of(model)
    root = benchmark_folder() if benchmark is None else Path(benchmark)
    return _bench(compact(spec), profile, root, checks, draw)


@lru_cache(maxsize=4)
def _bench(spec: bytes, profile: str, root: Path, checks: tuple[str, ...], draw: str | None) -> Bench:
    return Bench(JudgeSpec.model_validate_json(spec), profile, root, Part(checks=checks), draw)


def names(value: object) -> tuple[str, ...]:
    """Names as a list, or as text with commas, as `-T` and `-S` give them."""
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else [str(one) for one in value]  # type: ignore[attr-defined]
    return tuple(part.strip() for part in parts if part.strip())
