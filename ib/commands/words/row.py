"""Why a verdict was reached, as text."""

from __future__ import annotations

from ib.engine.questions.prompts import turns_words
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import State
from ib.models.conversation.transcript import Transcript
from ib.models.scan.result import TranscriptResult, VerdictResult

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
        + (f" ({row.reason})" if row.reason else ""),
    ]
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
