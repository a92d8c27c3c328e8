"""The plan of a run as text."""

from __future__ import annotations

from ib.models.run import RunPlan


def run_words(plan: RunPlan, done: str) -> str:
    """The plan in two lines: plays and cost. `done` is "planned" or "played"."""
    cost = "unknown" if plan.estimated_cost_usd is None else f"${plan.estimated_cost_usd:.2f}"
    names = ", ".join(model.model_id for model in plan.models)
    times = "" if plan.epochs == 1 else f" {plan.epochs} times"
    first = f"{done} {len(plan.scenarios)} scenarios{times} against {names}"
    return f"{first}\n{plan.planned_calls} calls, cost {cost}"
