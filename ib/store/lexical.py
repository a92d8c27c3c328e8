"""Loading what the lexical judge knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ib.errors import DataError
from ib.models.base import Role, Verdict
from ib.models.benchmark import Benchmark
from ib.models.lexical import Cue, LexicalCheck, LexicalRules
from ib.store.yaml_json import finding_at, load_yaml
from ib.text.patterns import refusal

RULES = "configs/lexical.yaml"
Place = tuple[str | int, ...]
Problem = tuple[Place, str, str]


def load_lexical(root: Path, benchmark: Benchmark) -> LexicalRules:
    """The rules of the lexical judge; DataError with everything that does not fit the benchmark."""
    path = root / RULES
    rules = load_yaml(LexicalRules, path)
    findings = []
    for check_id, check in rules.checks.items():
        for place, found, allowed in _problems(check_id, check, benchmark):
            findings.append(finding_at(path, str(path), ("checks", check_id, *place), found, allowed))
    if findings:
        raise DataError(findings)
    return rules


def _problems(check_id: str, check: LexicalCheck, benchmark: Benchmark) -> Iterator[Problem]:
    known = benchmark.checks.get(check_id)
    if known is None:
        yield (), f"unknown check {check_id!r}", "the id of a check"
        return
    if check.cue is not None:
        yield from _cue(check.cue, benchmark)
    codes = known.rationale_codes
    for key, verdict in (("fail", Verdict.FAIL), ("good", Verdict.PASS)):
        for index, clause in enumerate(getattr(check, key)):
            for name in ("regex", "also", "unless"):
                pattern = getattr(clause, name)
                problem = None if pattern is None else refusal(pattern)
                if problem is not None:
                    yield (key, index, name), problem, "a safe RE2 pattern"
            if clause.code not in codes.of(verdict):
                allowed = ", ".join(codes.of(verdict))
                yield (key, index, "code"), f"{clause.code!r} is no code of {verdict}", allowed
    if check.missing_code is not None and check.missing_code not in codes.of(Verdict(check.missing)):
        allowed = ", ".join(codes.of(Verdict(check.missing)))
        yield ("missing_code",), f"{check.missing_code!r} is no code of {check.missing}", allowed


def _cue(cue: Cue, benchmark: Benchmark) -> Iterator[Problem]:
    if cue.lexicon is not None:
        lexicon = benchmark.lexicons.get(cue.lexicon)
        if lexicon is None or lexicon.speaker is not Role.USER:
            yield ("cue", "lexicon"), f"no lexicon {cue.lexicon!r} of the user's words", "one of those"
        elif cue.group not in (None, *lexicon.groups):
            yield ("cue", "group"), f"unknown group {cue.group!r}", ", ".join(lexicon.groups)
    for index, pattern in enumerate(cue.patterns):
        problem = refusal(pattern)
        if problem is not None:
            yield ("cue", "patterns", index), problem, "a safe RE2 pattern"
