"""YAML files: whatever is wrong is said with file, line and key, and no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import Field

from ib.errors import DataError
from ib.models.common.base import Record, Text
from ib.store.files.places import lines_in
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import build, load_yaml
from ib.store.files.yaml_json import StrictLoader, parse_json, parse_yaml
from tests.store.small import only
from tests.work import operations


class Inner(Record):
    count: int = Field(ge=1)
    pass_: Text = Field(default="x", alias="pass")


class Outer(Record):
    name: Text
    inner: Inner | None = None
    items: tuple[Inner, ...] = ()
    table: dict[str, Inner] = Field(default_factory=dict)


def failing(tmp_path: Path, text: str | bytes) -> DataError:
    path = tmp_path / "some.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError) as caught:
        load_yaml(Outer, path)
    assert caught.value.exit_code == 3
    assert all(finding.file == str(path) for finding in caught.value.findings)
    return caught.value


def test_a_good_file_is_its_model(tmp_path: Path) -> None:
    """What is right comes through."""
    path = tmp_path / "good.yaml"
    path.write_text(
        "name: caf\u00e9\ninner:\n  count: 1\n  pass: yes\n".replace("yes", "'y'"), encoding="utf-8"
    )
    found = load_yaml(Outer, path)
    assert (found.name, found.inner and found.inner.count) == ("caf\u00e9", 1)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("name: a\nname: b\n", 2, "name"),
        ("name: a\ninner:\n  count: 1\n  count: 2\n", 4, "count"),
        ("name: a\nitems:\n  - count: 1\n\n    pass: b\n    count: 3\n", 6, "count"),
        ("{name: a, name: b}", 1, "name"),
        ("name: a\n'name': b\n", 2, "name"),
    ],
)
def test_a_key_given_twice(tmp_path: Path, text: str, line: int, key: str) -> None:
    """The second of two equal keys is named with its line, at any depth."""
    finding = only(failing(tmp_path, text))
    assert (finding.line, finding.key, finding.found) == (line, key, "key given twice")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: [a\n", 2),
        ("name: a\n  b: c\n", 2),
        ("name: a\n\t- b\n", 2),
        ("name: 'a\n", 2),
        ("name: *nothing\n", 1),
        ("name: a\n---\nname: b\n", 2),
        ("name: !!python/object/apply:os.getcwd []\n", 1),
        ("name: a\n? [b]\n: c\n", 2),
    ],
)
def test_broken_yaml(tmp_path: Path, text: str, line: int) -> None:
    """What the parser trips over is said with its line; a tag that would run code is refused."""
    finding = only(failing(tmp_path, text))
    assert finding.line == line
    assert finding.found.startswith("broken YAML: ")


def test_a_control_character_is_broken_yaml(tmp_path: Path) -> None:
    """A character that YAML does not allow is no traceback."""
    assert "a control character" in only(failing(tmp_path, "name: a\x01b\n")).found


@pytest.mark.parametrize(
    "value", ["2024-13-45", "!!int x", "!!float x", "!!timestamp x", "0x_"], ids=lambda value: value
)
def test_a_value_that_yaml_cannot_read_is_a_finding(tmp_path: Path, value: str) -> None:
    """A thirteenth month or a number that is none is bad data, not a crash of the reader."""
    assert "name" in str(failing(tmp_path, f"inner:\n  count: 1\nname: {value}\n"))


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n", "just words\n", "3\n", "null\n"])
def test_the_top_level_is_a_mapping(tmp_path: Path, text: str) -> None:
    """An empty file, a list or a word is no document."""
    finding = only(failing(tmp_path, text))
    assert finding.line == 1
    assert finding.found.startswith("the top level is ")


def test_every_finding_of_a_file_at_once(tmp_path: Path) -> None:
    """Wrong types, unknown and missing keys: each with its own line and key."""
    text = (
        "inner:\n  count: many\n  colour: red\n"
        "items:\n  - count: 2\n  - count: 0\n    pass: ''\n"
        "table:\n  a b:\n    count: []\n"
        "nmae: x\n"
    )
    error = failing(tmp_path, text)
    assert {(f.line, f.key) for f in error.findings} == {
        (1, "name"),
        (2, "inner.count"),
        (3, "inner.colour"),
        (6, "items.1.count"),
        (7, "items.1.pass"),
        (10, "table.a b.count"),
        (11, "nmae"),
    }
    said = {f.key: (f.found, f.hint) for f in error.findings}
    assert said["name"] == ("is missing", "it is required")
    assert said["nmae"][0] == "unknown key"
    assert said["inner.count"][0] == "found 'many'"
    assert said["items.1.count"] == ("found 0", "at least 1")
    assert said["table.a b.count"][0] == "found a list"
    assert f"{tmp_path / 'some.yaml'}:2: inner.count: found 'many'; " in str(error)


@pytest.mark.parametrize(
    ("data", "line", "byte"),
    [(b"name: a\nb: \xff\n", 2, "0xff"), (b"\xe9", 1, "0xe9"), (b"name: a\n\nb: caf\xe9\n", 3, "0xe9")],
)
def test_a_byte_that_is_not_utf_8(tmp_path: Path, data: bytes, line: int, byte: str) -> None:
    """The line of the first byte that is no UTF-8, and the byte."""
    finding = only(failing(tmp_path, data))
    assert (finding.line, finding.found) == (line, f"byte {byte} is not UTF-8")
    with pytest.raises(DataError):
        decode(data, "x")


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    """What cannot be opened is said in words."""
    for path, found in [(tmp_path, "is a folder"), (tmp_path / "none", "no such file")]:
        with pytest.raises(DataError) as caught:
            load_yaml(Outer, path)
        assert (only(caught.value).file, only(caught.value).found) == (str(path), found)


def test_a_path_below_a_file_is_no_file(tmp_path: Path) -> None:
    """A path that goes on behind a file is bad data, not a crash."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError):
        read_bytes(tmp_path / "file" / "below")


def test_a_name_stands_for_the_path(tmp_path: Path) -> None:
    """Findings name a file as its reader was told to."""
    with pytest.raises(DataError) as caught:
        load_yaml(Outer, tmp_path / "none.yaml", name="short.yaml")
    assert only(caught.value).file == "short.yaml"


def test_lines_are_known_only_where_there_is_text() -> None:
    """A value from elsewhere has findings without lines."""
    with pytest.raises(DataError) as caught:
        build(Outer, {"inner": {"count": 0}}, name="n")
    assert {(f.line, f.key) for f in caught.value.findings} == {(None, "name"), (None, "inner.count")}
    assert parse_yaml("a: 1", "n") == {"a": 1}


def test_a_long_value_is_cut_where_it_is_shown(tmp_path: Path) -> None:
    """A message stays readable, whatever was found."""
    finding = only(failing(tmp_path, f"name: a\ninner:\n  count: {'x' * 500}\n"))
    assert len(finding.found) < 100


def test_an_alias_is_refused_before_it_is_followed() -> None:
    """Nine lines of aliases would be ten thousand million values; the first of them is named instead."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(DataError, match=r"bomb\.yaml:2: alias \*a0"):
        parse_yaml("\n".join(rows), "bomb.yaml")


def test_an_ampersand_in_prose_is_no_alias() -> None:
    """Words may hold an ampersand or an asterisk."""
    text = 'name: "Stanley &c, and *all*"\nnote: >-\n  salt &pepper *here\n'
    assert parse_yaml(text, "prose.yaml")["note"] == "salt &pepper *here"


@pytest.mark.parametrize(
    "text", ['{"a":&x [*x]}', '{"a":&x {b: *x}}', "\ufeff&x [*x]", '{"k":&a [1],"l":&b [*a,*a]}']
)
def test_an_alias_is_refused_however_its_anchor_is_written(text: str) -> None:
    """Behind a quoted key, behind a byte-order mark, and pointing to itself."""
    with pytest.raises(DataError, match="alias"):
        parse_yaml(text, "odd.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "<<: {a: 1}\nb: {c: 1, c: 2}\n",
        "<<: {a: 1}\nb: [{c: 1, c: 2}]\n",
        "x: !!omap [{a: {c: 1, c: 2}}]\n",
        "x: !!pairs [{a: {c: 1, c: 2}}]\n",
        "x: !!set {c, c}\n",
        "a: {1: x, 1: y}\n",
    ],
)
def test_a_key_given_twice_is_refused_also_where_the_loader_takes_the_general_way(text: str) -> None:
    """Below merges, tags, and keys that are no words."""
    with pytest.raises(DataError, match="given twice"):
        parse_yaml(text, "twice.yaml")


def test_a_plain_equals_sign_may_be_a_key() -> None:
    """YAML 1.1 gives it a tag of its own."""
    assert parse_yaml("=: 5\n", "equals.yaml") == {"=": 5}


DEEP: dict[str, Callable[[int], str]] = {
    "lists": lambda n: "a: " + "[" * n + "]" * n,
    "lists that are not closed": lambda n: "a: " + "[" * n,
    "mappings": lambda n: "{a: " * n + "1" + "}" * n,
    "items in one line": lambda n: "a:\n " + "- " * n + "x",
    "keys in one line": lambda n: "? " * n + "x",
    "items and keys": lambda n: "- ? " * (n // 2) + "x",
    "indentation": lambda n: "\n".join(" " * at + "a:" for at in range(min(n, 3000))),
    "behind brackets in text": lambda n: "b: '[[[['\na: " + "[" * n + "]" * n,
}


@pytest.mark.parametrize("levels", [250, 4_000, 50_000])
@pytest.mark.parametrize("how", DEEP)
def test_nesting_without_end_is_refused(how: str, levels: int) -> None:
    """No number of levels crashes the process, in YAML or in the search for the line of a key."""
    text = DEEP[how](levels)
    with pytest.raises(DataError, match=r"nested more than 200 levels|broken YAML"):
        parse_yaml(text, "deep.yaml")
    lines_in(text)(("a",))


def test_levels_that_people_write_are_read() -> None:
    """A hundred levels are fine, and so are ten thousand brackets in text."""
    assert parse_yaml("a: " + "[" * 100 + "]" * 100, "f")
    assert parse_yaml("- '[[['\n" * 4000, "f") == ["[[["] * 4000
    assert parse_json("[" * 150 + "]" * 150, "f")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("a: 1\nb: .nan\n", 2, "found .nan"),
        ("a: 1\nb: [-.inf]\n", 2, "found -.inf"),
        ("? 1\n: .inf\n", 2, "found .inf"),
        ("a: 1\nb: 1" + "0" * 40, 2, "found 1" + "0" * 40),
        ("a: " + "9" * 5000, 1, "found a number of 5000 digits"),
    ],
)
def test_a_number_that_is_none(text: str, line: int, found: str) -> None:
    """NaN and Infinity were read as null before, and a number of 40 digits ended in a traceback."""
    with pytest.raises(DataError) as caught:
        parse_yaml(text, "f")
    assert (only(caught.value).line, only(caught.value).found) == (line, found)


@pytest.mark.parametrize(
    ("text", "line", "key", "found"),
    [
        ('{\n "a": NaN}', 2, "a", "found NaN"),
        ('{"a": "NaN",\n "b": [1, -Infinity]}', 2, "b", "found -Infinity"),
        ('{"a": 1.5,\n "b": 1e400}', 2, "b", "found 1e400"),
        ('{\n\n"a": ' + "9" * 21 + "}", 3, "a", "found " + "9" * 21),
        ('{"a": 1,\n "a": 2}', 2, "a", "key given twice"),
        ('{"x": [{"a": 1,\n "a": 2}]}', 2, "a", "key given twice"),
        ('{"a": "\\ud83d"}', None, "", "half of a character: a lone surrogate"),
        ('{"\\ude42": 1}', None, "", "half of a character: a lone surrogate"),
        ("[" * 201 + "]" * 201, None, "", "nested more than 200 levels deep"),
        ("[" * 100_000, None, "", "nested more than 200 levels deep"),
        ('{"a":\n}', 2, "", "broken JSON: a value is missing"),
        ("", 1, "", "broken JSON: a value is missing"),
        ("\ufeff{}", 1, "", "broken JSON: a byte order mark before the first character"),
        ('{"a": "\n"}', 1, "", "broken JSON: a control character that is not escaped"),
        ('{"a": "\\x"}', 1, "", "broken JSON: an unknown escape"),
        ("{'a': 1}", 1, "", "broken JSON: a key in double quotes is missing"),
        ('{"a" 1}', 1, "", "broken JSON: a colon is missing"),
        ('{"a": 1}\n{"a": 1}', 2, "", "broken JSON: text after the end"),
        ('{"a": 1', 1, "", "broken JSON: a comma or a closing bracket is missing"),
        ('{"a": "1', 1, "", "broken JSON: a string has no closing quote"),
    ],
)
def test_json_is_read_strictly(text: str, line: int | None, key: str, found: str) -> None:
    """What is refused, in the words of this project, with line and key."""
    with pytest.raises(DataError) as caught:
        parse_json(text, "f")
    finding = only(caught.value)
    assert (finding.line, finding.key, finding.found) == (line, key, found)


SCALARS = ("true", "FALSE", "yes", "Off", "null", "~", "1", "1.5", ".inf", "0x1f", "2026-01-01", "<<", "=")
general: Any = yaml.resolver.Resolver.resolve
anything = st.text("aefnotluyNTF0159.:-_+~=< \u00e9", min_size=1, max_size=12)


@given(st.one_of(st.sampled_from(SCALARS), anything), st.booleans())
@example("falsey", True)
@example("False", True)
def test_a_scalar_is_read_as_yaml_reads_it(value: str, plain: bool) -> None:
    """Text is recognized early, and what that says of a scalar is what the rules of YAML say."""
    implicit = (plain, not plain)
    expected = general(StrictLoader(""), yaml.ScalarNode, value, implicit)
    assert StrictLoader("").resolve(yaml.ScalarNode, value, implicit) == expected


def test_most_text_is_recognized_early() -> None:
    """A plain text takes less work than the general search for numbers and dates."""
    loader, given = StrictLoader(""), (yaml.ScalarNode, "falsehood and other words", (True, False))
    few = operations(lambda: loader.resolve(*given))
    assert few < 0.7 * operations(lambda: general(loader, *given))
