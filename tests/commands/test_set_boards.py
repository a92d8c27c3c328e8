"""One site with the boards of the core and of sets, each apart."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from ib.pipeline.common.select import Selection
from ib.pipeline.release.release import prepare_release, write_release
from ib.pipeline.run.play import play
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from tests.once import once
from tests.pipeline.verifying import released, scanned

Call = Callable[..., tuple[int, str, str]]
OF_SET = "safety-crisis-door-alert"


def of_set(factory: pytest.TempPathFactory) -> Path:
    """A release of one story of the set `ladder`."""

    def make(folder: Path) -> None:
        played = play(("reference/companion",), scenarios=Selection(ids=(OF_SET,)), out=folder / "run")
        scan(played.transcripts, profile="publish", judge=SCRIPTS, out=folder / "scan")
        write_release(prepare_release(folder / "scan", "demo", None), folder / "release")

    return once(factory, "set-release", make) / "release"


@pytest.mark.gate
def test_each_board_stands_apart(ib: Call, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Both boards have only their own scenarios, link to each other, and are checked to the last byte."""
    core, other, out = released(tmp_path_factory), of_set(tmp_path_factory), tmp_path / "site"
    given = ("--release", core, "--set-release", other)
    code, _, err = ib("site", "build", *given, "--out", out)
    assert code == 0, err
    page = (out / "leaderboard" / "index.html").read_text("utf-8")
    assert "sets/ladder/leaderboard/" in page
    assert "../../../leaderboard/" in (out / "sets/ladder/leaderboard/index.html").read_text("utf-8")
    boards = [
        orjson.loads((out / at / "data/scenario-results.json").read_bytes()) for at in (".", "sets/ladder")
    ]
    names = [{row["scenario_id"] for row in board["rows"]} for board in boards]
    assert names[1] == {OF_SET}
    assert not names[0] & names[1]
    shutil.copy(out / "data/scores.json", out / "sets/ladder/data/scores.json")
    code, said, _ = ib("site", "check", out, *given, "--json")
    assert code == 1
    assert [one["path"] for one in orjson.loads(said)] == ["sets/ladder/data/scores.json"]


@pytest.mark.gate
def test_publishing_keeps_the_boards_of_sets(
    ib: Call, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """`ib publish --set-release` builds the site that `ib site build` would; without --to it says no."""
    scan, given = scanned(tmp_path_factory), ("--set-release", of_set(tmp_path_factory))
    code, _, err = ib("publish", scan, "--out", tmp_path / "release", *given)
    assert (code, "give its folder with --to" in err) == (2, True)
    assert not (tmp_path / "release").exists()
    code, _, err = ib("publish", scan, "--out", tmp_path / "release", "--to", tmp_path / "site", *given)
    assert code == 0, err
    code, said, _ = ib(
        "site", "check", tmp_path / "site", "--release", tmp_path / "release", *given, "--json"
    )
    assert (code, orjson.loads(said)) == (0, [])


def test_a_board_that_is_none_of_a_set_is_refused(
    ib: Call, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The core is no set, and a set is not the core: neither takes the place of the other."""
    core, other = released(tmp_path_factory), of_set(tmp_path_factory)
    for release, of in ((core, core), (other, other)):
        code, _, err = ib(
            "site", "build", "--release", release, "--set-release", of, "--out", tmp_path / "no"
        )
        assert code == 2, err
    assert not (tmp_path / "no").exists()
