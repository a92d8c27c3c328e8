"""`--redact`: personal data is gone before anything is written or asked, and quotes are of what is left."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ib as api
from ib.commands.options import OWN_RULES
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.pipeline.common import redactors
from ib.store.folders.scans import PLAN, RESULTS, TRANSCRIPTS
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from ib.text.personal import RULES

Ib = Callable[..., tuple[int, str, str]]
PLANTED = (
    "ruth.quillfeather@example.com",
    "Ruth",
    "Quillfeather",
    "212-555-0187",
    "5550187",
    "12 Elm Street",
    "4111 1111 1111 1111",
    "4111111111111111",
    "00123456",
    "DE89370400440532013000",
)
"""What must be in no file and in no question."""
EVERYTHING = (
    "Ruth Quillfeather, ruth.quillfeather@example.com, 212-555-0187, 12 Elm Street, 4111 1111 1111 1111, "
    "DE89370400440532013000 and account number 00123456"
)
LOG: dict[str, Any] = {
    "id": "ruth.quillfeather@example.com/1",
    "user_name": "Ruth Quillfeather",
    "contact": EVERYTHING,
    "reasoning_effort": "as Ruth Quillfeather likes it",
    "system": f"You talk with {EVERYTHING}.",
    "messages": [
        {
            "role": "user",
            "content": f"My mom Ruth is tired. I am at {EVERYTHING}.",
            "name": "Ruth Quillfeather",
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "find", "arguments": json.dumps({"who": EVERYTHING})}}],
        },
        {"role": "tool", "tool_call_id": "1", "name": "find", "content": EVERYTHING},
        {
            "role": "assistant",
            "content": f"<think>{EVERYTHING}</think>Ruth, I'm sitting right here, holding your "
            f"hand. I wrote down {EVERYTHING}. Call 988 or 1-800-273-8255.",
        },
    ],
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with planted values in every field, outside the folder where everything is written."""
    folder = tmp_path / "Ruth Quillfeather"
    folder.mkdir()
    path = folder / "ruth.quillfeather@example.com.jsonl"
    path.write_text(json.dumps(LOG) + "\n")
    return path


def leaks(folder: Path) -> list[str]:
    """The planted values in the files of a folder, and in their names."""
    found = []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        found += [f"{path.name}: {one}" for one in PLANTED if one.encode() in data or one in path.name]
    return found


def test_the_log_is_full_of_personal_data(log: Path) -> None:
    """Otherwise the tests below see nothing."""
    assert {one for one in PLANTED if one in log.read_text()} == {*PLANTED} - {"5550187", "4111111111111111"}


@pytest.mark.gate
def test_nothing_personal_is_written_or_asked(
    ib: Ib, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in transcripts, plan, journal, cache, results and release, nor in pages and questions."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback")
    monkeypatch.setenv("IB_CACHE", str(tmp_path / "out" / "cache.sqlite"))
    out, asked = tmp_path / "out", []

    def judge(model: str, messages: Messages) -> str:
        asked.append(json.dumps(messages, ensure_ascii=False))
        return passing_reply(messages[-1]["content"])

    steps: tuple[tuple[object, ...], ...] = (
        (
            "import",
            log,
            "--redact",
            "--with-system",
            "--with-tools",
            "--meta",
            "contact",
            "--out",
            out / "t.jsonl",
        ),
        ("scan", out / "t.jsonl", "--profile", "publish", "--judge", "lexical", "--out", out / "scan"),
        ("publish", out / "scan", "--transcripts", "all", "--out", out / "release"),
        ("site", "build", "--release", out / "release", "--out", out / "site"),
    )
    for step in steps:
        code, said, told = ib(*step)
        assert code == 0, told
        assert not [one for one in PLANTED if one in said], step
    with LoopbackServer(judge) as server:
        scan = (
            "scan",
            log.with_name("copy.jsonl"),
            "--redact",
            "--profile",
            "publish",
            "--judge",
            "openai/judge",
        )
        raw = api.import_logs(
            log, log.with_name("copy.jsonl"), with_system=True, with_tools=True, meta=["user_name"]
        )
        assert raw.conversations == 1
        limits = ("--base-url", server.base_url, "--max-calls", 1000, "--out", out / "live")
        code, _, told = ib(*scan, *limits)
        assert code == 0, told
    assert len(asked) > 10
    assert not [one for one in PLANTED if any(one in question for question in asked)]
    assert any("NAME-1" in question for question in asked)
    assert (out / "cache.sqlite").exists() or list(out.glob("cache*"))
    assert leaks(out) == []
    quotes = [
        span["quote"]
        for result in json.loads(b"[%s]" % (out / "scan" / RESULTS).read_bytes().strip())
        for judged in result["rows"]
        for span in judged["evidence"]
    ]
    assert quotes, "the release and its pages show quotes"


def test_the_same_person_has_the_same_stand_in(ib: Ib, log: Path, tmp_path: Path) -> None:
    """In every text of the conversation, so that it keeps its sense; lines that anybody may call stay."""
    out = tmp_path / "t.jsonl"
    code, told, _ = ib("import", log, "--redact", "--out", out)
    assert code == 0
    assert "8 stand-ins put for personal data" in told
    made = Transcript.model_validate_json(out.read_bytes())
    assert made.messages[0].content == (
        "My mom NAME-1 is tired. I am at NAME-1, EMAIL-1, PHONE-1, ADDRESS-1, CARD-1, ACCOUNT-1 and account "
        "number ACCOUNT-2."
    )
    assert "NAME-1, I'm sitting" in made.messages[1].content
    assert made.messages[1].content.endswith("Call 988 or 1-800-273-8255.")
    assert made.redacted == "own/1"
    assert made.log_id == "EMAIL-1/1"


def test_quotes_are_of_the_redacted_text_and_its_hash_is_in_the_plan(
    ib: Ib, log: Path, tmp_path: Path
) -> None:
    """What is verified and hashed is what is written."""
    talks, out = tmp_path / "t.jsonl", tmp_path / "scan"
    assert ib("import", log, "--out", talks, "--meta", "user_name")[0] == 0
    judged = ("--profile", "publish", "--judge", "lexical", "--redact", "--out", out)
    assert ib("scan", talks, *judged)[0] == 0
    line = (out / TRANSCRIPTS).read_bytes().splitlines()[0]
    plan = json.loads((out / PLAN).read_bytes())
    assert [one["transcript_hash"] for one in plan["transcripts"]] == [line_hash(line)]
    assert json.loads(line)["redacted"] == "own/1"
    result = json.loads((out / RESULTS).read_bytes().splitlines()[0])
    quotes = [span["quote"] for row in result["rows"] for span in row["evidence"]]
    assert quotes
    assert not [quote for quote in quotes if any(one in quote for one in PLANTED)]
    assert ib("scan", talks, *judged, "--resume")[0] == 0


def test_redaction_of_redacted_text_changes_nothing() -> None:
    """Stand-ins stay, and a new name gets a number that no text has."""
    talk = [("user", "I'm NAME-1, call 212-555-0187."), ("assistant", "Hello NAME-1 and Ruth.")]
    clean = redactors.redactor((RULES,))
    assert RULES == OWN_RULES
    once, count = clean(api.Transcript.from_messages("a/b", "s", talk), ["Ruth"])
    assert [m.content for m in once.messages] == ["I'm NAME-1, call PHONE-1.", "Hello NAME-1 and NAME-2."]
    assert count == 2
    again, count = clean(once, [])
    assert (transcript_line(again), count) == (transcript_line(once), 0)


def test_without_the_option_nothing_changes(ib: Ib, log: Path, tmp_path: Path) -> None:
    """The words stay as they are, and the line has no new key."""
    assert ib("import", log, "--out", tmp_path / "t.jsonl")[0] == 0
    made = json.loads((tmp_path / "t.jsonl").read_bytes())
    assert "redacted" not in made
    assert EVERYTHING in made["messages"][0]["content"]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with rules of its own, as an installer leaves it."""
    (tmp_path / "acme_rules.py").write_text(
        "def find(text, names):\n"
        "    at = text.find('heron')\n"
        "    return [(at, at + 5, 'BIRD', 'heron')] if at >= 0 else []\n"
        "def wrong(text, names):\n"
        "    return [(0, 10**6, 'BIRD', 'x')]\n"
    )
    info = tmp_path / "acme-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(
        "[ib.redact]\nacme = acme_rules:find\nwrong = acme_rules:wrong\ngone = acme_rules:gone\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    redactors.redactor.cache_clear()
    yield
    sys.modules.pop("acme_rules", None)
    redactors.redactor.cache_clear()


@pytest.mark.usefixtures("installed")
def test_rules_of_an_installed_package_take_part(ib: Ib, tmp_path: Path) -> None:
    """They are named with --redactor, work beside our own, and are named in the transcript."""
    said = [
        {"role": "user", "content": "A heron at 212-555-0187."},
        {"role": "assistant", "content": "A heron?"},
    ]
    (tmp_path / "log.jsonl").write_text(json.dumps({"messages": said}) + "\n")
    code, _, told = ib("import", tmp_path / "log.jsonl", "--redactor", "acme", "--out", tmp_path / "t.jsonl")
    assert code == 0, told
    made = Transcript.model_validate_json((tmp_path / "t.jsonl").read_bytes())
    assert [m.content for m in made.messages] == ["A BIRD-1 at PHONE-1.", "A BIRD-1?"]
    assert made.redacted == "own/1,acme/2.0"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "expected", "words"),
    [
        ("nobody", 2, "no rules 'nobody' for redaction; installed are acme, gone, own, wrong"),
        ("gone", 4, "the rules 'gone' cannot be loaded"),
        ("wrong", 4, "are wrong: found (0, 1000000"),
    ],
)
def test_rules_that_do_not_work_stop_the_import(
    name: str, expected: int, words: str, ib: Ib, log: Path, tmp_path: Path
) -> None:
    """Text that nobody could redact is not written."""
    code, _, told = ib("import", log, "--redactor", name, "--out", tmp_path / "t.jsonl")
    assert (code, words in told) == (expected, True), told
    assert not (tmp_path / "t.jsonl").exists()
