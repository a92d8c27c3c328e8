"""The plan of a run as text."""

from __future__ import annotations

from ib.models.scan.run import RunPlan
from ib.pipeline.common.cost_words import cost_words
from ib.store.files.wording import counted


def run_words(plan: RunPlan, done: str) -> str:
    """The plan in a few lines: plays and cost. `done` is "planned" or "played"."""
    names = ", ".join(model.model_id for model in plan.models)
    times = "" if plan.epochs == 1 else f" {plan.epochs} times"
    first = f"{done} {counted(len(plan.scenarios), 'scenario')}{times} against {names}"
    free = "" if plan.cost else ", cost $0.00"
    calls = f"{plan.planned_calls:,} calls planned (at most {plan.planned_calls_max:,}){free}"
    return "\n".join((first, calls, *map(cost_words, plan.cost)))
