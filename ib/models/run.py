"""Playing scenarios: what a model is asked, what comes back, and the plan that stands before it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from ib.models.base import Identifier, Record, Sha256, Text
from ib.models.judge import Fault, FaultKind
from ib.models.plan import SCHEMA_VERSION
from ib.models.transcript import Message, Transcript

RAW = "llm/raw"
"""The one harness whose transcripts may stand in a public comparison."""
REFERENCE = "reference"
SCRIPTED = "scripted"
"""What stands in for a model is played the same way, and is never called one."""


class ModelSpec(Record):
    """Which model answers; part of every request's key."""

    model_id: Identifier
    model: Text
    """Its name for people."""
    revision: str | None = None
    """What fixes its behavior beyond the name; for a reference assistant, the hash of its file."""
    sampling: dict[str, Any] = Field(default_factory=dict)
    priced: bool = True
    """False if an answer costs nothing."""
    harness: str = RAW
    """The harness that its transcripts name."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the conversation as the model is shown it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One reply asked of a model; `key` names it in the journal."""

    key: str
    model_id: str
    scenario_id: str
    turn: int
    messages: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered."""

    text: str
    truncated: bool = False
    served_model: str | None = None
    """The model id that the provider said had answered."""

    def __post_init__(self) -> None:
        # A lone surrogate, which no file can hold, becomes the mark for one.
        clean = self.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        object.__setattr__(self, "text", clean)


CompletionReply: TypeAlias = Completion | Fault


class Incomplete(Record):
    """A play that an error ended. It is kept apart, never scored, and tried again by `--resume`."""

    model_id: str
    scenario_id: str
    turn: int
    """The turn without an answer."""
    fault: str
    detail: str
    messages: tuple[Message, ...]
    """The messages before it."""


Play: TypeAlias = Generator[CompletionRequest, CompletionReply, Transcript | Incomplete]
"""A scenario being played: it yields the one request that comes next, and returns what it became."""


class ScriptedReply(Record):
    """A reply of a script: words or a fault."""

    text: str | None = None
    truncated: bool = False
    served_model: str | None = None
    fault: FaultKind | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _one_of(self) -> ScriptedReply:
        if (self.text is None) == (self.fault is None):
            raise ValueError("a scripted reply is either `text` or a `fault`")
        return self


class Script(Record):
    """The replies of a scripted model: for each scenario one a turn, and one for all the rest."""

    model_id: Identifier
    model: Text
    replies: dict[str, tuple[ScriptedReply, ...]] = Field(default_factory=dict)
    otherwise: ScriptedReply


class PlannedScenario(Record):
    model_config = ConfigDict(populate_by_name=True)

    scenario_id: str
    definition_hash: Sha256 = Field(alias="scenario_hash")
    """The hash of the scenario as its file defines it, with all its branches."""
    turns: int


class RunPlan(Record):
    """Which models, which scenarios, under which system prompt: fixed before the first call."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["run_plan"] = "run_plan"
    harness: Literal["llm/raw"] = "llm/raw"
    system_prompt_hash: Sha256
    canary: str
    models: tuple[ModelSpec, ...]
    scenarios: tuple[PlannedScenario, ...]
    planned_calls: int
    """One for each turn of each scenario and model. Branches change words, not the number of calls."""
    estimated_cost_usd: float | None
    """The expected cost; null if a price is unknown, 0 if nothing is paid."""


class RunCost(Record):
    """What a run was planned to cost, and what it cost."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["cost_report"] = "cost_report"
    plan_hash: Sha256
    planned_calls: int
    estimated_cost_usd: float | None
    answered: int | None = None
    """How many replies came; null before the run."""
    spent_usd: float | None = None


class RunManifest(Record):
    """When a run was made and what it left, by hash; the one artifact that carries times."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["run_manifest"] = "run_manifest"
    ib_version: str
    plan_hash: Sha256
    started: str
    finished: str
    transcripts: int
    incomplete: int
    files: dict[str, Sha256]
