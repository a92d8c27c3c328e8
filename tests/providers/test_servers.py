"""Runs and scans against servers that nobody of this project wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.store.folders import runs, scans
from tests.providers.conftest import PROXY_KEY, SAID, UNSURE

pytestmark = pytest.mark.servers

Call = Callable[..., tuple[int, str, str]]
SCENARIO = "context-cultural-family-first"
LIMITS = ("--max-calls", 2000, "--max-retries", 2)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the proxy, and short waits between attempts."""
    for name in ("OPENAI_API_KEY", "LITELLM_PROXY_API_KEY"):
        monkeypatch.setenv(name, PROXY_KEY)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setattr("ib.client.client.Patience.first_wait", 0.01)


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def play(ib: Call, model: str, address: str, out: Path) -> tuple[int, str]:
    """Play one scenario against a model at an address; exit code and stderr."""
    code, _, err = ib("run", "-m", model, "-s", SCENARIO, "--base-url", address, *LIMITS, "--out", out)
    return code, err


def played_and_judged(ib: Call, provider: str, address: str, out: Path) -> None:
    """A run with the model `listener` of a provider, and a scan of it with the model `judge`."""
    code, err = play(ib, f"{provider}/listener", address, out / "run")
    assert code == 0, err
    (transcript,) = lines(out / "run" / runs.TRANSCRIPTS)
    replies = [said for said in transcript["messages"] if said["role"] == "assistant"]
    assert {said["content"] for said in replies} == {SAID}
    assert transcript["provenance"]["served_model"].endswith("listener")
    code, _, err = ib(
        "scan", out / "run" / runs.TRANSCRIPTS, "--profile", "dev", "--judge", f"{provider}/judge",
        "--base-url", address, *LIMITS, "--out", out / "scan",
    )  # fmt: skip
    assert code == 0, err
    replies = lines(out / "scan" / scans.REPLIES)[1:]
    assert replies
    assert {reply["answer"] for reply in replies} == {UNSURE}
    (result,) = lines(out / "scan" / scans.RESULTS)
    assert any(row["verdict"] == "UNCLEAR" for row in result["rows"])


@pytest.mark.parametrize("provider", ["litellm_proxy", "openai"])
def test_the_proxy_of_litellm_is_played_and_judges(
    ib: Call, proxy: str, tmp_path: Path, provider: str
) -> None:
    """By its own name and as an OpenAI-compatible server, with its key from the environment."""
    played_and_judged(ib, provider, proxy, tmp_path)


def test_a_rate_limit_of_the_proxy_is_a_fault_and_no_reply(ib: Call, proxy: str, tmp_path: Path) -> None:
    """Where retries are exhausted: exit 4, and nothing to score."""
    code, err = play(ib, "openai/busy", proxy, tmp_path / "run")
    assert (code, "rate_limit" in err) == (4, True), err
    assert lines(tmp_path / "run" / runs.TRANSCRIPTS) == []
    (incomplete,) = lines(tmp_path / "run" / runs.INCOMPLETE)
    assert (incomplete["turn"], incomplete["fault"]) == (1, "rate_limit")


@pytest.mark.parametrize(("model", "key"), [("no-such-model", PROXY_KEY), ("listener", "sk-" + "wrong")])
def test_what_the_proxy_refuses_is_not_asked_again(
    ib: Call, proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, key: str
) -> None:
    """A model that it does not know, and a key that is wrong: exit 4, and the key stands nowhere."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    code, err = play(ib, f"openai/{model}", proxy, tmp_path / "run")
    assert (code, "deterministic" in err) == (4, True), err
    assert key not in err + (tmp_path / "run" / runs.INCOMPLETE).read_text()


@pytest.mark.parametrize(("provider", "path"), [("openai", "/v1"), ("anthropic", "")])
def test_fakellm_is_played_and_judges(
    ib: Call, fakellm: str, tmp_path: Path, provider: str, path: str
) -> None:
    """Through the API of OpenAI and through that of Anthropic, without a key."""
    played_and_judged(ib, provider, fakellm + path, tmp_path)


def test_a_server_error_of_fakellm_is_asked_again(ib: Call, fakellm: str, tmp_path: Path) -> None:
    """The first request of each conversation fails there; the play is whole."""
    code, err = play(ib, "openai/shaky", f"{fakellm}/v1", tmp_path / "run")
    assert code == 0, err
    assert len(lines(tmp_path / "run" / runs.TRANSCRIPTS)) == 1


def test_a_refused_account_of_fakellm_is_not_asked_again(ib: Call, fakellm: str, tmp_path: Path) -> None:
    """Status 403: exit 4, with the words of the server."""
    code, err = play(ib, "openai/closed", f"{fakellm}/v1", tmp_path / "run")
    assert (code, "deterministic" in err) == (4, True), err
    (incomplete,) = lines(tmp_path / "run" / runs.INCOMPLETE)
    assert "not yours" in incomplete["detail"]
