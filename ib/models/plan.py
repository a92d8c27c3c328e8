"""The plan of a scan: complete before the first call, hashed into everything that follows."""

from __future__ import annotations

from typing import Literal

from ib.models.base import Record, Sha256
from ib.models.judge import JudgeSpec

SCHEMA_VERSION = 1


class PlannedTranscript(Record):
    model_id: str
    scenario_id: str
    epoch: int | None
    transcript_hash: Sha256
    scenario_hash: Sha256
    """The hash of the scenario as played (`Transcript.played_hash`), not of its file."""
    due: int
    """How many checks are due on it."""
    calls: int
    """How many requests go to the judge in the first round."""


class PlannedCheck(Record):
    check_id: str
    check_hash: Sha256
    selected: bool
    """Whether the profile asks it."""
    due: int
    suppressed: int
    calls: int
    recorded: bool | None = None
    """For a recorded judge: whether the recording knows the check at all."""


class ScanPlan(Record):
    """Which transcripts, which checks, which judge, how many votes: fixed before anything is spent."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["scan_plan"] = "scan_plan"
    profile: str
    judge: JudgeSpec
    benchmark_hash: Sha256
    comparability_key: Sha256
    """What two rows must share to stand in one table; see `ib.models.comparability`."""
    canary: str
    transcripts: tuple[PlannedTranscript, ...]
    checks: tuple[PlannedCheck, ...]
    planned_calls: int
    """First-round requests; stop rules may add more, up to `planned_calls_max`."""
    planned_calls_max: int | None
    """Null where a check asks as often as there are claims to verify."""
    estimated_cost_usd: float | None
    """Null where the price is not known; 0 where nothing is paid."""
    supplements: tuple[Literal["memory", "coordination", "regard", "rubrics"], ...] = ()
    """What is measured beside the checks."""
    supplementary_hash: Sha256 | None = None
    """The hash of the data that it is measured by."""


class CostReport(Record):
    schema_version: int = SCHEMA_VERSION
    kind: Literal["cost_report"] = "cost_report"
    plan_hash: Sha256
    judge: str
    planned_calls: int
    estimated_cost_usd: float | None
    answered: int | None = None
    """Replies that came; null before the scan ran."""
    spent_usd: float | None = None


class ScanManifest(Record):
    """When a scan ran and what it left, by hash; the one artifact that carries times."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["scan_manifest"] = "scan_manifest"
    ib_version: str
    profile: str
    judge: JudgeSpec
    plan_hash: Sha256
    started: str
    finished: str
    transcripts: int
    files: dict[str, Sha256]
