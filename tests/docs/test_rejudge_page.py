"""The page about asking a judge again: its commands work on a small release, with a server for a provider."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from ib.cli import run
from ib.testing.loopback import LoopbackServer
from tests.commands.test_live import judges
from tests.docs.steps import commands
from tests.pipeline import verifying

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "rejudge.md").read_text("utf-8")


@pytest.mark.gate
def test_the_commands_of_the_page_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The rehearsal shows no drift, the dry run asks nothing, and a judge that passes everything drifted.

    In place of the check of the page stands one that is due in the small release.
    """
    shutil.copytree(verifying.released(tmp_path_factory), tmp_path / "data" / "leaderboard")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "rejudge-page")
    steps = [[word.replace("IB-A1", "IB-A3") for word in step] for step in commands(PAGE)]
    assert [step[0] for step in steps] == ["rejudge"] * 4
    with LoopbackServer(judges) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        for step in steps:
            before = server.seen.requests
            assert run(step) == 0, step
            assert (server.seen.requests > before) == ("--yes" in step), step
    quiet, drifted, one = (
        json.loads(Path("results", name, "rejudged.json").read_bytes())
        for name in ("again-scripts", "again", "again-a1")
    )
    assert (quiet["turned"], drifted["all_checks"]["answered"]["only_first"]) == ([], 0)
    assert drifted["all_checks"]["answered"]["only_second"] > 0
    assert [check["check_id"] for check in one["checks"]] == ["IB-A3"]


@pytest.mark.gate
def test_the_limits_of_the_page_are_above_its_dry_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command that asks may spend more than it is expected to cost, and less than ten times as much."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "rejudge-page")
    asking = [step for step in commands(PAGE) if "--yes" in step]
    assert len(asking) == 2
    for step in asking:
        limit = float(step[step.index("--max-cost-usd") + 1])
        assert run([*step[: step.index("--max-cost-usd")], "--dry-run"]) == 0
        (expected,) = re.findall(r"about \$([0-9.,]+[0-9])", capsys.readouterr().out)
        assert float(expected) < limit < 10 * float(expected), step
