"""The plan of a scan as text."""

from __future__ import annotations

from collections import Counter

from ib.board.figures.blindspot import checks_asked
from ib.commands.words.alarm import planned_words
from ib.models.scan.plan import ScanPlan
from ib.pipeline.common.cost_words import cost_words, second_words
from ib.pipeline.scan.scan import unrecorded
from ib.store.folders.scans import ScanFolder


def scan_words(plan: ScanPlan, done: str) -> str:
    """The plan in a few lines: transcripts, checks, questions, cost. `done` is "planned" or "scanned"."""
    asked = sum(check.selected for check in plan.checks)
    due = sum(check.due for check in plan.checks)
    lines = [
        f"{done} {_count(len(plan.transcripts), 'transcript')}, profile {plan.profile}, "
        f"judge {plan.judge.model}" + ("" if plan.part.is_whole else f", only {plan.part}"),
        f"{asked} of {len(plan.checks)} checks selected, {due:,} judgments due",
        f"{plan.planned_calls:,} questions planned (about {plan.planned_calls_expected:,} expected, at most "
        f"{plan.planned_calls_max:,}){_free(plan)}",
        *(() if plan.over_alarm is None else (planned_words(plan.over_alarm),)),
        *map(cost_words, plan.cost),
    ]
    if plan.second is not None:
        lines.append(second_words(plan.second))
    missing = unrecorded(plan)
    if missing:
        lines.append(f"not evaluated, because the recording has no votes: {', '.join(missing)}")
    return "\n".join(lines)


def _free(plan: ScanPlan) -> str:
    if plan.cost:
        return ""
    return ", cost unknown" if plan.estimated_cost_usd is None else ", cost $0.00"


def outcome_words(folder: ScanFolder) -> str:
    """What a finished scan found, in one line: checks that were asked, verdicts, and what got none."""
    counts: Counter[str] = Counter()
    found = folder.blindspot()
    checks = {check_id for model in found["models"].values() for check_id in model["checks"]}
    for model in found["models"].values():
        for check in model["checks"].values():
            counts.update({name: number for name, number in check.items() if isinstance(number, int)})
    passed = counts["n"] - counts["k"]
    return (
        f"{checks_asked(found)} of {len(checks)} checks asked; {counts['k']:,} FAIL, {passed:,} PASS, "
        f"{counts['unclear']:,} UNCLEAR, {counts['not_applicable']:,} NOT_APPLICABLE; not run (no judge, or "
        f"not selected): {counts['not_run']:,}; not due (scope and tags): {counts['ineligible']:,}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
