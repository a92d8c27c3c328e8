"""The page of the tags: every tag of the vocabulary, and what it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ib.models.benchmark.benchmark import Benchmark
from ib.models.conversation.scenario import Scenario
from ib.pipeline.scan.recorded import load_vocabulary
from ib.store.benchmark.scenarios import load_contract

INTRODUCTION = """# Tags

The words with which a conversation says what it is about. A transcript has them in `tags` and in the cues of
`risk_triggers`. They decide which checks are due: a check is due if the conversation has one of its tags, and
a check for all conversations is always due. Any other word is an error that names the nearest tags, because a
misspelled tag would take checks away without a word. If a transcript lists `eligible_checks`, tags change
nothing, and an unknown one is only a notice.

A transcript without tags and without `eligible_checks`, whose scenario is not in the benchmark, is an
[open log](transcripts.md#open-logs): every check is due on it.

The number of scenarios counts those of the benchmark with the tag, a cue of this name, or this category.
"""


def tags_page(root: Path, benchmark: Benchmark, scenarios: Mapping[str, Scenario]) -> str:
    """The page in Markdown."""
    contract = load_contract(root)
    meanings = {} if contract is None else contract.tags
    categories = {scenario.category for scenario in scenarios.values()}
    used = Counter(word for scenario in scenarios.values() for word in scenario.circumstances)
    lines = [
        "| tag | checks that are due | checks that it suppresses | scenarios |",
        "| --- | --- | --- | ---: |",
    ]
    for tag in sorted(load_vocabulary(root, benchmark.checks.values())):
        due = [c.id for c in benchmark.checks.values() if tag in c.eligibility.scenario_tags_any]
        suppressed = [c.id for c in benchmark.checks.values() if tag in c.routing.suppressed_by_tags]
        meaning = meanings.get(tag, "A category." if tag in categories else "")
        does = f"{_ids(due) or 'none'}. {meaning}" if meaning else _ids(due) or "none."
        lines.append(f"| `{tag}` | {does} | {_ids(suppressed)} | {used[tag]} |")
    return "\n".join([INTRODUCTION, *lines, ""])


def _ids(checks: list[str]) -> str:
    return ", ".join(f"`{check_id}`" for check_id in checks)
