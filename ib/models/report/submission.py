"""A submission: the manifest beside conversations that somebody played, and what `ib submit check` says."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationInfo, field_validator

from ib.models.common.base import Identifier, Record, Sha256, Slug, Text
from ib.models.conversation.contract import CORE
from ib.models.scan.cost import Count, Estimate

BENCHMARK = "benchmark"
"""The system prompt of the benchmark, as a manifest names it."""
PUBLIC = "public"
"""The public draw, as a manifest names it."""
Revision = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")]
"""A commit of git, or a SHA-256."""
Contact = Annotated[str, StringConstraints(pattern=r"^(?:[^\s@]+@[^\s@]+\.[^\s@]+|https://\S+)$")]
"""An e-mail address, or the address of a page."""


class HowPlayed(StrEnum):
    """What played the scenarios."""

    IB_RUN = "ib_run"
    """`ib run`."""
    INSPECT = "inspect"
    """The plugin for Inspect."""
    OWN_HARNESS = "own_harness"
    """Any other harness."""


class PlaySettings(Record):
    """How the model was called. A null means that the provider decided."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None
    """The sampling temperature."""
    max_tokens: Annotated[int, Field(ge=1)] | None
    """The most tokens of a reply."""
    system_prompt: Annotated[str, StringConstraints(pattern=r"^(?:benchmark|[0-9a-f]{64})$")]
    """`benchmark` for the system prompt of the benchmark, else the SHA-256 of the prompt's file."""
    tools: tuple[Text, ...]
    """The names of the tools that the model could call; an empty list for none."""


class Submitter(Record):
    """Who submits, and how to reach them."""

    name: Text
    """The name of a person, or of a group."""
    organization: Text | None = None
    """Whom they work for; null if nobody is to be named."""
    contact: Contact
    """An e-mail address or an https address."""


class Submission(Record):
    """The manifest of a submission, `submission.yaml` or `submission.json`."""

    schema_version: Literal[1] = 1
    model: Text
    """The model as its provider names it, with its date or version."""
    provider: Identifier
    """The provider whose API answered, as in `openai/gpt-4o`."""
    model_id: Identifier | None = None
    """The `model_id` of the transcripts, if it is not PROVIDER/MODEL."""
    played_from: date
    """The first day of the play, in UTC."""
    played_to: date
    """The last day of the play, in UTC."""
    settings: PlaySettings
    """How the model was called."""
    how_played: HowPlayed
    """`ib_run`, `inspect` or `own_harness`."""
    ib_version: Text | None = Field(default=None, validate_default=True)
    """The version of ib that played; required for `ib_run` and `inspect`."""
    harness_hash: Revision | None = Field(default=None, validate_default=True)
    """The commit or the SHA-256 of the harness; required for `own_harness`."""
    draw: Annotated[str, StringConstraints(pattern=r"^(?:public|[0-9a-f]{64})$")]
    """`public`, or the hash of the key of a private draw."""
    sets: Annotated[tuple[Slug, ...], Field(min_length=1)] = (CORE,)
    """The sets that were played, and `core` for the scenarios of no set."""
    repetitions: Annotated[int, Field(ge=1, le=1_000)] = 1
    """How often each scenario was played."""
    submitter: Submitter
    """Who submits."""
    conflict_of_interest: Text
    """Who pays or employs the submitter in relation to the model; `none` if nobody does."""

    @field_validator("played_to")
    @classmethod
    def _in_order(cls, value: date, info: ValidationInfo) -> date:
        first = info.data.get("played_from")
        if first is not None and value < first:
            raise ValueError(f"{value} is before played_from, {first}")
        return value

    @field_validator("ib_version")
    @classmethod
    def _version_of_ib(cls, value: str | None, info: ValidationInfo) -> str | None:
        how = info.data.get("how_played")
        if value is None and how in (HowPlayed.IB_RUN, HowPlayed.INSPECT):
            raise ValueError(
                f"is missing, and how_played is {how}: name the version that `ib --version` prints"
            )
        return value

    @field_validator("harness_hash")
    @classmethod
    def _hash_of_harness(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None and info.data.get("how_played") is HowPlayed.OWN_HARNESS:
            raise ValueError("is missing, and how_played is own_harness: name its commit or its SHA-256")
        return value

    @property
    def named(self) -> str:
        """The `model_id` of its transcripts."""
        return self.model_id or f"{self.provider}/{self.model}"


class ReasonKind(StrEnum):
    """Why a submission cannot be judged."""

    OTHER_BENCHMARK = "other_benchmark"
    """A conversation of a scenario, version or draw that is not the one of this benchmark and manifest."""
    NOT_A_PLAY = "not_a_play"
    """What the person says is not what the scenario gives for these replies."""
    MANIFEST = "manifest"
    """A conversation and the manifest contradict each other."""
    INCOMPLETE = "incomplete"
    """A scenario was not played as often as the manifest says."""
    DOUBLED = "doubled"
    """One conversation stands there twice."""
    LEAK = "leak"
    """What looks like a key or a path of a machine, or text that must not be public."""


class SubmissionReason(Record):
    """One reason why a submission cannot be judged."""

    kind: ReasonKind
    """What kind of reason it is."""
    file: str
    """The file in the folder; empty for what is in no file."""
    line: int | None
    """The line in the file; null if the reason is about no line."""
    key: str
    """The key in the line, or the scenario that is not complete."""
    found: str
    """What was found."""
    allowed: str
    """What is allowed, or what to do."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        return f"{self.kind}: {' '.join(filter(None, (place, self.key)))}: {self.found}; {self.allowed}"


class JudgingPrice(Record):
    """What it takes to judge the conversations with the profile `publish`. Nothing was asked."""

    judge: str | None
    """The judge whose prices these are; null if none was named, and then only calls are known."""
    conversations: Count
    """The conversations that were counted: those without a reason against them."""
    planned_calls: Count
    """The least calls."""
    planned_calls_expected: Count
    """The expected calls."""
    planned_calls_max: Count
    """The most calls."""
    cost: tuple[Estimate, ...]
    """Tokens and dollars; empty if no judge was named, or if it costs nothing."""


class SubmissionReport(Record):
    """What `ib submit check` found. Nothing was judged."""

    schema_version: Literal[2] = 2
    kind: Literal["submission_report"] = "submission_report"
    ib_version: str
    """The version of ib that checked."""
    benchmark_version: str | None
    """The content of the benchmark's file VERSION; null if it has none."""
    benchmark_hash: Sha256
    """The hash of the benchmark that the conversations were compared with."""
    manifest: Submission
    """The manifest."""
    files: dict[str, Sha256]
    """Every file that was read, with its SHA-256."""
    can_be_judged: bool
    """True if there is no reason against it. Only maintainers judge."""
    scenarios: Count
    """The published scenarios and safe twins of the sets."""
    complete: Count
    """Those of them that were played as often as the manifest says, without a reason against a play."""
    conversations: Count
    """The conversations in the folder."""
    faults: Count
    """Plays that ended with a fault and are recorded as such."""
    truncated: Count
    """Replies that were cut off."""
    reasons: tuple[SubmissionReason, ...]
    """Every reason against judging."""
    differs: tuple[str, ...]
    """What sets the figures apart from others, or is as stated. It is no reason against judging."""
    not_compared: tuple[str, ...]
    """What the manifest states and the conversations do not, with their number: it is taken as stated."""
    price: JudgingPrice | None
    """Null if no conversation can be judged."""
