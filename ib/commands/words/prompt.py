"""What a judge would be asked, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ib.pipeline.scan.prompts import ShownPrompts


def prompt_words(found: ShownPrompts) -> str:
    """The questions one after the other, each between lines that say what it is."""
    return "\n\n".join(
        "\n".join(
            [
                f"--- question {number} of {len(found.prompts)}: {shown.request.check_id}, "
                f"{shown.request.phase}, asked {shown.asked} times; {found.model_id} on {found.scenario_id}",
                f"--- system message\n{shown.request.system}",
                f"--- user message\n{shown.request.user}",
                f"--- {shown.tokens:,} tokens ({found.counted_with}); a prompt cache can serve "
                f"{shown.cacheable:,} of them ({shown.cacheable / shown.tokens:.0%})",
            ]
        )
        for number, shown in enumerate(found.prompts, start=1)
    )
