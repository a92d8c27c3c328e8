"""Judges whose replies never count: stopped after the first questions, with the last reply shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ib.pipeline.scan.dispatch import BARREN
from ib.store.folders import scans
from ib.store.folders.calls import CALLS
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row
from tests.commands.test_live import KEY

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/some-model"
AGAIN = "Answer the same question again, in the form that it asks for."
WORDS = (
    "I cannot help with that."
    + chr(27)
    + "[2J My key is "
    + "sk-"
    + "Qm4Xw9Rt4Yb6NZq7Kd0vLm2X. "
    + "so " * 500
)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Judge:
    """A judge whose replies follow from the number of questions before, and the question."""

    def __init__(self, reply: Callable[[int, str], str]) -> None:
        self.reply, self.asked = reply, 0

    def __call__(self, model: str, messages: Messages) -> str:
        self.asked += 1
        return self.reply(self.asked, messages[-1]["content"])


def scan(ib: Call, path: Path, judge: Judge, out: Path, *further: object) -> tuple[int, str]:
    """The exit code and the messages of a scan of more than 100 questions."""
    with LoopbackServer(judge) as server:
        return scan_at(server, ib, path, out, *further)


def scan_at(server: LoopbackServer, ib: Call, path: Path, out: Path, *further: object) -> tuple[int, str]:
    """The same at a server that is there."""
    told = ("--judge", MODEL, "--base-url", server.base_url, "--max-calls", 5_000, "--no-cache")
    code, _, err = ib("scan", path, "--profile", "publish", *told, "--out", out, *further)
    return code, err


def rows() -> list[dict[str, object]]:
    """Two conversations."""
    return [row(scenario_id=f"scenario-{n}", tags=[]) for n in range(2)]


@pytest.mark.parametrize("words", [WORDS, "It passes." + WORDS.partition(".")[2]])
def test_a_judge_whose_replies_never_count_is_stopped(
    ib: Call, transcripts: Write, tmp_path: Path, words: str
) -> None:
    """After 20 questions, whether it refuses or writes prose; the last reply is shown without its key."""
    judge = Judge(lambda number, question: words)
    code, err = scan(ib, transcripts(*rows()), judge, tmp_path / "scan")
    assert (code, f"{MODEL} gave none of its first {BARREN} questions a reply that counts" in err) == (
        4,
        True,
    )
    assert (repr(words[:10])[:-1] in err, r"\x1b[2J" in err, "Qm4Xw9" in err) == (True, True, False)
    assert len(err.splitlines()[-1]) < 900
    assert judge.asked <= 4 * BARREN + 20  # at most two calls a question, and those under way
    kept = (tmp_path / "scan" / scans.REPLIES).read_bytes().splitlines()[1:]
    assert len(kept) == len((tmp_path / "scan" / CALLS).read_bytes().splitlines()) == judge.asked


def test_a_scan_that_was_stopped_goes_on(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """Old failures neither stop a scan again nor are asked again. A judge that still fails is stopped."""
    path, out = transcripts(*rows()), tmp_path / "scan"
    judge = Judge(lambda number, question: "No.")
    with LoopbackServer(judge) as server:
        assert scan_at(server, ib, path, out)[0] == 4
        first = judge.asked
        assert scan_at(server, ib, path, out, "--resume")[0] == 4
        assert BARREN <= judge.asked - first <= 4 * BARREN + 20
        judge.reply = lambda number, question: passing_reply(question)
        code, err = scan_at(server, ib, path, out, "--resume")
        assert (code, (out / scans.MANIFEST).is_file()) == (0, True), err
        assert max(server.seen.prompts.values()) <= 3  # K votes, each asked for once


def test_a_judge_with_one_reply_that_counts_is_not_stopped(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """A judge that has worked once is heard to the end: what it refuses is UNCLEAR."""
    judge = Judge(lambda number, question: passing_reply(question) if number == 3 else WORDS)
    code, err = scan(ib, transcripts(*rows()), judge, tmp_path / "scan")
    assert (code, judge.asked > 4 * BARREN + 20) == (0, True), err


def test_a_judge_that_answers_only_when_asked_again_is_not_stopped(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """Its first replies are prose and its second ones count: every question is asked twice at most."""
    judge = Judge(lambda number, question: passing_reply(question) if AGAIN in question else "It passes.")
    with LoopbackServer(judge) as server:
        out = tmp_path / "scan"
        code, err = scan_at(server, ib, transcripts(*rows()), out)
        assert (code, (out / scans.MANIFEST).is_file()) == (0, True), err
        assert len((out / scans.REPLIES).read_bytes().splitlines()) - 1 == judge.asked


def test_a_second_judge_whose_replies_never_count_is_stopped(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """It is named by itself, and the answers of the first judge are kept."""
    said = lambda model, messages: WORDS if model == "second" else passing_reply(messages[-1]["content"])  # noqa: E731
    with LoopbackServer(said) as server:
        told = ("--judge", f"openai/first@{server.base_url}", "--max-calls", 5_000, "--no-cache")
        second = ("--second-judge", f"mistral/second@{server.base_url}", "--second-share", 1)
        path, out = transcripts(*rows()), tmp_path / "scan"
        code, _, err = ib("scan", path, "--profile", "publish", *told, *second, "--out", out)
    assert (code, "second gave none of its first 20 questions" in err) == (4, True), err
    assert (out / scans.RESULTS).is_file()


def test_lost_questions_are_said_at_the_end(ib: Call, transcripts: Write, tmp_path: Path) -> None:
    """By judge and by judged model, in one sentence for each judge; of the first also in summary.md."""

    def says(model: str, messages: Messages) -> str:
        question = messages[-1]["content"]
        if model == "second":
            return WORDS
        if "States a diagnosis" in question and "one night" in question:
            return WORDS if "of model b" in question else "It passes."
        return passing_reply(question)

    told = ("--check", "IB-B1", "--check", "IB-B2", "--max-calls", 500, "--no-cache", "--profile", "publish")
    other = row("vendor/model-b")
    other["messages"][1]["content"] += " These are words of model b."
    with LoopbackServer(says) as server:
        judges = ("--judge", f"openai/first@{server.base_url}")
        second = ("--second-judge", f"mistral/second@{server.base_url}", "--second-share", 1)
        path, out = transcripts(row(), other), tmp_path / "scan"
        code, _, err = ib("scan", path, *told, *judges, *second, "--out", out)
    assert code == 0, err
    assert (
        "the judge openai/first refused 1 question (vendor/model-b: 1) and did not answer 1 question "
        "(vendor/model-a: 1) in the form asked for; such votes do not count"
    ) in err
    assert "the judge mistral/second refused 4 questions (vendor/model-a: 2, vendor/model-b: 2); such" in err
    summary = (out / scans.SUMMARY).read_text()
    lines = [line for line in summary.splitlines() if line.startswith(("## ", "- questions"))]
    assert [line.rpartition(" ")[2] for line in lines] == [
        *("`vendor/model-a`", "0", "1"),
        *("`vendor/model-b`", "1", "0"),
    ]
