"""A sample of the edits that `make study` makes 400 of: none passes that the release contradicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ib.cli import run
from tests.once import once
from tests.pipeline import verifying
from tests.pipeline.edits import SIGNATURE_ALONE, Edit, Places, edits, outcome


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A small release with its scan and its site."""
    release = verifying.released(tmp_path_factory)

    def make(folder: Path) -> None:
        assert run(["site", "build", "--release", str(release), "--out", str(folder / "site")]) == 0

    site = once(tmp_path_factory, "small-site", make) / "site"
    return Places(release, verifying.scanned(tmp_path_factory), site)


@pytest.mark.gate
def test_no_edit_of_a_sample_passes_that_is_contradicted(places: Places, tmp_path: Path) -> None:
    """Hashes and seal are made again. What passes is named, and only a signature could settle it."""
    sample = list(edits(places, seed=7, release=8, scan=2, site=20))
    passed = [edit for edit in sample if outcome(edit, places, tmp_path / "edited") is None]
    assert [edit.name for edit in passed if edit.may_pass not in SIGNATURE_ALONE] == []


def test_a_day_and_a_reply_that_decides_nothing_may_change(places: Places, tmp_path: Path) -> None:
    """These pass, which shows that the list of what needs a signature is true."""

    def another_day(folder: Path) -> None:
        verifying.edit(folder, "leaderboard.json", lambda board: board.update(released="2026-11-22"))
        verifying.reseal(folder)

    assert outcome(Edit("another day", "release", another_day, "day"), places, tmp_path / "edited") is None
