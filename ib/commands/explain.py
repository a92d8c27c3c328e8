"""`ib explain`: how one verdict came about, from eligibility to the last vote."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import click

from ib.commands.common import benchmark_option, emit, json_option
from ib.errors import DataError, UsageError
from ib.models.base import State
from ib.models.benchmark import Benchmark
from ib.models.result import TranscriptResult, VerdictResult
from ib.models.transcript import Transcript
from ib.store.benchmark import load_benchmark
from ib.store.scans import RESULTS, TRANSCRIPTS, ScanFolder


@click.command()
@click.argument("scan", type=click.Path(path_type=Path))
@click.option("--check", "check_id", required=True, help="The id of the check.")
@click.option("--scenario", "scenario_id", required=True, help="The id of the scenario.")
@click.option("--model", "model_id", help="The id of the model, where the scan holds several.")
@click.option("--epoch", type=int, help="Which play of the scenario, where there are several.")
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
    """Show how one verdict came about: eligibility, windows, votes, evidence."""
    benchmark = load_benchmark(benchmark_dir)
    if check_id not in benchmark.checks:
        raise UsageError(f"unknown check {check_id!r}; `ib show check` lists them")
    transcript, result = _find(ScanFolder(scan), scenario_id, model_id, epoch)
    row = next((row for row in result.rows if row.mode_id == check_id), None)
    if row is None:
        raise UsageError(f"the scan holds no row of {check_id!r}: it was made with checks that lack it")
    value = {"model_id": result.model_id, "scenario_id": scenario_id, "row": row}
    emit(value, as_json=as_json, text=lambda _: words(row, result, transcript, benchmark))


def _find(
    folder: ScanFolder, scenario_id: str, model_id: str | None, epoch: int | None
) -> tuple[Transcript, TranscriptResult]:
    folder.manifest()
    found = []
    models: set[str] = set()
    scenarios: set[str] = set()
    for transcript, result in _pairs(folder):
        models.add(result.model_id)
        scenarios.add(result.scenario_id)
        same = result.scenario_id == scenario_id and model_id in (None, result.model_id)
        if same and epoch in (None, result.epoch):
            found.append((transcript, result))
    if len(found) == 1:
        return found[0]
    if not found:
        known = f"{len(scenarios)} scenarios of {', '.join(sorted(models))}"
        raise UsageError(
            f"no transcript of {scenario_id!r} for {model_id or 'any model'}; the scan holds {known}"
        )
    which = ", ".join(sorted({result.model_id for _, result in found}))
    raise UsageError(
        f"{len(found)} transcripts of {scenario_id!r}; name one with --model ({which}) or --epoch"
    )


def _pairs(folder: ScanFolder) -> Iterator[tuple[Transcript, TranscriptResult]]:
    """Each transcript with its result; DataError where the two files are not in step."""
    for number, (said, result) in enumerate(zip_longest(folder.transcripts(), folder.results()), start=1):
        if said is None or result is None or said[1] != result.transcript_hash:
            found = f"is not in step with {TRANSCRIPTS} from the transcript {number} on"
            raise DataError.one(folder.path / RESULTS, None, "", found, "one result for each, in its order")
        yield said[0], result


def words(row: VerdictResult, result: TranscriptResult, transcript: Transcript, benchmark: Benchmark) -> str:
    """The story of a row, a step a line."""
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
        + (", contested" if row.contested else "")
        + (f" ({row.reason})" if row.reason else ""),
    ]
    for window in row.windows:
        where = f"turns {window.first} to {window.last}"
        lines.append(f"window {where}, {window.phase}: {window.verdict} of {window.asked} asked")
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
    if transcript.eligible_checks is not None:
        listed = row.mode_id in transcript.eligible_checks
        return "the record lists it" if listed else "the record does not list it"
    check = benchmark.checks[row.mode_id]
    met = sorted(transcript.circumstances.intersection(check.eligibility.scenario_tags_any))
    if row.state is State.SUPPRESSED:
        return f"suppressed by one of {', '.join(check.routing.suppressed_by_tags)}"
    if row.eligible:
        return f"scope {check.scope}" + (f", tags {', '.join(met)}" if met else "")
    return f"no; none of {', '.join(check.eligibility.scenario_tags_any)} is there"
