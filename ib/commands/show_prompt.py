"""`ib show prompt`: print what a judge would be asked about one check and one transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ib.commands.common import benchmark_option, emit, json_option

if TYPE_CHECKING:
    from ib.pipeline.scan.prompts import ShownPrompts
from typing import TYPE_CHECKING


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


@click.command("prompt")
@click.argument("check_id")
@click.option(
    "--transcript", "transcripts", required=True, type=click.Path(path_type=Path), help="A transcripts file."
)
@click.option("-m", "--model", help="The transcript of this model.  [default: the first that fits]")
@click.option("-s", "--scenario", help="The transcript of this scenario.  [default: the first that fits]")
@benchmark_option
@json_option
def show_prompt(
    check_id: str,
    transcripts: Path,
    model: str | None,
    scenario: str | None,
    benchmark_dir: Path | None,
    as_json: bool,
) -> None:
    """Print the questions of a publish scan about one check and one transcript, exactly as they are sent.

    CHECK_ID is the id of a check, or over_alarm for the question about a play of a safe twin.

    Each is followed by its size in tokens, and by how much of it a provider's prompt cache can serve after
    the first question about the conversation. A check that is screened for is asked its own question
    only if a phrase or the screening question finds something; both questions are shown.
    """
    from ib.pipeline.scan.prompts import shown_prompts  # slow to import

    found = shown_prompts(check_id, transcripts, benchmark_dir, model, scenario)
    emit(_rows(found), as_json=as_json, text=lambda _: prompt_words(found))


def _rows(found: ShownPrompts) -> list[dict[str, Any]]:
    """The questions as data."""
    return [
        {
            "check_id": shown.request.check_id,
            "phase": shown.request.phase,
            "asked": shown.asked,
            "system": shown.request.system,
            "user": shown.request.user,
            "schema": shown.request.schema,
            "tokens": shown.tokens,
            "cacheable": shown.cacheable,
            "counted_with": found.counted_with,
            "model_id": found.model_id,
            "scenario_id": found.scenario_id,
        }
        for shown in found.prompts
    ]
