"""Makes `benchmark/COVERAGE.md`: in how many scenarios each check is due, and who the people are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ib.models.benchmark.benchmark import Benchmark, Rules
from ib.models.benchmark.check import Check
from ib.models.benchmark.jurisdiction import country_of, rule_set_of
from ib.models.common.base import Scope, Unit
from ib.models.conversation.contract import CorpusContract
from ib.models.conversation.scenario import CueSeverity, ProbeKind, RubricKind, Scenario
from ib.scenario.lint import due_by_tags, power
from ib.scenario.lint_corpus import device_families


def coverage(scenarios: Mapping[str, Scenario], benchmark: Benchmark, devices: Mapping[str, str]) -> str:
    """The whole page. `devices` are the turns of plot of the corpus, each with its meaning."""
    every, checks = tuple(scenarios.values()), benchmark.checks
    return "\n".join(
        [
            "# What the scenarios cover\n",
            _counts(every),
            "## How often each check can be judged\n",
            _checks(every, checks),
            "## Who speaks\n",
            _people(every),
            "## How they write\n",
            _lengths(every),
            "## What happens\n",
            _plots(every, devices),
            "## Where, and under which rules\n",
            _places(every, benchmark.rules),
            "## Cues by severity\n",
            _cues(every),
            "## Scenario by scenario\n",
            _each(every, checks),
            "## Checks by scenario\n",
            _matrix(every, checks),
        ]
    )


def sets_section(
    scenarios: Mapping[str, Scenario], benchmark: Benchmark, contract: CorpusContract | None
) -> str:
    """The sets beside the core: their scenarios, and in how many of core and sets each check is due."""
    sets = {} if contract is None else contract.sets
    by_set = {name: tuple(s for s in scenarios.values() if s.set == name) for name in (None, *sets)}
    due = {name: power(every, benchmark.checks) for name, every in by_set.items()}
    rows = (
        (f"`{check}`", *(due[name][check] for name in by_set), sum(due[name][check] for name in by_set))
        for check in benchmark.checks
    )
    counted = (
        (one.title, f"`{name}`", len(by_set[name]), _turns(by_set[name]), one.description)
        for name, one in sets.items()
    )
    return "\n".join(
        [
            "## Sets beside the core\n",
            "Scenarios of a set are played if `--set` names it, and their figures stand apart.\n",
            table(("set", "name", "scenarios", "turns", "what they have in common"), counted),
            "In how many published scenarios each check is due, as in the first table.\n",
            table(("check", "core", *sets, "together"), rows),
        ]
    )


def _turns(every: Sequence[Scenario]) -> str:
    counts = [sum(1 for _ in scenario.all_turns()) for scenario in every]
    return f"{min(counts)} to {max(counts)}" if counts else "none"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    names = list(head)
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([*lines, ""])


def _counts(every: tuple[Scenario, ...]) -> str:
    def count(holds: Callable[[Scenario], bool]) -> int:
        return sum(1 for scenario in every if holds(scenario))

    turns = [sum(1 for _ in s.all_turns()) for s in every]
    rubrics = Counter(r.kind for s in every for t in s.all_turns() for r in t.rubric)
    probes = Counter(p.kind for s in every for p in s.probes)
    facts: list[tuple[str, object]] = [
        ("scenarios", len(every)),
        ("published", count(lambda s: s.published)),
        ("with a branch", count(lambda s: any(t.branches for t in s.all_turns()))),
        ("branches", sum(len(t.branches) for s in every for t in s.all_turns())),
        ("contrast variants", count(lambda s: s.contrast is not None and s.variant_of is not None)),
        ("contrast groups", len({s.contrast.group for s in every if s.contrast is not None})),
        ("text variants", count(lambda s: s.contrast is None and s.variant_of is not None)),
        ("with several sessions", count(lambda s: len(s.all_sessions()) > 1)),
        ("turns", f"{sum(turns)}, from {min(turns)} to {max(turns)} a scenario" if turns else 0),
        ("with a rubric", count(lambda s: any(t.rubric for t in s.all_turns()))),
        ("rubric items", ", ".join(f"{rubrics[kind]} {kind}" for kind in RubricKind)),
        ("with probes", count(lambda s: bool(s.probes))),
        ("probes", ", ".join(f"{probes[kind]} {kind}" for kind in ProbeKind)),
    ]
    return table(("what", "how many"), facts)


def _checks(every: tuple[Scenario, ...], checks: Mapping[str, Check]) -> str:
    counted = power(every, checks)
    rows = []
    for check in checks.values():
        published = [s for s in every if s.published]
        named = [s for s in published if _tagged(check, s)]
        windowed = check.routing.unit_of_analysis is Unit.EVENT_WINDOW
        windows = sum(check.id in anchor.checks for s in published for anchor in s.anchors)
        scope = "universal" if check.scope is Scope.UNIVERSAL else "trigger"
        rows.append((f"`{check.id}`", scope, counted[check.id], len(named), windows if windowed else ""))
    note = (
        "For each check: the published scenarios in which it is due (and anchored, if it is judged in "
        "windows), those whose tags name it, and the anchored windows.\n"
    )
    return note + "\n" + table(("check", "scope", "due in", "named by tags in", "windows"), rows)


def _tagged(check: Check, scenario: Scenario) -> bool:
    named = {*scenario.tags, *(risk.cue for risk in scenario.risk_triggers)}
    return not named.isdisjoint(check.eligibility.scenario_tags_any)


def _people(every: tuple[Scenario, ...]) -> str:
    originals = [s for s in every if s.variant_of is None]
    ages = Counter(f"{s.persona.age // 10 * 10} to {s.persona.age // 10 * 10 + 9}" for s in originals)
    parts = [f"{len(originals)} people; a variant is the same person again.\n", _row("age", ages)]
    for key in ("gender", "relation", "condition", "income", "place"):
        parts.append(_row(key, Counter(s.persona.context.get(key, "not said") for s in originals)))
    people = (
        (s.persona.name, s.persona.age, s.persona.role, s.persona.context.get("culture", ""))
        for s in sorted(originals, key=lambda s: s.persona.age)
    )
    return "\n".join([*parts, "", table(("name", "age", "role", "culture"), people)])


def _lengths(every: tuple[Scenario, ...]) -> str:
    counts = sorted(len(message.split()) for s in every for message in s.messages())
    bounds = ((0, 9), (10, 29), (30, 59), (60, 120), (121, None))
    rows = []
    for least, most in bounds:
        n = sum(least <= count <= (count if most is None else most) for count in counts)
        name = f"{least} and more" if most is None else f"{least} to {most}"
        rows.append((name, n, f"{100 * n / len(counts):.0f} %"))
    middle = counts[len(counts) // 2]
    note = f"{len(counts)} messages, those of branches included; the median has {middle} words.\n"
    return note + "\n" + table(("words", "messages", "share"), rows)


def _plots(every: tuple[Scenario, ...], devices: Mapping[str, str]) -> str:
    note = "Turns of plot, and the scenarios that use them. A variant has the plot of its original.\n"
    families = device_families(every)
    rows = (
        (meaning, ", ".join(f"`{name}`" for name in families.get(device, ())))
        for device, meaning in sorted(devices.items())
    )
    return note + "\n" + table(("what happens", "scenarios"), rows)


def _row(name: str, counts: Counter[str]) -> str:
    return f"- {name}: " + ", ".join(f"{value} {count}" for value, count in sorted(counts.items()))


def _places(every: tuple[Scenario, ...], rules: Mapping[str, Rules]) -> str:
    sets = [(s, rule_set_of(rules, s.jurisdiction)) for s in every]
    used = Counter((s.jurisdiction, country_of(s.country, own) or "none") for s, own in sets)
    rows = ((rules, country, count) for (rules, country), count in sorted(used.items()))
    return table(("rule set", "country", "scenarios"), rows)


def _cues(every: tuple[Scenario, ...]) -> str:
    counts = Counter((risk.cue, risk.severity) for s in every for risk in s.risk_triggers)
    cues = sorted({cue for cue, _ in counts})
    rows = ((f"`{cue}`", *(counts[cue, level] or "" for level in CueSeverity)) for cue in cues)
    return table(("cue", *CueSeverity), rows)


def _each(every: tuple[Scenario, ...], checks: Mapping[str, Check]) -> str:
    rows = []
    for s in sorted(every, key=lambda s: (s.category, s.theme, s.scenario_id)):
        turns = list(s.all_turns())
        trigger = [c for c in checks.values() if c.scope is Scope.TRIGGER]
        rows.append(
            (
                f"`{s.scenario_id}`",
                s.title,
                len(turns),
                len(s.all_sessions()),
                sum(len(t.branches) for t in turns) or "",
                len(s.anchors) or "",
                sum(len(t.rubric) for t in turns) or "",
                len(s.probes) or "",
                sum(due_by_tags(check, s) for check in trigger),
                s.variant_of or "",
            )
        )
    counted = ("turns", "sessions", "branches", "anchors", "rubric", "probes", "triggered")
    head = ("scenario", "title", *counted, "varies")
    return table(head, rows)


def _matrix(every: tuple[Scenario, ...], checks: Mapping[str, Check]) -> str:
    lines = ["Trigger checks that are due by a tag, and in brackets their anchored turns.\n"]
    for s in sorted(every, key=lambda s: (s.category, s.theme, s.scenario_id)):
        due = []
        for check in checks.values():
            if check.scope is Scope.TRIGGER and due_by_tags(check, s):
                turns = [str(anchor.cue_turn) for anchor in s.anchors if check.id in anchor.checks]
                due.append(f"{check.id} ({', '.join(turns)})" if turns else check.id)
        lines.append(f"- `{s.scenario_id}`: {', '.join(due) or 'none'}")
    return "\n".join([*lines, ""])
