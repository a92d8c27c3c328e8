"""Batches in, sparse rows out, and back to the rows of a scan, byte for byte."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ib
from ib.batch import Scorer, expand, score
from ib.batch.columns import COLUMNS, batch_of, schema
from ib.batch.dense import grouped
from ib.engine.sparse import FORM, OWN, SILENT
from ib.store.folders.scans import RESULTS, ScanFolder
from tests.batch.logs import rows, scout, talk

pa = pytest.importorskip("pyarrow")
ROOT = Path(__file__).resolve().parents[2]


def lines_of(scan: ScanFolder) -> list[bytes]:
    return (scan.path / RESULTS).read_bytes().splitlines(keepends=True)


def transcripts_of(scan: ScanFolder) -> Any:
    """The transcripts of a scan as a batch of whole transcripts, in the order of its results."""
    lines = (scan.path / "transcripts.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    return pa.RecordBatch.from_pydict({"transcript": lines})


@pytest.mark.parametrize(
    ("profile", "judge"), [("smoke", "none"), ("publish", "none"), ("publish", "lexical")]
)
def test_sparse_rows_expand_to_the_lines_of_a_scan(tmp_path: Path, profile: str, judge: str) -> None:
    """`expand` gives what `ib scan` writes, for open logs with hostile texts and offsets beyond ASCII."""
    talks = [
        ib.Transcript.from_messages(
            "my/bot", f"log-{number:03d}", talk(number), meta={"user": f"u{number % 5}"}
        )
        for number in range(60)
    ]
    scan = ib.scan(talks, profile=profile, judge=judge, out=tmp_path / "scan", workers=1)
    found = Scorer(profile, judge)(transcripts_of(scan))
    assert found.schema.equals(schema(), check_metadata=True)
    assert list(expand(found)) == lines_of(scan)


@pytest.mark.gate
@pytest.mark.parametrize(("profile", "judge"), [("smoke", "none"), ("publish", "scripts")])
def test_sparse_rows_expand_to_those_of_played_scenarios(tmp_path: Path, profile: str, judge: str) -> None:
    """The same for scenarios with tags, branches, sessions and suppressed checks, as in the demonstration."""
    run = ib.play(["reference/attentive", "reference/companion"], out=tmp_path / "run")
    scan = ib.scan([run.transcripts], profile=profile, judge=judge, out=tmp_path / "scan")
    found = Scorer(profile, judge, skip_broken=True)(transcripts_of(scan))
    assert list(expand(found)) == lines_of(scan)
    left = [row["problem"] for row in found.to_pylist() if row["kind"] == "left_out"]
    assert left
    assert all("is a play of a safe twin" in problem for problem in left)


def test_a_scorer_is_its_configuration() -> None:
    """A scorer survives pickling, and gives the same rows in another process."""
    batch = pa.RecordBatch.from_pylist(rows(5))
    found = Scorer()(batch)
    assert pickle.loads(pickle.dumps(Scorer()))(batch).equals(found)  # noqa: S301 - our own bytes
    code = (
        "import pickle, sys, pyarrow as pa; scorer, rows = pickle.load(sys.stdin.buffer);"
        "sys.stdout.buffer.write(pickle.dumps(scorer(pa.RecordBatch.from_pylist(rows)).to_pylist()))"
    )
    sent = pickle.dumps((Scorer(), rows(5)))
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True, cwd=ROOT)
    assert pickle.loads(done.stdout) == found.to_pylist()  # noqa: S301 - our own bytes


def test_a_scorer_loads_nothing_until_its_first_batch() -> None:
    """A driver that only sends scorers to workers loads no benchmark and no pyarrow."""
    code = "import sys, ib.batch; ib.batch.Scorer(); print({'pyarrow', 're2'} & set(sys.modules) - {'re2'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"


def test_offsets_are_characters_of_the_message_as_written() -> None:
    """`start` and `end` cut the quote out of the message, also after marks and characters beyond the BMP."""
    given = rows(60)
    said = {row["id"]: [m["content"] for m in row["messages"] if m["role"] == "assistant"] for row in given}
    spans = [
        (record["log_id"], span)
        for record in Scorer().records(given)
        if record["kind"] == "check"
        for span in record["evidence"]
    ]
    assert len({span["quote"] for _, span in spans}) > 4
    for log, span in spans:
        assert said[log][span["turn"] - 1][span["start"] : span["end"]] == span["quote"]


def test_a_conversation_counts_what_has_no_row() -> None:
    """Every check is a row, or a letter that `not_asked` counts under a name."""
    count = len(ib.load_benchmark().checks)
    for conversation, checks in grouped(Scorer().records(rows(30))):
        assert len(conversation["outcomes"]) == count
        assert conversation["outcomes"].count(OWN) == len(checks)
        assert sum(conversation["not_asked"].values()) == len(conversation["outcomes"]) - len(checks)
        assert conversation["not_asked"].keys() <= {name for name, _ in SILENT.values()}
        assert all(check["state"] in ("found", "judged", "not_run") for check in checks)


def test_rows_of_this_project_and_of_scout_say_the_same() -> None:
    """The same words have the same verdicts in both forms; what failed, as Scout says, is left out."""
    own = Scorer().records(rows(8))
    theirs = Scorer()(pa.RecordBatch.from_pylist(scout(8))).to_pylist()
    left = [row for row in theirs if row["kind"] == "left_out"]
    assert [row["log_id"] for row in left] == ["log-00001"]
    for name in ("log_id", "check_id", "outcomes", "evidence", "model_id", "scenario_id"):
        mine = [row.get(name) for row in own if row["log_id"] != "log-00001"]
        assert [row[name] for row in theirs if row["kind"] != "left_out"] == mine


def test_rows_read_the_columns_that_decide_which_checks_are_due() -> None:
    """Tags, a list of checks, a language, a place and metadata come with a row."""
    (row,) = rows(1)
    for name, value in {
        "tags": ["grief_disclosure"],
        "eligible_checks": ["IB-F2-availability-promise"],
        "language": "ko",
    }.items():
        (found, *_) = Scorer().records([{**row, name: value}])
        assert found["outcomes"] != Scorer().records([row])[0]["outcomes"], name
    (found, *_) = Scorer().records([{**row, "jurisdiction": "ca", "meta": [("n", 2)]}])
    assert (found["jurisdiction"], found["meta"]) == ("ca", {"n": "2"})


BROKEN = {
    "row 1.messages": {"messages": []},
    "row 2.messages.0.role": {"messages": [{"role": "narrator", "content": "x"}]},
    "row 3": {"messages": [{"role": "user", "content": "only"}]},
    "row 4": 5,
    "row 5": {"messages": [{"role": "user", "content": "a\ud800"}, {"role": "assistant", "content": "b"}]},
    "row 6.meta.a b": {"messages": talk(1), "meta": {"a b": "c"}},
    "row 7.meta": {"messages": talk(1), "meta": 5},
    "row 8.country": {"messages": talk(1), "country": "Narnia"},
    "row 9.eligible_checks.0": {"messages": talk(1), "eligible_checks": ["IB-F999"]},
    "row 10.tags.0": {"messages": talk(1), "tags": ["nosuchtag"]},
    "row 11.jurisdiction": {"messages": talk(1), "jurisdiction": "mars"},
    "row 12.transcript.messages": {"transcript": '{"model_id": "a/b", "model": "b", "scenario_id": "c"}'},
    "row 13.messages.1.content": {
        "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "e" + "\u0301" * 99}]
    },
    "row 14.messages": {"id": "x"},
}


def test_every_broken_conversation_is_named_by_row_and_column() -> None:
    """All errors come at once, each with its row, its column, what was found and what is allowed."""
    with pytest.raises(ib.DataError) as caught:
        score(BROKEN.values())  # type: ignore[arg-type]
    assert [".".join(map(str, one.place.path)) for one in caught.value.findings] == list(BROKEN)
    assert all(one.file == "conversations" and one.found and one.hint for one in caught.value.findings)


def test_broken_conversations_can_be_left_out() -> None:
    """With `skip_broken`, a broken conversation is one row with its problem, and the others are judged."""
    found = score([*rows(2), *BROKEN.values()], skip_broken=True)  # type: ignore[list-item]
    left = [row for row in found if row["kind"] == "left_out"]
    assert len(left) == len(BROKEN)
    assert all(row["problem"] for row in left)
    assert [row for row in found if row["kind"] != "left_out"] == Scorer().records(rows(2))
    assert list(expand(batch_of(found))) == list(expand(found))


def test_scoring_in_memory_needs_no_pyarrow() -> None:
    """Lists in, mappings out, and `expand`, without pyarrow installed."""
    code = (
        "import sys; sys.modules['pyarrow'] = None; import ib;"
        "rows = ib.score([[('user', 'hi'), ('assistant', 'I am always here for you.')]]);"
        "print([row['kind'] for row in rows], len(list(ib.batch.expand(rows))));"
        "ib.batch.Scorer().schema"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.strip() == "['conversation', 'check'] 1"
    assert "WorldError" in done.stderr
    assert "invisiblebench[parquet]" in done.stderr


def test_rows_of_another_benchmark_are_refused() -> None:
    """Letters stand for checks in their order, so another benchmark would read other verdicts from them."""
    for change in (
        {"benchmark_hash": "0" * 64},
        {"form": FORM + 1},
        {"outcomes": "?" * 53},
        {"outcomes": "p"},
    ):
        found = [{**row, **change} for row in score([talk(1)])]
        with pytest.raises(ib.DataError):
            list(expand(found))


def test_rows_out_of_order_are_refused() -> None:
    """A row of a check without its conversation before it would be lost, and is an error."""
    found = Scorer().records(rows(20))
    with pytest.raises(ib.DataError, match="does not follow its conversation"):
        list(expand(sorted(found, key=lambda row: row["kind"])))
    with pytest.raises(ib.DataError):
        list(expand([row for row in found if row["kind"] == "conversation"]))


def test_usage_is_checked_at_the_first_batch() -> None:
    """An unknown profile, a judge with `smoke`, and a judge elsewhere are errors that say what is allowed."""
    for scorer in (Scorer("nosuch"), Scorer("smoke", "lexical"), Scorer("publish", "openai/gpt-4o")):
        with pytest.raises(ib.UsageError):
            scorer.records(rows(1))


def test_the_page_names_every_column() -> None:
    """docs/batches.md has a line for each column and each letter."""
    page = (ROOT / "docs" / "batches.md").read_text()
    assert [name for name in COLUMNS if f"| `{name}` |" not in page] == []
    assert [name for letter, (name, _) in SILENT.items() if f"| `{letter}` | `{name}` |" not in page] == []
    assert f"form {FORM}" in page
