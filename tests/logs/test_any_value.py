"""Every form takes any values: a record is a conversation, an error, or nothing, and never an exception."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, Finding
from ib.logs.reading.conversation import transcript_of_talk
from ib.logs.reading.form import Asked, Form, Record, Talk
from ib.logs.reading.redacted import names_in, redacted
from ib.logs.registry import FORMS, TRANSCRIPT
from ib.models.conversation.context import Source
from ib.models.conversation.transcript import Transcript, transcript_line
from ib.text.personal import find
from tests.logs.test_fixtures import FIXTURES, LOGS
from tests.store.test_evallogs import SAMPLE, SPEC

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**70, 1.5, "", " ", "hi", "[", "{}", "[]", '{"a": 1}', "[[[", [], {}, [None], [[]]),
    *([{}], {"a": 1}, {"role": "user"}, ["hi"], [{"role": "user", "content": "hi"}], {"type": "text"}),
    *({"type": "reasoning"}, {"type": []}, "\u0000", "x" * 300),
)
"""What a broken log may have in any place."""
TIMES = 200
"""How many changed logs of each form are read."""


def records_of(form: Form) -> list[Any]:
    """The records of a fixture of a form, as values."""
    if form.name == "inspect":
        return [{"spec": SPEC, "sample": SAMPLE}]
    file = next((one for one, name in FIXTURES.items() if name == form.name and "parquet" not in one), None)
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    if file is None:
        key = "messages" if form.name == "scout" else "conversation"
        own = {"scout": "transcript_id", "lmsys": "conversation_id", "wildchat": "conversation_hash"}
        return [{own[form.name]: "c", "model": "m", "date": "2026-11-01", key: said}]
    text = (LOGS / file).read_text(encoding="utf-8")
    value = json.loads(text) if file.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    return value if isinstance(value, list) else [value]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def changed(records: list[Any], luck: random.Random) -> list[Any]:
    """The records with other values, or none, in one to three places."""
    made = copy.deepcopy(records)
    for _ in range(luck.randint(1, 3)):
        every = list(places(made))
        if not every:
            return made
        path = luck.choice(every)
        within = made
        for key in path[:-1]:
            within = within[key]
        if luck.random() < 0.2:
            del within[path[-1]]
        else:
            within[path[-1]] = copy.deepcopy(luck.choice(VALUES))
    return made


def talks(form: Form, values: list[Any]) -> list[Talk]:
    """The conversations of the records that the form recognizes."""
    records = [Record(value, lambda keys: (1, keys), 1) for value in values if form.recognizes(value)]
    if form.one is not None:
        return [form.one(record) for record in records]
    assert form.many is not None
    try:
        found = list(form.many(records, Asked("log.jsonl"))) if records else []
    except DataError:  # it is unclear which records belong together
        return []
    return [item for item in found if not isinstance(item, Finding)]


@pytest.mark.parametrize("name", [name for name in FORMS if name != TRANSCRIPT.name])
def test_any_record_is_read_or_named(name: str) -> None:
    """And what was read is a transcript that is read again as it was written, also without personal data."""
    form, luck = FORMS[name], random.Random(name)  # noqa: S311 - the same changes in every run
    records, made = records_of(form), 0
    assert talks(form, records)
    for _ in range(TIMES):
        for talk in talks(form, changed(records, luck)):
            if talk.left_out or talk.notes.findings:
                continue
            source = Source(form=name, file="log.jsonl").model_copy(update={"id": talk.id})
            transcript = transcript_of_talk(talk, source, form.harness, None, {})
            assert (transcript is None) == bool(talk.notes.findings)
            if transcript is not None:
                made += 1
                assert kept(transcript)
                assert kept(redacted(transcript, [find], names_in(talk.records), "own/1")[0])
    assert made > 5


def kept(transcript: Transcript) -> bool:
    """True if a transcript is read again as it was written, or has a number that JSON lines cannot hold."""
    try:
        line = transcript_line(transcript)
    except TypeError:  # an import names it: an integer of more than 64 bits
        return True
    return Transcript.model_validate_json(line) == transcript


def test_files_of_fixtures_are_there() -> None:
    """Otherwise the test above reads nothing of them."""
    assert all((LOGS / name).exists() for name in FIXTURES)
    assert isinstance(LOGS, Path)
