"""The page about submissions: its manifest and its commands work, with a small benchmark."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ib.cli import run
from ib.models.report.submission import PlaySettings, ReasonKind, Submission, Submitter
from tests.docs.steps import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "submit.md").read_text("utf-8")
(TEMPLATE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
EXAMPLE = ["--benchmark", str(ROOT / "docs/examples/refunds")]


def test_the_commands_of_the_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play, write the manifest of the page, check, and estimate; the assistant of the example plays."""
    monkeypatch.chdir(tmp_path)
    steps = list(commands(PAGE))
    assert [step[:2] for step in steps] == [["run", "-m"], ["submit", "check"], ["submit", "check"]]
    for step in steps:
        words = [word.replace("attentive", "steady") for word in step]
        assert run([*words, *EXAMPLE]) == 0, step
        if step[0] == "run":
            Path("submission/submission.yaml").write_text(TEMPLATE.replace("attentive", "steady"))
    report = json.loads(Path("report.json").read_bytes())
    assert report["can_be_judged"]
    assert report["price"]["cost"][0]["usd"] > 0


def test_the_page_has_every_key_and_every_reason() -> None:
    """A key or a reason that is new is explained."""
    keys = {name for model in (Submission, PlaySettings, Submitter) for name in model.model_fields}
    code = re.findall(r"```.*?```|`[^`]+`", PAGE, re.DOTALL)
    listed = {word for piece in code for word in re.findall(r"\w+", piece)}
    assert keys - listed == {"schema_version"}
    assert {kind.value for kind in ReasonKind} <= listed
