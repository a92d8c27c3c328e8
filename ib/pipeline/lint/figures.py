"""Linting checks and rule sets against each other, and the measurements of lexicons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ib.errors import Finding, Level
from ib.models.benchmark.benchmark import Benchmark, Rules
from ib.models.benchmark.check import RULES, Check
from ib.models.benchmark.figures import BlindSentence
from ib.models.benchmark.jurisdiction import NO_RULE, own_rules, resources_for
from ib.models.benchmark.lexicon import Lexicon
from ib.models.common.base import JUDGE_ROUTES
from ib.store.benchmark.loading import label
from ib.store.benchmark.measured import TUNED, read_hits
from ib.store.files.reading import raw_lines
from ib.store.files.validation import model_of_line
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
        if own_rules(rules, name).startswith(NO_RULE):
            found, hint = "has no rule of its own", f"pages say so; write what differs from {own.extends}"
            yield Finding.at(name, None, ("extends",), found, hint, Level.NOTICE)
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


PRECISION, RECALL = TUNED, "recall"


def figure_problems(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Errors in the measurements, and notices for active lexicons without measurements."""
    lexicons = benchmark.lexicons
    for path in sorted((root / PRECISION).glob("*.jsonl")):
        yield from _judged(path, lexicons)
    seen = {
        normalize(example.text).text.casefold(): f"an example of {lexicon.name}"
        for lexicon in lexicons.values()
        for example in (*lexicon.examples.hit, *lexicon.examples.miss)
    }
    for path in sorted((root / RECALL).glob("*.jsonl")):
        yield from _blind(path, lexicons, seen)
    active = benchmark.active().lexicons.keys()
    for folder, figures in ((PRECISION, benchmark.precision), (RECALL, benchmark.recall)):
        measured = active if figures is None else figures.lexicons.keys()
        for name in sorted(active - measured):
            path = root / "lexicons" / f"{name}.yaml"
            found = f"has no figures in {folder}/summary.yaml"
            yield Finding.at(label(path), 1, "", found, f"measure it in {folder}/", Level.NOTICE)


def _judged(path: Path, lexicons: Mapping[str, Lexicon]) -> Iterator[Finding]:
    """Judged hits whose pattern is missing or has changed, and hits that were judged twice."""
    lexicon = lexicons.get(path.stem)
    if lexicon is None:
        found = f"there is no lexicon {path.stem!r}"
        yield Finding.at(label(path), None, "", found, "name the file after a lexicon")
        return
    yield from read_hits(path, label(path), lexicon)[1]


def _blind(path: Path, lexicons: Mapping[str, Lexicon], seen: dict[str, str]) -> Iterator[Finding]:
    """Sentences of an unknown lexicon or group, and sentences that occur elsewhere."""
    file = label(path)
    for number, line in raw_lines(path, file):
        item = model_of_line(BlindSentence, line, file, number)
        if isinstance(item, list):
            yield from item
            continue
        lexicon = lexicons.get(item.lexicon)
        if lexicon is None:
            found = f"unknown lexicon {item.lexicon!r}"
            yield Finding.at(file, number, "lexicon", found, "the name of a lexicon")
        elif item.group not in (None, *lexicon.groups):
            known = ", ".join(lexicon.groups) or "no group; the lexicon has none"
            yield Finding.at(file, number, "group", f"unknown group {item.group!r}", known)
        first = seen.setdefault(normalize(item.text).text.casefold(), f"{path.name}:{number}")
        if first != f"{path.name}:{number}":
            hint = "use each sentence once, and none that a lexicon was written from"
            yield Finding.at(file, number, "text", f"is the same as {first}", hint)
