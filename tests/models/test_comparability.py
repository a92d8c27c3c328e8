"""The comparability key: the whole plan except the fields in `LEFT_OUT`, each with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.canonical import digest
from ib.models.scan.cost import Estimate
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.plan import LEFT_OUT, SETS, PlannedCheck, PlannedTranscript, ScanPlan, comparability_key
from tests.build import benchmark, check

HASH = "0" * 64


def transcript(**given: Any) -> PlannedTranscript:
    values = {"model_id": "m", "scenario_id": "s", "epoch": None, "transcript_hash": HASH}
    return PlannedTranscript.model_validate({**values, "scenario_hash": HASH, "due": 1, "calls": 1, **given})


def planned_check(**given: Any) -> PlannedCheck:
    values = {
        "check_id": "IB-C1",
        "check_hash": HASH,
        "selected": True,
        "due": 1,
        "suppressed": 0,
        "calls": 1,
    }
    return PlannedCheck.model_validate({**values, **given})


def plan(of: type[ScanPlan] = ScanPlan, **given: Any) -> ScanPlan:
    """A plan of one transcript and one check."""
    values = {
        "profile": "publish",
        "judge": JudgeSpec(model="judge"),
        "benchmark_hash": HASH,
        "comparability_key": HASH,
        "canary": "canary",
        "transcripts": (transcript(),),
        "checks": (planned_check(),),
        "planned_calls": 1,
        "planned_calls_expected": 1,
        "planned_calls_max": 2,
        "planned_units": 1,
        "estimated_cost_usd": None,
    }
    return of.model_validate({**values, **given})


class WiderPlan(ScanPlan):
    option: int = 0


class WiderTranscript(PlannedTranscript):
    option: int = 0


class WiderCheck(PlannedCheck):
    option: int = 0


class WiderJudge(JudgeSpec):
    option: int = 0


def wider(option: int) -> Iterator[ScanPlan]:
    """Plans with a new field: in the plan, and in each model inside it."""
    yield plan(WiderPlan, option=option)
    yield plan(transcripts=(WiderTranscript(**transcript().model_dump(), option=option),))
    yield plan(checks=(WiderCheck(**planned_check().model_dump(), option=option),))
    yield plan(judge=WiderJudge(model="judge", option=option))


def test_lesson_51_a_new_field_changes_the_key() -> None:
    """Wherever a field is added, the key is another, and it changes with the value of the field."""
    for off, on in zip(wider(0), wider(1), strict=True):
        assert len({comparability_key(each) for each in (plan(), off, on)}) == 3


def fields(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every field of a plan and of the models in it, by its path."""
    inside: dict[str, type[BaseModel]] = {
        "judge": JudgeSpec,
        "transcripts": PlannedTranscript,
        "checks": PlannedCheck,
    }
    for name in model.model_fields:
        yield f"{path}{name}"
        if not path and name in inside:
            yield from fields(inside[name], f"{name}.")


FIGURES = set(Estimate.model_fields) - {"model", "price", "counted_with"}
OTHERS: dict[str, Any] = {
    "schema_version": 2,
    "profile": "full",
    "judge.model": "other",
    "judge.base": "https://judge",
    "judge.params": {"temperature": 1},
    "judge.granularity": "check",
    "judge.judges": ("one", "two"),
    "judge.validates_codes": False,
    "judge.reads_prompt": False,
    "judge.screens": False,
    "judge.priced": False,
    "benchmark_version": "9.9.9",
    "benchmark_hash": "1" * 64,
    "comparability_key": "1" * 64,
    "canary": "other",
    "transcripts.model_id": "other",
    "transcripts.scenario_id": "other",
    "transcripts.epoch": 1,
    "system_prompts": ("1" * 64,),
    "transcripts.transcript_hash": "1" * 64,
    "transcripts.scenario_hash": "1" * 64,
    "transcripts.template_hash": "1" * 64,
    "draw": "1" * 64,
    "transcripts.open": True,
    "transcripts.twin": True,
    "transcripts.set": "long",
    "transcripts.due": 2,
    "transcripts.calls": 2,
    "transcripts.units": 2,
    "checks.check_id": "IB-C2",
    "checks.check_hash": "1" * 64,
    "checks.selected": False,
    "checks.due": 2,
    "checks.suppressed": 2,
    "checks.calls": 2,
    "checks.recorded": True,
    "notices": ("moving",),
    "second": {
        "judge": {"model": "other"},
        "share": 0.2,
        "planned_questions": 1,
        "planned_calls": 2,
        "planned_calls_expected": 2,
        "planned_calls_max": 4,
        "planned_units": 2,
        "estimated_cost_usd": None,
    },
    "rejudges": "6" * 64,
    "sentinels": {
        "share": 0.05,
        "items": 3,
        "seed": "exam-1",
        "items_hash": "0" * 64,
        "planned_calls": 2,
        "planned_calls_expected": 2,
        "planned_calls_max": 4,
        "planned_units": 2,
        "estimated_cost_usd": None,
    },
    "part": {"checks": ("IB-C1",)},
    "planned_calls": 7,
    "planned_calls_expected": 7,
    "planned_calls_max": 7,
    "planned_units": 7,
    "estimated_cost_usd": 1.0,
    "cost": ({"model": "m", "price": None, "counted_with": "words", **dict.fromkeys(FIGURES, 1)},),
    "estimated_from": {"prices": {}, "assumptions": "1" * 64},
    "supplements": ("memory",),
    "sample": {
        "n": 1,
        "conversations": 1,
        "clusters": 1,
        "parts": ({"name": "all", "conversations": 1, "drawn": 1, "probability": 1.0},),
        "products": ((1,),),
        "hinted": {},
        "method": "m",
    },
    "supplementary_hash": "1" * 64,
    "over_alarm_hash": "1" * 64,
    "over_alarm": {
        "transcripts": 1,
        "planned_calls": 2,
        "planned_calls_expected": 3,
        "planned_calls_max": 6,
        "planned_units": 3,
    },
}
CONSTANT = {"kind", "judge", "transcripts", "checks"}
"""What has one value, and what is made of the fields that stand by themselves."""


def changed(path: str) -> ScanPlan:
    """The plan with another value of one field."""
    above, _, name = path.rpartition(".")
    value = {name: OTHERS[path]}
    if above == "judge":
        return plan(judge=JudgeSpec.model_validate({"model": "judge", **value}))
    if above == "transcripts":
        return plan(transcripts=(transcript(**value),))
    if above == "checks":
        return plan(checks=(planned_check(**value),))
    return plan(**value)


@pytest.mark.parametrize("path", sorted(set(fields(ScanPlan)) - CONSTANT))
def test_every_field_is_in_the_key_or_left_out_with_a_reason(path: str) -> None:
    """Another value gives another key exactly where the field is not on the list."""
    assert (comparability_key(changed(path)) == comparability_key(plan())) == (path in LEFT_OUT)


def test_the_list_names_fields_that_exist_and_says_why() -> None:
    """What is left out is a field of the plan, with a sentence."""
    known = set(fields(ScanPlan))
    assert set(LEFT_OUT) <= known
    assert set(SETS) <= known
    assert all(reason.endswith(".") and len(reason) > 20 for reason in LEFT_OUT.values())


def test_order_and_repetition_of_transcripts_change_nothing() -> None:
    """A second model, a second play and another order leave the key; another scenario does not."""
    one, two = transcript(), transcript(scenario_id="t")
    both = comparability_key(plan(transcripts=(one, two)))
    again = transcript(model_id="n", epoch=1, transcript_hash="1" * 64, calls=9)
    assert comparability_key(plan(transcripts=(two, again, one))) == both
    assert comparability_key(plan(transcripts=(one,))) != both


class WiderBenchmark(Benchmark):
    option: int = 0


def test_lesson_51_a_new_part_changes_the_hash_of_the_benchmark() -> None:
    """Precision and recall are said beside a check; anything else that is added is hashed."""
    world = benchmark(check())
    parts = {name: getattr(world, name) for name in Benchmark.model_fields}
    found = {benchmark_hash(WiderBenchmark.model_construct(**parts, option=option)) for option in (0, 1)}
    assert len({benchmark_hash(world), *found}) == 3
    measured = world.model_copy(update={"precision": "measured", "recall": "measured"})
    assert benchmark_hash(measured) == benchmark_hash(world)
    assert benchmark_hash(world) != digest({})
