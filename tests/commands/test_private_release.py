"""A release of a private draw has verdicts and hashes, and no word; and the gap between two draws."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run
from ib.models.release.leaderboard import Leaderboard
from ib.models.release.source import BENCHMARK
from ib.scenario.drawing import DrawKey
from ib.store.benchmark.drawing import public_key
from ib.store.benchmark.scenarios import load_played
from ib.store.files.validation import load_json
from tests.commands.test_draw import KEY, checks_alone
from tests.once import once
from tests.pipeline import verifying
from tests.scenario import write_scenario
from tests.scenario.slots import slotted, write_draw

pytestmark = pytest.mark.gate
Call = Callable[..., tuple[int, str, str]]
MODELS = ("-m", "reference/attentive", "-m", "reference/echo")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark with two scenarios, one of them unpublished; a scan of it in the public draw and one in a
    private draw; and the release of each. Tests must not change it."""
    return once(tmp_path_factory, "private-draw", make)


def make(folder: Path) -> None:
    root, canary = checks_alone(folder / "benchmark")
    write_scenario(root, slotted(canary=canary))
    hidden = {"published": False, "unpublished_reason": "In a test.", "canary": canary}
    write_scenario(root, slotted("safety-crisis-hidden", **hidden))
    write_draw(root)
    (folder / "key").write_text(KEY)
    for name, draw in (("public", ()), ("private", ("--draw", folder / "key"))):
        both = ("--benchmark", root, *draw)
        call("run", *MODELS, *both, "--scenario", "safety-crisis-small", "--scenario", "safety-crisis-hidden",
             "--out", folder / f"{name}-run")  # fmt: skip
        call("scan", folder / f"{name}-run" / "transcripts.jsonl", *both, "--judge", "lexical",
             "--profile", "publish", "--out", folder / name)  # fmt: skip
    call("publish", folder / "private", "--draw", folder / "key", "--benchmark", root, "--stage", "demo",
         "--out", folder / "release")  # fmt: skip
    call("publish", folder / "public", "--gap", folder / "private", "--draw", folder / "key",
         "--benchmark", root, "--stage", "demo", "--out", folder / "with-gap")  # fmt: skip


def call(*arguments: object) -> None:
    assert run([str(one) for one in arguments]) == 0


def files(release: Path) -> Iterator[tuple[str, str]]:
    """Every file of a release as text, unpacked."""
    for path in sorted(release.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            yield (
                path.relative_to(release).as_posix(),
                (gzip.decompress(data) if path.suffix == ".gz" else data).decode(),
            )


def bare_hashes(root: Path) -> Iterator[str]:
    """The hashes of the words of the private draw, which somebody would find by trying every choice."""
    for one in load_played(root, DrawKey(bytes.fromhex(KEY))).values():
        assert one.drawn is not None
        bare = one.as_drawn(one.drawn.model_copy(update={"salt": None}))
        yield from (bare.definition_hash, bare.played_hash)


def test_a_release_of_a_private_draw_has_no_word_of_it(place: Path) -> None:
    """No message, no word of a slot, no reply and no hash of the bare words stands in any file; the bundled
    benchmark is that of the public draw, byte by byte."""
    told = dict(files(place / "release"))
    assert told.pop(BENCHMARK) == dict(files(place / "with-gap"))[BENCHMARK]
    played = (place / "private-run" / "transcripts.jsonl").read_text().splitlines()
    said = {message["content"] for line in played for message in json.loads(line)["messages"]}
    words = {*said, KEY, *bare_hashes(place / "benchmark")}
    for name, text in told.items():
        assert [word for word in words if word in text] == [], name
    board = json.loads(told["leaderboard.json"])
    assert board["draw"] == {"key_hash": DrawKey(bytes.fromhex(KEY)).hash, "kind": "private"}
    items = [one for name in told if name.startswith("evidence/") for one in json.loads(told[name])["items"]]
    assert items
    assert not any(one["quotes"] for one in items)


def test_verify_names_what_only_the_key_and_the_scan_prove(place: Path, ib: Call) -> None:
    """Without the key words are as stated, with it they are computed, and with the scan everything is."""
    release, draw = place / "release", ("--draw", place / "key")
    code, out, err = ib("verify", release, "--benchmark", place / "benchmark")
    assert (code, "is private until its key is opened" in out) == (0, True), out + err
    code, out, err = ib("verify", release, *draw, "--benchmark", place / "benchmark")
    assert (code, "the words of the draw follow from its key" in out) == (0, True), out + err
    scan = ("--scan", place / "private", "--benchmark", place / "benchmark")
    code, out, err = ib("verify", release, *draw, *scan)
    assert (code, "not proven" in out) == (0, False), out + err
    code, _, err = ib("verify", release, *scan)
    assert (code, "no key was given" in err) == (3, True), err


def test_a_verdict_that_was_edited_is_found_with_the_scan(place: Path, ib: Call, tmp_path: Path) -> None:
    """Whoever makes every hash again is found by the scan; another scan than the release has is refused."""
    folder = verifying.copied(place / "release", tmp_path)

    def change(rows: list[Any]) -> None:
        for row in rows:
            row["conversation"]["transcript_hash"] = "0" * 64

    verifying.edit_rows(folder, "source/conversations.jsonl.gz", change)
    verifying.reseal(folder)
    asked = ("--draw", place / "key", "--benchmark", place / "benchmark", "--scan")
    code, out, _ = ib("verify", folder, *asked, place / "private")
    assert (code, "conversations.jsonl.gz: is not what the scan gives" in out) == (1, True), out
    code, _, err = ib("verify", folder, *asked, place / "public")
    assert (code, "the release was made of another scan" in err) == (3, True), err


@pytest.mark.parametrize("command", [("qa",), ("publish",), ("leaderboard", "build")])
def test_a_scan_of_a_private_draw_needs_its_key(
    place: Path, ib: Call, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Without a key, and with the key of another draw, the plan and both draws are named."""
    out = ("--out", tmp_path / "out") if command[0] != "qa" else ()
    asked = (*command, place / "private", "--benchmark", place / "benchmark", *out)
    code, _, err = ib(*asked)
    assert (code, "scan_plan.json: draw: is the private draw" in err, "no key was given" in err) == (
        3,
        True,
        True,
    )
    (tmp_path / "other").write_text("cd" * 32)
    code, _, err = ib(*asked, "--draw", tmp_path / "other")
    assert (code, "the key that was given is that of" in err, "cdcd" in err) == (3, True, False)
    assert not (tmp_path / "out").exists()


def test_a_draw_that_is_opened_is_published_like_any_other(place: Path, ib: Call, tmp_path: Path) -> None:
    """Its key in the benchmark takes the place of --draw, and the release has transcripts again."""
    root = shutil.copytree(place / "benchmark", tmp_path / "benchmark")
    path = root / "configs" / "draw.yaml"
    path.write_text(f'{path.read_text()}opened: ["{KEY}"]\n')
    asked = ("--benchmark", root, "--stage", "demo", "--out", tmp_path / "release")
    code, _, err = ib("publish", place / "private", *asked)
    assert code == 0, err
    board = load_json(Leaderboard, tmp_path / "release" / "leaderboard.json")
    assert board.draw is not None
    assert board.draw.kind == "opened"
    said = json.loads((tmp_path / "release" / "transcripts" / "reference-attentive.json").read_text())
    assert said["transcripts"]
    assert ib("verify", tmp_path / "release", "--benchmark", root)[0] == 0


def test_scans_of_two_draws_share_no_board(place: Path, ib: Call, tmp_path: Path) -> None:
    """--add of another draw is refused, and both are named."""
    asked = ("--draw", place / "key", "--benchmark", place / "benchmark", "--out", tmp_path / "out")
    code, _, err = ib("publish", place / "public", "--add", place / "private", *asked)
    assert code == 1
    assert "are of two draws, which are compared and never pooled" in err
    root_key = public_key(place / "benchmark")
    assert root_key is not None
    assert root_key.hash in err
    assert not (tmp_path / "out").exists()


def test_the_gap_is_paired_by_scenario_and_check(place: Path, ib: Call) -> None:
    """The figure follows from both scans; verify says that the private half is as stated, and computes it."""
    board = json.loads((place / "with-gap" / "leaderboard.json").read_text())
    assert board["draw"]["kind"] == "public"
    assert board["gap_draw"]["kind"] == "private"
    for model in board["models"]:
        gap = model["gap"]
        assert gap["shared"] == 2
        paired = gap["all_checks"]
        n = sum(paired[name] for name in ("both", "only_first", "only_second", "neither"))
        assert n > 0
        assert paired["difference"] == pytest.approx((paired["only_first"] - paired["only_second"]) / n)
        assert paired["low"] <= paired["difference"] <= paired["high"]
    asked = ("verify", place / "with-gap", "--benchmark", place / "benchmark")
    code, out, err = ib(*asked)
    assert (code, "each gap was computed from them" in out) == (0, True), out + err
    code, out, err = ib(*asked, "--draw", place / "key", "--scan", place / "private")
    assert (code, "each gap" in out) == (0, False), out + err


def test_a_gap_that_was_edited_is_found(place: Path, ib: Call, tmp_path: Path) -> None:
    """A verdict of the private draw that was changed moves the gap, or is found by the scan."""
    folder = verifying.copied(place / "with-gap", tmp_path)
    path = folder / "source" / "gap.json.gz"
    told = json.loads(gzip.decompress(path.read_bytes()))
    rows = told["rows"]
    at = next(n for n, letter in enumerate(rows[0]["verdicts"]) if letter in "FP")
    other = "P" if rows[0]["verdicts"][at] == "F" else "F"
    rows[0]["verdicts"] = rows[0]["verdicts"][:at] + other + rows[0]["verdicts"][at + 1 :]
    path.write_bytes(gzip.compress(json.dumps(told).encode(), mtime=0))
    verifying.reseal(folder)
    code, out, _ = ib("verify", folder, "--benchmark", place / "benchmark", "--draw", place / "key",
                      "--scan", place / "private")  # fmt: skip
    assert code == 1
    assert "source/gap.json.gz" in out


def test_a_gap_needs_two_draws_of_one_version(place: Path, ib: Call, tmp_path: Path) -> None:
    """The same draw, a release of the private draw, and another set of scenarios are refused by name."""
    public, private = place / "public", place / "private"
    asked = ("--draw", place / "key", "--benchmark", place / "benchmark", "--out", tmp_path / "out")
    for scan, gap, found in (
        (public, public, "is of the same draw"),
        (private, public, "in a release whose words anybody can know"),
    ):
        code, _, err = ib("publish", scan, "--gap", gap, *asked)
        assert (code, found in err) == (1, True), err
    part = tmp_path / "part"
    code, _, err = ib("scan", place / "private-run" / "transcripts.jsonl", *asked[:4], "--judge", "lexical",
                      "--profile", "publish", "--scenario", "safety-crisis-small", "--out", part)  # fmt: skip
    assert code == 0, err
    code, _, err = ib("publish", public, "--gap", part, *asked)
    assert (code, "the comparability keys of the two scans differ" in err) == (1, True), err
