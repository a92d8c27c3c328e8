"""The demonstration in the repository: its day changes only with the rest of it."""

from __future__ import annotations

import itertools
import shutil
from datetime import date
from pathlib import Path

import pytest

from ib.models.release.leaderboard import Leaderboard
from tests.delivery import sample
from tools import generate

FIRST, LATER = date(2026, 11, 21), date(2026, 11, 22)


class Steps:
    """Stands in for `ib`: writes the sample's release, with `votes` as its only figure that changes."""

    def __init__(self, today: date) -> None:
        self.today, self.votes = today, 360
        self.commands: list[str] = []

    def run(self, arguments: list[str]) -> int:
        """`ib demo` or `ib publish`, on the day of `--date`, else today."""
        self.commands.append(arguments[0])
        told = dict(itertools.pairwise(arguments))
        day = date.fromisoformat(told["--date"]) if "--date" in told else self.today
        out = Path(told["--out"])
        folder = out / "release" if arguments[0] == "demo" else out
        shutil.rmtree(folder, ignore_errors=True)
        board = sample.release()[0].model_copy(update={"released": day, "votes": self.votes})
        sample.write(folder, board=board)
        return 0


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """The steps of a demonstration, on the first day."""
    made = Steps(FIRST)
    monkeypatch.setattr(generate, "run", made.run)
    return made


def test_a_demonstration_keeps_its_day_while_nothing_else_changes(steps: Steps, tmp_path: Path) -> None:
    """Made again on a later day, it has the same bytes; with another figure, it has the later day."""
    folder = tmp_path / "leaderboard"
    generate.demonstration(folder)
    first = generate.content(folder)
    assert generate.day_of(folder) == FIRST
    steps.today = LATER
    generate.demonstration(folder)
    assert generate.content(folder) == first
    assert steps.commands == ["demo", "demo"]
    steps.votes += 1
    generate.demonstration(folder)
    assert generate.day_of(folder) == LATER
    assert Leaderboard.model_validate_json((folder / "leaderboard.json").read_bytes()).votes == 361
    assert steps.commands == ["demo", "demo", "demo", "publish"]


def test_a_release_that_cannot_be_read_gives_no_day(steps: Steps, tmp_path: Path) -> None:
    """No release, or one of an older version: the new demonstration has the day of today."""
    folder = tmp_path / "leaderboard"
    assert generate.day_of(folder) is None
    folder.mkdir()
    (folder / "leaderboard.json").write_bytes(b'{"schema_version": 2}')
    steps.today = LATER
    generate.demonstration(folder)
    assert generate.day_of(folder) == LATER


def test_a_step_that_fails_leaves_the_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What stands in the folder stays, and the failed step is named."""
    folder = sample.write(tmp_path / "leaderboard")
    before = generate.content(folder)
    monkeypatch.setattr(generate, "run", lambda arguments: 1)
    with pytest.raises(SystemExit, match="`ib demo` failed"):
        generate.demonstration(folder)
    assert generate.content(folder) == before
