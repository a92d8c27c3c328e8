"""`ib explain`: why a verdict was reached, from eligibility to the last vote."""

from __future__ import annotations

from pathlib import Path

import click

from ib.commands.board_words import alarm_words
from ib.commands.common import benchmark_option, emit, json_option
from ib.engine.questions.prompts import turns_words
from ib.errors import UsageError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import State
from ib.models.conversation.transcript import Transcript
from ib.models.scan.over_alarm import OVER_ALARM
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.pipeline.scan.find import find_alarm, find_result
from ib.store.benchmark.loading import load_benchmark
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
        f"state {row.state}, verdict {row.verdict or 'none'}, decided by {row.scorer}"
        + (f", confidence {row.confidence:.2f}" if row.confidence is not None else "")
        + (", votes split" if row.split else "")
        + (", contested" if row.contested else "")
        + (", votes on an older question" if row.older_question else "")
        + (f" ({row.reason})" if row.reason else ""),
    ]
    if row.state is State.FOUND:
        lines.append(
            "a listed phrase was found and no judge read it: it points to words, and decides nothing"
        )
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


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option(
    "--check", "check_id", required=True, help="The id of the check; over_alarm for a play of a safe twin."
)
@click.option("--scenario", "scenario_id", required=True, help="The id of the scenario.")
@click.option("--model", "model_id", help="The id of the model, if the scan has several.")
@click.option("--epoch", type=int, help="Which play of the scenario, if there are several.")
@benchmark_option
@json_option
def explain(
    scan: Path,
    check_id: str,
    scenario_id: str,
    model_id: str | None,
    epoch: int | None,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Show why a verdict was reached: eligibility, windows, votes, evidence."""
    if check_id == OVER_ALARM:
        alarm = find_alarm(ScanFolder(scan), scenario_id, model_id, epoch)
        emit(alarm, as_json=as_json, text=alarm_words)
        return
    benchmark = load_benchmark(benchmark_dir, drafts=None)
    if check_id not in benchmark.checks:
        raise UsageError(
            f"--check {check_id!r} is not a check of the benchmark; `ib show check` lists all checks"
        )
    transcript, result = find_result(ScanFolder(scan), scenario_id, model_id, epoch)
    row = next((row for row in result.rows if row.mode_id == check_id), None)
    if row is None:
        raise UsageError(
            f"{scan} has no result for {check_id!r}, because its benchmark lacked this check; scan again"
        )
    value = {"model_id": result.model_id, "scenario_id": scenario_id, "row": row}
    emit(value, as_json=as_json, text=lambda _: row_words(row, result, transcript, benchmark))
