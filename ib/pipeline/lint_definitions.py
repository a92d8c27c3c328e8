"""Linting what checks and rule sets say beside each other. Every finding has the id as its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ib.errors import Finding, Level
from ib.models.base import JUDGE_ROUTES
from ib.models.benchmark import Rules
from ib.models.check import Check
from ib.models.jurisdiction import resources_for
from ib.text.normalize import normalize

RUN = 12
"""How many words in a row may not stand in the prompts of two checks."""


def prompt_problems(checks: Mapping[str, Check]) -> Iterator[Finding]:
    """Prompts that nobody is shown, and words that stand in the prompts of two checks."""
    for check in checks.values():
        route = check.routing.route
        if check.prompt is not None and route not in JUDGE_ROUTES:
            yield _of(check, ("prompt",), f"is shown to nobody: route {route} asks no judge", "remove it")
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for check in checks.values():
        yield from _repeated(check, seen)


def _repeated(check: Check, seen: dict[tuple[str, ...], tuple[str, str]]) -> Iterator[Finding]:
    """The first words of each part of a prompt that stand in the prompt of an earlier check."""
    parts = {} if check.prompt is None else check.prompt.model_dump(by_alias=True)
    for key, text in parts.items():
        words = normalize(text).text.casefold().split()
        told = False
        for start in range(len(words) - RUN + 1):
            run = tuple(words[start : start + RUN])
            other, _ = seen.setdefault(run, (check.id, key))
            if other != check.id and not told:
                told = True
                found = f"repeats the prompt of {other}: {' '.join(run)!r}"
                yield _of(check, ("prompt", key), found, "what several checks share stands in the frame")


def _of(check: Check, key: tuple[str, ...], found: str, hint: str) -> Finding:
    level = Level.NOTICE if check.is_draft else Level.ERROR
    return Finding.at(check.id, None, key, found, hint, level)


def rule_problems(rules: Mapping[str, Rules]) -> Iterator[Finding]:
    """Countries without the first two lines, actions that are lost, and laws with dates that cannot be."""
    for name, own in rules.items():
        for country in own.crisis_resources:
            given = {line.purpose for line in resources_for(own, country)}
            for purpose in ("emergency", "suicide"):
                if "-" not in country and purpose not in given:
                    found, hint = f"has no line for {purpose}", "every country has one"
                    yield Finding.at(name, None, ("crisis_resources", country), found, hint)
        below = rules.get(own.extends or "")
        lost = (
            set()
            if below is None
            else {a.id for a in below.crisis_actions} - {a.id for a in own.crisis_actions}
        )
        if lost:
            found = f"leaves out {', '.join(lost)}"
            hint = f"the actions of {own.extends}: a law words them otherwise and removes none"
            yield Finding.at(name, None, ("crisis_actions",), found, hint)
        for law in own.laws:
            if law.in_force and law.checked and law.in_force > law.checked:
                found = f"{law.id} is in force after the day on which it was read"
                yield Finding.at(name, None, ("laws",), found, "`in_force` is known from what was read")
