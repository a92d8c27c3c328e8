"""The questions of a scan about one check and one transcript, as a judge would get them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from ib.engine.questions.protocol import begin
from ib.engine.reading.searched import IndexedTranscript
from ib.errors import UsageError
from ib.models.benchmark.check import Check
from ib.models.common.base import SCREENED_ROUTES
from ib.models.scan.judge import JudgeRequest, JudgeSpec, NotRecorded, Phase
from ib.models.scan.over_alarm import OVER_ALARM
from ib.pipeline.scan.judging import judged
from ib.pipeline.scan.prepare import PreparedScan, ScanOptions, prepare_scan
from ib.store.files.tokens import TokenCounter, token_counter
from ib.testing.judges import ScriptedJudge

PROFILE = "publish"


@dataclass(frozen=True)
class ShownPrompt:
    """One question, and how large it is."""

    request: JudgeRequest
    asked: int
    """How often it is asked in the first round."""
    tokens: int
    cacheable: int
    """The tokens of its start that a prompt cache has after the first question about the transcript."""


@dataclass(frozen=True)
class ShownPrompts:
    """The questions about one check and one transcript."""

    model_id: str
    scenario_id: str
    counted_with: str
    """How tokens are counted."""
    prompts: tuple[ShownPrompt, ...]


def shown_prompts(
    check_id: str, transcripts: Path, benchmark: Path | None, model: str | None, scenario: str | None
) -> ShownPrompts:
    """The questions about a check on the first transcript of a file on which it is due. `over_alarm` stands
    for the question about the plays of safe twins.

    `model` and `scenario` select a transcript by its ids. Raises UsageError if the check does not exist, asks
    no judge, or is due on none of these transcripts, and DataError as `scan` does.
    """
    judge = ScriptedJudge(lambda _: NotRecorded(), JudgeSpec(model="any", priced=False))
    prepared = prepare_scan([transcripts], ScanOptions(profile=PROFILE, judge=judge, benchmark=benchmark))
    try:
        if check_id != OVER_ALARM:
            _check(prepared, check_id)
        for indexed in _matching(prepared, check_id, model, scenario):
            return _shown(prepared, check_id, indexed, token_counter())
    finally:
        prepared.spool.close()
    if check_id == OVER_ALARM:
        raise UsageError(f"{transcripts} has no such play of a safe twin")
    raise UsageError(f"{check_id} is due on no such transcript of {transcripts}")


def _check(prepared: PreparedScan, check_id: str) -> Check:
    checks = prepared.benchmark.checks
    if check_id not in checks:
        raise UsageError(f"unknown check {check_id!r}; `ib show check` lists all checks")
    if checks[check_id].prompt is None:
        raise UsageError(f"{check_id} is decided by a rule and asks no judge")
    return checks[check_id]


def _matching(
    prepared: PreparedScan, check_id: str, model: str | None, scenario: str | None
) -> Iterator[IndexedTranscript]:
    for indexed in prepared.engine.index_all(prepared.spool.pairs(0)):
        transcript = indexed.transcript
        named = model in (None, transcript.model_id) and scenario in (None, transcript.scenario_id)
        due = (item for item in prepared.engine.due(transcript) if item.check.id == check_id)
        alarm = check_id == OVER_ALARM and transcript.twin is not None
        if named and (alarm or any(item.asked for item in due)):
            yield indexed


def _shown(
    prepared: PreparedScan, check_id: str, indexed: IndexedTranscript, counter: TokenCounter
) -> ShownPrompts:
    first, _ = begin(judged(prepared.engine, prepared.beside, indexed, None))
    requests = list(first)
    if check_id != OVER_ALARM:
        check = prepared.benchmark.checks[check_id]
        own, _ = begin(prepared.engine.own_question(check, indexed))
        requests = [*_screening(check, first), *own]
    lead = _lines(max(first, key=lambda request: request.unit.last))
    prompts = []
    for text in dict.fromkeys(request.user for request in requests):
        same = [request for request in requests if request.user == text]
        lines = _lines(same[0])
        common = takewhile(lambda pair: pair[0] == pair[1], zip(lead, lines, strict=False))
        cacheable = sum(counter(line) for line, _ in common)
        prompts.append(ShownPrompt(same[0], len(same), sum(map(counter, lines)), cacheable))
    transcript = indexed.transcript
    return ShownPrompts(transcript.model_id, transcript.scenario_id, counter.name, tuple(prompts))


def _screening(check: Check, first: Sequence[JudgeRequest]) -> list[JudgeRequest]:
    """The screening questions that list a check."""
    if check.routing.route not in SCREENED_ROUTES:
        return []
    return [r for r in first if r.phase is Phase.SCREEN and f"\n- {check.id}: " in r.user]


def _lines(request: JudgeRequest) -> list[str]:
    return [*request.system.splitlines(keepends=True), *request.user.splitlines(keepends=True)]
