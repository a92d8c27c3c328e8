"""`ib scan` reads Parquet files of conversations, and says what a Scorer says of the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ib
from ib.batch import Scorer, expand
from ib.store.folders.scans import RESULTS
from tests.batch.logs import rows, scout, talk

pa = pytest.importorskip("pyarrow")
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "logs"


def written(values: list[dict[str, Any]], path: Path, group: int = 7) -> Path:
    """Rows as a Parquet file with small groups of rows."""
    from pyarrow import parquet

    table = pa.Table.from_pylist(values)
    if "meta" in table.schema.names:
        pairs = pa.array([list(row["meta"].items()) for row in values], pa.map_(pa.string(), pa.string()))
        table = table.set_column(table.schema.names.index("meta"), "meta", pairs)
    parquet.write_table(table, path, row_group_size=group)
    return path


@pytest.mark.parametrize("form", [rows, scout])
def test_a_file_of_rows_is_scanned(tmp_path: Path, form: Any) -> None:
    """The results of a file, in whichever order and number of files, are those of a scorer over its rows."""
    said: list[str] = []
    made = form(40)
    files = [
        written(made[25:], tmp_path / "b.parquet"),
        written(made[:25], tmp_path / "a.parquet"),
    ]
    scan = ib.scan(files, out=tmp_path / "scan", workers=1, callbacks=ib.Callbacks(notice=said.append))
    wanted = sorted(expand(Scorer().records(made)), key=_place)
    assert (scan.path / RESULTS).read_bytes().splitlines(keepends=True) == wanted
    assert ("rows that failed before their end, as their log says: 1; they are left out" in said) == (
        form is scout
    )


def _place(line: bytes) -> tuple[Any, ...]:
    import orjson

    said = orjson.loads(line)
    return said["model_id"], said["scenario_id"]


def test_whole_transcripts_are_read_from_their_column(tmp_path: Path) -> None:
    """A table of the lines of a transcripts file is scanned as the file is."""
    first = ib.scan(
        [ib.Transcript.from_messages("my/bot", f"log-{n}", talk(n)) for n in range(5)], out=tmp_path / "first"
    )
    lines = (first.path / "transcripts.jsonl").read_text().splitlines()
    path = written([{"transcript": line} for line in lines], tmp_path / "a.parquet")
    again = ib.scan([path], out=tmp_path / "again")
    assert (again.path / RESULTS).read_bytes() == (first.path / RESULTS).read_bytes()


def test_the_file_of_scout_itself_is_scanned(tmp_path: Path) -> None:
    """The Parquet file that Scout wrote is read as it is, like the same file imported first."""
    ib.import_logs(FIXTURES / "scout.parquet", tmp_path / "talks.jsonl")
    imported = ib.scan([tmp_path / "talks.jsonl"], out=tmp_path / "imported").results()
    read = ib.scan([FIXTURES / "scout.parquet"], out=tmp_path / "read").results()
    told = {"transcript_hash"}
    assert [one.model_dump(exclude=told) for one in read] == [
        one.model_dump(exclude=told) for one in imported
    ]


BROKEN: list[dict[str, Any]] = [
    {"id": "1", "messages": talk(1)},
    {"id": "2", "messages": []},
    {"id": "3", "messages": [{"role": "narrator", "content": "x"}]},
    {"id": "1", "messages": talk(1)},
]


def test_errors_name_file_row_and_column(tmp_path: Path) -> None:
    """Every broken row is named at once, and so is the same conversation twice; nothing is written."""
    path = written(BROKEN, tmp_path / "a.parquet")
    with pytest.raises(ib.DataError) as caught:
        ib.scan([path], out=tmp_path / "scan")
    assert [".".join(map(str, one.place.path)) for one in caught.value.findings] == [
        "row 2.messages",
        "row 3.messages.0.role",
        "row 4.scenario_id",
    ]
    assert all(one.file == str(path) and one.line is None for one in caught.value.findings)
    assert f"is also in {path}:1" in str(caught.value)
    assert not (tmp_path / "scan").exists()


@pytest.mark.parametrize("name", ["messages.parquet", "wildchat.parquet", "lmsys.parquet"])
def test_tables_of_other_forms_are_imported_first(tmp_path: Path, name: str) -> None:
    """A table of another form is refused with its columns, and the message names the command."""
    with pytest.raises(ib.DataError, match=r"has the columns .*run `ib import` first"):
        ib.scan([FIXTURES / name], out=tmp_path / "scan")


def test_what_is_no_parquet_is_a_data_error(tmp_path: Path) -> None:
    """A file that is cut, another file with the ending, and a missing file are named."""
    whole = written(rows(3), tmp_path / "a.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.parquet").write_text("{}")
    for name, said in {"cut": "cannot be read", "text": "cannot be read", "none": "no such file"}.items():
        with pytest.raises(ib.DataError, match=said):
            ib.scan([tmp_path / f"{name}.parquet"], out=tmp_path / "scan")
    (tmp_path / "named.jsonl").write_bytes(whole)
    assert ib.scan([tmp_path / "named.jsonl"], out=tmp_path / "scan").plan().open_logs == 3
