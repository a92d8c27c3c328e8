"""Finding the JSON object in a reply: tolerant of how it is written, strict on where it ends."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from ib.engine.questions import replies
from ib.engine.questions.replies import LONGEST, LONGEST_JSON5, objects


def last_object(text: str) -> dict[str, Any] | None:
    """The last object of a text; None if there is none."""
    return next(reversed(objects(text)), None)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "one", "b": [1]}',
        '{"a": "one", "b": [1],}',
        '{"a": "one", "b": [1,],}',
        "{'a': 'one', 'b': [1]}",
        "{'a': \"one\", 'b': [1],}",
        '{"a": "one", // the first\n "b": [1]}',
        '```json\n{"a": "one", "b": [1]}\n```',
        '```\n{\n  "a": "one",\n  "b": [1]\n}\n```\nThat is {all}.',
        'Here is {my} answer:\n\n{"a": "one", "b": [1]}\n\nI hope that it helps.',
        '\ufeff{"a": "one", "b": [1]}',
    ],
)
def test_the_form_of_an_object_is_read_with_tolerance(text: str) -> None:
    """Prose, fences, comments, single quotes and trailing commas do not change what the object says."""
    assert last_object(text) == {"a": "one", "b": [1]}


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("end", ["", ","])
def test_a_raw_line_break_in_a_string_is_read(quote: str, end: str) -> None:
    """Judges copy words of several lines without escaping the line breaks and tabs."""
    text = f"{{{quote}a{quote}: {quote}one\n\ttwo{quote}{end}}}"
    assert last_object(text) == {"a": "one\n\ttwo"}


@pytest.mark.parametrize(
    "text", ["", "PASS", "[]", "null", "{", "}{", '"{"', '["a"]', "verdict: PASS", "{x}"]
)
def test_a_text_without_an_object_has_none(text: str) -> None:
    """Prose, YAML, lists and braces in prose are no object."""
    assert last_object(text) is None


def test_lesson_25_the_last_object_counts() -> None:
    """Of two objects the last one counts, in every form of both."""
    forms = ('{"a": %d}', '{"a": %d,}', "{'a': %d}", '```{"a": %d}```')
    for first, last in product(forms, repeat=2):
        assert last_object(f"{first % 1} and then {last % 2} done") == {"a": 2}


@pytest.mark.parametrize("last", ['{"a": 2', '{"a": [2}', '{"a": 2, "a": 2}', '{"a": "he said "no" to it"}'])
def test_lesson_25_an_earlier_object_does_not_stand_in_for_a_broken_last_one(last: str) -> None:
    """If the last object cannot be read, the reply has no answer, whatever stood before."""
    assert last_object(f'{{"a": 1}} {last}') is None


def test_an_object_that_is_cut_off_is_never_completed() -> None:
    """Of all beginnings of an object, only the whole is read."""
    whole = '{"reason": "a {b} \\" c", "verdict": "FAIL", "list": [{"x": 1}]}'
    assert [end for end in range(len(whole) + 1) if last_object(whole[:end]) is not None] == [len(whole)]
    assert last_object(whole) == json.loads(whole)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "{'a': 1, 'a': 1}", '{"b": {"a": 1, "a": 1}}'])
def test_a_key_that_occurs_twice_is_an_error(text: str) -> None:
    """Two answers to one question are none, in JSON, in JSON5 and inside another object."""
    assert last_object(text) is None


def test_a_long_reply_is_refused_without_reading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 MB of text are not searched; up to the limit, a reply is read."""
    at_most = '{"a": "' + "x" * (LONGEST - 9) + '"}'
    assert len(at_most) == LONGEST
    assert last_object(at_most) is not None
    monkeypatch.setattr(replies, "_next_object", lambda *_: pytest.fail("the text was searched"))
    assert last_object(f" {at_most}") is None
    assert last_object('{"a": 1} ' * 2_300_000) is None


def test_a_long_object_is_not_read_as_json5() -> None:
    """JSON5 is slow: up to a limit a trailing comma is forgiven, and beyond it the reply is invalid."""
    for length, read in ((LONGEST_JSON5, True), (LONGEST_JSON5 + 1, False)):
        text = '{"a": "' + "x" * (length - 10) + '",}'
        assert len(text) == length
        assert (last_object(text) is not None) is read


def test_a_raw_line_break_in_a_long_object_is_read() -> None:
    """It needs no JSON5, so the length of the object does not matter."""
    words = "one\n" * LONGEST_JSON5
    assert last_object(f'{{"a": "{words}"}}') == {"a": words}


def test_little_of_a_reply_is_read_as_json5(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of malformed objects cost no more than one long one; nothing is read before a last one
    that is malformed."""
    read: list[str] = []
    monkeypatch.setattr(replies, "_json5", read.append)
    assert objects('{"a"}' * 10_000) == ()
    assert read == ['{"a"}']
    read.clear()
    assert objects('{"a"}' * 10_000 + '{"a": 1}') == ({"a": 1},)
    assert sum(map(len, read)) == LONGEST_JSON5


def test_all_objects_at_the_top_level_are_found_in_order() -> None:
    """In any form; objects inside others are no objects of their own, and malformed ones are left out."""
    text = """{"a": {"b": 1}} and {'c': 2,} or {"d"} then {} {prose} ```{"e": [{"f": 3}]}```"""
    assert objects(text) == ({"a": {"b": 1}}, {"c": 2}, {}, {"e": [{"f": 3}]})
    assert objects(text + ' {"g": ') == ()


@pytest.mark.parametrize(
    "text",
    ['{"a":' * 3_000, "{" * 10_000, '{"a":' * 3_000 + "1" + "}" * 3_000, '{"a":' * 800 + "1" + ",}" * 800],
    ids=["open", "braces", "deep", "deep JSON5"],
)
def test_a_deep_object_is_no_answer(text: str) -> None:
    """An object that is deeper than a parser can go is malformed; it raises nothing."""
    assert last_object(text) is None
