"""The folder of a run: the names of its files, and the form of its journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ib.models.scan.artifacts import CompletionLine
from ib.models.scan.judge import Fault
from ib.models.scan.run import Completion, CompletionReply, CompletionRequest
from ib.store.folders.journal import Form, parsed

PLAN = "run_plan.json"
MANIFEST = "run_manifest.json"
COST = "cost_report.json"
COMPLETIONS = "completions.jsonl"
TRANSCRIPTS = "transcripts.jsonl"
INCOMPLETE = "incomplete.jsonl"
SYSTEM_PROMPT = "configs/system_prompt.md"


def _completion_row(request: CompletionRequest, reply: CompletionReply) -> dict[str, Any]:
    row: dict[str, Any] = {
        "key": request.key,
        "model_id": request.model_id,
        "scenario_id": request.scenario_id,
        "epoch": request.epoch,
        "turn": request.turn,
    }
    if isinstance(reply, Fault):
        return {**row, "fault": reply.kind, "detail": reply.detail}
    said = {"text": reply.text, "truncated": reply.truncated, "served_model": reply.served_model}
    return {**row, "answer": said}


def _completion(line: bytes, path: Path, number: int) -> CompletionLine:
    return parsed(CompletionLine, line, path, number)


REPLIES: Form[CompletionRequest, CompletionReply] = Form(
    "completions", _completion_row, _completion, lambda reply: isinstance(reply, Completion)
)
"""The journal of a run: the replies of the models."""
