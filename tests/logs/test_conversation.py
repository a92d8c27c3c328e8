"""How the messages of a log become the turns of a transcript."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ib.logs.reading.conversation import UNKNOWN, assembled, identifier, transcript_of
from ib.logs.reading.message import Entry, Speaker
from ib.logs.reading.notes import Change, Notes
from ib.models.conversation.context import ContextKind
from ib.models.conversation.transcript import Provenance

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
SPEAKERS = {"u": Speaker.USER, "a": Speaker.ASSISTANT}


def entries(order: str, **fields: object) -> list[Entry]:
    """Messages `u` and `a` with their place as text."""
    return [Entry(SPEAKERS[who], f"{at}", **fields) for at, who in enumerate(order)]  # type: ignore[arg-type]


def turns(order: str, notes: Notes | None = None) -> str:
    """The turns that an order of messages becomes: `1u0` is the message 0 of the user in turn 1."""
    messages, _ = assembled(entries(order), notes or Notes())
    return " ".join(f"{m.turn}{m.role[0]}{m.content}".replace("\n\n", "+") for m in messages)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("uaua", "1u0 1a1 2u2 2a3"),
        ("uuaa", "1u0+1 1a2+3"),
        ("uau", "1u0 1a1"),
        ("uauu", "1u0 1a1"),
        ("aua", "1a0 2u1 2a2"),
        ("aauu", "1a0+1"),
        ("u", ""),
    ],
)
def test_messages_become_turns(order: str, expected: str) -> None:
    """Neighbors of one role are merged, a first reply is a turn, a last question is cut."""
    assert turns(order) == expected


def test_each_change_is_counted() -> None:
    """Two merged messages, one cut message and one leading reply."""
    notes = Notes()
    turns("aauuau", notes)
    changed = {change: count for change, count in notes.changes.items() if count}
    assert changed == {Change.MERGED: 2, Change.TRAILING: 1, Change.LEADING: 1}


def test_sessions_are_not_merged() -> None:
    """The last message of one session and the first of the next stay apart, if both have one role."""
    said = [
        Entry(Speaker.USER, "one", session=1),
        Entry(Speaker.USER, "two", session=2),
        Entry(Speaker.ASSISTANT, "three", session=2),
    ]
    messages, _ = assembled(said, Notes())
    assert [(m.turn, m.content, m.session) for m in messages] == [
        (1, "one", 1),
        (2, "two", 2),
        (2, "three", 2),
    ]


def test_what_nobody_said_has_its_turn() -> None:
    """Instructions are in the turn that they precede or begin, tools in the turn of the reply."""
    call = (ContextKind.TOOL_CALL, "find", "{}")
    said = [
        Entry(Speaker.SYSTEM, "", ((ContextKind.SYSTEM, None, "Be kind."),)),
        *entries("ua"),
        Entry(Speaker.USER, "again"),
        Entry(Speaker.ASSISTANT, "", (call,)),
        Entry(Speaker.ASSISTANT, "found"),
        Entry(Speaker.USER, "and now?"),
        Entry(Speaker.ASSISTANT, "", (call,)),
    ]
    messages, context = assembled(said, Notes())
    assert [(item.turn, item.kind) for item in context] == [(1, "system"), (2, "tool_call"), (2, "tool_call")]
    assert messages[-1].content == "found"


TIMES: dict[str, tuple[list[datetime | None], bool]] = {
    "in order": ([NOON, NOON], True),
    "missing": ([NOON, None], False),
    "out of order": ([NOON, NOON - timedelta(seconds=1)], False),
    "with and without an offset": ([NOON, NOON.replace(tzinfo=None)], False),
}


@pytest.mark.parametrize("name", TIMES)
def test_times_are_taken_if_all_are_usable(name: str) -> None:
    """Times that are missing, mixed or out of order are left out, and counted."""
    times, usable = TIMES[name]
    said = [Entry(SPEAKERS[who], "text", time=time) for who, time in zip("ua", times, strict=True)]
    notes = Notes()
    messages, _ = assembled(said, notes)
    assert [message.time for message in messages] == (times if usable else [None, None])
    assert notes.changes[Change.TIMES] == (not usable)


def test_no_times_are_no_loss() -> None:
    """A log without times has none to leave out."""
    notes = Notes()
    assembled(entries("ua"), notes)
    assert not notes.changes[Change.TIMES]


def test_the_id_is_made_from_the_words() -> None:
    """The same words have the same id whatever the model and the notes; other words have another."""
    ids = {}
    for name, order in (("one", "ua"), ("same", "ua"), ("other", "uaua")):
        made = transcript_of(entries(order), name, Provenance(), Notes())
        assert made is not None
        ids[name] = made.scenario_id
    assert ids["one"] == ids["same"] != ids["other"]
    assert ids["one"].startswith("chat-")


def test_an_import_is_an_open_log() -> None:
    """Neither tags nor a list of checks; an unnamed model is unknown, and counted."""
    notes = Notes()
    made = transcript_of(entries("ua"), None, Provenance(harness="import/chat"), notes)
    assert made is not None
    assert (made.tags, made.eligible_checks, made.category) == ((), None, None)
    assert made.model_id == made.model == UNKNOWN
    assert notes.changes[Change.UNKNOWN_MODEL] == 1


@pytest.mark.parametrize(
    ("order", "missing"), [("u", "assistant"), ("a", "user"), ("", "assistant and no user")]
)
def test_both_speakers_are_needed(order: str, missing: str) -> None:
    """A conversation without a reply, or without a question, is an error."""
    notes = Notes()
    assert transcript_of(entries(order), None, Provenance(), notes) is None
    assert [finding.found for finding in notes.findings if missing in finding.found]


@pytest.mark.parametrize("name", ["vendor/model", "gpt-4o", "a"])
def test_a_name_that_is_an_identifier_stays(name: str) -> None:
    """No id changes that need not."""
    assert identifier(name) == name


def test_other_names_become_identifiers_that_differ() -> None:
    """Two names that lose different characters do not become one id."""
    made = [identifier(name) for name in ("my model", "my  model", "my-model", "模型", "型模", "x" * 400, "")]
    assert len(set(made)) == len(made)
    assert made[0].startswith("my-model-")
