"""`ib explain`: why a verdict was reached, from eligibility to the last vote."""

from __future__ import annotations

from pathlib import Path

import click

from delivery.report.text import case_lines
from delivery.words.counts import severity
from ib.board.report.cases import cases_of, log_name
from ib.commands.board_words import alarm_words
from ib.commands.common import benchmark_option, emit, json_option
from ib.engine.questions.prompts import turns_words
from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import GRAVEST_FIRST, State
from ib.models.conversation.transcript import Transcript
from ib.models.report.report import Case, CaseKind
from ib.models.scan.over_alarm import OVER_ALARM
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.pipeline.scan.find import find_alarm, find_result
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.leaks import leaks_here
from ib.store.files.wording import counted
from ib.store.folders.scans import ScanFolder

_MET = {True: "met", False: "missed", None: "no majority"}


def row_words(
    row: VerdictResult, result: TranscriptResult, transcript: Transcript, benchmark: Benchmark
) -> str:
    """Every step to the verdict of a row, one per line."""
    check = benchmark.checks[row.mode_id]
    lines = [
        f"{check.id}: {check.name}",
        f"{result.model_id} on {result.scenario_id}",
        "",
        f"eligible: {_eligible(row, transcript, benchmark)}",
        f"route {check.routing.route}, unit {check.routing.unit_of_analysis}, K {check.routing.repetitions}, "
        f"{check.routing.aggregation}" + (f", gate {row.gate}" if row.gate else ""),
        f"state {row.state}, verdict {row.verdict or 'none'}, "
        f"decided by {'people' if row.decided else row.scorer}"
        + (f", confidence {row.confidence:.2f}" if row.confidence is not None else "")
        + (", votes split" if row.split else "")
        + (", contested" if row.contested else "")
        + (", votes on an older wording" if row.older_question else "")
        + (f" ({row.reason})" if row.reason else ""),
    ]
    if row.state is State.FOUND:
        lines.append(
            "a listed phrase was found and no judge read it: it points to words, and decides nothing"
        )
    if row.decided is not None:
        said = ", ".join(f"{one.pseudonym} ({one.role}): {one.verdict}" for one in row.decided.opinions)
        was = row.decided.was.verdict
        lines.append(f"decided by people on {row.decided.date}: {said}; the machine had said {was}")
    if row.occurrences is not None:
        turns = ", ".join(map(str, row.occurrences.turns)) or "none"
        lines.append(f"turns with the failure: {turns}, of {row.occurrences.chances} that were judged")
    for window in row.windows:
        where = turns_words(window.judged)
        lines.append(f"window {where}, {window.phase}: {window.verdict} of {window.asked} asked")
        lines += [f"cue of turn {cue.turn}: {_MET[cue.met]}" for cue in window.cues]
    for vote in row.votes:
        said = vote.verdict or f"does not count ({vote.invalid}; it said {vote.stated or 'nothing'})"
        code = f", {vote.rationale_code}" if vote.rationale_code else ""
        lines.append(f"vote {vote.repetition}: {said}{code}")
    for span in row.evidence:
        mark = ", found in another turn than stated" if span.turn_corrected else ""
        source = f", {span.pattern}" if span.pattern else ""
        lines.append(f"evidence, {span.role} turn {span.turn}{mark}{source}: {span.quote!r}")
    lines += [f"notice: {notice}" for notice in row.notices]
    return "\n".join(lines)


def _eligible(row: VerdictResult, transcript: Transcript, benchmark: Benchmark) -> str:
    if transcript.is_open:
        return "yes; the transcript is an open log (no tags, no eligible_checks), so every check is due"
    if transcript.eligible_checks is not None:
        listed = row.mode_id in transcript.eligible_checks
        return (
            "yes; the transcript lists the check" if listed else "no; the transcript does not list the check"
        )
    check = benchmark.checks[row.mode_id]
    met = sorted(transcript.circumstances.intersection(check.eligibility.scenario_tags_any))
    if row.state is State.SUPPRESSED:
        return f"suppressed by one of {', '.join(check.routing.suppressed_by_tags)}"
    if row.eligible:
        return f"scope {check.scope}" + (f", tags {', '.join(met)}" if met else "")
    return f"no; the scenario has none of the tags {', '.join(check.eligibility.scenario_tags_any)}"


def listed(
    transcript: Transcript, result: TranscriptResult, benchmark: Benchmark, *, show_user: bool
) -> list[Case]:
    """The failures and hints of one conversation, gravest first."""
    leaks = leaks_here()
    cases = cases_of(transcript, result, benchmark, leaks, show_user=show_user)
    kinds, checks = tuple(CaseKind), benchmark.checks
    return sorted(
        cases, key=lambda one: (kinds.index(one.kind), GRAVEST_FIRST.index(checks[one.check_id].severity))
    )


def listed_words(cases: list[Case], result: TranscriptResult, benchmark: Benchmark) -> str:
    """The failures and hints of one conversation, and how many due checks have no answer."""
    lines = [f"{result.model_id} on {log_name(result)}", ""]
    for case in cases:
        check = benchmark.checks[case.check_id]
        lines += [f"{check.name} · {severity(check.severity)} · {check.id}", *case_lines(case), ""]
    if not cases:
        lines += ["no check failed, and no phrase was found", ""]
    due = [row for row in result.rows if row.eligible and row.state is not State.SUPPRESSED]
    silent = sum(row.verdict is None for row in due)
    lines.append(
        f"{silent} of {counted(len(due), 'due check')} without an answer; --check ID explains one check"
    )
    return "\n".join(lines)


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option("--check", "check_id", help="The id of a check; over_alarm for a play of a safe twin.")
@click.option(
    "--scenario",
    "--log",
    "scenario_id",
    required=True,
    help="The id of the scenario, or the id that a log gives the conversation.",
)
@click.option("--model", "model_id", help="The id of the model, if the scan has several.")
@click.option("--epoch", type=int, help="Which play of the scenario, if there are several.")
@click.option("--show-user", is_flag=True, help="Without --check: show what the person of a log said, too.")
@benchmark_option
@json_option
def explain(
    scan: Path, check_id: str | None, scenario_id: str, model_id: str | None, epoch: int | None, *,
    show_user: bool, benchmark_dir: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Show why a verdict was reached: eligibility, windows, votes, evidence.

    Without --check, the failures and hints of the conversation are listed with their words.
    """
    folder = ScanFolder(scan)
    if check_id == OVER_ALARM:
        alarm = find_alarm(folder, scenario_id, model_id, epoch)
        emit(alarm, as_json=as_json, text=alarm_words)
        return
    benchmark = load_benchmark(benchmark_dir, drafts=None)
    if check_id is not None and check_id not in benchmark.checks:
        raise UsageError(
            f"--check {check_id!r} is not a check of the benchmark; `ib show check` lists all checks"
        )
    transcript, result = find_result(folder, scenario_id, model_id, epoch)
    value: dict[str, object] = {"model_id": result.model_id, "scenario_id": result.scenario_id}
    if check_id is None:
        cases = listed(transcript, result, benchmark, show_user=show_user)
        value |= {"log": log_name(result), "cases": cases}
        emit(value, as_json=as_json, text=lambda _: listed_words(cases, result, benchmark))
        return
    row = next((row for row in result.rows if row.mode_id == check_id), None)
    if row is None:
        raise UsageError(
            f"{scan} has no result for {check_id!r}, because its benchmark lacked this check; scan again"
        )
    emit(value | {"row": row}, as_json=as_json, text=lambda _: row_words(row, result, transcript, benchmark))
