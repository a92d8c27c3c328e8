"""The plan of a scan as text."""

from __future__ import annotations

from ib.models.plan import ScanPlan
from ib.pipeline.scan import unrecorded


def scan_words(plan: ScanPlan, done: str) -> str:
    """The plan in a few lines: transcripts, checks, questions, cost. `done` is "planned" or "scanned"."""
    asked = sum(check.selected for check in plan.checks)
    due = sum(check.due for check in plan.checks)
    cost = "unknown" if plan.estimated_cost_usd is None else f"${plan.estimated_cost_usd:.2f}"
    most = "maximum unknown" if plan.planned_calls_max is None else f"at most {plan.planned_calls_max:,}"
    lines = [
        f"{done} {len(plan.transcripts)} transcripts, profile {plan.profile}, judge {plan.judge.model}",
        f"{asked} of {len(plan.checks)} checks selected, {due:,} judgments due",
        f"{plan.planned_calls:,} questions planned ({most}), cost {cost}",
    ]
    missing = unrecorded(plan)
    if missing:
        lines.append(f"not evaluated, because the recording has no votes: {', '.join(missing)}")
    return "\n".join(lines)
