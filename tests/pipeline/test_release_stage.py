"""A release at another stage: its list of hashes follows, so that the site can open it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from delivery.sealed import open_sealed
from ib.board.leaks import LeakSearch
from ib.models.base import Stage
from ib.models.leaderboard import Qa
from ib.pipeline.release import LEADERBOARD, QA, Release, write_release
from ib.store.leaks import load_leak_forms
from tests.delivery import sample


@pytest.mark.parametrize("stage", list(Stage))
def test_a_release_is_written_at_the_stage_that_was_granted(tmp_path: Path, stage: Stage) -> None:
    """The leaderboard says the stage, qa.json lists its new hash, and every other file is as it was."""
    folder = sample.write(tmp_path / "demo")
    qa = Qa.model_validate_json((folder / QA).read_bytes())
    files = {name: (folder / name).read_bytes() for name in (QA, *qa.released)}
    made = Release(sample.release()[0], qa, files).at(stage)
    assert (made.stage, made.leaderboard.stage) == (stage, stage)
    assert made.qa.released == {
        name: hashlib.sha256(data).hexdigest() for name, data in made.files.items() if name != QA
    }
    assert {name for name in files if made.files[name] != files[name]} <= {LEADERBOARD, QA}
    write_release(made, tmp_path / "release")
    opened = open_sealed(tmp_path / "release", sample.benchmark(), LeakSearch(load_leak_forms()))
    assert (opened.leaderboard, dict(opened.files)) == (made.leaderboard, dict(made.files))
