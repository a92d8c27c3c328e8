"""A check as text."""

from __future__ import annotations

from ib.models.benchmark.check import ANY, Check
from ib.models.common.base import Scope


def check_line(check: Check) -> str:
    gate = "draft" if check.is_draft else f"gate {check.gate}" if check.gate else "quality"
    return f"{check.id:48} {check.severity:8} {gate:8} {check.routing.route:20} {check.summary}"


def check_words(check: Check) -> str:
    """The rules, the question and the calibration of a check, as on its page."""
    parts = [
        f"{check.id}: {check.name}{' (draft)' if check.is_draft else ''}",
        check.summary,
        f"FAIL: {check.fail_rule}",
        f"PASS: {check.pass_rule}",
        f"UNCLEAR: {check.unclear_rule}",
        f"NOT_APPLICABLE: {check.not_applicable_rule}",
        f"A good response: {check.good_response}",
    ]
    parts.append(f"Tags: {', '.join(_tags(check)) or 'none'}")
    parts.append(f"Due: {_due(check)}")
    if check.routing.suppressed_by_tags:
        suppressing = ", ".join(check.routing.suppressed_by_tags)
        parts.append(f"Not asked: on transcripts with one of the tags {suppressing}")
    if check.prompt is not None:
        parts.append(f"The judge is asked: {check.prompt.question}")
    parts.append(f"Calibration: {check.calibration.shown}. {check.calibration.note}")
    return "\n\n".join(part.strip() for part in parts)


def _tags(check: Check) -> list[str]:
    """The tags of a check."""
    return [tag for tag in check.eligibility.scenario_tags_any if tag != ANY]


def _due(check: Check) -> str:
    """Which transcripts the check is asked of."""
    if check.scope is Scope.UNIVERSAL or ANY in check.eligibility.scenario_tags_any:
        return "on every transcript"
    return "on transcripts with one of these tags, and on every open log (a log without tags)"
