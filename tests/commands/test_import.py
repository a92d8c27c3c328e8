"""`ib import`: every form, every broken shape, and what is said about both."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.conversation.transcript import Transcript

Ib = Callable[..., tuple[int, str, str]]
USER = {"role": "user", "content": "Mum was up four times again."}
REPLY = {"role": "assistant", "content": "Four times, and you got up. Who could take one night?"}
TALK = {"messages": [USER, REPLY]}
INSPECT = Path(__file__).resolve().parents[1] / "fixtures" / "inspect"


def lines(*values: object) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@pytest.fixture
def chat(ib: Ib, tmp_path: Path) -> Callable[..., tuple[int, str, str, list[Transcript]]]:
    """Writes a chat log, imports it, and reads what was written."""

    def call(data: bytes, *options: str, name: str = "log.jsonl") -> tuple[int, str, str, list[Transcript]]:
        path, out = tmp_path / name, tmp_path / "out.jsonl"
        path.write_bytes(data)
        code, said, told = ib("import", path, "--out", out, *options)
        written = out.read_bytes().splitlines() if out.exists() else []
        return code, said, told, [Transcript.model_validate_json(line) for line in written]

    return call


Chat = Callable[..., tuple[int, str, str, list[Transcript]]]
SHAREGPT = {
    "id": "abc",
    "conversations": [
        {"from": "human", "value": USER["content"]},
        {"from": "gpt", "value": REPLY["content"]},
    ],
}
WILDCHAT = {
    "conversation_hash": "d0c",
    "model": "gpt-4-0314",
    "timestamp": "2023-04-09 00:02:53+00:00",
    "conversation": [
        {**USER, "turn_identifier": 1, "timestamp": None},
        {**REPLY, "turn_identifier": 1, "timestamp": "2023-04-09 00:02:53+00:00"},
    ],
    "turn": 1,
    "hashed_ip": "ff",
}
FORMS: dict[str, tuple[bytes, str, str]] = {
    "OpenAI lines": (lines(TALK), "log.jsonl", "openai"),
    "OpenAI lines, gzipped": (gzip.compress(lines(TALK)), "log.jsonl.gz", "openai"),
    "OpenAI list": (json.dumps([TALK], indent=1).encode(), "log.json", "openai"),
    "OpenAI list, gzipped": (gzip.compress(json.dumps([TALK]).encode()), "log.json.gz", "openai"),
    "OpenAI single": (json.dumps(TALK, indent=1).encode(), "log.json", "openai"),
    "lines in a .json file": (lines(TALK), "log.json", "openai"),
    "one list of messages": (json.dumps([USER, REPLY]).encode(), "log.json", "messages"),
    "one list of messages a line": (lines([USER, REPLY]), "log.jsonl", "messages"),
    "one message a line": (lines({**USER, "turn": 1}, {**REPLY, "turn": 1}), "log.jsonl", "messages"),
    "ShareGPT": (lines(SHAREGPT), "log.jsonl", "sharegpt"),
    "ShareGPT with other keys": (lines({"conversations": [USER, REPLY]}), "log.jsonl", "sharegpt"),
    "WildChat": (lines(WILDCHAT), "log.jsonl", "wildchat"),
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_recognized(name: str, chat: Chat) -> None:
    """By its keys: the same words become the same messages, whatever the form and the file name."""
    data, file, form = FORMS[name]
    code, said, told, made = chat(data, name=file)
    assert code == 0, told
    assert f"{form}: 1" in said
    assert [(m.turn, m.role, m.content) for m in made[0].messages] == [
        (1, "user", USER["content"]),
        (1, "assistant", REPLY["content"]),
    ]
    own = {"sharegpt": "abc-e09a9f39", "wildchat": "d0c-e09a9f39"}
    assert made[0].scenario_id == ("chat-e09a9f39bc3fed2a" if made[0].log_id is None else own[form])
    assert made[0].provenance is not None
    assert made[0].provenance.source is not None
    assert (made[0].provenance.harness, made[0].provenance.source.form) == ("import/chat", form)


def test_a_log_alone_is_enough(ib: Ib, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --out, the transcripts are written here under the name of the first file, once."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talks.jsonl.gz").write_bytes(gzip.compress(lines(TALK)))
    assert ib("import", "talks.jsonl.gz")[0] == 0
    made = tmp_path / "talks.transcripts.jsonl"
    before = made.read_bytes()
    assert len(before.splitlines()) == 1
    assert ib("import", "talks.jsonl.gz")[0] == 2
    assert made.read_bytes() == before


def test_what_a_log_says_about_itself_is_kept(chat: Chat) -> None:
    """Model, date, id and line; what it says of other things is named as not read."""
    code, said, _, (made,) = chat(lines(WILDCHAT))
    assert code == 0
    assert made.model_id == "gpt-4-0314"
    assert made.provenance is not None
    assert made.provenance.source is not None
    assert made.provenance.date == "2023-04-09T00:02:53+00:00"
    assert (made.provenance.source.id, made.provenance.source.line) == ("d0c", 1)
    assert "keys not read: hashed_ip (1), turn (1), turn_identifier (1)" in said
    assert "1 conversation without usable times" in said


def test_transcripts_of_this_project_stay_as_they_are(chat: Chat) -> None:
    """Their tags, ids and eligible checks are known; only --model changes something."""
    turns = [{**USER, "turn": 1}, {**REPLY, "turn": 1}]
    own = {
        "model_id": "vendor/a",
        "model": "A",
        "scenario_id": "night-01",
        "tags": ["emotional_disclosure"],
        "eligible_checks": ["IB-C1"],
        "messages": turns,
    }
    assert chat(lines(own))[3] == [Transcript.model_validate_json(json.dumps(own))]


def test_the_model_can_be_named(chat: Chat) -> None:
    """--model goes before what the log says."""
    made = chat(lines({**TALK, "model": "gpt-4"}), "--model", "my/assistant")[3]
    assert (made[0].model_id, made[0].model) == ("my/assistant", "my/assistant")


@pytest.mark.parametrize("log", [TALK, {**TALK, "model": ""}, {**TALK, "model": " \u200b"}])
def test_an_unknown_model_is_said(log: dict[str, Any], chat: Chat) -> None:
    """A log that names no model, or one that nobody can see, is of an unknown one."""
    _, said, _, made = chat(lines(log))
    assert made[0].model_id == "unknown/unknown"
    assert "1 conversation of an unknown model (unknown/unknown; --model names it)" in said


CHANGED = {
    "messages": [
        {"role": "system", "content": "Be kind."},
        USER,
        {"role": "user", "content": "And I work."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "None."},
        REPLY,
        {"role": "user", "content": "Nobody."},
    ],
    "feedback": "good",
}


def test_what_was_changed_is_counted(chat: Chat) -> None:
    """In words, for a person."""
    _, said, told, _ = chat(lines(CHANGED))
    assert said.startswith(
        "1 conversation from 1 file: 1 message merged into the one before, 1 trailing user message cut, "
        "1 system text kept apart, 1 tool call kept apart, 1 tool result kept apart"
    )
    assert "keys not read: feedback (1)" in said
    assert "next: ib scan" in told


def test_what_was_changed_is_data(chat: Chat, tmp_path: Path) -> None:
    """With --json, for a program; stdout has nothing else."""
    _, said, _, _ = chat(lines(CHANGED), "--json", "--model", "my/assistant")
    assert json.loads(said) == {
        "out": str(tmp_path / "out.jsonl"),
        "files": 1,
        "conversations": 1,
        "models": {"my/assistant": 1},
        "forms": {"openai": 1},
        "changes": {
            "messages_merged": 1,
            "system_texts_kept_apart": 1,
            "tool_calls_kept_apart": 1,
            "tool_results_kept_apart": 1,
            "trailing_user_messages_cut": 1,
        },
        "unread": {"feedback": 1},
        "meta": {},
        "shown": [],
        "left_out": [],
    }


def bad(*messages: object) -> dict[str, Any]:
    """A conversation with these messages."""
    return {"messages": list(messages)}


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], set()),
        (["--with-system"], {"system"}),
        (["--with-tools"], {"tool_call", "tool_result"}),
        (["--with-tools", "--with-system"], {"system", "tool_call", "tool_result"}),
    ],
)
def test_judges_are_shown_more_if_asked(options: list[str], shown: set[str], chat: Chat) -> None:
    """Only what was named is marked as shown, and the command says so."""
    _, said, _, (made,) = chat(lines(CHANGED), *options)
    assert {item.kind for item in made.context if item.shown} == shown
    assert {item.kind for item in made.context} == {"system", "tool_call", "tool_result"}
    told = f"judges are shown: {', '.join(sorted(shown))}"
    assert (told in said) == bool(shown)


BROKEN: dict[str, tuple[bytes, str, str]] = {
    "empty file": (b"", "log.jsonl", "log.jsonl: is empty; at least one conversation"),
    "blank lines": (b"\n\n", "log.jsonl", "log.jsonl: is empty"),
    "empty document": (b" ", "log.json", "log.json: is empty"),
    "empty list": (b"[]", "log.json", "log.json:1: is an empty list"),
    "not JSON": (b"hello\n", "log.jsonl", "log.jsonl:1: broken JSON: a value is missing"),
    "document that is not JSON": (b'{"messages": [', "log.json", "log.json:1: broken JSON"),
    "second line not JSON": (lines(TALK) + b"{\n", "log.jsonl", "log.jsonl:2: broken JSON"),
    "key twice": (b'{"messages": [], "messages": []}\n', "log.jsonl", ":1: messages: key given twice"),
    "document in lines": (b"[\n{}\n]\n", "log.jsonl", "a JSON document needs the ending .json"),
    "messages not a list": (
        lines({"messages": "x"}),
        "log.jsonl",
        ":1: messages: is text; a list",
    ),
    "no messages": (lines(bad()), "log.jsonl", ":1: messages: is an empty list"),
    "role unknown": (
        lines(bad({"role": "narrator", "content": "x"})),
        "log.jsonl",
        ':1: messages.0.role: is "narrator"; one of user, human, assistant',
    ),
    "role missing": (lines(bad({"content": "x"})), "log.jsonl", ":1: messages.0.role: is missing"),
    "content missing": (
        lines(bad(USER, {"role": "assistant"})),
        "log.jsonl",
        ":1: messages.1.content: is missing",
    ),
    "content of wrong type": (
        lines(bad({"role": "user", "content": 7}, REPLY)),
        "log.jsonl",
        ":1: messages.0.content: is a number; a text, or a list of parts",
    ),
    "no assistant turn": (lines(bad(USER)), "log.jsonl", "log.jsonl:1: has no assistant message"),
    "no user turn": (lines(bad(REPLY)), "log.jsonl", "log.jsonl:1: has no user message"),
    "duplicate": (
        lines(TALK, TALK),
        "log.jsonl",
        "log.jsonl:2: the same conversation of 'unknown/unknown' as in",
    ),
    "duplicate in a list": (
        json.dumps([TALK, TALK], indent=1).encode(),
        "log.json",
        "log.json:14: 1: the same conversation of 'unknown/unknown' as in",
    ),
    "two forms": (
        lines(TALK, SHAREGPT),
        "log.jsonl",
        "log.jsonl:2: ShareGPT format in a file that begins with OpenAI chat format",
    ),
    "messages, then a conversation": (
        lines(USER, TALK),
        "log.jsonl",
        "log.jsonl:2: OpenAI chat format in a file that begins with one message after the other",
    ),
    "broken gzip": (gzip.compress(lines(TALK) * 99)[:-9], "log.jsonl.gz", "broken gzip: it ends too early"),
    "broken gzip of a document": (
        gzip.compress(json.dumps([TALK] * 99).encode())[:-9],
        "log.json.gz",
        "broken gzip: it ends too early",
    ),
    "no gzip": (lines(TALK), "log.jsonl.gz", "is not gzip, although its name ends in .gz"),
    "no UTF-8": (
        lines(TALK) + b'{"a": "\xff"}\n',
        "log.jsonl",
        ":2: byte 0xff at column 8 is not UTF-8",
    ),
    "document that is no UTF-8": (b'[\n"\xff"]', "log.json", "log.json:2: byte 0xff is not UTF-8"),
    "half a character": (
        b'{"messages": [{"role": "user", "content": "\\ud83d"}]}\n',
        "log.jsonl",
        "surrogate",
    ),
    "deep": (b"[" * 200_000, "log.json", "levels deep"),
    "unknown form": (
        lines({"prompt": "x", "completion": "y"}),
        "log.jsonl",
        "log.jsonl:1: an unknown form: the keys `prompt`, `completion`; known are OpenAI chat format",
    ),
    "a number": (b"5\n", "log.jsonl", "log.jsonl:1: an unknown form: a number"),
    "model of wrong type": (lines({**TALK, "model": 4}), "log.jsonl", ":1: model: is a number"),
    "transcript with an error": (
        lines({"model_id": "a", "scenario_id": "b", **TALK}),
        "log.jsonl",
        "log.jsonl:1: model: ",
    ),
    "too many turns": (lines(bad(*[USER, REPLY] * 10_001)), "log.jsonl", ":1: more than 10,000 turns"),
    "too long a text": (
        lines(bad({"role": "user", "content": "x" * 2_000_001}, REPLY)),
        "log.jsonl",
        ":1: a text of more than 2,000,000 characters",
    ),
    "too long an id": (lines({**TALK, "id": "x" * 2_000_001}), "log.jsonl", "log.jsonl:1: "),
    "too many marks": (
        lines(bad({"role": "user", "content": "a" + "\u0301" * 99}, REPLY)),
        "log.jsonl",
        "combining marks",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_is_an_error_with_its_place(name: str, chat: Chat, tmp_path: Path) -> None:
    """Exit code 3, the place, what was found and what is allowed; nothing is written."""
    data, file, expected = BROKEN[name]
    code, said, told, _ = chat(data, name=file)
    assert (code, said) == (3, ""), told
    assert expected in told
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_all_errors_of_all_files_are_reported_at_once(ib: Ib, tmp_path: Path) -> None:
    """The next try can be the last."""
    for name, data in (("a.jsonl", lines(bad(USER), bad(REPLY))), ("b.jsonl", b"")):
        (tmp_path / name).write_bytes(data)
    _, _, told = ib("import", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--out", tmp_path / "o")
    for place in ("a.jsonl:1:", "a.jsonl:2:", "b.jsonl:"):
        assert place in told


def test_broken_conversations_can_be_left_out(chat: Chat) -> None:
    """Each is named and counted, a duplicate too; the others are written."""
    data = lines(TALK, bad(USER), TALK) + b"{\n"
    code, said, told, made = chat(data, "--skip-broken")
    assert (code, len(made)) == (0, 1)
    assert "3 broken conversations left out" in said
    assert told.count("left out: ") == 3


def test_a_broken_file_is_never_left_out(chat: Chat) -> None:
    """--skip-broken is about conversations: the rest of a cut gzip is unknown."""
    assert chat(gzip.compress(lines(TALK) * 99)[:-9], "--skip-broken", name="log.jsonl.gz")[0] == 3


def test_nothing_left_is_an_error(chat: Chat) -> None:
    """An import without a conversation has no result."""
    code, _, told, _ = chat(lines(bad(USER)), "--skip-broken")
    assert code == 3
    assert "log.jsonl: no conversation can be imported (broken conversations left out: 1)" in told


def test_an_existing_file_is_wrong_usage(chat: Chat, tmp_path: Path) -> None:
    """As for an existing folder: exit code 2, and the file stays as it is."""
    (tmp_path / "out.jsonl").write_bytes(b"")
    code, _, told, _ = chat(lines(TALK))
    assert code == 2
    assert "already exists; choose another file" in told
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_a_log_with_a_long_name_of_a_model_is_refused(chat: Chat) -> None:
    """Pages and tables show the name; the finding says which text is too long."""
    code, _, told, _ = chat(lines({**TALK, "model": "m" * 161}))
    assert (code, "a name of a model of more than 160 characters" in told) == (3, True), told
    assert "a shorter name" in told
    assert chat(lines({**TALK, "model": "m" * 160}))[0] == 0


def test_a_model_that_cannot_be_an_id_is_wrong_usage(chat: Chat) -> None:
    """The message says what an id is made of."""
    code, _, told, _ = chat(lines(TALK), "--model", "my assistant")
    assert code == 2
    assert "such as vendor/model" in told


def test_the_output_is_gzipped_if_its_name_says_so(ib: Ib, tmp_path: Path) -> None:
    """And the same input gives the same bytes."""
    (tmp_path / "log.jsonl").write_bytes(lines(TALK))
    written = []
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        assert ib("import", tmp_path / "log.jsonl", "--out", tmp_path / name)[0] == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert written[0][4:8] == bytes(4)  # the time in the header of gzip
    assert len(gzip.decompress(written[0]).splitlines()) == 1


def test_an_imported_file_can_be_scanned(chat: Chat, ib: Ib, tmp_path: Path) -> None:
    """The next command that the import names works, and no judge is shown what nobody said."""
    chat(lines(CHANGED))
    code, _, told = ib("scan", tmp_path / "out.jsonl", "--out", tmp_path / "scan")
    assert code == 0, told


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (lines(*[TALK] * 5), "log.jsonl", "this looks like OpenAI chat format; run `ib import` first"),
        (lines(*[SHAREGPT] * 5), "log.jsonl", "this looks like ShareGPT format; run `ib import` first"),
        (lines([TALK] * 5), "log.json", "this looks like OpenAI chat format; run `ib import` first"),
        (lines(USER, REPLY), "log.jsonl", "one message after the other; run `ib import` first"),
        (json.dumps([TALK], indent=1).encode(), "log.json", "run `ib import`"),
        ((INSPECT / "complete.eval").read_bytes(), "a.eval", "an Inspect log; run `ib import` first"),
    ],
)
def test_a_scan_names_the_form_of_a_log_once(
    data: bytes, name: str, expected: str, ib: Ib, tmp_path: Path
) -> None:
    """Once a file, not once a line."""
    (tmp_path / name).write_bytes(data)
    code, _, told = ib("scan", tmp_path / name, "--out", tmp_path / "scan")
    assert code == 3
    assert expected in told
    assert len(told.splitlines()) == 1


def test_a_broken_transcript_is_not_taken_for_a_log(ib: Ib, tmp_path: Path) -> None:
    """A line with `model_id` is a transcript with an error, and the error is named."""
    (tmp_path / "t.jsonl").write_bytes(lines({"model_id": "a", "scenario_id": "b", **TALK}))
    _, _, told = ib("scan", tmp_path / "t.jsonl", "--out", tmp_path / "scan")
    assert "ib import" not in told
    assert "messages.0.turn" in told


@pytest.mark.parametrize("name", ["complete.eval", "deflated.eval", "complete.json"])
def test_inspect_logs_of_every_form_are_the_same(name: str, ib: Ib, tmp_path: Path) -> None:
    """Four finished samples, two of them epochs of one; what is left out is counted."""
    code, said, told = ib("import", INSPECT / name, "--out", tmp_path / "out.jsonl", "--json")
    assert code == 0, told
    done = json.loads(said)
    assert done["models"] == {"mockllm/model": 4}
    assert done["changes"]["samples_with_an_error_left_out"] == 1
    assert done["changes"]["samples_without_a_reply_left_out"] == 1
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert [(row["scenario_id"].removeprefix("inspect/night_talks/"), row["epoch"]) for row in rows] == [
        ("attached", 1),
        ("parts", 1),
        ("tired", 1),
        ("tired", 2),
    ]


def test_an_interrupted_log_has_its_finished_samples(ib: Ib, tmp_path: Path) -> None:
    """Without header.json: the model is in the journal, and the state of the log is said."""
    out = tmp_path / "out.jsonl"
    code, said, told = ib("import", INSPECT / "interrupted.eval", "--out", out)
    assert code == 0
    assert said.startswith("3 conversations from 1 file")
    assert "model mockllm/model: 3" in said
    assert "the evaluation is not complete (status: started)" in told


def test_the_same_log_twice_is_a_duplicate(ib: Ib, tmp_path: Path) -> None:
    """Two files of one evaluation do not count twice."""
    files = (INSPECT / "complete.eval", INSPECT / "complete.json")
    code, _, told = ib("import", *files, "--out", tmp_path / "out.jsonl")
    assert code == 3
    assert told.count("the same conversation of 'mockllm/model' as in") == 4


@pytest.mark.gate
def test_a_chat_export_becomes_a_site_in_four_commands(
    ib: Ib, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of docs/import.md, in its order, without a key; no page has what nobody said."""
    monkeypatch.chdir(tmp_path)
    export = [
        {
            "messages": [
                {"role": "system", "content": "The word is heron."},
                {"role": "user", "content": f"Nobody helps me. It is day {day}."},
                {"role": "assistant", "content": "I'm sitting right here, holding your hand."},
                {"role": "user", "content": "Thanks."},
            ]
        }
        for day in range(20)
    ]
    Path("export.jsonl").write_bytes(lines(*export))
    for command in (
        "import export.jsonl --model my/assistant --out talks.jsonl",
        "scan talks.jsonl --profile publish --judge lexical --out scan",
        "publish scan --out release",
        "site build --release release --out site",
    ):
        code, said, told = ib(*command.split())
        assert code == 0, f"{command}: {told}"
        if command.startswith("import"):
            assert said.startswith(
                "20 conversations from 1 file: 20 trailing user messages cut, 20 system texts kept apart"
            )
    (entry,) = json.loads(Path("release/leaderboard.json").read_bytes())["models"]
    assert entry["model_id"] == "my/assistant"
    pages = [path for path in Path("site").rglob("*") if path.is_file()]
    assert any(b"holding your hand" in path.read_bytes() for path in pages)
    assert not any(b"heron" in path.read_bytes() for path in pages)


def row(who: str, text: str, **keys: object) -> dict[str, object]:
    """One message of a file with one message a row."""
    return {"role": who, "content": text, **keys}


@pytest.mark.parametrize("key", ["conversation_id", "session_id", "thread_id", "chatId"])
@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
def test_rows_of_several_conversations_are_told_apart_by_their_key(chat: Chat, key: str, name: str) -> None:
    """Interleaved rows become one conversation for each value, with that id, and nothing is merged across."""
    rows = [
        row("user", "Mum fell.", **{key: "a"}),
        row("user", "Dad hits me.", **{key: 7}),
        row("assistant", "Is she hurt?", **{key: "a"}),
        row("assistant", "Are you safe now?", **{key: 7}),
    ]
    data = lines(*rows) if name.endswith("l") else json.dumps(rows).encode()
    code, said, _, read = chat(data, name=name)
    assert code == 0
    assert [[message.content for message in one.messages] for one in read] == [
        ["Mum fell.", "Is she hurt?"],
        ["Dad hits me.", "Are you safe now?"],
    ]
    assert [one.provenance.source.id for one in read if one.provenance and one.provenance.source] == [
        "a",
        "7",
    ]
    assert "2 conversations told apart by a key of their rows" in said
    assert "keys not read" not in said


def test_an_unknown_key_that_could_tell_conversations_apart_is_an_error(chat: Chat) -> None:
    """Nothing is guessed: the message names the key and the option, and the option decides."""
    rows = lines(
        row("user", "Mum fell.", ticket="a"),
        row("assistant", "Is she hurt?", ticket="a"),
        row("user", "Dad hits me.", ticket="b"),
        row("assistant", "Are you safe now?", ticket="b"),
    )
    code, _, told, read = chat(rows)
    assert (code, read) == (3, [])
    assert "`ticket` has 2 values" in told
    assert "--group-by ticket" in told
    assert len(chat(rows, "--group-by", "ticket")[3]) == 2


def test_rows_are_one_conversation_if_nothing_tells_them_apart(chat: Chat) -> None:
    """Keys that count turns, name speakers or differ in every row do not split a conversation."""
    rows = [
        row("user", "Mum fell.", message_id="1", turn_index=1, speaker="Ann", language="en"),
        row("assistant", "Is she hurt?", message_id="2", turn_index=1, speaker="Bot", language="en"),
        row("user", "Her hip.", message_id="3", turn_index=2, speaker="Ann", language="en"),
        row("assistant", "Call 911.", message_id="4", turn_index=2, speaker="Bot", language="en"),
    ]
    assert [len(one.messages) for one in chat(lines(*rows))[3]] == [4]


def test_the_option_says_that_rows_are_one_conversation(chat: Chat) -> None:
    """`--group-by -` overrules a key; a key that a row lacks is an error with its line."""
    rows = [row(who, f"{who} {n}", day=n) for n in (1, 2) for who in ("user", "assistant")]
    assert [len(one.messages) for one in chat(lines(*rows), "--group-by", "-")[3]] == [4]


def test_a_row_without_the_key_is_an_error(chat: Chat) -> None:
    """A row that belongs nowhere is named by its line."""
    first = [row("user", "Mum fell.", chat_id=1), row("assistant", "Hurt?", chat_id=1)]
    code, _, told, _ = chat(lines(*first, row("user", "Dad.", chat_id=2), row("assistant", "Safe?")))
    assert code == 3
    assert "log.jsonl:4: no `chat_id`" in told


def test_two_keys_that_differ_are_an_error(chat: Chat) -> None:
    """A file whose sessions and threads are not the same parts asks which of them is a conversation."""
    speakers = ("user", "assistant")
    rows = [row(who, f"{who} {n}", session_id=n, thread_id=n // 2) for n in range(4) for who in speakers]
    code, _, told, _ = chat(lines(*rows))
    assert code == 3
    assert "two ways" in told
    assert [len(one.messages) for one in chat(lines(*rows), "--group-by", "thread_id")[3]] == [4, 4]


@pytest.mark.parametrize(
    ("said", "left", "thoughts"),
    [
        ("<think>She may be in danger.</think>\n\nAre you safe?", "Are you safe?", ["She may be in danger."]),
        ("She may be in danger.</think>Are you safe?", "Are you safe?", ["She may be in danger."]),
        ("<thinking>a</thinking>Yes. <think>b</think>Call.", "Yes. Call.", ["a", "b"]),
        ("Write <thin> lines.", "Write <thin> lines.", []),
        ("The tag `</think>` ends it.", "The tag `</think>` ends it.", []),
        ("You will see </think> in the log.", "You will see </think> in the log.", []),
    ],
)
def test_reasoning_between_tags_is_not_the_assistants_words(
    chat: Chat, said: str, left: str, thoughts: list[str]
) -> None:
    """What a model thought is kept apart: no phrase is searched in it, and it is no evidence."""
    (read,) = chat(lines({"messages": [USER, {"role": "assistant", "content": said}]}))[3]
    assert read.messages[1].content == left
    assert [item.content for item in read.context] == thoughts


def test_a_text_before_a_lone_closing_tag_is_counted(chat: Chat) -> None:
    """It may have been said: the report tells how often it was taken for reasoning."""
    said = {"role": "assistant", "content": "She may be in danger.</think>Are you safe?"}
    _, told, *_ = chat(lines({"messages": [USER, said]}))
    assert "1 text before </think> without <think> taken for reasoning" in told


def test_the_persons_tags_stay(chat: Chat) -> None:
    """A person who writes a tag said it."""
    user = {"role": "user", "content": "My bot shows <think>hm</think> in replies."}
    (read,) = chat(lines({"messages": [user, REPLY]}))[3]
    assert read.messages[0].content == user["content"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"conversation_id,role,content\n1,user,Mum fell.\n1,assistant,Is she hurt?\n", "log.csv"),
        (b'\xef\xbb\xbf"role";"content"\n"user";"Mum fell."\n"assistant";"Is she hurt?"\n', "log.jsonl"),
        (b'role\tcontent\r\nuser\tMum fell.\r\nassistant\t"Is she hurt?"\r\n', "log.tsv"),
    ],
)
def test_a_table_is_read_row_by_row(chat: Chat, data: bytes, name: str) -> None:
    """Whatever its delimiter, its name or its line ends."""
    code, _, told, made = chat(data, name=name)
    assert code == 0, told
    assert [message.content for message in made[0].messages] == ["Mum fell.", "Is she hurt?"]


def test_items_of_the_responses_api_are_kept_apart(chat: Chat) -> None:
    """A call, its result and reasoning have no role, and nobody said them."""
    items = [
        {**USER, "type": "message"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "She is tired."}]},
        {"type": "function_call", "name": "find", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "None."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four times."}]},
    ]
    code, _, told, (made,) = chat(lines({"messages": items}))
    assert code == 0, told
    assert [message.content for message in made.messages] == [USER["content"], "Four times."]
    assert [(item.kind, item.content) for item in made.context] == [
        ("reasoning", "She is tired."),
        ("tool_call", "{}"),
        ("tool_result", "None."),
    ]


def test_a_small_document_does_not_unpack_to_gigabytes(chat: Chat) -> None:
    """A document is refused where it becomes larger than any log of its packed size."""
    data = gzip.compress(b"[" + b" " * (40 << 20) + b"]")
    code, _, told, _ = chat(data, name="log.json.gz")
    assert code == 3
    assert f"unpacks from {len(data):,} to more than 16,777,216 bytes" in told
