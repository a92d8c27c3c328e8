"""The folder of a run: what lies in it."""

from __future__ import annotations

PLAN = "run_plan.json"
MANIFEST = "run_manifest.json"
COST = "cost_report.json"
COMPLETIONS = "completions.jsonl"
TRANSCRIPTS = "transcripts.jsonl"
INCOMPLETE = "incomplete.jsonl"
SYSTEM_PROMPT = "configs/system_prompt.md"
