"""JSONL, plain and gzipped: the line of whatever is wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ib.errors import DataError
from ib.models.common.base import Record
from ib.store.files.reading import MAX_BLANK, MAX_LINE, raw_lines
from ib.store.files.validation import model_of_line
from tests.store.small import only


class Row(Record):
    a: int


def read(path: Path) -> list[tuple[int, bytes]]:
    return list(raw_lines(path, path.name))


def failing(path: Path) -> tuple[int | None, str]:
    with pytest.raises(DataError) as caught:
        read(path)
    assert only(caught.value).file == path.name
    return only(caught.value).line, only(caught.value).found


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_blank_lines_are_left_out_and_counted(tmp_path: Path, name: str) -> None:
    """Numbers are those of the file as an editor shows it; a last line needs no newline."""
    data = b'{"a":1}\n\n  \t\r\n{"a":2}\r\n\n{"a":3}'
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert read(path) == [(1, b'{"a":1}\n'), (4, b'{"a":2}\r\n'), (6, b'{"a":3}')]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    """That it is empty is for its reader to say."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"")
    assert read(path) == []


@pytest.mark.parametrize("data", [b"", b'{"a":1}\n', b"\x1f", b"PK\x03\x04"])
def test_gz_that_is_none(tmp_path: Path, data: bytes) -> None:
    """A file named .gz is gzip."""
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(data)
    assert failing(path) == (None, "is not gzip, although its name ends in .gz")


@pytest.mark.parametrize("kept", [2, 9, 20, 60, -9, -8, -1])
def test_lesson_08_a_truncated_gzip_is_not_read_as_complete(tmp_path: Path, kept: int) -> None:
    """Wherever the file was cut, reading stops with an error behind the lines that were whole."""
    path = tmp_path / "x.jsonl.gz"
    data = gzip.compress(b"".join(b'{"a":%d}\n' % (i * 7919 % 1000) for i in range(200)))
    path.write_bytes(data[:kept])
    line, found = failing(path)
    assert found.startswith("broken gzip: ")
    assert line is not None
    assert 1 <= line <= 201


def test_a_damaged_gzip_is_not_read_as_complete(tmp_path: Path) -> None:
    """A flipped bit in the middle or in the checksum is noticed."""
    path = tmp_path / "x.jsonl.gz"
    data = gzip.compress(b"".join(b'{"a":%d}\n' % (i * 7919 % 1000) for i in range(200)))
    for place in (40, len(data) // 2, len(data) - 6, len(data) - 2):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        assert failing(path)[1].startswith("broken gzip: ")
    path.write_bytes(data + b"garbage")
    assert failing(path)[1].startswith("broken gzip: ")


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_a_line_without_end_fills_no_memory(tmp_path: Path, name: str) -> None:
    """A line over the limit is refused with its number; one at the limit is read."""
    path = tmp_path / name
    for size, fine in [(MAX_LINE - 1, True), (MAX_LINE, False)]:
        data = b'{"a":1}\n' + b"x" * size + b"\n"
        path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
        if fine:
            assert [(number, len(line)) for number, line in read(path)] == [(1, 8), (2, MAX_LINE)]
        else:
            assert failing(path) == (2, f"the line is longer than {MAX_LINE} bytes")


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    """What cannot be opened is said in words."""
    assert failing(tmp_path)[1] == "is a folder"
    assert failing(tmp_path / "none.jsonl")[1] == "no such file"


@pytest.mark.parametrize(
    ("line", "key", "found"),
    [
        (b'{"a": 1', "", "broken JSON: a comma or a closing bracket is missing at column 8"),
        (b'{"a": 1\n', "", "broken JSON: a comma or a closing bracket is missing at column 8"),
        (b"words", "", "broken JSON: a value is missing at column 1"),
        (b'{"a": 1} {"a": 2}', "", "broken JSON: text after the end at column 10"),
        (b'{"a": NaN}', "a", "found NaN"),
        (b'{"a": -Infinity}', "a", "found -Infinity"),
        (b'{"a": 1e999}', "a", "found 1e999"),
        (b'{"a": 1' + b"0" * 40 + b"}", "a", "found 1" + "0" * 40),
        (b'{"a": "\\ud800"}', "", "half of a character: a lone surrogate"),
        (b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}", "", "nested more than 200 levels deep"),
        (b"[" * 100_000, "", "nested more than 200 levels deep"),
        (b'{"a": 1, "a": 2}', "a", "key given twice"),
        (b'{"a": "\xff"}', "", "byte 0xff at column 8 is not UTF-8"),
        (b'["a"]', "", "found a list"),
        (b"null", "", "found null"),
        (b'{"a": "one"}', "a", "found 'one'"),
        (b"{}", "a", "is missing"),
    ],
)
def test_a_line_in_words(line: bytes, key: str, found: str) -> None:
    """What is wrong with a line is said with its number and its key."""
    findings = model_of_line(Row, line, "f.jsonl", 7)
    assert isinstance(findings, list)
    assert [(f.file, f.line, f.key, f.found) for f in findings] == [("f.jsonl", 7, key, found)]


def test_every_finding_of_a_line() -> None:
    """A misspelt key is unknown, and the right one is missing: both are said."""
    findings = model_of_line(Row, b'{"A": 1}', "f", 1)
    assert isinstance(findings, list)
    assert {(f.key, f.found) for f in findings} == {("a", "is missing"), ("A", "unknown key")}
    assert model_of_line(Row, b'{"a": 1}\n', "f", 1) == Row(a=1)


def test_gigabytes_of_blank_lines_are_refused_at_once(tmp_path: Path) -> None:
    """A small gzip file can hold as many blank lines as it likes; they are not read in silence."""
    path = tmp_path / "blank.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * (MAX_BLANK + 1) + b"{}\n"))
    line, said = failing(path)
    assert line == MAX_BLANK + 1
    assert "bytes of blank lines in a row" in said
    path.write_bytes(gzip.compress((b"\n" * (MAX_BLANK // 2) + b"{}\n") * 3))
    assert len(read(path)) == 3
