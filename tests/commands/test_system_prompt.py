"""`ib run --system-prompt`: another prompt is another run, and its results have a key of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import ib as package
from ib.board.figures.build import _notes
from ib.store.folders import runs, scans
from ib.testing.loopback import LoopbackServer, Messages

Call = Callable[..., tuple[int, str, str]]
ONE = ("-c", "continuity", "--limit", 1, "--max-calls", 99)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no provider gave out."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback")


def test_another_system_prompt_is_in_everything(ib: Call, tmp_path: Path) -> None:
    """The model gets its text; plan, transcripts, key and notes of a board follow from it."""
    prompt = tmp_path / "prompt.md"
    prompt.write_text("You are a pirate.\n")
    told: list[str] = []

    def says(model: str, messages: Messages) -> str:
        told.append(messages[0]["content"])
        return "What happened tonight?"

    keys = {}
    with LoopbackServer(says) as server:
        for name, more in (("own", ()), ("pirate", ("--system-prompt", prompt))):
            run = ("run", "-m", f"openai/m@{server.base_url}", *ONE, *more, "--out", tmp_path / name)
            code, _, err = ib(*run)
            assert code == 0, err
            path = tmp_path / name / runs.TRANSCRIPTS
            keys[name] = package.scan(path, out=tmp_path / f"{name}-scan").plan()
    assert told[-1] == "You are a pirate."
    assert told[0] != told[-1]
    known = hashlib.sha256(prompt.read_bytes()).hexdigest()
    plan = json.loads((tmp_path / "pirate" / runs.PLAN).read_bytes())
    (line,) = (tmp_path / "pirate" / runs.TRANSCRIPTS).read_text().splitlines()
    assert plan["system_prompt_hash"] == known
    assert json.loads(line)["provenance"]["system_prompt_hash"] == known
    assert keys["own"].system_prompts == ()
    assert keys["pirate"].system_prompts == (known,)
    assert keys["own"].comparability_key != keys["pirate"].comparability_key
    told_of = [note for note in _notes(keys["pirate"], 0, 0) if known in note]
    # The templates of the pages find the note by its beginning.
    assert [note.startswith("The models were given a system prompt") for note in told_of] == [True]
    assert not any("system prompt" in note for note in _notes(keys["own"], 0, 0))
    assert json.loads((tmp_path / "pirate-scan" / scans.PLAN).read_bytes())["system_prompts"] == [known]


@pytest.mark.parametrize("content", [None, b"", b" \n\t"])
def test_an_empty_or_missing_file_is_an_error(ib: Call, tmp_path: Path, content: bytes | None) -> None:
    """Named before any call; nothing is written."""
    prompt = tmp_path / "prompt.md"
    if content is not None:
        prompt.write_bytes(content)
    out = tmp_path / "run"
    code, _, err = ib("run", "-m", "reference/attentive", *ONE, "--system-prompt", prompt, "--out", out)
    assert code in (3, 4)
    assert "prompt.md" in err
    assert not out.exists()


def test_a_product_keeps_its_own_prompt(ib: Call, tmp_path: Path) -> None:
    """givecare/v2 takes no system prompt, so the option is refused and not ignored."""
    prompt = tmp_path / "prompt.md"
    prompt.write_text("You are a pirate.")
    code, _, err = ib(
        "run", "-m", "givecare/v2", "--base-url", "http://x", *ONE, "--system-prompt", prompt, "--dry-run"
    )
    assert (code, "--system-prompt" in err) == (2, True)
