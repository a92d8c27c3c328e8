"""The list of batches of a scan: what a later session needs to find them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from ib.errors import DataError
from ib.models.scan.batch import Submission
from ib.store.folders.batches import BATCHES, BatchList

ONE, TWO = "1" * 64, "2" * 64


def test_batches_are_there_for_the_next_session(tmp_path: Path) -> None:
    """With their ids, or without if the session ended before; there is no file without a batch."""
    first = BatchList(tmp_path)
    assert not first.submissions
    assert not (tmp_path / BATCHES).exists()
    first.intend("a", [ONE])
    first.submitted("a", "batch-1")
    first.intend("b", [TWO])
    wanted = (Submission("a", frozenset([ONE]), "batch-1"), Submission("b", frozenset([TWO])))
    assert first.submissions == wanted
    assert BatchList(tmp_path).submissions == wanted


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    """What a kill left behind does not spoil what follows."""
    BatchList(tmp_path).intend("a", [ONE])
    with (tmp_path / BATCHES).open("ab") as file:
        file.write(b'{"batch":"ba')
    BatchList(tmp_path).submitted("a", "batch-1")
    assert BatchList(tmp_path).submissions == (Submission("a", frozenset([ONE]), "batch-1"),)


@pytest.mark.parametrize(
    "line",
    [b"words", b'{"token":"a"}', b'{"token":"a","batch":"b","requests":[]}', b'{"token":"new","batch":"b"}'],
)
def test_a_foreign_line_is_bad_data(tmp_path: Path, line: bytes) -> None:
    """It is named with its number."""
    BatchList(tmp_path).intend("a", [ONE])
    with (tmp_path / BATCHES).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(DataError) as caught:
        BatchList(tmp_path)
    assert {found.line for found in caught.value.findings} == {2}
