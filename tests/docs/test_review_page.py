"""The page about reviews: its commands work on a small scan, with the answers of readers."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from ib.cli import run
from tests.commands.test_review import answers, decided
from tests.commands.test_review_dispute import make_release
from tests.commands.test_review_label_studio import exported
from tests.docs.steps import commands
from tests.once import once

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "review.md").read_text("utf-8")


def permalink() -> str:
    """The address of a FAIL on the site of the release."""
    for page in sorted(Path("site", "models").glob("*/IB-*/index.html")):
        if found := re.search(r'<article class="ib-case" id="([^"]+)"', page.read_text("utf-8")):
            return f"https://example.org/bench/{page.parent.relative_to('site')}/#{found[1]}"
    raise AssertionError("no FAIL has a page")


def readers(step: list[str], batch: Path) -> None:
    """Write what people bring: answers before they are applied, and an export before it is imported."""
    if step[:2] == ["review", "apply"]:
        shutil.rmtree(step[step.index("--out") + 1], ignore_errors=True)  # both examples write the same
        for name in ("anna", "ben"):
            answers(json.loads(batch.read_bytes()), Path(f"review-{name}.json"), name=name, say="pass")
    if step[:2] == ["review", "import"]:
        tasks = json.loads(Path("tasks", "tasks.json").read_bytes())
        Path("export.json").write_text(json.dumps(exported(tasks)))


@pytest.mark.gate
def test_the_commands_of_the_page_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In their order; people decide rows of the scan, and the dispute has an outcome."""
    made = once(tmp_path_factory, "review-release", make_release)
    shutil.copytree(made / "scan", tmp_path / "results" / "scan-1")
    shutil.copytree(made / "release", tmp_path / "data" / "leaderboard")
    shutil.copytree(made / "site", tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    for step in commands(PAGE):
        words = [permalink() if word.endswith("/SLUG/CHECK/#CASE") else word for word in step]
        readers(words, Path("dispute.json" if "dispute-claim.json" in words else "batch.json"))
        assert run(words) == 0, step
    assert decided(Path("results", "scan-1-read"))
    assert '"dispute"' in Path("results", "scan-1-read", "reviews.jsonl").read_text("utf-8")
    imported = json.loads(Path("review-anna.json").read_bytes())
    assert imported["batch"] == json.loads(Path("dispute.json").read_bytes())["hash"]
