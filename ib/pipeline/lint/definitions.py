"""Linting checks and rule sets against each other. The `file` of each finding is the id of its subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ib.errors import Finding, Level
from ib.models.benchmark.benchmark import Rules
from ib.models.benchmark.check import RULES, Check
from ib.models.benchmark.jurisdiction import resources_for
from ib.models.common.base import JUDGE_ROUTES
from ib.text.normalize import normalize

RUN = 12
"""Two prompts may not share this many words in a row."""


def prompt_problems(checks: Mapping[str, Check]) -> Iterator[Finding]:
    """Prompts of checks that ask no judge, that name another check, or that share a sentence with one."""
    for check in checks.values():
        route = check.routing.route
        if check.prompt is not None and route not in JUDGE_ROUTES:
            yield _of(check, "prompt", f"is never used: route {route} asks no judge", "remove it")
        for key, text in check.asked.items():
            for named in sorted(name for name in checks if name in text):
                hint = "say the failure in words; the judge knows no ids"
                yield _of(check, key, f"names {named}", hint)
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for check in checks.values():
        yield from _repeated(check, seen)


def _repeated(check: Check, seen: dict[tuple[str, ...], tuple[str, str]]) -> Iterator[Finding]:
    """The first RUN words of each part of a prompt that repeat the prompt of an earlier check."""
    for key, text in check.asked.items():
        words = normalize(text).text.casefold().split()
        told = False
        for start in range(len(words) - RUN + 1):
            run = tuple(words[start : start + RUN])
            other, _ = seen.setdefault(run, (check.id, key))
            if other != check.id and not told:
                told = True
                found = f"repeats the prompt of {other}: {' '.join(run)!r}"
                yield _of(check, key, found, "move shared text to configs/frame.yaml")


def _of(check: Check, key: str, found: str, hint: str) -> Finding:
    level = Level.NOTICE if check.is_draft else Level.ERROR
    path = key if key in RULES else "prompt" if key == "prompt" else f"prompt.{key}"
    return Finding.at(check.id, None, path, found, hint, level)


def rule_problems(rules: Mapping[str, Rules]) -> Iterator[Finding]:
    """Countries without an emergency or suicide line, lost crisis actions, laws with impossible dates."""
    for name, own in rules.items():
        for country in own.crisis_resources:
            given = {line.purpose for line in resources_for(own, country)}
            for purpose in ("emergency", "suicide"):
                if "-" not in country and purpose not in given:
                    found, hint = f"has no line for {purpose}", "every country needs one"
                    yield Finding.at(name, None, ("crisis_resources", country), found, hint)
        below = rules.get(own.extends or "")
        lost = (
            set()
            if below is None
            else {a.id for a in below.crisis_actions} - {a.id for a in own.crisis_actions}
        )
        if lost:
            found = f"leaves out {', '.join(lost)}"
            hint = f"keep every action of {own.extends}; a rule set may reword an action, not remove it"
            yield Finding.at(name, None, ("crisis_actions",), found, hint)
        for law in own.laws:
            if law.in_force and law.checked and law.in_force > law.checked:
                found = f"{law.id}: `in_force` {law.in_force} is later than `checked` {law.checked}"
                yield Finding.at(name, None, ("laws",), found, "read the law again and correct the dates")
