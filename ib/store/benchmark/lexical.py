"""Loading the rules of the lexical judge: a small config, and the rules in the file of each check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ib.errors import DataError, Finding, Level
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.benchmark.lexical import Clause, Cue, LexicalCheck, LexicalConfig, LexicalRules
from ib.models.common.base import JUDGE_ROUTES, Role, Route, Verdict
from ib.models.common.phrase import unsafe_patterns
from ib.store.benchmark.loading import label
from ib.store.files.places import finding_at
from ib.store.files.validation import load_yaml

CONFIG = "configs/lexical.yaml"
Place = tuple[str | int, ...]
Problem = tuple[Place, str, str]


def load_lexical(root: Path, benchmark: Benchmark) -> LexicalRules:
    """Load the rules of the lexical judge. Raises DataError with all findings."""
    config = load_yaml(LexicalConfig, root / CONFIG, patterns_known=True)
    findings = list(lexical_findings(root, benchmark))
    findings += [
        finding_at(root / CONFIG, label(root / CONFIG), place, problem, "a safe RE2 pattern")
        for place, problem in unsafe_patterns(config)
    ]
    if config.canary != benchmark.canary:
        found = "differs from the canary of this benchmark"
        findings.append(finding_at(root / CONFIG, label(root / CONFIG), ("canary",), found, benchmark.canary))
    if findings:
        raise DataError(findings)
    rules = {name: check.lexical for name, check in benchmark.checks.items() if check.lexical is not None}
    return LexicalRules(**dict(config), checks=rules)


def lexical_findings(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Findings about the lexical rules in the files of the checks."""
    for check in benchmark.checks.values():
        if check.lexical is None:
            continue
        path = root / "checks" / f"{check.id}.yaml"
        for place, found, allowed in _problems(check, check.lexical, benchmark):
            yield finding_at(path, label(path), ("lexical", *place), found, allowed)


def without_rules(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Findings for checks without lexical rules, which the judge never decides. Notices for drafts."""
    for check in benchmark.checks.values():
        asks = check.routing.route in JUDGE_ROUTES and check.routing.route is not Route.LEXICON_ONLY
        if check.lexical is None and asks:
            path = root / "checks" / f"{check.id}.yaml"
            cure = f"add rules, because the check asks a judge and the benchmark has {CONFIG}"
            level = Level.NOTICE if check.is_draft else Level.ERROR
            yield replace(finding_at(path, label(path), ("lexical",), "is missing", cure), level=level)


def _problems(check: Check, rules: LexicalCheck, benchmark: Benchmark) -> Iterator[Problem]:
    if check.routing.route not in JUDGE_ROUTES:
        yield (), f"is never used: route {check.routing.route} asks no judge", "remove it"
    if rules.cue is not None:
        yield from _cue(rules.cue, benchmark)
    for place, problem in unsafe_patterns(rules):
        yield place, problem, "a safe RE2 pattern"
    for index, clause in enumerate(rules.fail):
        yield from _clause(("fail", index), clause, check, Verdict.FAIL)
    for index, clause in enumerate(rules.good):
        yield from _clause(("good", index), clause, check, Verdict.PASS)
    if rules.missing_code is not None:
        yield from _code(("missing_code",), rules.missing_code, check, Verdict(rules.missing))


def _clause(place: Place, clause: Clause, check: Check, verdict: Verdict) -> Iterator[Problem]:
    yield from _code((*place, "code"), clause.code, check, verdict)


def _code(place: Place, code: str, check: Check, verdict: Verdict) -> Iterator[Problem]:
    codes = check.rationale_codes.of(verdict)
    if code not in codes:
        yield place, f"{code!r} is not a rationale code of {verdict}", f"one of {', '.join(codes)}"


def _cue(cue: Cue, benchmark: Benchmark) -> Iterator[Problem]:
    if cue.lexicon is not None:
        lexicon = benchmark.lexicons.get(cue.lexicon)
        if lexicon is None or lexicon.speaker is not Role.USER:
            yield (
                ("cue", "lexicon"),
                f"there is no user lexicon {cue.lexicon!r}",
                "the name of a user lexicon",
            )
        elif cue.group not in (None, *lexicon.groups):
            yield ("cue", "group"), f"unknown group {cue.group!r}", ", ".join(lexicon.groups)
