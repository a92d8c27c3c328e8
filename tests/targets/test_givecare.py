"""The experimental harness givecare/v2, played against a small site: what is sent, and what may go wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run
from ib.models.conversation.scenario import Scenario
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from ib.store.folders import runs
from tests.targets.site import Site, ready, status

KEY = "bench-" + "key"
SCENARIO = "context-cultural-family-first"
SESSIONS = "continuity"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the site, and short waits between attempts."""
    monkeypatch.setenv("GIVECARE_BENCH_KEY", KEY)
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.01)


@pytest.fixture
def ib(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs the command line; exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def play(
    ib: Call, site: Site, out: Path, *more: object, chosen: tuple[str, str] = ("-s", SCENARIO)
) -> tuple[int, str]:
    """Play a scenario against a site; exit code and stderr."""
    code, _, err = ib(
        "run", "-m", "givecare/v2", *chosen, "--base-url", site.address, "--max-calls", 1000,
        "--max-retries", 2, "--out", out, *more,
    )  # fmt: skip
    return code, err


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def scenario() -> Scenario:
    """The scenario that is played."""
    return load_scenarios(benchmark_folder())[SCENARIO]


def test_turns_are_sent_with_what_was_said_before(ib: Call, tmp_path: Path) -> None:
    """Health first, once; then each turn, with its scenario, what was said before, and no system prompt."""
    with Site(KEY) as site:
        code, err = play(ib, site, tmp_path / "run")
    assert code == 0, err
    health, *turns = site.asked
    assert health == {"action": "harnessHealth"}
    assert [turn["action"] for turn in turns] == ["runBenchmarkTurn"] * len(list(scenario().all_turns()))
    assert {turn["scenarioId"] for turn in turns} == {SCENARIO}
    assert turns[0]["previousMessages"] == []
    assert turns[1]["previousMessages"] == [
        {"role": "user", "text": turns[0]["userMessage"]},
        {"role": "assistant", "text": "I hear you, after 0 messages."},
    ]
    (transcript,) = lines(tmp_path / "run" / runs.TRANSCRIPTS)
    assert [said["content"] for said in transcript["messages"][:4:2]] == [
        turn["userMessage"] for turn in turns[:2]
    ]
    assert transcript["messages"][3]["content"] == "I hear you, after 2 messages."


def test_the_words_between_sessions_are_not_sent(ib: Call, tmp_path: Path) -> None:
    """A context of a session is a system message: the contract knows the roles user and assistant."""
    with Site(KEY) as site:
        code, err = play(ib, site, tmp_path / "run", "--limit", 4, chosen=("-c", SESSIONS))
    assert code == 0, err
    roles = {said["role"] for body in site.asked[1:] for said in body["previousMessages"]}
    assert roles == {"user", "assistant"}
    assert sum(body["action"] == "harnessHealth" for body in site.asked) == 1


def test_a_transcript_names_the_harness_and_no_system_prompt(ib: Call, tmp_path: Path) -> None:
    """The product has its own system prompt, which is not known here."""
    with Site(KEY) as site:
        play(ib, site, tmp_path / "run")
    (transcript,) = lines(tmp_path / "run" / runs.TRANSCRIPTS)
    assert transcript["model_id"] == "givecare/v2"
    provenance = transcript["provenance"]
    assert (provenance["harness"], provenance.get("system_prompt_hash")) == ("givecare/v2", None)


def test_a_site_in_a_file_of_models_has_the_id_of_the_file(ib: Call, tmp_path: Path) -> None:
    """The harness stays the same, whatever the id is."""
    with Site(KEY) as site:
        file = tmp_path / "models.yaml"
        file.write_text(
            "schema_version: 1\n"
            f"models: [{{model: givecare/v2, id: mira, settings: {{base_url: '{site.address}'}}}}]\n"
        )
        code, _, err = ib(
            "run", "--config", file, "-s", SCENARIO, "--max-calls", 1000, "--out", tmp_path / "run"
        )
    assert code == 0, err
    (transcript,) = lines(tmp_path / "run" / runs.TRANSCRIPTS)
    assert (transcript["model_id"], transcript["provenance"]["harness"]) == ("mira", "givecare/v2")


def test_an_experimental_harness_is_refused_from_research_on(ib: Call, tmp_path: Path) -> None:
    """The gate names the harness; a demonstration may show it."""
    with Site(KEY) as site:
        play(ib, site, tmp_path / "run")
    scan = tmp_path / "scan"
    transcripts = tmp_path / "run" / runs.TRANSCRIPTS
    code, _, err = ib("scan", transcripts, "--profile", "publish", "--judge", "lexical", "--out", scan)
    assert code == 0, err
    code, _, err = ib("publish", scan, "--stage", "research", "--out", tmp_path / "release")
    assert (code, "harness 'givecare/v2' is experimental" in err) == (1, True), err
    assert not (tmp_path / "release").exists()
    assert ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")[0] == 0


def test_a_temporary_fault_is_asked_again(ib: Call, tmp_path: Path) -> None:
    """Two faults, then replies: the play is whole."""
    with Site(KEY, status(503, 2)) as site:
        code, err = play(ib, site, tmp_path / "run")
    assert code == 0, err
    assert len(site.asked) == 1 + 2 + len(list(scenario().all_turns()))


def test_a_fault_is_never_a_reply(ib: Call, tmp_path: Path) -> None:
    """Exit 4; the play is incomplete, and nothing of it is scored."""
    with Site(KEY, status(403)) as site:
        code, err = play(ib, site, tmp_path / "run")
    assert code == 4, err
    assert lines(tmp_path / "run" / runs.TRANSCRIPTS) == []
    (incomplete,) = lines(tmp_path / "run" / runs.INCOMPLETE)
    assert (incomplete["fault"], "403" in incomplete["detail"]) == ("deterministic", True)


def test_a_site_that_is_not_ready_ends_the_run_before_the_first_turn(ib: Call, tmp_path: Path) -> None:
    """Exit 4; no turn was asked, and the run can be resumed."""
    with Site(KEY, health=status(503)) as site:
        code, err = play(ib, site, tmp_path / "run")
        assert (code, "not ready" in err, "503" in err) == (4, True, True), err
        assert {body["action"] for body in site.asked} == {"harnessHealth"}
        assert len(site.asked) == 3
        site.health = ready
        assert play(ib, site, tmp_path / "run", "--resume")[0] == 0


def test_no_message_and_no_file_holds_the_key(
    ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the site repeats it: a wrong key is named as wrong, not as what it is."""
    wrong = "another-" + "key"
    monkeypatch.setenv("GIVECARE_BENCH_KEY", wrong)
    with Site(KEY) as site:
        code, err = play(ib, site, tmp_path / "run")
    assert (code, "401" in err) == (4, True), err
    assert wrong not in err
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path.name for path in files if wrong.encode() in path.read_bytes()]


def test_what_is_missing_is_named_before_any_call(
    ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address, the limit, the key; and a setting that the product cannot take."""
    base = ("run", "-m", "givecare/v2", "-s", SCENARIO, "--out", tmp_path / "run")
    address = ("--base-url", "http://127.0.0.1:9")
    for arguments, said in (
        ((*base, "--max-calls", 9), "--base-url"),
        ((*base, *address), "--max-calls"),
        ((*base, *address, "--max-calls", 9, "--temperature", 0), "`temperature`"),
    ):
        code, _, err = ib(*arguments)
        assert (code, said in err) == (2, True), err
    monkeypatch.delenv("GIVECARE_BENCH_KEY")
    code, _, err = ib(*base, *address, "--max-calls", 9)
    assert (code, "GIVECARE_BENCH_KEY" in err) == (4, True), err
    assert not (tmp_path / "run").exists()
