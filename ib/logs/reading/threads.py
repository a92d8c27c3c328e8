"""Calls of models as conversations: the longest request of a thread, with its reply, is the conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ib.logs.reading.form import Locate, Talk, one_of_many
from ib.logs.reading.message import SPOKEN, Entry, Speaker
from ib.logs.reading.notes import Change, Notes


@dataclass
class Call:
    """One request to a model and its reply, read."""

    notes: Notes
    locate: Locate
    said: list[Entry] = field(default_factory=list)
    """The messages of the request."""
    reply: list[Entry] = field(default_factory=list)
    failed: bool = False
    """True if the provider answered with an error, or not at all."""
    thread: str | None = None
    """The id of the conversation, if the log has one."""
    id: str | None = None
    """The id of the call."""
    records: list[Mapping[str, Any]] = field(default_factory=list)
    line: int | None = None
    model: str | None = None
    served: str | None = None
    date: str | None = None
    sampling: Mapping[str, Any] | None = None

    @property
    def is_answered(self) -> bool:
        """True if the reply has words."""
        return any(entry.text and entry.speaker is Speaker.ASSISTANT for entry in self.reply)


def conversations(calls: Sequence[Call]) -> Iterator[Talk]:
    """The conversations of calls, in the order of their last calls.

    Calls with one thread id are one conversation: the longest request and its reply. Without ids, a call is
    part of a longer one if that request repeats its messages and its reply word for word. Calls that failed
    or have no words in their reply are left out and counted.
    """
    broken = [call for call in calls if call.notes.findings]
    whole = [call for call in calls if not call.notes.findings]
    for call in broken:
        yield Talk(call.notes, call.locate, records=call.records, line=call.line)
    threads: dict[str, list[Call]] = {}
    alone: list[Call] = []
    for call in whole:
        if call.thread is None:
            alone.append(call)
        else:
            threads.setdefault(call.thread, []).append(call)
    for group in threads.values():
        yield _of_thread(group)
    yield from _of_unnamed(alone)


def _of_thread(group: list[Call]) -> Talk:
    """The conversation of calls with one id."""
    answered = [call for call in group if call.is_answered and not call.failed]
    if not answered:
        return _left_out(group)
    longest = max(enumerate(answered), key=lambda one: (len(spoken(one[1].said)), one[0]))[1]
    notes = Notes()
    notes.changes[Change.FAILED_CALLS] += sum(call.failed for call in group)
    repeated = set(_chain([*longest.said, *longest.reply]))
    for call in answered:
        if call is not longest:
            inside = _end([*call.said, *call.reply]) in repeated
            notes.changes[Change.CONTAINED if inside else Change.APART] += 1
    return _talk(longest, group, notes)


def _of_unnamed(calls: list[Call]) -> Iterator[Talk]:
    """The conversations of calls without ids."""
    owners: dict[str, set[int]] = {}
    for number, call in enumerate(calls):
        for link in _chain(call.said):
            found = owners.setdefault(link, set())
            if len(found) < 2:  # one other than the call itself is enough
                found.add(number)
    for number, call in enumerate(calls):
        end = _end([*call.said, *call.reply])
        notes = Notes()
        if call.failed or not end:
            yield _left_out([call])
        elif owners.get(end, set()) - {number}:
            notes.changes[Change.CONTAINED] += 1
            yield Talk(notes, call.locate, left_out=True)
        elif not call.is_answered:
            yield _left_out([call])
        else:
            yield _talk(call, [call], notes)


def _talk(call: Call, group: Sequence[Call], notes: Notes) -> Talk:
    """The conversation that a call ends, with the records of all calls of its thread for metadata."""
    notes.changes.update(call.notes.changes)
    notes.unread |= call.notes.unread
    records = [record for one in group for record in one.records]
    return Talk(
        notes,
        call.locate if len(group) == 1 else one_of_many([one.locate for one in (call, *group)]),
        [*call.said, *call.reply],
        records,
        call.line,
        call.thread or call.id,
        call.model,
        call.served,
        call.date,
        call.sampling,
    )


def _left_out(group: Sequence[Call]) -> Talk:
    """No conversation: every call of a thread failed, or has no words in its reply."""
    notes = Notes()
    failed = sum(call.failed for call in group)
    notes.changes[Change.FAILED_CALLS] += failed
    notes.changes[Change.UNANSWERED_CALLS] += len(group) - failed
    return Talk(notes, group[0].locate, left_out=True)


def spoken(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Who said what, without what nobody said."""
    return [
        (entry.speaker.value, entry.text.strip())
        for entry in entries
        if entry.text and entry.speaker in SPOKEN
    ]


def _chain(entries: Iterable[Entry]) -> Iterator[str]:
    """The hash of the words up to each message."""
    before = ""
    for speaker, text in spoken(entries):
        before = hashlib.sha256(f"{before}\n{speaker}\n{text}".encode()).hexdigest()
        yield before


def _end(entries: Iterable[Entry]) -> str:
    """The hash of all words; empty if there are none."""
    return next(iter(list(_chain(entries))[-1:]), "")
