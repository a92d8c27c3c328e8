"""Reading Inspect logs: what the release wrote, and every way in which a log can be broken."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.logs.forms.inspect import FORM
from ib.logs.reading.conversation import transcript_of_talk
from ib.logs.reading.form import Record
from ib.logs.reading.notes import Change, Notes
from ib.models.conversation.context import Source
from ib.models.conversation.transcript import Transcript
from ib.store.folders.evallogs import eval_log

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "inspect"
SPEC = {"task": "talks", "model": "vendor/model"}
SAMPLE: dict[str, Any] = {
    "id": "one",
    "epoch": 1,
    "messages": [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hello."}],
}
LOG: dict[str, Any] = {"version": 2, "status": "success", "eval": SPEC, "samples": [SAMPLE]}


def found(path: Path) -> str:
    """The message of the error of a log."""
    with pytest.raises(DataError) as raised:
        eval_log(path, path.name)
    return str(raised.value)


@pytest.mark.parametrize("name", ["complete.eval", "deflated.eval", "complete.json"])
def test_a_log_has_all_samples(name: str) -> None:
    """In ZIPs with zstd and with deflate, and as JSON; large keys that nothing reads are dropped."""
    log = eval_log(FIXTURES / name, name)
    assert (log.status, log.spec["task"], len(log.samples)) == ("success", "night_talks", 6)
    assert not any("events" in sample or "scores" in sample for _, sample in log.samples)


def test_the_fixtures_use_both_compressions() -> None:
    """Method 93 is zstd, 8 is deflate."""
    methods = {
        name: {info.compress_type for info in zipfile.ZipFile(FIXTURES / f"{name}.eval").infolist()}
        for name in ("complete", "interrupted", "deflated")
    }
    assert methods == {"complete": {93}, "interrupted": {93}, "deflated": {8}}


def test_an_interrupted_log_is_read_from_its_journal() -> None:
    """Without header.json, the journal names the task and the model."""
    assert "header.json" not in zipfile.ZipFile(FIXTURES / "interrupted.eval").namelist()
    log = eval_log(FIXTURES / "interrupted.eval", "interrupted.eval")
    assert (log.status, log.spec["model"], len(log.samples)) == ("started", "mockllm/model", 3)


BROKEN: dict[str, tuple[object, str]] = {
    "no log": ({"messages": []}, "no Inspect log: the key `eval` is missing"),
    "a list": ([LOG], "no Inspect log"),
    "eval of wrong type": ({**LOG, "eval": "x"}, "eval: is missing"),
    "header alone": ({**LOG, "samples": None}, "samples: is missing; a log with its samples"),
    "samples of wrong type": ({**LOG, "samples": {}}, "samples: is not a list"),
    "no samples": ({**LOG, "samples": []}, "samples: is empty"),
    "a sample of wrong type": ({**LOG, "samples": [1]}, "samples.0: is not a mapping"),
    "half a character in the header": ({**LOG, "eval": {"task": "\ud800"}}, "eval: half of a character"),
    "a later version": ({**LOG, "version": 3}, "version 3 of the schema; at most version 2"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_document_that_is_no_log_is_an_error(name: str, tmp_path: Path) -> None:
    """The message names the key and what is needed."""
    value, expected = BROKEN[name]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value))
    assert expected in found(path)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "broken JSON"),
        (b"{", "log.json:1: broken JSON"),
        (b'{"eval": "\xff"}', "byte 0xff is not UTF-8"),
        (b"[" * 200_000, "levels deep"),
        (b"\x1f\x8b\x08", "broken gzip"),
    ],
)
def test_bytes_that_are_no_json_are_an_error(data: bytes, expected: str, tmp_path: Path) -> None:
    """Each with its own words."""
    path = tmp_path / "log.json"
    path.write_bytes(data)
    assert expected in found(path)


def zipped(path: Path, members: dict[str, object]) -> Path:
    """A ZIP with JSON members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


HEADER = {key: LOG[key] for key in ("version", "status", "eval")}


def test_the_id_of_a_sample_may_have_a_slash(tmp_path: Path) -> None:
    """Inspect names the member of a sample by its id, as it is."""
    members: dict[str, object] = {
        "header.json": HEADER,
        "samples/set/1_epoch_1.json": {**SAMPLE, "id": "set/1"},
    }
    log = eval_log(zipped(tmp_path / "log.eval", members), "log.eval")
    assert [place for place, _ in log.samples] == ["samples/set/1_epoch_1.json"]


ZIPS: dict[str, tuple[dict[str, object], str]] = {
    "no header": (
        {"samples/one_epoch_1.json": SAMPLE},
        "a ZIP without header.json and without",
    ),
    "no samples": ({"header.json": HEADER}, "samples: is empty"),
    "chunks": (
        {"header.json": HEADER, "samples/one_epoch_1/sample.json": SAMPLE},
        "samples/one_epoch_1/sample.json: a sample in chunks",
    ),
    "a member that is no JSON": (
        {"header.json": HEADER, "samples/one_epoch_1.json": b"{"},
        "log.eval: samples/one_epoch_1.json:1: broken JSON",
    ),
    "a header of wrong type": ({"header.json": [], "samples/one_epoch_1.json": SAMPLE}, "eval: is missing"),
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_that_is_no_log_is_an_error(name: str, tmp_path: Path) -> None:
    """The message names the member."""
    members, expected = ZIPS[name]
    assert expected in found(zipped(tmp_path / "log.eval", members))


@pytest.mark.parametrize("name", ["complete.eval", "deflated.eval"])
def test_a_damaged_zip_is_an_error_wherever_it_breaks(name: str, tmp_path: Path) -> None:
    """Cut off anywhere, or with one byte of a member changed, a ZIP never gives other samples."""
    whole = (FIXTURES / name).read_bytes()
    right = eval_log(FIXTURES / name, name)
    directory = whole.index(b"PK\x01\x02")
    damaged = [whole[:at] for at in range(4, len(whole), 41)]
    damaged += [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in range(4, directory, 41)]
    path = tmp_path / name
    refused = 0
    for data in damaged:
        path.write_bytes(data)
        try:
            samples = eval_log(path, name).samples
        except DataError:
            refused += 1
        else:
            assert samples == right.samples
    assert refused > len(damaged) * 0.8


def test_a_damaged_name_does_not_hide_a_sample(tmp_path: Path) -> None:
    """A member has its name twice in a ZIP; if the two differ, the log is damaged."""
    whole = (FIXTURES / "complete.eval").read_bytes()
    at = whole.rindex(b"samples/parts_epoch_1.json")
    path = tmp_path / "log.eval"
    path.write_bytes(whole[:at] + b"Z" + whole[at + 1 :])
    assert "broken ZIP" in found(path)


def read(**changes: Any) -> tuple[Transcript | None, Notes]:
    """A sample with changes, read."""
    assert FORM.one is not None
    talk = FORM.one(Record({"spec": SPEC, "sample": {**SAMPLE, **changes}}, lambda keys: (None, keys)))
    if talk.left_out or talk.notes.findings:
        return None, talk.notes
    source = Source(form="inspect", file="log.eval", id=talk.id)
    return transcript_of_talk(talk, source, FORM.harness, None, {}), talk.notes


def test_a_sample_becomes_a_transcript() -> None:
    """Its id names the task and the sample, and the epoch is kept."""
    made, _ = read(epoch=3, output={"model": "vendor/model-0301"})
    assert made is not None
    assert (made.key, made.provenance and made.provenance.served_model) == (
        ("vendor/model", "inspect/talks/one", 3),
        "vendor/model-0301",
    )


@pytest.mark.parametrize(
    ("changes", "change"),
    [
        ({"error": {"message": "x"}}, Change.FAILED),
        ({"invalidation": {"author": "x"}}, Change.INVALIDATED),
        ({"messages": [SAMPLE["messages"][0]]}, Change.UNANSWERED),
        ({"messages": [*SAMPLE["messages"], {"role": "assistant", "content": ""}]}, Change.UNANSWERED),
    ],
)
def test_samples_that_are_no_conversation_are_left_out(changes: dict[str, Any], change: Change) -> None:
    """And counted by the reason; they are no error of the log."""
    made, notes = read(**changes)
    assert made is None
    assert notes.findings == []
    assert notes.changes[change] == 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"messages": None}, "messages: is null; a list of messages"),
        ({"epoch": None}, "epoch: is null"),
        ({"epoch": True}, "epoch: is true or false"),
        ({"id": None}, "id: is null"),
        ({"id": "\ud800"}, "half of a character: a lone surrogate"),
        (
            {"messages": [{"role": "user", "content": "attachment://a"}, SAMPLE["messages"][1]]},
            "messages.0.content: refers to 'attachment://a', which the log lacks",
        ),
        (
            {
                "messages": [{"role": "user", "content": "attachment://a"}, SAMPLE["messages"][1]],
                "attachments": "x",
            },
            "which the log lacks",
        ),
    ],
)
def test_a_broken_sample_is_an_error(changes: dict[str, Any], expected: str) -> None:
    """With the key and what was found."""
    made, notes = read(**changes)
    assert made is None
    assert expected in str(notes.findings[0])


def test_keys_that_inspect_writes_are_no_loss() -> None:
    """Where a message came from is in every message, and is not reported as unread."""
    _, notes = read(messages=[{**one, "source": "input", "metadata": {"a": 1}} for one in SAMPLE["messages"]])
    assert notes.unread == {"metadata"}


def test_an_attachment_is_resolved() -> None:
    """A text may stand for one in the attachments, alone or in a part."""
    said = [{"role": "user", "content": [{"type": "text", "text": "attachment://a"}]}, SAMPLE["messages"][1]]
    made, _ = read(messages=said, attachments={"a": "A long text."})
    assert made is not None
    assert made.messages[0].content == "A long text."


def test_the_last_output_is_added_if_the_messages_lack_it() -> None:
    """A solver may leave the reply in the output."""
    reply = {"message": SAMPLE["messages"][1], "stop_reason": "max_tokens"}
    made, _ = read(messages=SAMPLE["messages"][:1], output={"choices": [reply]})
    assert made is not None
    assert (made.messages[-1].content, made.messages[-1].truncated) == ("Hello.", True)


def test_a_small_file_does_not_unpack_to_gigabytes(tmp_path: Path) -> None:
    """The directory of the ZIP says how large a sample is, so that it is refused before it is read."""
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({**LOG, "samples": None}))
        archive.writestr("samples/one_epoch_1.json", b" " * (40 << 20))
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    said = found(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "unpacks from" in said
    assert "at most 200 times its size" in said
    assert most < 10 << 20


def test_many_small_samples_do_not_unpack_to_gigabytes(tmp_path: Path) -> None:
    """Samples that are small enough one by one are added up before the first is read."""
    path, sample = tmp_path / "bomb.eval", LOG["samples"][0]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({**LOG, "samples": None}))
        for number in range(4):
            talk = [{"role": "user", "content": "a" * (8 << 20)}]
            text = json.dumps({**sample, "id": f"s{number}", "messages": talk})
            archive.writestr(f"samples/s{number}_epoch_1.json", text)
    tracemalloc.start()
    said = found(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "5 members unpack from" in said
    assert most < 1 << 20


@pytest.mark.parametrize("name", ["log.json", "log.eval"])
def test_an_integer_of_thousands_of_digits_is_bad_data(tmp_path: Path, name: str) -> None:
    """Python refuses to read such a number; the message says which file has one."""
    log = json.dumps(LOG).replace('"epoch": 1', f'"epoch": {"9" * 5000}')
    path = tmp_path / name
    if name.endswith("json"):
        path.write_text(log)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", json.dumps({**LOG, "samples": None}))
            archive.writestr("samples/one_epoch_1.json", log)
    assert "an integer of thousands of digits" in found(path)
