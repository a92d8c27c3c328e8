"""Broken logs of every form: each is one finding with its place, what was found, and what is allowed."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, WorldError
from ib.pipeline.imports.logs import import_logs

USER = {"role": "user", "content": "Mum was up four times again."}
REPLY = {"role": "assistant", "content": "Four times, and you got up."}
CHOICES = {"choices": [{"message": REPLY, "finish_reason": "stop"}]}
OUTPUT = [
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four times."}]}
]
OTHER_ROLE = 'is "narrator"; one of user, human, assistant'


def lines(*values: object) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def document(*values: object) -> bytes:
    """A JSON document with a list, an item a line."""
    return b"[\n" + b",\n".join(json.dumps(value).encode() for value in values) + b"\n]\n"


def zipped(*names: str) -> bytes:
    """A ZIP with empty members."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "[]")
    return data.getvalue()


def call(request: object, response: object = CHOICES, **more: object) -> dict[str, object]:
    """A record with a request and its response."""
    return {"request": request, "response": response, **more}


def span(**attributes: object) -> dict[str, object]:
    """A span with attributes."""
    told = {name.replace("__", "."): value for name, value in attributes.items()}
    return {"name": "chat", "trace_id": "t", "attributes": told}


def otlp(name: str, value: dict[str, object]) -> dict[str, object]:
    """A document of the OTLP exporter with one span and one attribute."""
    one = {"name": "chat", "traceId": "t", "attributes": [{"key": name, "value": value}]}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]}


def node(text: object, parent: str | None, role: str = "user", **more: object) -> dict[str, object]:
    """A node of the export of ChatGPT."""
    content = {"content_type": "text", "parts": [text]}
    return {"parent": parent, "message": {"author": {"role": role}, "content": content, **more}}


def chat(current: object, **mapping: object) -> dict[str, object]:
    """A conversation of the export of ChatGPT."""
    return {"conversation_id": "c", "current_node": current, "mapping": mapping}


def said(*messages: object) -> dict[str, object]:
    """A conversation of the export of Claude."""
    return {"uuid": "c", "chat_messages": list(messages)}


def observation(**more: object) -> dict[str, object]:
    """An observation of Langfuse."""
    return {"id": "o", "traceId": "t", "type": "GENERATION", "startTime": "2026-11-01T12:00:00Z", **more}


BROKEN: dict[str, tuple[str, bytes, str]] = {
    "openai: a message is a text": (
        "a.jsonl",
        lines({"messages": ["hi"]}),
        "a.jsonl:1: messages.0: is text; a mapping",
    ),
    "openai: an unknown role": (
        "a.jsonl",
        lines({"messages": [USER, {"role": "narrator", "content": "x"}]}),
        f"a.jsonl:1: messages.1.role: {OTHER_ROLE}",
    ),
    "openai: a part without text": (
        "a.jsonl",
        lines({"messages": [{"role": "user", "content": [{"type": "text"}]}, REPLY]}),
        "a.jsonl:1: messages.0.content.0.text: is missing; a text",
    ),
    "openai: a part of no type": (
        "a.jsonl",
        lines({"messages": [{"role": "user", "content": [{"type": 7}]}, REPLY]}),
        "a.jsonl:1: messages.0.content.0.type: is '7'; the type of a part",
    ),
    "openai: in a document": (
        "a.json",
        document({"messages": [USER, REPLY]}, {"messages": 5}),
        "a.json:3: 1.messages: is a number; a list of messages",
    ),
    "sharegpt: a value is a number": (
        "a.jsonl",
        lines({"conversations": [{"from": "human", "value": 5}]}),
        "a.jsonl:1: conversations.0.value: is a number; a text, or a list of parts",
    ),
    "sharegpt: no reply": (
        "a.jsonl",
        lines({"conversations": [{"from": "human", "value": "hi"}]}),
        "a.jsonl:1: has no assistant message; at least one user message and its reply",
    ),
    "wildchat: no list": (
        "a.jsonl",
        lines({"conversation_hash": "x", "conversation": "hi"}),
        "a.jsonl:1: conversation: is text; a list of messages",
    ),
    "lmsys: empty": (
        "a.jsonl",
        lines({"conversation_id": "x", "conversation": []}),
        "a.jsonl:1: conversation: is an empty list; a list of messages",
    ),
    "rows: two keys that differ": (
        "a.jsonl",
        lines(*({**one, "session_id": at, "thread_id": at // 2} for at in range(4) for one in (USER, REPLY))),
        "a.jsonl:1: `session_id` and `thread_id` tell the rows apart in two ways; --group-by session_id",
    ),
    "rows: a row without its id": (
        "a.jsonl",
        lines({**USER, "chat_id": 1}, {**REPLY, "chat_id": 1}, {**USER, "chat_id": 2}, REPLY),
        "a.jsonl:4: no `chat_id`, by which the rows are grouped; a text or a number in every row",
    ),
    "rows: no role in a CSV cell": (
        "a.csv",
        b"role,content\nuser,hi\nassistant,ho\n,hello\n",
        "a.csv:4: an unknown form: the keys `content`; one message after the other",
    ),
    "rows: a cell too many": (
        "a.csv",
        b"role,content\nuser,hi\nassistant,ho\nassistant,hello,you\n",
        "a.csv:4: has 3 cells, and the first line has 2 columns; one cell",
    ),
    "rows: a quote that never ends": (
        "a.csv",
        b'role,content\nuser,"hi\n',
        "a.csv:2: broken CSV: unexpected end of data; cells",
    ),
    "rows: a column twice": (
        "a.csv",
        b"role,content,role\nuser,hi,x\n",
        "a.csv:1: role: column given twice; once",
    ),
    "rows: only columns": (
        "a.csv",
        b"role,content\n",
        "a.csv: has no rows; at least one row below the columns",
    ),
    "rows: an unknown role": (
        "a.csv",
        b"role,content\nnarrator,hi\n",
        f"a.csv:2: role: {OTHER_ROLE}",
    ),
    "openai-calls: an unknown role": (
        "a.jsonl",
        lines(call({"messages": [{"role": "narrator", "content": "x"}]})),
        f"a.jsonl:1: request.messages.0.role: {OTHER_ROLE}",
    ),
    "openai-calls: no choice": (
        "a.jsonl",
        lines(call({"messages": [USER]}, {"choices": []})),
        "a.jsonl:1: response.choices: is no list with a choice; the choices of the response",
    ),
    "openai-calls: a reply of a wrong type": (
        "a.jsonl",
        lines(call({"messages": [USER]}, {"choices": [{"message": {"role": "assistant", "content": 7}}]})),
        "a.jsonl:1: response.choices.0.message.content: is a number; a text, or a list of parts",
    ),
    "openai-calls: the parts of a stream": (
        "a.jsonl",
        lines(call({"messages": [USER]}), call({"messages": [USER]}, [{"delta": {}}])),
        "a.jsonl:2: response: is a list; one whole response, not its parts",
    ),
    "calls: no form is certain": (
        "a.jsonl",
        lines(call({"messages": [USER]}, {"error": {"message": "busy"}})),
        "calls of OpenAI's chat completions API or calls of Anthropic's messages API; --form openai-calls",
    ),
    "anthropic-calls: content is a text": (
        "a.jsonl",
        lines(call({"messages": [USER]}, {"type": "message", "content": "hi"})),
        "a.jsonl:1: response.content: is text; a list of blocks",
    ),
    "anthropic-calls: a block of a wrong type": (
        "a.jsonl",
        lines(call({"messages": [{"role": "user", "content": [5]}]}, {"type": "message", "content": []})),
        "a.jsonl:1: request.messages.0.content.0: is a number; a text, or a mapping with `type`",
    ),
    "responses-calls: an earlier call is missing": (
        "a.jsonl",
        lines(call({"input": "hi", "previous_response_id": "resp_0"}, {"id": "resp_1", "output": OUTPUT})),
        "a.jsonl:1: request.previous_response_id: names 'resp_0', and no earlier call of the file has",
    ),
    "responses-calls: output is a text": (
        "a.jsonl",
        lines(call({"input": "hi"}, {"output": "hello"})),
        "a.jsonl:1: response.output: is text; a list of messages",
    ),
    "responses-calls: an item without a role": (
        "a.jsonl",
        lines(call({"input": [{"content": "hi"}]}, {"output": OUTPUT})),
        "a.jsonl:1: request.input.0.role: is missing; one of user",
    ),
    "otel: messages that are no JSON": (
        "a.jsonl",
        lines(span(gen_ai__input__messages="hi")),
        "a.jsonl:1: attributes.gen_ai.input.messages: is text; a list of messages, or its JSON",
    ),
    "otel: a message without parts": (
        "a.jsonl",
        lines(span(gen_ai__input__messages=json.dumps([USER]))),
        "a.jsonl:1: attributes.gen_ai.input.messages.0: has no parts; a message with `role` and `parts`",
    ),
    "otel: an unknown role in a document": (
        "a.json",
        json.dumps(
            otlp("gen_ai.input.messages", {"stringValue": '[{"role": "narrator", "parts": []}]'})
        ).encode(),
        f"resourceSpans.0.scopeSpans.0.spans.0.attributes.gen_ai.input.messages.0.role: {OTHER_ROLE}",
    ),
    "otel: spans without messages": (
        "a.jsonl",
        lines(span(http__method="GET")),
        "a.jsonl: no conversation can be imported (records that are no call left out: 1); at least",
    ),
    "langfuse: an unknown role": (
        "a.jsonl",
        lines(observation(input=[{"role": "narrator", "content": "x"}], output="y")),
        f"a.jsonl:1: input.0.role: {OTHER_ROLE}",
    ),
    "langfuse: a message of a wrong type": (
        "a.jsonl",
        lines(observation(input=[USER, 5], output="y")),
        "a.jsonl:1: input.1: is a number; a mapping with a role and a text",
    ),
    "langfuse: another record among them": (
        "a.jsonl",
        lines(observation(input="x", output="y"), {"note": 1}),
        "a.jsonl:2: an unknown form: the keys `note`; traces or observations of Langfuse",
    ),
    "chatgpt: the current node is none": (
        "a.json",
        document(chat("z", a=node("hi", None))),
        "a.json:2: 0.current_node: names 'z', which is no node; a key of `mapping`",
    ),
    "chatgpt: a parent that is none": (
        "a.json",
        document(chat("a", a=node("hi", "z"))),
        "a.json:2: 0.mapping.a.parent: names 'z', which is no node; a key of `mapping`",
    ),
    "chatgpt: nodes in a circle": (
        "a.json",
        document(chat("a", a=node("hi", "b"), b=node("ho", "a"))),
        "a.json:2: 0.mapping.a.parent: goes round in a circle; a tree of nodes",
    ),
    "chatgpt: a message without content": (
        "a.json",
        document(chat("a", a={"parent": None, "message": {"author": {"role": "user"}}})),
        "a.json:2: 0.mapping.a.message: has no content; a message with `author` and `content`",
    ),
    "chatgpt: mapping is a list": (
        "a.json",
        document({"mapping": [], "current_node": "a"}),
        "a.json:2: 0.mapping: is a list; a mapping of nodes",
    ),
    "claude: a message is a text": (
        "a.json",
        document(said("hi")),
        "a.json:2: 0.chat_messages.0: is text; a message with `sender` and `text`",
    ),
    "claude: an unknown sender": (
        "a.json",
        document(said({"sender": "narrator", "text": "hi"})),
        f"a.json:2: 0.chat_messages.0.sender: {OTHER_ROLE}",
    ),
    "claude: no list": (
        "a.json",
        document({"chat_messages": "hi"}),
        "a.json:2: 0.chat_messages: is text; a list of messages",
    ),
    "inspect: no samples": (
        "a.json",
        json.dumps({"eval": {}, "status": "success"}).encode(),
        "a.json: samples: is missing; a log with its samples",
    ),
    "chatgpt: the ZIP itself": (
        "a.zip",
        zipped("conversations.json"),
        "a.zip: a ZIP without header.json and without _journal/start.json; a log that Inspect wrote",
    ),
    "inspect: a ZIP that is none": (
        "a.eval",
        b"PK\x03\x04rest",
        "a.eval: broken ZIP: File is not a zip file; a whole .eval file",
    ),
    "scout: messages that are no list": (
        "a.jsonl",
        lines({"transcript_id": "t", "messages": "hi"}),
        "a.jsonl:1: messages: is text; a list of messages",
    ),
}
"""For each broken shape: the name of the file, its bytes, and the finding."""
Finds = Callable[[str, bytes], str]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Finds:
    """The findings of an import that fails."""
    monkeypatch.chdir(tmp_path)

    def call(name: str, data: bytes, **options: Any) -> str:
        Path(name).write_bytes(data)
        with pytest.raises(DataError) as raised:
            import_logs(name, "out.jsonl", **options)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        return str(raised.value)

    return call


def test_there_are_forty_of_them() -> None:
    """And each form has at least one."""
    assert len(BROKEN) >= 40


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_is_one_named_finding(name: str, found: Finds) -> None:
    """File, line or row, key, what was found; what is allowed. Nothing is written."""
    file, data, expected = BROKEN[name]
    said = found(file, data)
    assert expected in said, said
    assert len(said.splitlines()) == 1


def test_a_broken_row_of_a_table_is_named_by_its_number(found: Finds) -> None:
    """Parquet has rows, and no lines."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"conversation_id": str(at), "conversation": [USER] if at else [USER, REPLY]} for at in range(2)]
    parquet.write_table(pa.Table.from_pylist(rows), "../a.parquet")
    said = found("b.parquet", Path("../a.parquet").read_bytes())
    assert "b.parquet: row 2: has no assistant message; at least one user message and its reply" in said


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PAR1 and nothing more", "a.parquet: cannot be read as Parquet: "),
        (b"no table", "a.parquet: cannot be read as Parquet: "),
    ],
)
def test_a_table_that_is_none_is_named(data: bytes, words: str, found: Finds) -> None:
    """Cut off, or something else under its name."""
    pytest.importorskip("pyarrow")
    assert words in found("a.parquet", data)


def test_a_table_that_unpacks_to_gigabytes_is_refused(found: Finds) -> None:
    """As a packed document is: no log is so many times larger than its file."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"role": ["user"] * 9, "content": ["a" * (8 << 20)] * 9}), "../a.parquet",
                        use_dictionary=False, compression="zstd")  # fmt: skip
    assert "a group of rows unpacks from at most" in found("a.parquet", Path("../a.parquet").read_bytes())


def test_without_pyarrow_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an optional extra, and its absence is no fault of the data."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(WorldError, match=r"pip install invisiblebench\[parquet\]"):
        import_logs(tmp_path / "a.parquet", tmp_path / "out.jsonl")
