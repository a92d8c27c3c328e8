"""The plan of a scan. It is complete before the first call, and its hash is in all later artifacts."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from ib.models.common.base import Played, Record, Sha256, Slug
from ib.models.common.canonical import compact, digest
from ib.models.exam.sentinels import SentinelCalls, SentinelPlan
from ib.models.scan.cost import Estimate, EstimateTables, Spending, UnitState
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.part import WHOLE, Part, SamplePlan
from ib.models.scan.second import SecondCost, SecondPlan

SCHEMA_VERSION = 1


class PlannedTranscript(Played):
    """What is planned for one transcript.

    A plan of 100,000 logs has as many of these. pydantic keeps with each a set of the fields that were given,
    of 700 bytes; here they share one.
    """

    transcript_hash: Sha256
    scenario_hash: Sha256
    """The hash of the scenario as played (`Transcript.played_hash`), not of its file."""
    template_hash: Sha256 | None = None
    """The hash of the scenario's file with all choices of its slots, the same in every draw; null without
    slots."""
    twin: bool = False
    """True for a play of a safe twin, which is judged by over-alarm alone."""
    open: bool = False
    """True for an open log (`Transcript.is_open`), on which every check is due."""
    set: Slug | None = Field(default=None, exclude_if=operator.not_)
    """The set of its scenario; the key is left out for the core, and for a log."""
    due: int
    """How many checks are due on the transcript."""
    calls: int
    """How many requests go to the judge in the first round."""
    units: int = 0
    """The most units that its questions may become."""

    @model_validator(mode="after")
    def _share(self) -> PlannedTranscript:
        object.__setattr__(self, "__pydantic_fields_set__", _PLANNED)
        return self


_PLANNED = set(PlannedTranscript.model_fields)


class PlannedCheck(Record):
    check_id: str
    check_hash: Sha256
    selected: bool
    """True if the profile asks the check and `part` includes it."""
    due: int
    """How many transcripts it is due on."""
    suppressed: int
    """How many transcripts suppress it by a tag."""
    calls: int
    """How many requests it makes in the first round."""
    recorded: bool | None = None
    """For a recorded judge: true if the recording has votes on the check. Null for other judges."""


class AlarmCalls(Record):
    """The part of the planned calls that grades safe twins."""

    transcripts: int
    """The plays of safe twins."""
    planned_calls: int
    planned_calls_expected: int
    planned_calls_max: int
    planned_units: int


class AlarmCost(AlarmCalls):
    """How the calls that grade safe twins ended."""

    units: dict[UnitState, int] = Field(default_factory=dict)
    """How the planned units ended. Empty before the scan."""


class SentinelCost(SentinelCalls):
    """The calls about sentinels, planned and actual. What they cost is in the report's `spending`."""

    units: dict[UnitState, int] = Field(default_factory=dict)
    """How the planned units ended. Empty before the scan."""


class ScanPlan(Record):
    """The transcripts, checks, judge and votes of a scan, fixed before any call is made."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["scan_plan"] = "scan_plan"
    profile: str
    part: Part = WHOLE
    """The part of the checks and transcripts that is judged."""
    notices: tuple[str, ...] = ()
    """What a person should know about the judge before the scan, such as a name that does not fix a model."""
    judge: JudgeSpec
    """The judge, and what it can do."""
    benchmark_version: str | None = None
    """The content of the benchmark's file VERSION; null if it has none. The hashes decide, not this name."""
    benchmark_hash: Sha256
    comparability_key: Sha256
    """Rows may share a table only if their keys are equal; see `ib.models.scan.plan`. The draw is no part of
    it."""
    draw: Sha256 | None = None
    """The hash of the key that chose the words of slots; null if no scenario has slots. Rows of two draws may
    be compared, and never share a table."""
    canary: str
    system_prompts: tuple[str, ...] = ()
    """The hashes of the system prompts of plays that are not the benchmark's own; usually empty."""
    transcripts: tuple[PlannedTranscript, ...]
    """Every transcript, in plan order."""
    checks: tuple[PlannedCheck, ...]
    """Every check, in order."""
    planned_calls: int
    """The questions of the first round: the least calls, if every question is answered and none from a
    cache."""
    planned_calls_expected: int
    """The calls that are expected, second attempts included."""
    planned_calls_max: int
    """The most calls, whatever the replies are. A call is an attempt that the judge or its provider
    answered."""
    planned_units: int
    """The most units. A unit is one repetition of one question, with its second attempt."""
    estimated_cost_usd: float | None
    """The expected cost; null if the price is unknown, 0 if nothing is paid."""
    cost: tuple[Estimate, ...] = ()
    """The calls, tokens and cost, if the judge is a model; empty for a judge that costs nothing."""
    estimated_from: EstimateTables | None = None
    """The tables behind `cost`; null if there is none."""
    supplements: tuple[Slug, ...] = ()
    """The names of the supplementary measures."""
    supplementary_hash: Sha256 | None = None
    """The hash of the data of the supplementary measures."""
    over_alarm_hash: Sha256 | None = None
    """The hash of the question about over-alarm; null if no transcript is a play of a safe twin."""
    over_alarm: AlarmCalls | None = None
    """The part of the planned calls that grades safe twins, counted apart; null without twins. All other
    counts include it."""
    second: SecondPlan | None = None
    """What a second judge is asked; null if there is none."""
    sample: SamplePlan | None = None
    """The sample of the logs that the judge reads; null if it reads all of them."""
    sentinels: SentinelPlan | None = Field(default=None, exclude_if=operator.not_)
    """The exam items that are mixed among the questions. No other count includes them. The key is left out if
    there are none."""
    rejudges: Sha256 | None = Field(default=None, exclude_if=operator.not_)
    """The seal of the release whose conversations are judged again; such a scan is never released. The key is
    left out for any other scan."""

    @property
    def first_set(self) -> str | None:
        """The set of the first transcript, which in a release is that of all; None for the core."""
        return next((transcript.set for transcript in self.transcripts), None)

    @property
    def open_logs(self) -> int:
        """How many transcripts are open logs."""
        return sum(transcript.open for transcript in self.transcripts)

    @property
    def only_open_logs(self) -> bool:
        """True if every transcript is an open log. The models of such a scan are not compared."""
        return self.open_logs == len(self.transcripts) > 0


class CostReport(Record):
    schema_version: int = SCHEMA_VERSION
    kind: Literal["cost_report"] = "cost_report"
    plan_hash: Sha256
    judge: str
    """The name of the judge."""
    planned_calls: int
    planned_calls_expected: int
    planned_calls_max: int
    planned_units: int
    estimated_cost_usd: float | None
    cost: tuple[Estimate, ...] = ()
    """The estimate of the plan."""
    complete: bool | None = None
    """False if the scan was stopped before every question was asked; null before the scan."""
    units: dict[UnitState, int] = Field(default_factory=dict)
    """How the planned units ended; their sum is `planned_units`. Empty before the scan, and for a job."""
    answered: int | None = None
    """How many replies came in the last session; null before the scan."""
    from_cache: int | None = None
    """How many answers the cache of earlier scans had, in the last session; null before the scan."""
    spent_usd: float | None = None
    spending: tuple[Spending, ...] = ()
    """The paid calls by model, over all sessions of the scan."""
    over_alarm: AlarmCost | None = None
    """The part of the calls that grades safe twins; null if there is no twin."""
    second: SecondCost | None = None
    """The calls to the second judge; null if there is none."""
    sentinels: SentinelCost | None = Field(default=None, exclude_if=operator.not_)
    """The calls about exam items among the questions. The key is left out if there are none."""


class ScanManifest(Record):
    """When a scan ran, and the hashes of its files. Only this artifact of a scan has times."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["scan_manifest"] = "scan_manifest"
    ib_version: str
    profile: str
    judge: JudgeSpec
    """The judge, and what it can do."""
    plan_hash: Sha256
    started: str
    finished: str
    transcripts: int
    """How many transcripts were scanned."""
    files: dict[str, Sha256]
    inputs_hash: Sha256 | None = None
    """The hash of the options and of the bytes of all input files, so that `--resume` recognizes a
    finished scan without planning it again; null if no judge is asked or an input was a pipe."""


LEFT_OUT: Mapping[str, str] = {
    "comparability_key": "It is the key itself.",
    "draw": "It stands beside the key: two draws of one version may be compared, and are never pooled.",
    "estimated_cost_usd": "Prices change without changing an answer.",
    "cost": "Prices and counts of tokens change without changing an answer.",
    "estimated_from": "Prices and assumptions change without changing an answer.",
    "benchmark_version": "It is a name; the hashes of the content are in the key.",
    "notices": "They follow from the judge, which is in the key.",
    "part": "It follows into `checks.selected` and the scenarios, which are in the key.",
    "judge.priced": "Prices change without changing an answer.",
    "planned_calls": "It counts requests, so it grows with the number of models.",
    "planned_calls_expected": "It counts requests, so it grows with the number of models.",
    "planned_calls_max": "It counts requests, so it grows with the number of models.",
    "over_alarm": "It counts requests, so it grows with the number of models.",
    "sample": "A sampled scan is reported and not released, so its rows share no table.",
    "rejudges": "A scan of the conversations of a release is never released, so its rows share no table.",
    "sentinels": "Exam items change no row; their answers are kept apart.",
    "second": "A second judge changes no row; its answers stand beside those of the judge.",
    "planned_units": "It counts requests, so it grows with the number of models.",
    "transcripts.model_id": "Models are what is compared.",
    "transcripts.epoch": "How often a scenario was played changes the counts, not the question.",
    "transcripts.transcript_hash": "The answers of models are what is compared.",
    "transcripts.due": "It follows from the scenario and the checks, which are in the key.",
    "transcripts.calls": "It depends on the answers of the model.",
    "transcripts.units": "It depends on the answers of the model.",
    "checks.due": "It counts transcripts, so it grows with the number of models.",
    "checks.suppressed": "It counts transcripts, so it grows with the number of models.",
    "checks.calls": "It counts requests, so it grows with the number of models.",
    "checks.recorded": "It follows from the recording, whose content is in the key as `judge.base`.",
}
"""The fields of a plan that are not part of the key, each with the reason. Any other field is part of it."""

SETS = ("transcripts", "checks", "supplements")
"""The lists of a plan whose order and duplicates do not matter."""


def comparability_key(plan: ScanPlan) -> str:
    """The key of a plan. It is equal for two scans whose rows may share a table.

    It is derived from every field of the plan and of the models in it, so that a new field changes
    the key unless `LEFT_OUT` names it. The order of transcripts and checks does not matter.
    """
    return digest(_content(plan, ""))


def differences(plan: ScanPlan, other: ScanPlan) -> tuple[str, ...]:
    """The fields in which the keys of two plans differ. Empty if their rows may share a table."""
    one, two = _content(plan, ""), _content(other, "")
    return tuple(name for name in one if one[name] != two[name])


MAY_DIFFER: Mapping[str, str] = {
    "transcripts": "Two versions of a bot say different things, in the same conversations or in others.",
    "system_prompts": "A version may differ by its prompt alone.",
    "over_alarm_hash": "It is null without plays of safe twins, which no check judges.",
    "supplements": "They are measured beside the checks.",
    "supplementary_hash": "They are measured beside the checks.",
}
"""The fields of a plan in which two scans that are compared may differ, each with the reason."""


def instrument(plan: ScanPlan) -> dict[str, Any]:
    """What a scan asks and who answers, by field of the plan, without what it is asked of.

    The recordings of two scans may hold other votes of the same judge.
    """
    said: dict[str, Any] = _content(plan, "")
    if plan.judge.is_recording:
        said["judge"] = {**said["judge"], "base": None}
    return {name: value for name, value in said.items() if name not in MAY_DIFFER}


def _follows_from_draw(value: BaseModel, name: str) -> bool:
    """True for the hash of a scenario as drawn, whose template is in the key, and for a template that is not
    there, so that a plan without slots has the key that it had before there were slots."""
    if not isinstance(value, PlannedTranscript):
        return False
    return name == ("template_hash" if value.template_hash is None else "scenario_hash")


def _content(value: Any, path: str) -> Any:
    if isinstance(value, BaseModel):
        fields = {name: f"{path}.{name}".lstrip(".") for name in type(value).model_fields}
        return {
            name: _content(getattr(value, name), place)
            for name, place in fields.items()
            if place not in LEFT_OUT and not _follows_from_draw(value, name)
        }
    if not isinstance(value, tuple):
        return value
    items = [_content(item, path) for item in value]
    return sorted({compact(item).decode() for item in items}) if path in SETS else items
