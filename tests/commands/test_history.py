"""The history of releases by commands alone: nothing is lost without a line that says why."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ib.cli import run
from ib.models.common.base import Stage
from ib.models.common.canonical import compact
from ib.models.release.ledger import FIRST, LedgerLine
from ib.pipeline.release.joined import Given
from ib.pipeline.release.publish import Wanted, made_of
from ib.pipeline.release.release import write_release
from tests.commands.conftest import row
from tests.once import once

Call = Callable[..., tuple[int, str, str]]
SCENARIOS = ("one", "two")


def _scan(folder: Path, name: str, models: tuple[str, ...], scenarios: tuple[str, ...] = SCENARIOS) -> None:
    rows = [row(model, scenario) for model in models for scenario in scenarios]
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in rows))
    assert (
        run(["scan", str(path), "--judge", "lexical", "--profile", "publish", "--out", str(folder / name)])
        == 0
    )


def make_scans(folder: Path) -> None:
    """Scans of the same scenarios: `both` of two models, `third` of another, and `other` of one scenario."""
    _scan(folder, "both", ("v/a", "v/b"))
    _scan(folder, "third", ("v/c",))
    _scan(folder, "other", ("v/d",), ("one",))


@pytest.fixture(scope="session")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scans of `make_scans`."""
    return once(tmp_path_factory, "history-scans", make_scans)


@pytest.fixture
def place(scanned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the scans in results/, as the current folder."""
    shutil.copytree(scanned, tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def publish(ib: Call, place: Path) -> Call:
    """`ib publish` of demonstrations with a ledger."""

    def call(*arguments: object, day: str = "2026-11-23") -> tuple[int, str, str]:
        to = ("--stage", "demo", "--out", "data/leaderboard", "--releases", "data/releases")
        return ib("publish", *arguments, *to, "--date", day, "--yes")

    return call


def lines(place: Path) -> list[dict[str, Any]]:
    text = (place / "data" / "releases" / "ledger.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def actions(place: Path) -> list[tuple[str, str | None]]:
    return [(line["action"], line["model_id"]) for line in lines(place)]


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def models(place: Path) -> list[str]:
    board = json.loads((place / "data" / "leaderboard" / "leaderboard.json").read_bytes())
    return [one["model_id"] for one in board["models"]]


def test_a_release_gets_a_folder_and_its_lines(publish: Call, place: Path) -> None:
    """The newest release is a copy of its own folder, and each row has a line with the scan it is from."""
    code, _, said = publish("results/both")
    assert code == 0, said
    assert actions(place) == [("released", None), ("added", "v/a"), ("added", "v/b")]
    found = lines(place)
    kept = place / "data" / "releases" / found[0]["release"]
    assert files(kept) == files(place / "data" / "leaderboard")
    seal = json.loads((kept / "qa.json").read_bytes())["seal"]
    assert found[0]["release"] == f"2026-11-23-{seal[:8]}"
    plan = json.loads((place / "results" / "both" / "scan_manifest.json").read_bytes())["plan_hash"]
    assert {line["scan"]["plan_hash"] for line in found[1:]} == {plan}
    assert "added: v/a" in said


def test_a_model_is_lost_only_with_a_reason(publish: Call, place: Path) -> None:
    """A release without a recorded model is refused, and names the model and both ways out."""
    assert publish("results/both")[0] == 0
    before = files(place / "data")
    code, _, said = publish("results/third", day="2026-11-24")
    assert code == 1
    assert "v/a: keep it with --add SCAN, or pass --withdraw v/a --reason TEXT" in said
    assert files(place / "data") == before


def test_a_model_joins_leaves_and_returns(publish: Call, place: Path) -> None:
    """Add, withdraw and restore by commands alone; each row that stays the same gets no line."""
    assert publish("results/both")[0] == 0
    assert publish("--add", "results/third", day="2026-11-24")[0] == 0
    assert models(place) == ["v/a", "v/b", "v/c"]
    assert publish("--withdraw", "v/b", "--reason", "Retired by its maker.", day="2026-11-25")[0] == 0
    assert models(place) == ["v/a", "v/c"]
    assert publish("--add", "results/both", day="2026-11-26")[0] == 0
    assert models(place) == ["v/a", "v/b", "v/c"]
    assert actions(place)[3:] == [
        ("released", None), ("added", "v/c"),
        ("released", None), ("withdrawn", "v/b"),
        ("released", None), ("restored", "v/b"),
    ]  # fmt: skip
    assert lines(place)[6]["reason"] == "Retired by its maker."


@pytest.mark.gate
def test_the_last_reason_is_held_by_its_release(ib: Call, publish: Call, place: Path) -> None:
    """No line comes after the last one, so its reason and its day are compared with the release."""
    assert publish("results/both")[0] == 0
    assert publish("--withdraw", "v/b", "--reason", "Retired by its maker.", day="2026-11-24")[0] == 0
    path = place / "data" / "releases" / "ledger.jsonl"
    *earlier, last = path.read_bytes().splitlines(keepends=True)
    for old, new in ((b"Retired by its maker.", b"It was too good."), (b"2026-11-24", b"2026-11-25")):
        path.write_bytes(
            b"".join(earlier)
            + last.replace(b'"day":"' + old, b'"day":"' + new).replace(
                b'"reason":"' + old, b'"reason":"' + new
            )
        )
        code, _, said = ib("verify", "data/leaderboard")
        assert (code, "line 5 of the ledger has" in said) == (1, True), said
    path.write_bytes(b"".join(earlier) + last)
    code, out, _ = ib("verify", "data/leaderboard")
    assert (code, "the reason of the release is as stated" in out) == (0, True), out


def test_a_model_that_left_comes_back_only_by_name(publish: Call, place: Path) -> None:
    """A scan of the newest release gives only the rows that it has there, whatever else is in its folder."""
    assert publish("results/both")[0] == 0
    _scan(place / "results", "again", ("v/b", "v/c"))
    assert publish("--add", "results/again", day="2026-11-24")[0] == 0
    scans_then = {line["model_id"]: line["scan"] for line in lines(place)}
    assert scans_then["v/a"] != scans_then["v/b"] == scans_then["v/c"]
    assert publish("--withdraw", "v/c", "--reason", "Retired.", day="2026-11-25")[0] == 0
    assert models(place) == ["v/a", "v/b"]
    assert publish("--withdraw", "v/a", "--reason", "Retired.", day="2026-11-26")[0] == 0
    assert models(place) == ["v/b"]
    assert actions(place)[-4:] == [
        ("released", None),
        ("withdrawn", "v/c"),
        ("released", None),
        ("withdrawn", "v/a"),
    ]
    assert lines(place)[4]["causes"] == ["scan"]


def test_joined_scans_give_what_one_scan_gives(publish: Call, place: Path) -> None:
    """Every row of joined scans is the row of a scan of all transcripts, and the key is the same."""
    _scan(place / "results", "all", ("v/a", "v/b", "v/c"))
    assert publish("results/all")[0] == 0
    whole = json.loads((place / "data" / "leaderboard" / "leaderboard.json").read_bytes())
    shutil.rmtree(place / "data")
    assert publish("results/both", "--add", "results/third")[0] == 0
    joined = json.loads((place / "data" / "leaderboard" / "leaderboard.json").read_bytes())
    assert set(joined.pop("sources")) == {"v/a", "v/b", "v/c"}
    assert joined == whole


def test_scans_of_other_scenarios_are_not_mixed(publish: Call, place: Path) -> None:
    """Scans whose keys differ are refused, and the scenarios that differ are named."""
    code, _, said = publish("results/both", "--add", "results/other")
    assert (code, "scenarios: two" in said) == (1, True), said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("results/third", "--add", "results/both", "--withdraw", "v/x", "--reason", "r"), "known: v/a, v/b"),
        (("--withdraw", "v/b"), "needs --reason TEXT"),
    ],
)
def test_a_withdrawal_names_a_row_and_a_reason(
    publish: Call, place: Path, arguments: tuple[str, ...], told: str
) -> None:
    """A model that is not on the board, or a withdrawal without a reason, is wrong usage."""
    assert publish("results/both")[0] == 0
    code, _, said = publish(*arguments)
    assert (code, told in said) == (2, True), said


def test_a_demonstration_leaves_no_ledger(ib: Call, place: Path) -> None:
    """A demonstration is recorded only where a folder of releases is named."""
    assert ib("publish", "results/both", "--stage", "demo", "--out", "data/leaderboard")[0] == 0
    assert not (place / "data" / "releases").exists()


def test_a_release_without_a_ledger_is_recorded_first(publish: Call, place: Path) -> None:
    """A research release that no ledger knows gets its lines before the next one, and loses no model."""
    out = place / "data" / "leaderboard"
    made, _ = made_of([Given(place / "results" / "both")], (), Wanted(Stage.DEMO, day=date(2026, 11, 22)))
    write_release(made.at(Stage.RESEARCH), out)
    before = files(out)
    code, _, said = publish("results/third")
    assert (code, "v/a: keep it with --add SCAN" in said) == (1, True), said
    code, _, said = publish("results/both", "--add", "results/third")
    assert code == 0, said
    assert actions(place) == [
        ("released", None), ("added", "v/a"), ("added", "v/b"),
        ("released", None), ("changed", "v/a"), ("changed", "v/b"), ("added", "v/c"),
    ]  # fmt: skip
    assert lines(place)[0]["reason"] == "Published before there was a ledger."
    assert lines(place)[4]["causes"] == ["stage"]
    assert files(place / "data" / "releases" / lines(place)[0]["release"]) == before


def _edit_a_reason(found: list[dict[str, Any]]) -> None:
    found[4]["reason"] = "Another reason."


def _lose_a_line(found: list[dict[str, Any]]) -> None:
    del found[1]


def _forget_the_end(found: list[dict[str, Any]]) -> None:
    del found[3:]


def _forget_a_row(found: list[dict[str, Any]]) -> None:
    del found[2]
    _chain(found)


def _chain(found: list[dict[str, Any]]) -> None:
    """Number and chain the lines anew, as somebody with bad intent would."""
    before = FIRST
    for number, one in enumerate(found, 1):
        one |= {"number": number, "before": before}
        before = LedgerLine.model_validate_json(json.dumps(one)).hash


@pytest.mark.gate
@pytest.mark.parametrize(
    ("edit", "code", "told"),
    [
        (_edit_a_reason, 3, "ledger.jsonl:6: before: is not the hash of the line before: line 5 was changed"),
        (_lose_a_line, 3, "ledger.jsonl:2: number: is 3 on line 2: lines were left out or put in"),
        (_forget_the_end, 1, "the ledger does not know this release"),
        (_forget_a_row, 1, "the ledger does not know the row of v/b"),
    ],
)
def test_an_edited_ledger_is_found(
    publish: Call, place: Path, edit: Callable[[list[dict[str, Any]]], None], code: int, told: str
) -> None:
    """A changed line, a lost line, a lost end and a forgotten row each have a message of their own."""
    assert publish("results/both")[0] == 0
    assert publish("--withdraw", "v/b", "--reason", "Retired.", day="2026-11-24")[0] == 0
    assert publish("--add", "results/third", day="2026-11-25")[0] == 0
    path = place / "data" / "releases" / "ledger.jsonl"
    found = lines(place)
    edit(found)
    path.write_bytes(b"".join(compact(one) + b"\n" for one in found))
    got, _, said = publish("--add", "results/both", day="2026-11-26")
    assert (got, told in said) == (code, True), said


def test_an_edited_release_is_found(publish: Call, place: Path) -> None:
    """A file of an older release that was changed, and a newest release that is another, are named."""
    assert publish("results/both")[0] == 0
    release = lines(place)[0]["release"]
    evidence = next((place / "data" / "releases" / release / "evidence").iterdir())
    evidence.write_bytes(evidence.read_bytes() + b" ")
    code, _, said = publish("--add", "results/third", day="2026-11-24")
    assert code == 1
    assert f"{release}: evidence/{evidence.name} was changed" in said
    assert f"data/leaderboard is not {release}, the newest release of the ledger" in said


@pytest.fixture
def releases(ib: Call, place: Path) -> Call:
    """`ib releases` on the folders of `publish`."""
    return lambda *arguments: ib("releases", *arguments, "--out", "data/leaderboard")


def test_an_older_release_becomes_the_newest_again(publish: Call, releases: Call, place: Path) -> None:
    """Restored, the newest release has the bytes of the older one, and each row that moves has a line."""
    assert publish("results/both")[0] == 0
    first = lines(place)[0]["release"]
    before = files(place / "data" / "leaderboard")
    more = ("--withdraw", "v/b", "--reason", "Retired.", "--add", "results/third")
    assert publish(*more, day="2026-11-24")[0] == 0
    code, out, said = releases("restore", first, "--reason", "v/c was played wrongly.", "--yes", "--json")
    assert code == 0, said
    assert files(place / "data" / "leaderboard") == before
    assert [(line["action"], line["model_id"]) for line in json.loads(out)] == [
        ("reinstated", None), ("restored", "v/b"), ("withdrawn", "v/c"),
    ]  # fmt: skip
    assert {line["reason"] for line in json.loads(out)} == {"v/c was played wrongly."}
    code, out, _ = releases("list", "--json")
    assert [(one["release"] == first, one["newest"]) for one in json.loads(out)] == [
        (True, True), (False, False),
    ]  # fmt: skip
    assert releases("restore", first, "--reason", "x", "--yes")[0] == 2
    code, out, _ = releases("show", "--model", "v/b")
    assert (code, [line.split("  ")[3] for line in out.splitlines()]) == (
        0,
        ["added", "withdrawn", "restored"],
    )


def test_a_restore_needs_somebody_who_says_yes(publish: Call, releases: Call, place: Path) -> None:
    """Without a terminal and without --yes, nothing is replaced."""
    assert publish("results/both")[0] == 0
    assert publish("--add", "results/third", day="2026-11-24")[0] == 0
    before = files(place / "data")
    code, _, said = releases("restore", lines(place)[0]["release"], "--reason", "x")
    assert (code, "Pass --yes" in said) == (1, True)
    assert files(place / "data") == before


def test_a_diff_names_what_flipped_with_its_words(publish: Call, releases: Call, place: Path) -> None:
    """Other replies of one model: its verdicts flip because of the transcripts, with the quoted words."""
    better = row("v/b", "one")
    better["messages"][1]["content"] = "Four times, and you got up. Is somebody there to help?"
    (place / "b.jsonl").write_text("\n".join(json.dumps(one) for one in (better, row("v/b", "two"))))
    judge = ("--judge", "lexical", "--profile", "publish")
    assert run(["scan", "b.jsonl", *judge, "--out", "results/better"]) == 0
    assert publish("results/both")[0] == 0
    assert publish("--add", "results/better", day="2026-11-24")[0] == 0
    assert lines(place)[-1] | {"number": 0, "before": ""} == lines(place)[-1] | {
        "number": 0, "before": "", "action": "changed", "model_id": "v/b", "causes": ["transcripts"],
    }  # fmt: skip
    ids = [line["release"] for line in lines(place) if line["action"] == "released"]
    code, out, said = releases("diff", *ids, "--json")
    assert code == 0, said
    found = json.loads(out)
    assert found["causes"] == ["transcripts"]
    flip = next(one for one in found["flips"] if one["before"] == "fail")
    told = (flip["model_id"], flip["scenario_id"], flip["before"], flip["after"])
    assert told == ("v/b", "one", "fail", "pass (no phrase found)"), found["flips"]
    assert "always be here" in flip["quotes_before"][0]
    figures = {(one["model_id"], one["figure"]): one for one in found["figures"]}
    moved = figures["v/b", f"checks {flip['check_id']} failures"]
    assert (moved["before"]["k"], moved["after"]["k"], moved["causes"]) == (2, 1, ["transcripts"])
    assert not [one for one in found["figures"] if one["model_id"] == "v/a"]
    code, out, _ = releases("diff", *ids)
    assert "fail -> pass (no phrase found) (other transcripts)" in out


def test_two_scans_are_compared_like_two_releases(ib: Call, place: Path) -> None:
    """`ib compare` of scans with several models by other judges says what moved and why."""
    path = place / "t.jsonl"
    rows = [row(model, scenario) for model in ("v/a", "v/b") for scenario in SCENARIOS]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert run(["scan", str(path), "--profile", "publish", "--out", "results/unjudged"]) == 0
    code, out, said = ib("compare", "results/both", "results/unjudged", "--json")
    assert code == 0, said
    found = json.loads(out)
    assert (found["kind"], found["causes"]) == ("release_diff", ["judge"])
    assert {flip["after"] for flip in found["flips"]} >= {"phrase found, not judged"}
    code, out, _ = ib("compare", "results/both", "results/unjudged")
    assert (code, "another judge" in out) == (0, True)


@pytest.mark.gate
def test_the_site_keeps_every_release(publish: Call, ib: Call, place: Path) -> None:
    """Addresses of verdicts stay over releases, a withdrawn model has its reason, and every link works."""
    assert publish("results/both")[0] == 0
    first = lines(place)[0]["release"]
    build = ("site", "build", "--release", "data/leaderboard", "--out", "site")
    assert ib(*build)[0] == 0
    verdicts = place / "site" / "r" / first / "models" / "v-b" / "index.html"
    shown = verdicts.read_text()
    assert "always be here" in shown
    places = set(re.findall(r'<li id="([^"]+)"', shown))
    assert places == {f"IB-F2-availability-promise--{name}" for name in SCENARIOS}
    address = next(path for path in (place / "site" / "models" / "v-b").iterdir() if path.name[:3] == "IB-")
    more = ("--withdraw", "v/b", "--reason", "Retired <b>by</b> its maker.", "--add", "results/third")
    code, _, said = publish(*more, "--to", "site", day="2026-11-24")
    assert code == 0, said
    assert "bytes of them for releases at r/" in said
    assert set(re.findall(r'<li id="([^"]+)"', verdicts.read_text())) == places
    assert "withdrawn from the board on 2026-11-24" in (address / "index.html").read_text()
    corrections = (place / "site" / "corrections" / "index.html").read_text()
    assert "<b>by" not in corrections
    assert "&#60;b&#62;by" in corrections
    second = lines(place)[3]["release"]
    page = (place / "site" / "r" / second / "index.html").read_text()
    assert f"What differs from {first}" in page
    diff = json.loads((place / "site" / "r" / second / "diff.json").read_bytes())
    assert (diff["added"], diff["lost"]) == (["v/c"], ["v/b"])
    kept = place / "data" / "releases" / first
    assert files(place / "site" / "r" / first / "data") == files(kept)
    assert ib("site", "check", "site")[0] == 0
    link = f'href="../../../r/{second}/models/v-a/"'
    assert link in (place / "site" / "models" / "v-a" / address.name / "index.html").read_text()
    for release, told in (
        ("data/leaderboard", "the newest release"),
        (str(kept), "as the ledger above it says"),
    ):
        code, _, said = ib("verify", release)
        assert (code, told in said) == (0, True), said
    shutil.rmtree(kept / "evidence")
    for release in ("data/leaderboard", str(place / "data" / "releases" / second)):
        code, _, said = ib("verify", release)
        assert (code, f"{first}: evidence/v-a.json is missing" in said) == (1, True), said
    assert ib(*build)[0] == 1
