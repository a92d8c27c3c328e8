"""Rehearsing the live path without a key: reference assistants and their judge behind a server.

The server listens on this machine. The real client calls it over HTTP, through litellm, with faults now and
then. Transcripts and verdicts are those of a demonstration in one process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from ib.client.budget import Budget
from ib.client.open import Connection
from ib.errors import WorldError
from ib.judges.live import LiveJudge
from ib.judges.scripts import ScriptsJudge
from ib.models.common.canonical import digest
from ib.models.common.price import Price
from ib.models.common.settings import CallLimits, ModelSettings
from ib.models.exam.report import ExamReport
from ib.models.scan.cost import Account
from ib.models.scan.judge import Answer, JudgeReply, JudgeRequest, JudgeSpec
from ib.models.scan.run import CompletionReply, CompletionRequest, ModelSpec, Said
from ib.pipeline.common.callbacks import SILENT, Callbacks
from ib.pipeline.common.select import Selection
from ib.pipeline.exam.build import ExamOptions, build_exam
from ib.pipeline.exam.planted import planted_judge
from ib.pipeline.exam.sit import Sit, sit_exam
from ib.pipeline.run.play import Run, prepare_run, run_plays
from ib.pipeline.run.targets import reference_assistants
from ib.pipeline.scan.scan import Work, scan
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders.scans import ScanFolder
from ib.targets.live import LiveModel
from ib.targets.reference import ReferenceAssistant
from ib.testing.conditions import Conditions
from ib.testing.loopback import LoopbackServer, Messages
from ib.testing.planted import PlantedJudge

PROVIDER = "openai/"
JUDGE = "scripts"
"""The name of the judge at the server. Every other name is the id of a reference assistant."""
CONDITIONS = Conditions(rate_limit=0.01, server_error=0.01, retry_after=0.2, latency=0.02)
"""Few faults: a rehearsal shows that they are survived, and does not take long."""
CALLS_MOST = 1_000_000
FREE = Price(model="loopback", input=0, cached_input=0, output=0, source="a server on this machine")
EXAM = ("IB-A1", "IB-B7")
"""The checks of the exam that the judge sits: something left out, and something said."""
EXAM_ITEMS, EXAM_JUDGE = 10, "planted:0.1"
"""The most items of each kind and check, and the judge behind the server: it errs on a tenth of them."""
AT_ONCE = 8
"""Scenarios of one assistant that are played at once."""


@dataclass(frozen=True)
class RehearsedModel:
    """A reference assistant that is called over HTTP. Its transcripts are those of the assistant."""

    assistant: ReferenceAssistant
    live: LiveModel

    @property
    def spec(self) -> ModelSpec:
        """That of the assistant: it is never shown as a model."""
        return self.assistant.spec

    price: ClassVar[Price] = FREE

    def open(self, account: Account) -> None:
        """Open the client."""
        self.live.open(account)

    async def answer(self, request: CompletionRequest) -> CompletionReply:
        """The reply to one turn, from the server."""
        return await self.live.answer(request)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self.live.close()


@dataclass
class RehearsedJudge:
    """A judge of this process, called over HTTP with rendered prompts.

    It reads the question as data, which a prompt does not hold. So the question of each prompt is kept for
    the server, by the hash of the prompt.
    """

    in_process: ClassVar[Literal[False]] = False
    lists_calls: ClassVar[bool] = True
    in_batches: ClassVar[Literal[False]] = False
    judge: ScriptsJudge | PlantedJudge
    live: LiveJudge
    questions: dict[str, JudgeRequest] = field(default_factory=dict)

    @property
    def spec(self) -> JudgeSpec:
        """That of the judge in one process, except that prompts are rendered."""
        return self.judge.spec.model_copy(update={"reads_prompt": True})

    price: ClassVar[Price] = FREE

    def open(self, account: Account) -> None:
        """Open the client."""
        self.live.open(account)

    @property
    def room(self) -> int:
        """The most requests at once that the client can reach."""
        return self.live.room

    def give_up(self, error: Exception) -> None:
        """Begin no more calls."""
        self.live.give_up(error)

    async def answer(self, request: JudgeRequest) -> JudgeReply:
        """The answer to one question, from the server."""
        asked = _hash(({"content": request.system}, {"content": request.user}))
        self.questions[asked] = replace(request, system="", user="")  # without the prompt: it may be long
        return await self.live.answer(request)

    def served(self, messages: Messages) -> str:
        """What the server answers. Raises KeyError if this prompt was not asked here."""
        reply = self.judge.answer(self.questions[_hash(messages)])
        if not isinstance(reply, Answer):
            raise KeyError("the judge cannot answer this kind of question")
        return reply.text

    async def close(self) -> None:
        """Close the connections to the server."""
        await self.live.close()


class Rehearsal:
    """A server with the reference assistants of a benchmark and their judge. A context manager."""

    def __init__(
        self, benchmark: Path | None, callbacks: Callbacks = SILENT, conditions: Conditions = CONDITIONS
    ) -> None:
        self.benchmark = benchmark
        self.callbacks = callbacks
        self.server = LoopbackServer(self._answer, conditions)
        self._assistants: dict[str, ReferenceAssistant] = {}
        self._judge: RehearsedJudge | None = None

    def __enter__(self) -> Rehearsal:
        self.server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    def play(self, names: Sequence[str], chosen: Selection, out: Path) -> Run:
        """Play reference assistants into a new folder. Raises WorldError if a play is incomplete."""
        prepared = prepare_run(names, chosen, self.benchmark)
        assistants = [model for model in prepared.models if isinstance(model, ReferenceAssistant)]
        self._assistants = {assistant.spec.model_id: assistant for assistant in assistants}
        models = tuple(
            RehearsedModel(assistant, LiveModel(self._connection(name), name))
            for name, assistant in self._assistants.items()
        )
        prepared = replace(prepared, models=models)
        incomplete = run_plays(prepared, out, parallel=(AT_ONCE, len(models)), callbacks=self.callbacks)
        if incomplete:
            found = (
                f"{len(incomplete)} plays of the rehearsal are incomplete; the first: {incomplete[0].detail}"
            )
            raise WorldError(found)
        return Run(out, prepared.plays, incomplete)

    def scan(self, transcripts: Path, out: Path) -> ScanFolder:
        """Judge transcripts with the profile `publish` into a new folder."""
        benchmark = load_benchmark(self.benchmark)
        assistants = reference_assistants(benchmark, self.benchmark or benchmark_folder())
        judge = RehearsedJudge(ScriptsJudge(assistants, benchmark), LiveJudge(self._connection(JUDGE)))
        self._judge = judge
        return scan(
            transcripts, profile="publish", judge=judge, out=out, benchmark=self.benchmark, cache=False,
            callbacks=self.callbacks,
        )  # fmt: skip

    def exam(self, out: Path) -> ExamReport | None:
        """Let a judge with planted errors sit the exam; None if the benchmark has not the checks."""
        known = load_benchmark(self.benchmark).checks
        checks = tuple(name for name in EXAM if name in known)
        if not checks:
            return None
        items = ExamOptions(checks=checks, items=EXAM_ITEMS, benchmark=self.benchmark)
        built = build_exam(items)
        judge = planted_judge(EXAM_JUDGE, built.items, built.benchmark)
        self._judge = RehearsedJudge(judge, LiveJudge(self._connection(JUDGE)))
        return sit_exam(Sit(judge=self._judge, items=items), out, Work(callbacks=self.callbacks))

    @property
    def calls(self) -> str:
        """The number of requests, and of those that failed and were made again."""
        seen = self.server.seen
        return f" ({seen.requests:,} requests over HTTP; {seen.troubles.total():,} failed and were repeated)"

    def _connection(self, name: str) -> Connection:
        settings = ModelSettings(base_url=self.server.base_url)
        limits = CallLimits(max_calls=CALLS_MOST)
        return Connection(f"{PROVIDER}{name}", settings, limits, Budget(CALLS_MOST), FREE)

    def _answer(self, model: str, messages: Messages) -> str:
        """The reply of the server. Raises KeyError if there is none."""
        if model == JUDGE and self._judge is not None:
            return self._judge.served(messages)
        said = [Said(message["role"], message["content"]) for message in messages]  # type: ignore[arg-type]
        return self._assistants[model].reply(said)


def _hash(messages: Sequence[Mapping[str, str]]) -> str:
    """The hash of the texts of a prompt."""
    return digest([message["content"] for message in messages])
