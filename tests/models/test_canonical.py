"""Canonical bytes: the same value, the same bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ib.models.base import Bucket, Record
from ib.models.canonical import compact, digest, pretty
from ib.models.check import Prompt

from .build import PROMPT

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


def test_models_are_written_by_their_aliases() -> None:
    """What is written can be read again by the model that it came from."""
    prompt = Prompt.model_validate(PROMPT)
    assert b'"pass":"pass"' in compact(prompt)
    assert Prompt.model_validate_json(pretty(prompt)) == prompt
    assert compact({"p": prompt}) == b'{"p":' + compact(prompt) + b"}"


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
