"""The folder of a run: what lies in it."""

from __future__ import annotations

from pathlib import Path

from ib.store.scans import file_hash

PLAN = "run_plan.json"
MANIFEST = "run_manifest.json"
COST = "cost_report.json"
COMPLETIONS = "completions.jsonl"
TRANSCRIPTS = "transcripts.jsonl"
INCOMPLETE = "incomplete.jsonl"
SYSTEM_PROMPT = "configs/system_prompt.md"


def file_hashes(folder: Path) -> dict[str, str]:
    """The hash of every artifact but the manifest."""
    return {
        file.name: file_hash(file)
        for file in sorted(folder.iterdir())
        if file.is_file() and not file.name.startswith(".") and file.name != MANIFEST
    }
