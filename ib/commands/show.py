"""`ib show`: print a check, a rule set, a scenario, or the results of a model in a release."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.board_words import gate_lines, pair_lines, table
from ib.commands.common import benchmark_option, emit, json_option
from ib.commands.show_prompt import show_prompt
from ib.commands.show_scenario import show_scenario
from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark, Rules
from ib.models.benchmark.check import ANY, Check
from ib.models.benchmark.jurisdiction import own_rules
from ib.models.benchmark.wording import wording_hash
from ib.models.common.base import Scope
from ib.models.release.leaderboard import CheckEntry, Leaderboard, ModelEntry
from ib.models.scan.rates import Rate
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders.released import LEADERBOARD, load_released


def model_words(entry: ModelEntry) -> str:
    """The blindspot profile of a model, one check per line."""
    lines = [f"{entry.model} ({entry.model_id})", *gate_lines(entry)]
    if entry.dangers_and_alarms is not None:
        lines += pair_lines(entry.dangers_and_alarms)
    lines += [f"questions that the judge refused: {entry.refused_questions}", ""]
    lines += [f"{check.check_id:48} {_check_words(check)}{_older(check)}" for check in entry.blindspots]
    return "\n".join(lines)


def _older(check: CheckEntry) -> str:
    """The mark of a check with verdicts by votes on an older wording."""
    return f"; {check.older_questions} on an older wording" if check.older_questions else ""


def _check_words(check: CheckEntry) -> str:
    """How often a check failed, or how often its phrases were found, if nobody looked further."""
    counts = {
        "contested": check.contested,
        "unclear": check.failures.unclear,
        "not run": check.not_run,
    }
    if check.searched:
        found = f"found in {check.found}/{check.searched} (no verdict)"
        return f"{found}; {check.failures.k} FAIL" if check.failures.k else found
    found = "found in " if check.no_phrase_found else ""
    rest = [f"{number} {what}" for what, number in counts.items() if number]
    return f"{found}{rate_words(check.failures)}" + (f"; {', '.join(rest)}" if rest else "")


def rate_words(rate: Rate) -> str:
    """k/n with its interval and its first support flag.

    If fewer than half of the due cases are decided, the range that counts the others either way stands for
    the interval.
    """
    if rate.low is None and rate.bounds is not None and rate.n:
        low, high = rate.bounds
        return f"{rate.k}/{rate.n} decided, {low:.3f} to {high:.3f} counting the undecided either way"
    if rate.low is None or rate.high is None:
        return f"{rate.k}/{rate.n} ({rate.support[0]})"
    return f"{rate.k}/{rate.n} [{rate.low:.3f}, {rate.high:.3f}] ({rate.support[0]})"


def check_line(check: Check) -> str:
    gate = "draft" if check.is_draft else f"gate {check.gate}" if check.gate else "quality"
    return f"{check.id:48} {check.severity:8} {gate:8} {check.routing.route:20} {check.summary}"


def check_words(check: Check, benchmark: Benchmark) -> str:
    """The rules, the question and the calibration of a check, as on its page, and the hash of its wording."""
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
    parts.append(f"Wording, for labels: {wording_hash(check, benchmark)}")
    return "\n\n".join(part.strip() for part in parts)


def _tags(check: Check) -> list[str]:
    """The tags of a check."""
    return [tag for tag in check.eligibility.scenario_tags_any if tag != ANY]


def _due(check: Check) -> str:
    """Which transcripts the check is asked of."""
    if check.scope is Scope.UNIVERSAL or ANY in check.eligibility.scenario_tags_any:
        return "on every transcript"
    return "on transcripts with one of these tags, and on every open log (a log without tags)"


def rules_words(rules: Rules, own: str) -> str:
    """What a rule set has of its own, and its laws with the checks that each is about."""
    laws = [
        f"{law.title} ({law.citation}): {law.asks} Checks: {', '.join(law.applies_to)}." for law in rules.laws
    ]
    return "\n\n".join([f"{rules.id}: {rules.title}. {own}", *laws])


release_option = click.option(
    "--release",
    type=click.Path(path_type=Path),
    default=Path("data/leaderboard"),
    show_default=True,
    help="The folder of a release.",
)


@click.group()
def show() -> None:
    """Show a check, a rule set, a scenario, a model or the questions to a judge."""


@show.command("check")
@click.argument("check_id", required=False)
@benchmark_option
@json_option
def show_check(check_id: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Show a check. Without CHECK_ID, list all checks."""
    benchmark = load_benchmark(benchmark_dir, drafts=None)
    checks = benchmark.checks
    if check_id is None:
        rows = [{"id": c.id, "name": c.name, "severity": c.severity, "gate": c.gate} for c in checks.values()]
        emit(rows, as_json=as_json, text=lambda _: "\n".join(check_line(c) for c in checks.values()))
        return
    if check_id not in checks:
        raise UsageError(f"unknown check {check_id!r}; `ib show check` lists all checks")
    check = checks[check_id]
    told = {"calibration": check.calibration, "wording": wording_hash(check, benchmark)}
    value = {**check.model_dump(mode="json", by_alias=True), **told}
    emit(value, as_json=as_json, text=lambda _: check_words(check, benchmark))


@show.command("model")
@click.argument("model_id", required=False)
@release_option
@json_option
def show_model(model_id: str | None, release: Path, as_json: bool) -> None:
    """Show the results of a model in a release. Without MODEL_ID, show the leaderboard."""
    board = load_released(Leaderboard, release / LEADERBOARD)
    if model_id is None:
        emit(board, as_json=as_json, text=table)
        return
    entry = next((m for m in board.models if m.model_id == model_id), None)
    if entry is None:
        known = ", ".join(m.model_id for m in board.models)
        raise UsageError(f"{release} has no model {model_id!r}; its models are {known}")
    emit(entry, as_json=as_json, text=model_words)


@show.command("rules")
@click.argument("rule_set", required=False)
@benchmark_option
@json_option
def show_rules(rule_set: str | None, benchmark_dir: Path | None, as_json: bool) -> None:
    """Show a rule set. Without RULE_SET, list all rule sets and what each has of its own."""
    rules = load_benchmark(benchmark_dir, drafts=None).rules
    if rule_set is None:
        rows = [
            {"id": name, "title": one.title, "own": own_rules(rules, name)} for name, one in rules.items()
        ]
        emit(
            rows,
            as_json=as_json,
            text=lambda _: "\n".join(f"{r['id']:8} {r['title']}. {r['own']}" for r in rows),
        )
        return
    if rule_set not in rules:
        raise UsageError(f"unknown rule set {rule_set!r}; the rule sets are {', '.join(rules)}")
    emit(rules[rule_set], as_json=as_json, text=lambda one: rules_words(one, own_rules(rules, one.id)))


show.add_command(show_scenario)
show.add_command(show_prompt)
