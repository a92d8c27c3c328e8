"""What stands beside the messages of a transcript: it is kept, and decides nothing."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ib.engine.reading.lexicons import Matcher
from ib.engine.reading.lines import lines_before
from ib.engine.reading.searched import IndexedTranscript
from ib.models.common.base import Role
from ib.models.conversation.context import Context, ContextKind
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.models.scan.judge import JudgeReply, JudgeRequest
from tests.board.world import passing, said, scan_of
from tests.build import FAIL, hash_of, indexed, reply

BESIDE = tuple(Context(turn=1, kind=kind, content=f"The word of {kind} is heron.") for kind in ContextKind)


def test_no_judge_is_shown_what_nobody_said() -> None:
    """Neither system prompts nor tools nor reasoning are in any prompt, and the rows stay as they are."""
    shown: list[str] = []

    def watched(request: JudgeRequest) -> JudgeReply:
        shown.append(request.system + request.user)
        return passing(request)

    rows = []
    for context in ((), BESIDE):
        _, (result,) = scan_of(watched, (said("lab/alpha", "scenario-1", context=context),))
        rows.append(result.rows)
    assert rows[0] == rows[1]
    assert len(shown) > 1
    assert not any("heron" in text for text in shown)


def test_judges_are_shown_what_an_import_asked_for() -> None:
    """As lines of JSON that say what they are; a quote of one is no evidence."""
    shown: list[str] = []

    def watched(request: JudgeRequest) -> JudgeReply:
        shown.append(request.user)
        return reply(FAIL, "The word of system is heron.")

    context = tuple(item.model_copy(update={"shown": True}) for item in BESIDE)
    _, (result,) = scan_of(watched, (said("lab/alpha", "scenario-1", context=context),))
    assert shown
    assert all('"not_seen_by_the_person":"tool_call"' in text for text in shown)
    assert not any(row.verdict is FAIL for row in result.rows)


def test_each_text_has_its_place() -> None:
    """A system text begins its turn, tools and reasoning are before the reply; later turns are cut."""
    messages = said("lab/alpha", "scenario-1").messages
    late = Context(turn=2, kind=ContextKind.SYSTEM, content="later", shown=True)
    context = tuple(item.model_copy(update={"shown": True}) for item in BESIDE)
    assert [len(lines) for lines in lines_before(messages, (*context, late))] == [1, 3]
    assert lines_before(messages, BESIDE) == [[], []]


def test_a_shown_text_cannot_end_the_block() -> None:
    """The code that delimits the conversation is in no shown text."""
    told = said("lab/alpha", "scenario-1")
    plain = indexed(told).nonce
    forged = Context(turn=1, kind=ContextKind.SYSTEM, content=plain, shown=True)
    found = IndexedTranscript(
        told.model_copy(update={"context": (forged,)}),
        Matcher((), Role.ASSISTANT),
        Matcher((), Role.USER),
        hash_of(told),
    )
    assert found.nonce != plain


def test_it_is_kept_in_the_line() -> None:
    """A scan folder has it, so that a person can look it up."""
    line = transcript_line(said("lab/alpha", "scenario-1", context=BESIDE))
    assert Transcript.model_validate_json(line).context == BESIDE


def test_it_lies_within_the_conversation() -> None:
    """A turn after the last one does not construct."""
    late = Context(turn=2, kind=ContextKind.SYSTEM, content="Be kind.")
    with pytest.raises(ValidationError, match=r"context\.0\.turn: turn 2 of 1 turns"):
        said("lab/alpha", "scenario-1", context=(late,))
