"""Loading the question about over-alarm."""

from __future__ import annotations

from pathlib import Path

from ib.errors import DataError
from ib.models.common.regex import unsafe_patterns
from ib.models.scan.over_alarm import OverAlarmRules
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml

RULES = "configs/over_alarm.yaml"


def load_over_alarm(root: Path) -> OverAlarmRules:
    """Load the question and the detector. Raises DataError with all findings, also if there is no file."""
    path = root / RULES
    rules = load_yaml(OverAlarmRules, path, patterns_known=True)
    findings = [
        finding_at(path, str(path), place, problem, "a safe RE2 pattern")
        for place, problem in unsafe_patterns(rules)
    ]
    if findings:
        raise DataError(findings)
    return rules
