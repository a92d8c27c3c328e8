"""Makes the part of `benchmark/COVERAGE.md` about safe twins."""

from __future__ import annotations

from collections.abc import Mapping

from ib.models.conversation.twin_scenario import TwinScenario


def twin_section(twins: Mapping[str, TwinScenario]) -> str:
    """A heading, and a line for each safe twin that is no draft."""
    lines = [
        "## Safe twins\n",
        "A twin has the id of its parent before `--`. Twins are in no other table of this page.\n",
        "| twin | title | without the cue of | turns | moments | branches |",
        "|" + " --- |" * 6,
    ]
    for name, twin in sorted(twins.items()):
        if not twin.is_draft:
            turns, moments = tuple(twin.all_turns()), [str(moment.turn) for moment in twin.twin.moments]
            branches = sum(len(turn.branches) for turn in turns)
            lines.append(
                f"| `{name}` | {twin.title} | {', '.join(twin.twin.checks)} | {len(turns)} | "
                f"{', '.join(moments)} | {branches} |"
            )
    return "\n".join([*lines, ""])
