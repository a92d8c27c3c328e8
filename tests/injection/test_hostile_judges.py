"""Judges that do not answer as they are asked, through a whole scan: every row has a typed outcome."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.engine.questions.replies import TWO_ANSWERS
from ib.store.folders import scans
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer
from tests.commands.conftest import ib, row, transcripts

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
Judge = Callable[[str], str]
KEY = "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
CHECKS = ("IB-A1", "IB-B3", "IB-B4", "IB-C-guilt-loop-amplification", "IB-F2-exclusivity")
"""A check of each way to ask: with hints, by claims, screened with K = 3 and K = 1, and plain."""
__all__ = ["ib", "transcripts"]


def failing(question: str) -> str:
    """The reply of a judge that finds a failure, in words that nobody said."""
    place = {"turn": 1, "quote": "words that nobody in this conversation ever said"}
    if '{"found": [' in question:
        return json.dumps({"found": [{"check": "IB-F2-exclusivity", **place}]})
    if '{"claims": [' in question:
        return json.dumps({"claims": [place]})
    code = question.partition("\nFAIL: ")[2].partition(" (")[0]
    return json.dumps({"occurrences": [place], "reason": "r", "code": code, "verdict": "FAIL"})


def differing(question: str) -> str:
    """The same answer with another decision, in the right form."""
    if '{"found": [' in question:
        return json.dumps({"found": [{"check": "IB-A1", "turn": 1, "quote": "w"}]})
    return failing(question)


UNREADABLE: dict[str, Judge] = {
    "prose": lambda question: "The assistant did well on the whole, and I would say that it passes.",
    "YAML": lambda question: "verdict: PASS\ncode: needs_met\noccurrences: []\nreason: fine\n",
    "another language": lambda question: "Das Urteil lautet: bestanden. Die Antwort war einfühlsam.",
    "HTML": lambda question: "<html><h1>PASS</h1><script>var a = {verdict: 1};</script></html>",
    "nothing but a fence": lambda question: "```json\n```",
    "a list": lambda question: '["PASS"]',
    "an object of its own": lambda question: '{"answer": 42, "confidence": "high"}',
    "an object that is cut off": lambda question: passing_reply(question)[:-1],
    "a verdict inside a verdict": lambda question: json.dumps(
        {"result": json.loads(passing_reply(question))}
    ),
    "its verdict, and then a fake one": lambda question: f"{differing(question)}\n{passing_reply(question)}",
    "a fake verdict, and then its own": lambda question: f"{passing_reply(question)}\n{differing(question)}",
    "a failure that nobody can find": failing,
    "200,000 characters before a verdict": lambda question: "so " * 70_000 + passing_reply(question),
    "numbers without an end": lambda question: '{"turn": ' + "9" * 5_000 + "}",
    "brackets without an end": lambda question: '{"a":' * 3_000,
}
"""Judges without an answer that counts."""
READABLE: dict[str, Judge] = {
    "twice the same": lambda question: f"{passing_reply(question)}\n\n{passing_reply(question)}",
    "a quoted verdict before its own": lambda question: (
        f'It says {{"verdict": "FAIL"}}. {passing_reply(question)}'
    ),
    "HTML around it": lambda question: f"<html><body><pre>{passing_reply(question)}</pre></body></html>",
    "a fence in another language": lambda question: f"Bitte sehr:\n```json\n{passing_reply(question)}\n```",
}
"""Judges with an answer that counts, in a form that was not asked for."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def scanned(ib: Call, path: Path, judge: Judge, out: Path) -> tuple[dict[str, tuple[str, str | None]], str]:
    """The verdict and the reason of each check by a judge, and what its votes say; the gate agrees."""
    with LoopbackServer(lambda model, messages: judge(messages[-1]["content"])) as server:
        code, _, err = ib(
            "scan", path, "--profile", "publish", "--judge", "openai/m", "--base-url", server.base_url,
            "--max-calls", 200, "--out", out, *(word for name in CHECKS for word in ("--check", name)),
        )  # fmt: skip
    assert (code, "Traceback" in err) == (0, False), err
    code, said, err = ib("qa", out, "--stage", "demo")
    assert code == 0, said + err
    result = json.loads((out / scans.RESULTS).read_text())
    rows = {one["mode_id"]: one for one in result["rows"] if one["mode_id"] in CHECKS}
    found = {name: (one["verdict"], one["reason"]) for name, one in rows.items()}
    return found, json.dumps(rows)


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_judge_without_an_answer_that_counts(
    ib: Call, transcripts: Write, tmp_path: Path, name: str
) -> None:
    """Every question is asked once more, and then its row is UNCLEAR, with the reason; nothing passes."""
    said = row(tags=[])
    said["messages"][1]["content"] += " Medicare always pays for a nurse at home."
    found, votes = scanned(ib, transcripts(said), UNREADABLE[name], tmp_path / "scan")
    assert {verdict for verdict, _ in found.values()} == {"UNCLEAR"}
    assert {reason for _, reason in found.values()} <= {"no_majority", "claims_unreadable"}
    assert (TWO_ANSWERS in votes) is ("fake" in name)
    assert b'"attempt":2' in (tmp_path / "scan" / scans.REPLIES).read_bytes()


@pytest.mark.parametrize("name", READABLE)
def test_a_judge_with_an_answer_in_another_form(
    ib: Call, transcripts: Write, tmp_path: Path, name: str
) -> None:
    """The answer counts, and is read as the judge gave it."""
    found, _ = scanned(ib, transcripts(row(tags=[])), READABLE[name], tmp_path / "scan")
    assert {verdict for verdict, _ in found.values()} <= {"PASS", "NOT_APPLICABLE"}


def test_a_judge_that_refuses_in_prose(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """It is asked once; its rows say that it refused."""
    path = transcripts(row(tags=[]))
    found, _ = scanned(ib, path, lambda question: "I'm sorry, I can't help with that.", tmp_path / "scan")
    assert set(found.values()) == {("UNCLEAR", "refused")}
    assert b'"attempt":2' not in (tmp_path / "scan" / scans.REPLIES).read_bytes()
