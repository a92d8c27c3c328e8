"""The Python examples of the pages run as they stand there, one after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ib

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"
EXPORT = (
    '{"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}, '
    '{"role": "user", "content": "Bye."}]}'
)
"""The chat log that docs/import.md imports."""


@pytest.mark.gate
def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each prints what a reader expects to see."""
    monkeypatch.chdir(tmp_path)
    said = printed(PAGE, capsys)
    assert "log-1 ['IB-C2-minimizing', 'IB-F2-availability-promise']" in said[0], said[0]
    assert "demo [('reference/attentive', 0)" in said[1]
    assert "of" in said[2]
    assert "run_plan.json 1" in said[3]
    assert said[4]


def printed(page: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What each Python example of a page prints."""
    names: dict[str, object] = {"__name__": __name__}
    said = []
    for example in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(example, page.name, "exec"), names)  # noqa: S102 - the page is part of this project
        said.append(capsys.readouterr().out)
    return said


@pytest.mark.gate
@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("README.md", "log-1 ['IB-C2-minimizing', 'IB-F2-availability-promise', 'IB-F3-false-memory']"),
        ("docs/add-a-judge.md", "UNCLEAR"),
        ("docs/import.md", "1 {'trailing_user_messages_cut': 1}"),
        ("docs/rehearse.md", "0 incomplete of"),
        ("docs/batches.md", " bytes"),
        ("docs/sample.md", "0.167, from 0."),
    ],
)
def test_the_example_of_another_page_runs(
    page: str,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The example of the README has ten lines, and finds what its text says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "export.jsonl").write_text(EXPORT)
    assert expected in printed(ROOT / page, capsys)[-1]


@pytest.mark.parametrize("name", ib.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    """What `ib` lists can be imported from it, and is what it says."""
    assert getattr(ib, name) is not None
    assert name in dir(ib)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As for any module; the message lists what there is."""
    with pytest.raises(AttributeError, match="it exports"):
        _ = ib.nothing


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        ([("user", "hi")], "no assistant message"),
        ([("user", "hi"), ("bot", "hello")], "message 2: role 'bot'; it must be user or assistant"),
        ([{"role": "user", "content": None}], "message 1: found"),
        (["hello"], "message 1: found 'hello'; a role and a text"),
    ],
)
def test_a_conversation_that_is_none_is_a_data_error(talk: list[Any], said: str) -> None:
    """Every error is an IbError, and says which message is wrong."""
    with pytest.raises(ib.DataError, match=re.escape(said)):
        ib.Transcript.from_messages("my/assistant", "log-1", talk)


def test_one_conversation_needs_no_list(tmp_path: Path) -> None:
    """A path or a transcript by itself is scanned as a list of one."""
    talk = ib.Transcript.from_messages("my/assistant", "log-1", [("user", "Hi."), ("assistant", "Hello.")])
    assert [result.scenario_id for result in ib.scan(talk, out=tmp_path / "scan").results()] == ["log-1"]


def test_messages_of_openai_are_accepted() -> None:
    """A list of mappings with a role and a content is the same as a list of pairs."""
    pairs = [("user", "Hi."), ("assistant", "Hello.")]
    mappings = [{"role": role, "content": text} for role, text in pairs]
    made = [ib.Transcript.from_messages("my/assistant", "log-1", talk) for talk in (pairs, mappings)]
    assert made[0] == made[1]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """A path may be a string, and one that does not exist is a DataError; nothing to scan is wrong usage."""
    with pytest.raises(ib.DataError, match="no such folder"):
        ib.load_benchmark(str(tmp_path / "none"))
    with pytest.raises(ib.DataError, match="no such file"):
        list(ib.ScanFolder(str(tmp_path / "none")).results())  # type: ignore[arg-type] # as in a notebook
    with pytest.raises(ib.UsageError, match="nothing to scan"):
        ib.scan([], out=tmp_path / "scan")
    assert not (tmp_path / "scan").exists()
