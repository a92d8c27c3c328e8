"""What a user sees while work goes on: lines without a terminal, bars on one, and a log of calls."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from ib.commands.progress import EVERY, OFTEN, CallLog, Lines, bars, call_words, left_words
from ib.models.scan.cost import ANSWERED, RETRY, CallEvent
from ib.pipeline.common.callbacks import CallProgress
from ib.testing.conditions import Conditions
from ib.testing.judges import passing_reply
from ib.testing.loopback import LoopbackServer, Messages
from tests.commands.conftest import row
from tests.pipeline.verifying import released

Call = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]
MODEL = "openai/gpt-4o-mini"
KEY = "sk-" + "loopback" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
MADE = CallProgress(
    answered=310, called=300, expected=1240, usd=0.42, usd_expected=1.68,
    lost=0, usd_lost_max=0.0, faults=2, retries=1,
)  # fmt: skip


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out, and short waits."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.001)


class Clock:
    """A clock that moves only when told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def test_the_words_about_calls() -> None:
    """Answers, dollars, rate, faults and retries; the time left follows from this session's calls alone."""
    assert call_words(MADE, 60.0) == (
        "310 of about 1,240 calls answered, $0.4200 of about $1.68, 5.0 a second, faults: 2, retries: 1"
    )
    assert left_words(MADE, 60.0) == ", about 3 min left"
    assert left_words(MADE, 6.0) == ", about 19 s left"
    assert "cost unknown, 30.0 a minute" in call_words(replace(MADE, usd_expected=None), 600.0)
    assert left_words(replace(MADE, called=0), 60.0) == ""
    assert left_words(replace(MADE, answered=1240), 60.0) == ""


def test_lost_calls_stand_beside_what_was_spent() -> None:
    """Calls that a kill ended can have cost something, which is never added to what is known."""
    words = call_words(replace(MADE, lost=2, usd_lost_max=0.03), 60.0)
    assert "$0.4200 of about $1.68 (and at most $0.0300 on 2 calls lost to a kill)," in words


def test_a_line_for_every_30_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often progress is reported or the clock is looked at, one line comes each 30 seconds."""
    clock, said = Clock(), list[str]()
    monkeypatch.setattr("ib.commands.progress.LOOK", 3600)
    lines = Lines(said.append, clock)
    for second in range(96):
        clock.time = float(second)
        lines.calls(replace(MADE, answered=second, called=second))
        lines.look()
    lines.close()
    assert [line.split()[0] for line in said] == ["30", "60", "90"]


def test_calls_that_hang_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a single report for a minute, the lines come all the same; none comes after the last call."""
    clock, said = Clock(), list[str]()
    monkeypatch.setattr("ib.commands.progress.LOOK", 3600)
    lines = Lines(said.append, clock)
    lines.calls(MADE)
    for second in (29, 30, 59, 60):
        clock.time = float(second)
        lines.look()
    assert len(said) == 2
    lines.calls(replace(MADE, ended=True))
    clock.time = 200.0
    lines.look()
    lines.close()
    assert len(said) == 2


def test_work_under_30_seconds_is_silent() -> None:
    """Other work is counted by items, in a line after 30 seconds and none before."""
    clock, said = Clock(), list[str]()
    lines = Lines(said.append, clock)
    lines.progress("transcripts", 1, 1000)
    clock.time = EVERY - 1
    lines.progress("transcripts", 900, 1000)
    assert said == []
    clock.time = EVERY
    lines.progress("transcripts", 950, 1000)
    assert said == ["950 of 1,000 transcripts"]


def test_work_that_is_not_counted_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line says how long it takes so far, every 10 seconds in a short command; counted work ends it."""
    clock, said = Clock(), list[str]()
    monkeypatch.setattr("ib.commands.progress.LOOK", 3600)
    lines = Lines(said.append, clock, every=OFTEN)
    lines.step("building the site")
    for second in (9, 10, 19, 20):
        clock.time = float(second)
        lines.look()
    clock.time = 30.0
    lines.progress("pages", 1, 2)
    lines.close()
    assert said == ["building the site, 10 s", "building the site, 20 s", "1 of 2 pages"]


@pytest.mark.gate
def test_short_commands_name_what_they_do(
    ib: Call, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ib demo` and `ib rejudge` name each of their steps on stderr."""
    monkeypatch.setattr("ib.commands.progress.OFTEN", -1.0)
    release = released(tmp_path_factory)
    again = ("rejudge", release, "--judge", "scripts", "--out", tmp_path / "again")
    demo = ("demo", "-s", "context-cultural-family-first", "--out", tmp_path / "demo")
    for command, steps in (
        (again, ("reading the release and planning the questions", "counting what drifted")),
        (demo, ("preparing the plays", "computing everything again for the gate", "building the site")),
    ):
        code, _, err = ib(*command)
        assert code == 0, err
        assert [step for step in steps if f"{step}, 0 s" not in err] == []


@pytest.mark.parametrize("no_color", [False, True])
def test_a_terminal_shows_bars_and_a_line_about_calls(
    monkeypatch: pytest.MonkeyPatch, *, no_color: bool
) -> None:
    """A bar for calls and one for transcripts, with the words below; NO_COLOR takes the colors away."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    screen = io.StringIO()
    with bars(Console(file=screen, force_terminal=True, width=120), lambda _: None) as callbacks:
        callbacks.step("building the site")
        callbacks.progress("transcripts", 0, 4)
        callbacks.calls(MADE)
    shown = screen.getvalue()
    assert "building the site" in shown
    assert "310 of about 1,240 calls answered, $0.4200 of about $1.68" in shown
    assert "transcripts" in shown
    assert "25%" in shown
    assert ("\x1b[35m" in shown) is not no_color, "rich writes the percentage in magenta"


@pytest.mark.parametrize("command", ["run", "scan"])
def test_a_command_shows_its_calls_without_a_terminal(
    command: str, ib: Call, transcripts: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines go to stderr, from no answer to all; stdout is what it was."""
    monkeypatch.setattr("ib.commands.progress.EVERY", -1.0)
    with served() as server:
        code, out, err = ib(*arguments(command, transcripts, server, tmp_path))
    assert code == 0, err
    lines = [line for line in err.splitlines() if " calls answered, " in line]
    assert lines[0].startswith("0 of about ")
    assert lines[-1].startswith(f"{server.seen.answered} of about ")
    assert " calls answered, " not in out


@pytest.mark.parametrize("command", ["run", "scan"])
def test_the_plan_is_said_once_and_the_cost_at_the_end(
    command: str, ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """The estimate comes before the first call, and not again at the end, which says what the calls cost."""
    with served() as server:
        code, out, err = ib(*arguments(command, transcripts, server, tmp_path))
    assert code == 0, err
    assert (out + err).count(f"{MODEL}: about ") == 1
    assert (out + err).count("tokens of prompts") == 2, "once expected, once spent"
    assert f"cost: {server.seen.answered} calls, " in err
    code, out, err = ib(*arguments(command, transcripts, server, tmp_path / "dry"), "--dry-run")
    assert (out + err).count(f"{MODEL}: about ") == 1


@pytest.mark.gate
@pytest.mark.parametrize("command", ["run", "scan"])
def test_the_log_has_a_line_for_each_attempt_and_retry(
    command: str, ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """With time, model, outcome, tokens and seconds; without a key or a text; appended to what is there."""
    log = tmp_path / "calls.log"
    log.write_text("earlier\n")
    with served(rate_limit=0.3) as server:
        code, _, err = ib(*arguments(command, transcripts, server, tmp_path), "--log-file", log)
    assert code == 0, err
    first, *rest = log.read_text().splitlines()
    assert first == "earlier"
    events = [json.loads(line) for line in rest]
    kinds = [event["kind"] for event in events]
    troubles = server.seen.troubles.total()
    assert troubles > 0
    assert kinds.count(ANSWERED) == server.seen.answered
    assert (kinds.count("rate_limit"), kinds.count(RETRY)) == (troubles, troubles)
    assert {tuple(event) for event in events} == {
        ("time", "model", "kind", "seconds", "input_tokens", "output_tokens")
    }
    assert {event["model"] for event in events} == {MODEL}
    assert all(event["input_tokens"] for event in events if event["kind"] == ANSWERED)
    assert KEY not in log.read_text()


def test_a_log_that_cannot_be_opened_stops_before_the_first_call(
    ib: Call, transcripts: Write, tmp_path: Path
) -> None:
    """Exit 4, and the file is named; nothing was asked."""
    with served() as server:
        base = arguments("scan", transcripts, server, tmp_path)
        code, _, err = ib(*base, "--log-file", tmp_path / "no" / "calls.log")
        assert (code, "no/calls.log: cannot be written" in err) == (4, True)
        assert server.seen.requests == 0


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    """An answer that was paid for is worth more than its line: the fault is said once."""
    said: list[str] = []
    with CallLog(Path("/dev/full"), said.append) as log:
        log.write(CallEvent(MODEL, ANSWERED, 1.0))
        log.write(CallEvent(MODEL, ANSWERED, 1.0))
    assert said == [
        "/dev/full: cannot be written: No space left on device; the work goes on without this log"
    ]


def served(rate_limit: float = 0.0) -> LoopbackServer:
    """A judge that passes everything, and a model under test; some requests are refused for a moment."""

    def answer(model: str, messages: Messages) -> str:
        try:
            return passing_reply(messages[-1]["content"])
        except ValueError:
            return "I hear you."

    return LoopbackServer(answer, Conditions(rate_limit=rate_limit, seed=5))


def arguments(command: str, transcripts: Write, server: LoopbackServer, out: Path) -> tuple[object, ...]:
    how = ("--base-url", server.base_url, "--max-retries", 8, "--out", out / command)
    if command == "run":
        return ("run", "-m", MODEL, "-c", "continuity", "--limit", 1, *how)
    path = transcripts(row())
    return ("scan", path, "--profile", "publish", "--judge", MODEL, "--no-cache", *how)
