"""The assumptions of an estimate, and the tokenizer that counts without a network."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from ib.errors import DataError
from ib.store.benchmark.estimates import FILE, load_estimates
from ib.store.benchmark.loading import benchmark_folder
from ib.store.files import tokens
from ib.store.files.tokens import LONGEST_RUN, token_counter


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """A benchmark folder that holds only the assumptions, with one change."""
    text = (benchmark_folder() / FILE).read_text()
    assert old in text
    (tmp_path / "configs").mkdir()
    (tmp_path / FILE).write_text(text.replace(old, new))
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("  named: 0.05\n", "", "follow.named"),
        ("  screen: 80\n", "", "output_tokens.screen"),
        ("  named: 0.05\n", "  named: 5\n", "follow.named"),
        ("  named: 0.05\n", "  names: 0.05\n", "follow.names"),
        ("reply_tokens: 590", "reply_tokens: many", "reply_tokens"),
    ],
)
def test_an_error_is_named_with_line_and_key(tmp_path: Path, old: str, new: str, key: str) -> None:
    """Also an assumption that is missing for a kind of question or a reason to follow."""
    with pytest.raises(DataError) as caught:
        load_estimates(changed(tmp_path, old, new))
    found = caught.value.findings[0]
    assert found.file.endswith("estimates.yaml")
    assert found.line is not None
    assert key in found.key


def test_a_benchmark_without_assumptions_uses_those_of_the_package(tmp_path: Path) -> None:
    """They say how models reply, and not what the benchmark asks."""
    assert load_estimates(tmp_path) == load_estimates(benchmark_folder())


def test_tokens_are_counted_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokenizer's file comes with litellm. English has about 4.4 characters a token."""
    monkeypatch.setattr(socket, "socket", None)
    count = token_counter()
    assert count.name == "o200k_base"
    line = "I have been taking care of my mother since the winter, and I do not sleep much.\n"
    assert len(line) / 6 < count(line) < len(line) / 3


def test_a_long_run_of_characters_is_counted_in_pieces() -> None:
    """A run without spaces would otherwise take time that grows faster than its length."""
    count = token_counter()
    run = "ab" * LONGEST_RUN
    assert count(run) == 2 * count(run[:LONGEST_RUN])
    assert count(" " * (LONGEST_RUN + 1)) > 0


def test_without_the_tokenizer_characters_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate then says so."""
    monkeypatch.setattr(tokens, "_folder", lambda: None)
    count = token_counter()
    assert (count.name, count("12345678"), count("123456789")) == ("4 characters a token", 2, 3)
