"""Canonical bytes: the same value, the same bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.models.benchmark.example import Examples
from ib.models.common.base import Bucket, Record
from ib.models.common.canonical import by_row, compact, digest, pretty
from tests.models.build import CHECK

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_the_form() -> None:
    """Sorted keys, two spaces, one newline at the end, characters as they are; or one line without it."""
    value = {"b": [1, {"d": None, "c": 0.1}], "a": "caf\u00e9 \u2019"}
    assert pretty(value).decode() == (
        '{\n  "a": "caf\u00e9 \u2019",\n  "b": [\n    1,\n'
        '    {\n      "c": 0.1,\n      "d": null\n    }\n  ]\n}\n'
    )
    assert compact(value).decode() == '{"a":"caf\u00e9 \u2019","b":[1,{"c":0.1,"d":null}]}'
    assert digest(value) == hashlib.sha256(compact(value)).hexdigest()


def reverse(value: Any) -> Any:
    """The same value with the keys of its mappings in the other order."""
    if isinstance(value, dict):
        return {key: reverse(value[key]) for key in reversed(list(value))}
    if isinstance(value, list):
        return [reverse(item) for item in value]
    return value


@given(VALUES)
def test_order_of_keys_makes_no_difference(value: Any) -> None:
    """Values that are equal have equal bytes, and the bytes read back as the value."""
    assert compact(value) == compact(reverse(value))
    assert pretty(value) == pretty(reverse(value))
    assert json.loads(compact(value)) == json.loads(pretty(value)) == value
    assert pretty(value).endswith(b"\n")
    assert not pretty(value).endswith(b"\n\n")
    assert b"\n" not in compact(value)


def test_a_document_by_row_has_a_line_for_each_key_and_each_row() -> None:
    """A row that holds rows is opened too; lists of words inside a row, and empty lists, stay on its line."""
    value = {
        "models": [{"name": "b", "checks": [{"k": 1, "n": 2}, {"k": 0}]}, {"name": "a", "models": ["x"]}],
        "checks": [],
        "hashes": {"y": 1, "x": [1, {"a": 2}]},
        "about": {"z": 1, "list": [1, 2]},
    }
    assert by_row(value, {"models", "checks", "hashes"}).decode().splitlines() == [
        "{",
        ' "about":{"list":[1,2],"z":1},',
        ' "checks":[],',
        ' "hashes":{',
        '  "x":[1,{"a":2}],',
        '  "y":1',
        " },",
        ' "models":[',
        "  {",
        '   "checks":[',
        '    {"k":1,"n":2},',
        '    {"k":0}',
        "   ],",
        '   "name":"b"',
        "  },",
        '  {"models":["x"],"name":"a"}',
        " ]",
        "}",
    ]


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.sets(st.text(), max_size=3))
def test_a_document_by_row_is_plain_json_of_the_same_value(value: dict[str, Any], rows: set[str]) -> None:
    """Whatever has rows, any parser reads the value back, and the order of keys makes no difference."""
    rows |= set(list(value)[::2])
    written = by_row(value, rows)
    assert json.loads(written) == value
    assert written == by_row(reverse(value), rows) == by_row(json.loads(written), rows)
    assert written.endswith(b"\n")


def test_models_are_written_by_their_aliases() -> None:
    """A written value can be read again by its model."""
    examples = Examples.model_validate(CHECK["examples"])
    assert b'"pass":[{' in compact(examples)
    assert Examples.model_validate_json(pretty(examples)) == examples
    assert compact({"e": examples}) == b'{"e":' + compact(examples) + b"}"


def test_enums_paths_and_tuples_have_a_form() -> None:
    """A path is written with slashes, an enum by its value, a tuple as a list."""
    assert compact([Bucket.A, Path("a") / "b", (1, 2)]) == b'["A","a/b",[1,2]]'


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", 1j])
def test_lesson_29_what_has_no_form_is_refused(value: object) -> None:
    """Nothing is written as its `str()`."""
    with pytest.raises(TypeError):
        compact({"value": value})


def test_lesson_29_a_number_that_is_none_is_not_written_as_one() -> None:
    """NaN and infinity are no JSON; they are written as null."""
    assert compact([float("nan"), float("inf")]) == b"[null,null]"


def test_a_change_changes_the_digest() -> None:
    """A value, its type, its place: each shows in the hash."""

    class Point(Record):
        x: int
        y: int

    values = [{"x": 1, "y": 2}, {"x": 2, "y": 1}, {"x": "1", "y": 2}, {"x": 1.5, "y": 2}, [1, 2], None]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(Point(x=1, y=2)) == digest(Point(y=2, x=1)) == digest(values[0])
