"""The items of a batch: what a reader is shown of a conversation, and nothing that names model or verdict."""

from __future__ import annotations

from ib.models.benchmark.check import Check
from ib.models.common.base import Role
from ib.models.conversation.transcript import Transcript
from ib.models.review.batch import Asked, Item, Said
from ib.models.scan.result import VerdictResult


def asked(check: Check) -> Asked:
    """The question of a check."""
    return Asked(
        name=check.name,
        summary=check.summary,
        failure=check.failure,
        fail_rule=check.fail_rule,
        pass_rule=check.pass_rule,
        unclear_rule=check.unclear_rule,
    )


def item(item_id: str, check: Check, transcript: Transcript, row: VerdictResult) -> Item:
    """One row to be reviewed: the conversation up to the end of what the judge judged last."""
    turns = judged_turns(row, transcript)
    return Item(
        id=item_id,
        language=transcript.language,
        country=transcript.country,
        asked=asked(check),
        messages=tuple(
            Said(
                turn=message.turn,
                role=message.role,
                content=message.content,
                judged=message.role is Role.ASSISTANT and message.turn in turns,
            )
            for message in transcript.messages
            if message.turn <= max(turns)
        ),
    )


def judged_turns(row: VerdictResult, transcript: Transcript) -> frozenset[int]:
    """The turns whose replies the row is about; all turns for a row without windows."""
    stretches = [stretch for window in row.windows for stretch in window.judged]
    found = {turn for first, last in stretches for turn in range(first, last + 1)}
    return frozenset(found or range(1, transcript.turns + 1))
