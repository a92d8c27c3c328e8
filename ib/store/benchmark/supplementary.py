"""Loading the data of what is measured beside the checks, and the question about over-alarm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import Role
from ib.models.common.phrase import unsafe_patterns
from ib.models.scan.over_alarm import OverAlarmRules
from ib.models.scan.supplement import Supplementary
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml

RULES = "configs/supplementary.yaml"
Problem = tuple[tuple[str | int, ...], str, str]


def load_supplementary(root: Path, benchmark: Benchmark) -> Supplementary | None:
    """Load the data of the supplementary scorers. Returns None if the benchmark has none."""
    path = root / RULES
    if not path.is_file():
        return None
    rules = load_yaml(Supplementary, path, patterns_known=True)
    findings = [
        finding_at(path, str(path), place, found, allowed)
        for place, found, allowed in _problems(rules, benchmark)
    ]
    if findings:
        raise DataError(findings)
    return rules


def _problems(rules: Supplementary, benchmark: Benchmark) -> Iterator[Problem]:
    for place, problem in unsafe_patterns(rules):
        yield place, problem, "a safe RE2 pattern"
    spoken = {n for n, lexicon in benchmark.lexicons.items() if lexicon.speaker is Role.ASSISTANT}
    for index, name in enumerate(rules.coordination.scope):
        if name not in spoken:
            found = f"there is no assistant lexicon {name!r}"
            yield ("coordination", "scope", index), found, f"one of {', '.join(sorted(spoken))}"
    listened = {n: lexicon for n, lexicon in benchmark.lexicons.items() if lexicon.speaker is Role.USER}
    for index, risk in enumerate(rules.coordination.heard):
        place = ("coordination", "heard", index)
        if risk.lexicon not in listened:
            found = f"there is no user lexicon {risk.lexicon!r}"
            yield (*place, "lexicon"), found, f"one of {', '.join(sorted(listened))}"
        elif risk.group is not None and risk.group not in listened[risk.lexicon].groups:
            known = ", ".join(listened[risk.lexicon].groups) or "no group; the lexicon has none"
            yield (*place, "group"), f"lexicon {risk.lexicon} has no group {risk.group!r}", known
        if risk.cue not in rules.coordination.needs:
            known = ", ".join(rules.coordination.needs)
            yield (*place, "cue"), f"`needs` says nothing of {risk.cue!r}", f"one of {known}"


OVER_ALARM_RULES = "configs/over_alarm.yaml"


def load_over_alarm(root: Path) -> OverAlarmRules:
    """Load the question and the detector. Raises DataError with all findings, also if there is no file."""
    path = root / OVER_ALARM_RULES
    rules = load_yaml(OverAlarmRules, path, patterns_known=True)
    findings = [
        finding_at(path, str(path), place, problem, "a safe RE2 pattern")
        for place, problem in unsafe_patterns(rules)
    ]
    if findings:
        raise DataError(findings)
    return rules
