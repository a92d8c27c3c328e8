"""`ib verify`, and the sites that are built and checked by it."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from delivery.sync_web_bench import build_site
from ib.cli import run
from ib.errors import Refused
from ib.testing.loopback import LoopbackServer
from tests.commands.conftest import row
from tests.commands.test_second import command, judges
from tests.once import once
from tests.pipeline import verifying

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return verifying.released(tmp_path_factory)


@pytest.fixture(scope="module")
def built(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the release. Tests must not change it."""

    def make(folder: Path) -> None:
        assert run(["site", "build", "--release", str(release), "--out", str(folder / "site")]) == 0

    return once(tmp_path_factory, "small-site", make) / "site"


@pytest.fixture
def edited(release: Path, tmp_path: Path) -> Path:
    """A release with one failure less, and every hash made again."""
    folder = verifying.copied(release, tmp_path)
    verifying.edit(folder, "leaderboard.json", lambda board: board.update(judged_rows=1))
    verifying.reseal(folder)
    return folder


def test_verify_says_what_holds_and_what_does_not(ib: Call, release: Path, edited: Path) -> None:
    """Exit 0 and a sentence; exit 1 and each difference, in words and as JSON."""
    code, out, _ = ib("verify", release)
    assert (code, "every verdict, quote, figure, finding and stage follows" in out) == (0, True)
    code, out, err = ib("verify", edited, "--json")
    assert (code, "1 difference" in err) == (1, True)
    (one,) = json.loads(out)["differences"]
    assert (one["file"], one["figure"], one["stated"]) == ("leaderboard.json", "judged_rows", 1)
    assert f"judged_rows is 1, and {one['computed']} follows from the source" in one["words"]


def test_no_site_is_built_of_an_edited_release(ib: Call, edited: Path, tmp_path: Path) -> None:
    """The release is computed again before anything is rendered."""
    code, _, err = ib("site", "build", "--release", edited, "--out", tmp_path / "site")
    assert (code, "judged_rows is 1" in err) == (1, True), err
    assert not (tmp_path / "site").exists()


def test_python_builds_no_site_of_an_edited_release(edited: Path, tmp_path: Path) -> None:
    """`ib.build_site` computes the release again, as the command does, and names what differs."""
    with pytest.raises(Refused) as refused:
        build_site(edited, out=tmp_path / "site")
    assert "judged_rows is 1" in str(refused.value.reasons)
    assert not (tmp_path / "site").exists()


def add_a_row(site: Path) -> str:
    path = min((site / "data").rglob("*.csv"))
    path.write_bytes(path.read_bytes() + b"more\n")
    return f"{path.relative_to(site)} differs"


def put_a_script_into_a_picture(site: Path) -> str:
    path = min(site.rglob("*.svg"))
    path.write_text(path.read_text("utf-8").replace("</svg>", "<script>alert(1)</script></svg>"), "utf-8")
    return f"{path.relative_to(site)} differs"


def remove_the_banner(site: Path) -> str:
    path = site / "index.html"
    path.write_text(path.read_text("utf-8").replace("DEMONSTRATION", ""), "utf-8")
    return "index.html differs"


def remove_a_file(site: Path) -> str:
    path = max((site / "data").rglob("*.csv"))
    path.unlink()
    return f"{path.relative_to(site)} is missing"


def add_a_file(site: Path) -> str:
    (site / "data" / "more.json").write_text("{}")
    return "data/more.json is not part of the site"


EDITS = (add_a_row, put_a_script_into_a_picture, remove_the_banner, remove_a_file, add_a_file)


@pytest.mark.gate
def test_a_site_is_compared_with_its_release_byte_by_byte(
    ib: Call, release: Path, built: Path, tmp_path: Path
) -> None:
    """The site as built passes; of one with five edits, each file is named."""
    assert ib("site", "check", built, "--release", release)[0] == 0
    site = shutil.copytree(built, tmp_path / "site")
    expected = [change(site) for change in EDITS]
    code, out, _ = ib("site", "check", site, "--release", release)
    assert code == 1
    for words in expected:
        name, _, what = words.partition(" ")
        assert any(name in line and what in line for line in out.splitlines()), (words, out)


def test_a_private_address_of_a_judge_is_not_carried(
    ib: Call, transcripts: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release holds without it, and the message says which hashes are as stated."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "loopback")
    with LoopbackServer(judges) as server:
        scan = command(transcripts(row()), server, tmp_path / "scan", "--max-calls", 200)
        code, _, err = ib(*scan)
        assert code == 0, err
        address = server.base_url
    assert address.encode() in (tmp_path / "scan" / "scan_plan.json").read_bytes()
    release = tmp_path / "release"
    assert ib("publish", tmp_path / "scan", "--stage", "demo", "--out", release)[0] == 0
    for path in (release / "source").iterdir():
        assert address.encode() not in gzip.decompress(path.read_bytes()), path
    code, out, err = ib("verify", release)
    assert (code, "the private address of a judge is withheld" in out) == (0, True), out + err
