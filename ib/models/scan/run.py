"""Playing scenarios: requests to a model, its completions, and the plan of a run."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from ib.models.common.base import Identifier, Name, Played, Record, Sha256
from ib.models.conversation.transcript import Message, Transcript
from ib.models.scan.cost import Estimate, EstimateTables, Spending, UnitState
from ib.models.scan.judge import Fault, FaultKind
from ib.models.scan.plan import SCHEMA_VERSION

RAW = "llm/raw"
"""The only harness whose transcripts may be part of a public comparison."""
REFERENCE = "reference"
SCRIPTED = "scripted"
"""The harness of scripts and reference assistants, which are never shown as models."""
GIVECARE = "givecare/v2"
"""The experimental harness of a product that answers with its own system prompt."""


class ModelSpec(Record):
    """Which model answers; part of every request's key."""

    model_id: Identifier
    model: Name
    """Its display name."""
    revision: str | None = None
    """What fixes its behavior beyond the name; for a reference assistant, the hash of its file."""
    sampling: dict[str, Any] = Field(default_factory=dict)
    priced: bool = True
    """False if an answer costs nothing."""
    harness: str = RAW
    """The harness that its transcripts name."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the conversation, as the model sees it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request for one reply of a model; `key` identifies it in the journal."""

    key: str
    model_id: str
    scenario_id: str
    epoch: int | None
    turn: int
    messages: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered."""

    text: str
    truncated: bool = False
    served_model: str | None = None
    """The id of the model that answered, as the provider reports it."""

    def __post_init__(self) -> None:
        # UTF-8 cannot encode a lone surrogate.
        clean = self.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        object.__setattr__(self, "text", clean)


CompletionReply: TypeAlias = Completion | Fault


class Incomplete(Played):
    """A play that an error ended. It is stored apart and never scored; `--resume` tries it again."""

    epoch: int | None = None
    turn: int
    """The turn without an answer."""
    fault: str
    detail: str
    messages: tuple[Message, ...]
    """The messages before it."""

    @property
    def play(self) -> str:
        """The scenario, and which of its plays this is."""
        return self.scenario_id if self.epoch is None else f"{self.scenario_id}, epoch {self.epoch}"


Play: TypeAlias = Generator[CompletionRequest, CompletionReply, Transcript | Incomplete]
"""A scenario being played: it yields one request at a time and returns a transcript or `Incomplete`."""


class ScriptedReply(Record):
    """A reply of a script: words or a fault."""

    text: str | None = None
    """The words of the reply."""
    truncated: bool = False
    served_model: str | None = None
    fault: FaultKind | None = None
    detail: str = ""
    """More about the fault."""

    @model_validator(mode="after")
    def _one_of(self) -> ScriptedReply:
        if (self.text is None) == (self.fault is None):
            raise ValueError("a scripted reply is either `text` or a `fault`")
        return self


class Script(Record):
    """The replies of a scripted model: for each scenario a list, one per turn, and a default reply."""

    model_id: Identifier
    model: Name
    replies: dict[str, tuple[ScriptedReply, ...]] = Field(default_factory=dict)
    """The replies by scenario id, one a turn."""
    otherwise: ScriptedReply
    """The reply to every turn that `replies` does not cover."""


class PlannedScenario(Record):
    model_config = ConfigDict(populate_by_name=True)

    scenario_id: str
    definition_hash: Sha256 = Field(alias="scenario_hash")
    """The hash of the scenario as its file defines it, with all its branches."""
    turns: int
    """How many turns it has."""
    template_hash: Sha256 | None = None
    """The hash of its file with all choices of its slots, the same in every draw; null without slots."""


class RunPlan(Record):
    """The models, scenarios and system prompt of a run, fixed before the first call."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["run_plan"] = "run_plan"
    harness: Literal["llm/raw"] = "llm/raw"
    benchmark_version: str | None = None
    """The content of the benchmark's file VERSION; null if it has none. The hashes decide, not this name."""
    system_prompt_hash: Sha256
    draw: Sha256 | None = None
    """The hash of the key that chose the words of slots; null if no scenario has slots."""
    canary: str
    models: tuple[ModelSpec, ...]
    """The models that play."""
    scenarios: tuple[PlannedScenario, ...]
    """The scenarios that are played."""
    epochs: int = 1
    """How often each model plays each scenario."""
    notices: tuple[str, ...] = ()
    """What a person should know about the models, such as a name that does not fix a model."""
    planned_calls: int
    """One for each turn of each play. Branches change words, not the number of calls."""
    planned_calls_max: int
    """The most calls. A call is an attempt that the model or its provider answered."""
    estimated_cost_usd: float | None
    """The expected cost; null if a price is unknown, 0 if nothing is paid."""
    cost: tuple[Estimate, ...] = ()
    """The calls, tokens and cost of each model whose calls may cost something."""
    estimated_from: EstimateTables | None = None
    """The tables behind `cost`; null if there is none."""


class RunCost(Record):
    """The planned cost of a run, and its actual cost."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["cost_report"] = "cost_report"
    plan_hash: Sha256
    planned_calls: int
    planned_calls_max: int
    estimated_cost_usd: float | None
    cost: tuple[Estimate, ...] = ()
    """The estimate of the plan."""
    complete: bool | None = None
    """False if the run was stopped before every turn was played; null before the run."""
    units: dict[UnitState, int] = Field(default_factory=dict)
    """How the planned turns ended; their sum is `planned_calls`. Empty before the run."""
    answered: int | None = None
    """How many replies came; null before the run."""
    spent_usd: float | None = None
    spending: tuple[Spending, ...] = ()
    """The paid calls by model, over all sessions of the run."""


class RunManifest(Record):
    """When a run was made, and the hashes of its files. Only this artifact of a run has times."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["run_manifest"] = "run_manifest"
    ib_version: str
    plan_hash: Sha256
    started: str
    finished: str
    transcripts: int
    """How many plays were completed."""
    incomplete: int
    """How many plays an error ended."""
    files: dict[str, Sha256]
