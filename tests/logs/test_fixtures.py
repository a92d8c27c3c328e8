"""Every form, read from a file in the form that its tool writes: turns, roles, ids and what nobody said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.logs.registry import FORMS, TRANSCRIPT, forms_of
from ib.pipeline.imports.logs import Imported, import_logs
from ib.store.files.yaml_json import parse_json
from tests.fixtures.logs.words import SYSTEM, TALKS, TOOL
from tools.forms import PAGE, with_table

LOGS = Path(__file__).resolve().parents[1] / "fixtures" / "logs"
FIXTURES = {
    "openai.jsonl": "openai",
    "sharegpt.jsonl": "sharegpt",
    "wildchat.parquet": "wildchat",
    "lmsys.parquet": "lmsys",
    "messages.jsonl": "messages",
    "messages.csv": "messages",
    "messages.parquet": "messages",
    "openai-calls.jsonl": "openai-calls",
    "openai-calls-without-ids.jsonl": "openai-calls",
    "responses-calls.jsonl": "responses-calls",
    "anthropic-calls.jsonl": "anthropic-calls",
    "otel.json": "otel",
    "otel.jsonl": "otel",
    "otel-events.jsonl": "otel",
    "langfuse.jsonl": "langfuse",
    "chatgpt.json": "chatgpt",
    "claude.json": "claude",
    "scout.parquet": "scout",
}
"""Each file with its form."""
UNNAMED = ("openai-calls-without-ids.jsonl", "responses-calls.jsonl", "anthropic-calls.jsonl")
"""Logs that have no id of a conversation, only ids of calls."""
WITH_SYSTEM = ("openai.jsonl", "chatgpt.json", "scout.parquet", "langfuse.jsonl", *UNNAMED)
WITH_TOOLS = ("chatgpt.json", "claude.json", "scout.parquet")
WITHOUT_MODEL = ("sharegpt.jsonl", "claude.json")
Row = dict[str, Any]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[Imported, list[Row]]]:
    """Imports a fixture; what was done, and the transcripts."""

    def call(name: str, **options: Any) -> tuple[Imported, list[Row]]:
        if name.endswith(".parquet"):
            pytest.importorskip("pyarrow")
        out = tmp_path / "out.jsonl"
        done = import_logs(LOGS / name, out, **options)
        return done, [json.loads(line) for line in out.read_bytes().splitlines()]

    return call


Read = Callable[..., tuple[Imported, list[Row]]]


def expected(turns: tuple[tuple[str, str], ...]) -> list[tuple[int, str, str]]:
    """The messages of a conversation, as a transcript has them."""
    pairs = [((at, "user", user), (at, "assistant", reply)) for at, (user, reply) in enumerate(turns, 1)]
    return [message for pair in pairs for message in pair]


@pytest.mark.parametrize("name", FIXTURES)
def test_turns_and_roles_are_those_of_the_source(name: str, read: Read) -> None:
    """Both conversations, word for word, in the form that was recognized."""
    done, rows = read(name)
    assert done.forms == {FIXTURES[name]: 2}
    said = [[(m["turn"], m["role"], m["content"]) for m in row["messages"]] for row in rows]
    assert sorted(said) == sorted(expected(turns) for turns in TALKS.values())
    model = "unknown/unknown" if name in WITHOUT_MODEL else "bot-1"
    assert {row["model_id"] for row in rows} == {model}


@pytest.mark.parametrize("name", [name for name in FIXTURES if name not in UNNAMED])
def test_each_conversation_has_the_id_of_its_log(name: str, read: Read) -> None:
    """The id of the log, or of the thread, is found again."""
    _, rows = read(name)
    assert {row["provenance"]["source"]["id"]: row["messages"][0]["content"] for row in rows} == {
        own: turns[0][0] for own, turns in TALKS.items()
    }


@pytest.mark.parametrize("name", FIXTURES)
def test_what_nobody_said_stands_beside_the_messages(name: str, read: Read) -> None:
    """System texts, tools and reasoning are kept, each once, and are in no message."""
    _, rows = read(name)
    for row in rows:
        kinds = [item["kind"] for item in row.get("context", ())]
        texts = [item["content"] for item in row.get("context", ())]
        if name in WITH_SYSTEM:
            assert texts.count(SYSTEM) == kinds.count("system") == 1
        if name in WITH_TOOLS:
            assert texts.count(TOOL) == kinds.count("tool_result") == kinds.count("tool_call") == 1
        assert SYSTEM not in json.dumps(row["messages"])
        assert TOOL not in json.dumps(row["messages"])


def test_the_other_branch_of_a_chat_is_left_out_and_counted(read: Read) -> None:
    """A reply that the person replaced was not the end of it; an empty chat is no conversation."""
    done, rows = read("chatgpt.json")
    assert "did not keep" not in json.dumps(rows)
    assert done.changes["messages_of_other_branches_left_out"] == 2
    assert done.changes["conversations_without_messages_left_out"] == 1


def test_the_other_branch_of_an_export_of_claude_too(read: Read, tmp_path: Path) -> None:
    """The parents say who follows whom."""
    done, rows = read("claude.json")
    assert "did not keep" not in json.dumps(rows)
    assert done.changes["messages_of_other_branches_left_out"] == 2


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("openai.jsonl", "version"),
        ("messages.csv", "version"),
        ("openai-calls.jsonl", "app"),
        ("otel.json", "app.version"),
        ("otel.jsonl", "attributes.app.version"),
        ("langfuse.jsonl", "version"),
        ("scout.parquet", "version"),
    ],
)
def test_metadata_is_found_where_the_tool_writes_it(name: str, key: str, read: Read) -> None:
    """A key of the record, an attribute of a span, a column."""
    _, rows = read(name, meta=[f"version={key}"])
    assert [row["meta"] for row in rows] == [{"version": "7.2"}] * 2


@pytest.mark.parametrize("name", [name for name in FIXTURES if not name.endswith((".parquet", ".csv"))])
def test_a_record_has_one_form(name: str) -> None:
    """No other form recognizes it, so that nothing has to be guessed."""
    text = (LOGS / name).read_text()
    values = (
        json.loads(text) if name.endswith(".json") else [parse_json(one, name) for one in text.splitlines()]
    )
    values = values if isinstance(values, list) else [values]
    for value in values:
        assert [form.name for form in forms_of(value)] == [FIXTURES[name]]


def test_every_form_has_a_fixture() -> None:
    """The table is the list of what is tested; Inspect logs and transcripts have tests of their own."""
    assert {*FIXTURES.values(), "inspect", TRANSCRIPT.name} == FORMS.keys()
    assert {path.name for path in LOGS.iterdir() if path.suffix not in (".py", ".md", "")} == FIXTURES.keys()


def test_the_page_has_the_table_of_the_registry() -> None:
    """Every form with the keys that it reads; `python -m tools.generate` writes it."""
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page
    assert all(f"| `{name}` |" in page for name in FORMS)
