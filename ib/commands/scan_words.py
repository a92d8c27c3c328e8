"""What `ib scan` says of a plan, and of a finished scan."""

from __future__ import annotations

from collections import Counter

from ib.board.figures.blindspot import checks_asked
from ib.models.scan.plan import AlarmCalls, ScanPlan
from ib.pipeline.common.costing import cost_words, second_words
from ib.pipeline.common.sampling import sample_words
from ib.pipeline.scan.derived import said_of_sentinels
from ib.pipeline.scan.scan import unrecorded
from ib.store.folders.scans import ScanFolder


def scan_words(plan: ScanPlan, *, planned: bool) -> str:
    """The plan in a few lines: transcripts, checks, questions.

    The estimated cost is part of it if the scan is only `planned`: a scan has said it before its first call.
    """
    asked = sum(check.selected for check in plan.checks)
    due = sum(check.due for check in plan.checks if check.selected)
    done = "planned" if planned else "scanned"
    lines = [
        f"{done} {_count(len(plan.transcripts), 'transcript')}, profile {plan.profile}, "
        f"judge {plan.judge.model}" + ("" if plan.part.is_whole else f", only {plan.part}"),
        f"{asked} of {len(plan.checks)} checks selected, {due:,} judgments due",
        f"{plan.planned_calls:,} questions planned (about {plan.planned_calls_expected:,} expected, at most "
        f"{plan.planned_calls_max:,}){_free(plan)}",
        *(() if plan.over_alarm is None else (_alarms_planned(plan.over_alarm),)),
    ]
    if planned:
        lines.extend(map(cost_words, plan.cost))
    if plan.sample is not None:
        lines.append(sample_words(plan.sample))
    if plan.second is not None and (planned or not plan.second.judge.priced):
        lines.append(second_words(plan.second))
    if plan.sentinels is not None and planned:
        from ib.pipeline.scan.sentinels import sentinel_words

        lines.append(sentinel_words(plan.sentinels))
    missing = unrecorded(plan)
    if missing:
        lines.append(f"not evaluated, because the recording has no votes: {', '.join(missing)}")
    return "\n".join(lines)


def _free(plan: ScanPlan) -> str:
    if plan.cost:
        return ""
    return ", cost unknown" if plan.estimated_cost_usd is None else ", cost $0.00"


def outcome_words(folder: ScanFolder) -> str:
    """What a finished scan found: checks that were asked, verdicts, and what got none, in one line. Sentences
    about sentinels follow, if there are any."""
    counts: Counter[str] = Counter()
    found = folder.blindspot()
    checks = {check_id for model in found["models"].values() for check_id in model["checks"]}
    for model in found["models"].values():
        for check in model["checks"].values():
            counts.update({name: number for name, number in check.items() if isinstance(number, int)})
    passed = counts["n"] - counts["k"]
    sentinels = "".join(f"\n{line}" for line in said_of_sentinels(folder.plan(), folder.sentinels()))
    return (
        f"{checks_asked(found)} of {len(checks)} checks asked; {counts['k']:,} FAIL, {passed:,} PASS, "
        f"{counts['unclear']:,} UNCLEAR, {counts['not_applicable']:,} NOT_APPLICABLE; {_found(counts)}"
        f"not run (no judge, or not selected): {counts['not_run']:,}; "
        f"not due (scope and tags): {counts['ineligible']:,}{sentinels}"
    )


def _found(counts: Counter[str]) -> str:
    """What phrases found in a scan without a judge; empty with a judge."""
    if not counts["searched"]:
        return ""
    return f"phrases found (no verdict): {counts['found']:,} of {counts['searched']:,} searched; "


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _alarms_planned(planned: AlarmCalls) -> str:
    """The part of the planned questions that grades safe twins."""
    plays = (
        "1 play of a safe twin"
        if planned.transcripts == 1
        else f"{planned.transcripts:,} plays of safe twins"
    )
    return (
        f"of these, over-alarm: {planned.planned_calls:,} questions about {plays} (about "
        f"{planned.planned_calls_expected:,} expected, at most {planned.planned_calls_max:,})"
    )
