"""The log's own id and the chosen metadata of a conversation, from a transcript to its result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ib as api
from ib.models.common.canonical import compact
from ib.store.folders.scans import RESULTS, ScanFolder
from tests.commands.conftest import Row, row

Ib = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
LOGGED: dict[str, Any] = {"provenance": {"source": {"form": "openai", "file": "a.jsonl", "id": "talk 7/b"}}}
META = {"version": "2.1", "channel": "app"}


def results(ib: Ib, path: Path, out: Path) -> list[dict[str, Any]]:
    """The lines of a smoke scan, as data."""
    assert ib("scan", path, "--out", out)[0] == 0
    return [json.loads(line) for line in (out / RESULTS).read_bytes().splitlines()]


def test_a_result_has_the_names_of_the_log(ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """The log's own id and the metadata are in the line of the result, and in the value that reads it."""
    (line,) = results(ib, transcripts(row(meta=META, **LOGGED)), tmp_path / "scan")
    assert (line["log_id"], line["meta"]) == ("talk 7/b", META)
    (result,) = ScanFolder(tmp_path / "scan").results()
    assert (result.log_id, result.meta) == ("talk 7/b", META)


def test_metadata_changes_nothing_else(ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """Rows, score and comparability key are those of the conversation without it; its line has no new key."""
    (plain,) = results(ib, transcripts(row()), tmp_path / "plain")
    (named,) = results(ib, transcripts(row(meta=META), name="n.jsonl"), tmp_path / "named")
    assert not plain.keys() & {"log_id", "meta"}
    assert {**named, "transcript_hash": ""} == {**plain, "transcript_hash": "", "meta": META}
    keys = {ScanFolder(tmp_path / name).plan().comparability_key for name in ("plain", "named")}
    assert len(keys) == 1
    assert (tmp_path / "plain" / RESULTS).read_bytes() == compact(plain) + b"\n"


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a list": ({"version": ["2.1"]}, "meta.version"),
    "null": ({"version": None}, "meta.version"),
    "no text": ({"version": ""}, "meta.version"),
    "a long text": ({"version": "v" * 201}, "meta.version"),
    "a name with a space": ({"my version": "2"}, "meta"),
}


@pytest.mark.parametrize("name", WRONG)
def test_metadata_of_another_form_is_named(name: str, ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """A value is a text of at most 200 characters, and a name has no spaces: file, line and key say where."""
    meta, key = WRONG[name]
    path = transcripts(row(), row(scenario="night-02", meta=meta))
    code, _, told = ib("scan", path, "--out", tmp_path / "scan")
    assert code == 3
    assert f"{path}:2: {key}" in told


def test_numbers_and_truths_are_metadata_too(ib: Ib, transcripts: Write, tmp_path: Path) -> None:
    """They are kept as texts, so that groups have one kind of name."""
    given: Row = row(meta={"version": 3, "share": 0.5, "paid": True})
    (line,) = results(ib, transcripts(given), tmp_path / "scan")
    assert line["meta"] == {"version": "3", "share": "0.5", "paid": "true"}


def test_python_gives_ids_and_metadata(tmp_path: Path) -> None:
    """`Transcript.from_messages` takes an id in any form, also next to a provenance."""
    talk = [("user", "I'm so tired."), ("assistant", "Tired, and nobody helps?")]
    plain = api.Transcript.from_messages("my/bot", "a", talk, log_id="Fall \u00e4/1", meta={"version": 3})
    known = api.Transcript.from_messages("my/bot", "b", talk, log_id="2", provenance={"date": "2026-01-02"})
    assert known.provenance is not None
    assert (known.provenance.date, known.log_id) == ("2026-01-02", "2")
    found = [(one.log_id, one.meta) for one in api.scan([plain, known], out=tmp_path / "scan").results()]
    assert found == [("Fall \u00e4/1", {"version": "3"}), ("2", {})]


REPLY = {"role": "assistant", "content": "Tired, and nobody helps?"}
TALK: dict[str, Any] = {"messages": [{"role": "user", "content": "I'm so tired."}, REPLY]}


def imported(
    ib: Ib, tmp_path: Path, *records: Any, options: tuple[str, ...] = ()
) -> tuple[int, str, list[Any]]:
    """The exit code, what was said, and the transcripts of an import of JSON lines."""
    log, out = tmp_path / "log.jsonl", tmp_path / "talks.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    code, said, told = ib("import", log, "--out", out, *options)
    return code, said + told, [json.loads(line) for line in out.read_bytes().splitlines()] if not code else []


def test_the_same_text_under_two_ids_is_two_conversations(ib: Ib, tmp_path: Path) -> None:
    """Two people may say the same; each conversation is found again by the log's own id."""
    code, told, made = imported(ib, tmp_path, {"id": "a b", **TALK}, {"id": 7, **TALK}, TALK)
    assert code == 0, told
    assert [row["provenance"]["source"].get("id") for row in made] == ["a b", "7", None]
    assert len({row["scenario_id"] for row in made}) == 3
    code, told, _ = imported(ib, tmp_path, {"id": 7, **TALK}, {"id": 7, **TALK})
    assert code == 2  # the file is there
    (tmp_path / "talks.jsonl").unlink()
    code, told, _ = imported(ib, tmp_path, {"id": 7, **TALK}, {"id": 7, **TALK})
    assert (code, "the same conversation" in told) == (3, True)


def test_metadata_is_chosen_by_its_key(ib: Ib, tmp_path: Path) -> None:
    """Inner keys, keys with dots, texts of JSON and another name; what is not chosen is not kept."""
    record = {
        **TALK,
        "version": 3,
        "secret": "x",
        "metadata": {"app": {"channel": "web"}, "a.b": True},
        "more": '{"region": "north"}',
    }
    kept = ("version", "channel=metadata.app.channel", "metadata.a.b", "more.region")
    options = (*(word for key in kept for word in ("--meta", key)), "--id", "metadata.app.channel")
    code, told, made = imported(ib, tmp_path, record, options=options)
    assert code == 0, told
    assert made[0]["meta"] == {
        "version": "3",
        "channel": "web",
        "metadata.a.b": "true",
        "more.region": "north",
    }
    assert made[0]["provenance"]["source"]["id"] == "web"
    assert "meta version: 1 of 1" in told
    assert "keys not read: secret (1)" in told


def test_metadata_that_some_logs_lack_is_counted(ib: Ib, tmp_path: Path) -> None:
    """One of two has it."""
    code, told, made = imported(
        ib, tmp_path, {"v": 1, "id": 1, **TALK}, {"id": 2, **TALK}, options=("--meta", "v")
    )
    assert code == 0
    assert "meta v: 1 of 2" in told
    assert [row.get("meta") for row in made] == [{"v": "1"}, None]


REFUSED: dict[str, tuple[tuple[str, ...], int, str]] = {
    "a key that no log has": (
        ("--meta", "verson"),
        2,
        "no conversation has this key; did you mean 'version'?",
    ),
    "a list": (("--meta", "tags"), 3, "log.jsonl:1: tags: is a list; a text, a number, or true or false"),
    "a long text": (("--meta", "long"), 3, "log.jsonl:1: long: has 201 characters; at most 200"),
    "a name with a space": (("--meta", "my key"), 2, "cannot be the name of metadata"),
    "a name twice": (("--meta", "version", "--meta", "version=tags"), 2, "given twice"),
    "an id that is missing": (("--id", "nothing"), 3, "log.jsonl:1: nothing: is missing"),
    "a form that does not exist": (("--form", "excel"), 2, "unknown form 'excel'; choose openai"),
    "another form": (("--form", "wildchat"), 3, "log.jsonl:1: no WildChat format"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_kept_is_named(name: str, ib: Ib, tmp_path: Path) -> None:
    """Nothing is guessed, nothing is cut, and nothing is written."""
    options, expected, words = REFUSED[name]
    record = {**TALK, "version": "2", "tags": ["a"], "long": "x" * 201}
    code, told, _ = imported(ib, tmp_path, record, options=options)
    assert (code, words in told) == (expected, True), told
    assert not (tmp_path / "talks.jsonl").exists()


def test_rows_of_one_conversation_have_one_value(ib: Ib, tmp_path: Path) -> None:
    """A conversation with two versions is named by its file and key."""
    rows = [
        {"conversation_id": c, "version": v, **said}
        for c, v in ((1, "a"), (2, "b"))
        for said in TALK["messages"]
    ]
    code, _, made = imported(ib, tmp_path, *rows, options=("--meta", "version"))
    assert (code, [row["meta"]["version"] for row in made]) == (0, ["a", "b"])
    (tmp_path / "talks.jsonl").unlink()
    rows[1]["version"] = "c"
    code, told, _ = imported(ib, tmp_path, *rows, options=("--meta", "version"))
    assert (code, "version: has 2 values in one conversation: a, c" in told) == (3, True), told


def test_what_could_be_two_forms_is_refused(ib: Ib, tmp_path: Path) -> None:
    """The message names the candidates and the option, and the option decides."""
    both = {"conversation_hash": "x", "conversation": TALK["messages"], **TALK}
    code, told, _ = imported(ib, tmp_path, both)
    assert code == 3
    assert "could be OpenAI chat format or WildChat format; --form openai or --form wildchat" in told
    assert imported(ib, tmp_path, both, options=("--form", "wildchat"))[0] == 0


def test_the_words_of_earlier_releases_are_understood(ib: Ib, tmp_path: Path) -> None:
    """`ib import chat FILE` works on, and says what it is now."""
    (tmp_path / "log.jsonl").write_text(json.dumps(TALK) + "\n")
    code, _, told = ib("import", "chat", tmp_path / "log.jsonl", "--out", tmp_path / "o.jsonl")
    assert (code, "is now `ib import FILE`" in told) == (0, True), told


@pytest.mark.parametrize("carried", ["plays", "all"])
def test_no_release_shows_ids_or_metadata_of_logs(
    carried: str, ib: Ib, transcripts: Write, tmp_path: Path
) -> None:
    """A group of few people could be recognized by them; only whoever has the scan can look them up."""
    logs = [
        row(
            scenario=f"log-{at}",
            tags=[],
            meta={"site": f"meta-heron-{at}"},
            provenance={"source": {"form": "openai", "file": "a.jsonl", "id": f"id-heron-{at}"}},
        )
        for at in range(3)
    ]
    scan, release, site = (tmp_path / name for name in ("scan", "release", "site"))
    judged = ("--profile", "publish", "--judge", "lexical", "--out", scan)
    assert ib("scan", transcripts(*logs), *judged)[0] == 0
    assert ib("publish", scan, "--stage", "demo", "--transcripts", carried, "--out", release)[0] == 0
    assert ib("site", "build", "--release", release, "--out", site)[0] == 0
    assert b"id-heron-1" in (scan / RESULTS).read_bytes()
    shown = [path for folder in (release, site) for path in folder.rglob("*") if path.is_file()]
    assert not [path.name for path in shown if b"-heron-" in path.read_bytes()]
