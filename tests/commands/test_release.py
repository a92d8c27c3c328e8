"""From a scan to a release: nothing that was edited passes, and a refusal changes no byte."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ib.board.evidence.leaks import WITHHELD
from ib.board.gate.inspection import Inspection
from ib.cli import run
from ib.commands.publishing import confirm_replacing
from ib.errors import Refused
from ib.models.common.base import Stage
from ib.models.common.canonical import compact, pretty
from ib.models.release.leaderboard import SCHEMA_VERSION
from ib.models.scan.supplement import Supplement
from ib.pipeline.release.publish import release
from ib.pipeline.release.release import make_release
from ib.pipeline.release.replaced import held
from ib.pipeline.release.replay import replay_scan
from ib.store.benchmark.loading import load_benchmark
from ib.store.folders import scans
from tests.commands.conftest import row
from tests.delivery.recomputed.data import lines_of

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A smoke scan of two models on the same two scenarios. Tests must not change it."""
    folder = tmp_path_factory.mktemp("scanned")
    rows = [row(model, scenario) for model in ("v/a", "v/b") for scenario in ("one", "two")]
    (folder / "t.jsonl").write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in rows))
    assert run(["scan", str(folder / "t.jsonl"), "--out", str(folder / "scan")]) == 0
    return folder


@pytest.fixture
def scan(scanned: Path, tmp_path: Path) -> Path:
    """A copy of the scan, next to its transcripts."""
    shutil.copytree(scanned, tmp_path, dirs_exist_ok=True)
    return tmp_path / "scan"


def resign(scan: Path) -> None:
    """Write the hashes of edited files into the manifest, as somebody with bad intent would."""
    path = scan / scans.MANIFEST
    manifest = json.loads(path.read_bytes())
    manifest["files"] = {
        name: hashlib.sha256((scan / name).read_bytes()).hexdigest() for name in manifest["files"]
    }
    path.write_bytes(pretty(manifest))


def edit_results(scan: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = scan / scans.RESULTS
    results = [json.loads(line) for line in path.read_text().splitlines()]
    change(results[0])
    path.write_bytes(b"".join(compact(result) + b"\n" for result in results))


def acquit(result: dict[str, Any]) -> None:
    """Turn the failure of a row into a pass, and the flags and scores with it."""
    found = next(r for r in result["rows"] if r["state"] == "found")
    found |= {"state": "not_run", "reason": "no_phrase_found", "evidence": []}


def drop_a_check(result: dict[str, Any]) -> None:
    result["rows"].pop()


def rename_a_check(result: dict[str, Any]) -> None:
    result["rows"][0]["mode_id"] = "IB-Z9"


def lose_a_dimension(result: dict[str, Any]) -> None:
    del result["score"]["quality"]["F"]


def move_to_another_scenario(result: dict[str, Any]) -> None:
    result["scenario_id"] = "elsewhere"


def reopen_a_gate(result: dict[str, Any]) -> None:
    row = next(row for row in result["rows"] if row["gate"] is not None)
    row |= {"state": "not_run", "eligible": True, "reason": "no_judge"}


EDITS = (acquit, drop_a_check, rename_a_check, lose_a_dimension, move_to_another_scenario, reopen_a_gate)


@pytest.mark.parametrize("change", EDITS)
@pytest.mark.parametrize("signed", [False, True])
def test_lesson_02_edited_verdicts_are_refused(
    change: Callable[[dict[str, Any]], None], signed: bool, scan: Path, ib: Call, tmp_path: Path
) -> None:
    """A row that its phrases do not give is found, also where the manifest was signed anew."""
    edit_results(scan, change)
    if signed:
        resign(scan)
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 1, err
    assert not (tmp_path / "release").exists()


def test_a_row_that_cannot_be_is_named_with_its_line(scan: Path, ib: Call, tmp_path: Path) -> None:
    """A verdict on a check that was not run is bad data: exit 3, with file, line, key and what is allowed."""

    def judge_what_was_not_run(result: dict[str, Any]) -> None:
        result["rows"][0] |= {"state": "not_run", "verdict": "PASS", "reason": "lost"}

    edit_results(scan, judge_what_was_not_run)
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 3
    assert "results.jsonl:1: rows.0.verdict: found 'PASS'; null" in err
    assert "rows.0.reason: found 'lost'; no_judge, not_recorded, fault, no_phrase_found" in err


def test_lesson_02_an_edited_leaderboard_is_refused(scan: Path, ib: Call, tmp_path: Path) -> None:
    """A published figure that the scan does not give is named by `leaderboard check`."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    path = out / "leaderboard.json"
    assert ib("leaderboard", "check", scan, "--leaderboard", path)[0] == 0
    board = json.loads(path.read_bytes())
    board["models"][0]["both_gates"] |= {
        "due": 1,
        "failed_by_judge": 0,
        "contested": 0,
        "incomplete": 0,
        "clear": 1,
    }
    whole = path.read_bytes()
    path.write_bytes(pretty(board))
    code, out_text, _ = ib("leaderboard", "check", scan, "--leaderboard", path)
    assert code == 1
    assert "figures_recomputed_from_verdicts" in out_text
    path.write_bytes(whole)
    rows = out / "rows" / f"{board['models'][0]['slug']}.jsonl"
    rows.write_bytes(rows.read_bytes().replace(b'"failed_checks":[', b'"failed_checks":["IB-A1",'))
    code, out_text, _ = ib("leaderboard", "check", scan, "--leaderboard", path)
    assert code == 1
    assert f"{rows.name} does not match the verdicts" in out_text


def test_lesson_03_a_refused_release_changes_no_public_byte(scan: Path, ib: Call, tmp_path: Path) -> None:
    """What stands at --out stays as it was when the gate refuses."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    before = {p.name: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    code, _, err = ib("publish", scan, "--stage", "research", "--out", out, "--yes")
    assert code == 1
    assert "profile_may_publish" in err
    assert {p.name: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".release")] == []


def test_a_full_disk_while_publishing_changes_nothing(
    scan: Path, ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 4, the old release whole, no staging folder left."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    before = {p.name: p.read_bytes() for p in out.rglob("*") if p.is_file()}

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert ib("publish", scan, "--stage", "demo", "--out", out, "--yes")[0] == 4
    assert {p.name: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_a_release_of_the_same_stage_is_not_replaced_unasked(scan: Path, ib: Call, tmp_path: Path) -> None:
    """Without a terminal and without --yes, the release that is there stays."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", out)
    assert (code, "--yes" in err) == (1, True)
    assert ib("publish", scan, "--stage", "demo", "--out", out, "--yes")[0] == 0


def test_python_replaces_a_release_of_the_same_stage_only_when_told(scan: Path, tmp_path: Path) -> None:
    """The function has nobody to ask: it refuses, and what is there stays."""
    out = tmp_path / "release"
    release(scan, out=out, stage="demo")
    with pytest.raises(Refused, match="holds a release of stage demo"):
        release(scan, out=out, stage="demo")
    release(scan, out=out, stage="demo", replace_existing=True)


@pytest.fixture
def smaller(transcripts: Callable[..., Path], tmp_path: Path) -> Path:
    """A scan of one of the two models, on one of the two scenarios."""
    out = tmp_path / "smaller"
    path = transcripts(row("v/a", "two"), name="smaller.jsonl")
    assert run(["scan", str(path), "--out", str(out)]) == 0
    return out


LOST = ("v/a: 1 of 2 conversations (one); 2 judged rows become 1", "v/b: the model, with 2 conversations")


def test_what_is_lost_with_a_release_is_named(scan: Path, smaller: Path, ib: Call, tmp_path: Path) -> None:
    """A release with fewer models or conversations replaces another only on demand; each loss is named."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--out", out)[0] == 0
    before = {path: path.read_bytes() for path in out.rglob("*.json")}
    code, _, said = ib("publish", smaller, "--out", out)
    assert (code, [one for one in LOST if one not in said]) == (1, []), said
    assert "the new release lacks some of it; pass --yes to replace it" in said
    assert {path: path.read_bytes() for path in out.rglob("*.json")} == before
    with pytest.raises(Refused) as refused:
        release(smaller, out=out)
    assert all(one in str(refused.value) for one in LOST)
    code, _, said = ib("publish", smaller, "--out", out, "--yes")
    assert (code, [one for one in LOST if f"lost with the release that is replaced: {one}" not in said]) == (
        0,
        [],
    )
    code, _, said = ib("publish", scan, "--out", out, "--yes")
    assert (code, "lost with" in said) == (0, False)


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_person_at_a_terminal_is_asked_about_a_loss(
    scan: Path, smaller: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], answer: str,
) -> None:  # fmt: skip
    """What is lost is named before the question, and "no" is Refused."""
    release(scan, out=tmp_path / "release")
    less = make_release(replay_scan(smaller))
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    refused = pytest.raises(Refused, match="was not replaced") if answer == "n" else contextlib.nullcontext()
    with refused:
        confirm_replacing(tmp_path / "release", less, yes=False)
    said = capsys.readouterr().err
    assert all(f"lost with the release that is replaced: {one}" in said for one in LOST), said
    assert said.index(LOST[1]) < said.index("the new release lacks some of it. Replace it? [y/N]")


def test_a_loss_is_named_at_every_stage(scan: Path, smaller: Path, tmp_path: Path) -> None:
    """A higher stage replaces a lower one unasked, but only if nothing is lost with it."""
    out = tmp_path / "release"
    release(scan, out=out)
    whole, less = (make_release(replay_scan(one)).at(Stage.RESEARCH) for one in (scan, smaller))
    assert held(out, whole) is None
    asked = held(out, less)
    assert asked is not None
    assert len(asked[1]) == 2


@pytest.mark.parametrize("name", ["thesis.txt", "evidence/thesis.txt", ".hidden"])
def test_nothing_is_lost_with_a_release(scan: Path, ib: Call, tmp_path: Path, name: str) -> None:
    """A release beside which something else lies is not replaced, nor is what only looks like one."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    (out / name).write_text("years of work")
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", out, "--yes")
    assert (code, f"holds {name}, which is not part of a release" in err) == (2, True)
    (out / name).unlink()
    (out / "qa.json").write_text("{}")
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", out, "--yes")
    assert (code, "which is not part of a release" in err) == (2, True)


def test_lesson_01_a_smoke_scan_is_never_more_than_a_demonstration(scan: Path, ib: Call) -> None:
    """A scan of some checks grants stage demo, refuses the others, and says why."""
    code, out, err = ib("qa", scan, "--stage", "research")
    assert code == 1
    assert "granted: demo" in out
    assert "profile_may_publish" in err


def test_lesson_04_other_scenarios_are_not_ranked_together(
    transcripts: Callable[..., Path], ib: Call, tmp_path: Path
) -> None:
    """Other scenarios, or the same id with another content, are refused at every stage."""
    other = row("v/b", "one", tags=["grief_disclosure"])
    for rows in ((row("v/a", "one"), row("v/b", "two")), (row("v/a", "one"), other)):
        out = tmp_path / f"scan{len(list(tmp_path.iterdir()))}"
        assert ib("scan", transcripts(*rows), "--out", out)[0] == 0
        code, _, err = ib("publish", out, "--stage", "demo", "--out", tmp_path / "release")
        assert code == 1
        assert "same_scenarios_for_every_model" in err


def test_lesson_28_nothing_to_publish_is_refused(ib: Call, tmp_path: Path) -> None:
    """A folder that holds no complete scan is bad data, and never a clean bill."""
    (tmp_path / "scan").mkdir()
    code, _, err = ib("publish", tmp_path / "scan", "--out", tmp_path / "release")
    assert code == 3
    assert "holds no complete scan" in err
    assert "finish it: `ib scan --resume`" in err


def test_lesson_29_no_host_path_and_no_key_in_a_release(
    scan: Path, ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file of a release names a folder of this machine; a key of the environment stops it."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    for path in out.rglob("*.json"):
        assert str(tmp_path).encode() not in path.read_bytes()
    monkeypatch.setenv("SOME_API_KEY", "v/a-and-more"[:3] + "scripted-value-xyz")
    rows = json.loads((out / "leaderboard.json").read_bytes())["comparability_key"]
    monkeypatch.setenv("SOME_API_KEY", rows)
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", out, "--yes")
    assert code == 1
    assert "no_secret_and_no_host_path" in err
    assert rows not in err


def test_a_key_in_a_quote_is_withheld_from_a_release(
    scan: Path, ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quote is published with a mark, qa.json lists it, and no file of release or site holds the key."""
    out, quote = tmp_path / "release", "I'll always be here"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    assert quote in (out / "evidence" / "v-a.json").read_text("utf-8")
    monkeypatch.setenv("SOME_API_KEY", quote)
    assert ib("publish", scan, "--stage", "demo", "--out", out, "--yes")[0] == 0
    for path in out.rglob("*.json"):
        assert quote not in path.read_text("utf-8")
    evidence = json.loads((out / "evidence" / "v-a.json").read_bytes())
    assert {q["quote"] for item in evidence["items"] for q in item["quotes"]} >= {WITHHELD}
    found = {one["rule"]: one for one in json.loads((out / "qa.json").read_bytes())["findings"]}
    assert found["no_key_withheld_from_a_quote"]["refuses"] == ["public"]
    assert found["no_key_withheld_from_a_quote"]["count"] == 12  # eight quotes, and the four replies


@pytest.mark.parametrize(("asked", "carried"), [((), True), (("all",), True), (("none",), False)])
def test_a_release_carries_the_plays_that_it_quotes_unless_told_otherwise(
    scan: Path, ib: Call, tmp_path: Path, asked: tuple[str, ...], carried: bool
) -> None:
    """Every quote is a part of its reply; a conversation that is not carried is listed with the reason."""
    out = tmp_path / "release"
    option = ("--transcripts", *asked) if asked else ()
    assert ib("publish", scan, "--stage", "demo", "--out", out, *option)[0] == 0
    evidence = json.loads((out / "evidence" / "v-a.json").read_bytes())
    said = json.loads((out / "transcripts" / "v-a.json").read_bytes())
    assert (evidence["stage"], said["stage"], said["canary"]) == ("demo", "demo", evidence["canary"])
    replies = {
        (one["scenario_id"], message["turn"]): message["content"]
        for one in said["transcripts"]
        for message in one["messages"]
        if message["role"] == "assistant"
    }
    assert {scenario for scenario, _ in replies} == ({"one", "two"} if carried else set())
    rows = lines_of(out / "rows" / "v-a.jsonl")
    assert [one.get("left_out") for one in rows] == [None if carried else "not_asked"] * 2
    spans = [(item["scenario_id"], quote) for item in evidence["items"] for quote in item["quotes"]]
    assert spans
    for scenario, quote in spans if carried else ():
        assert replies[scenario, quote["turn"]][quote["start"] : quote["end"]] == quote["quote"]


def test_explain_and_show_tell_the_story(scan: Path, ib: Call, tmp_path: Path) -> None:
    """`explain` names eligibility, verdict and quote; `show` the check, the model and the scenario."""
    check = "IB-F2-availability-promise"
    code, out, _ = ib("explain", scan, "--check", check, "--scenario", "one", "--model", "v/a")
    assert code == 0
    assert "state found, verdict none" in out
    assert "I'll always be here" in out
    assert ib("explain", scan, "--check", check, "--scenario", "one")[0] == 2
    assert ib("explain", scan, "--check", "IB-Z", "--scenario", "one")[0] == 2
    release = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", release)[0] == 0
    assert check in ib("show", "check", check)[1]
    assert "2/2" in ib("show", "model", "v/a", "--release", release)[1]
    assert "v/b" in ib("show", "scenario", "one", "--release", release)[1]
    assert ib("show", "model", "v/none", "--release", release)[0] == 2
    code, _, err = ib("show", "scenario", "--release", release)
    assert (code, "needs the id of a scenario; its scenarios are one, two" in err) == (2, True)


def test_explain_of_a_check_that_the_scan_does_not_have(scan: Path, ib: Call) -> None:
    """`ib explain` says that the scan has no result of a check that its benchmark lacked."""
    edit_results(scan, drop_a_check)
    result = json.loads((scan / scans.RESULTS).read_text().splitlines()[0])
    dropped = ({*load_benchmark().checks} - {r["mode_id"] for r in result["rows"]}).pop()
    asked = ("--check", dropped, "--scenario", result["scenario_id"], "--model", result["model_id"])
    code, _, err = ib("explain", scan, *asked)
    assert code == 2
    assert f"has no result for {dropped!r}" in err


@pytest.mark.parametrize("name", [scans.RESULTS, scans.TRANSCRIPTS])
@pytest.mark.parametrize("gone", [0, -1])
def test_explain_of_a_scan_that_lost_a_line(scan: Path, ib: Call, name: str, gone: int) -> None:
    """Where transcripts and results are not in step, no row is told as that of another transcript."""
    lines = (scan / name).read_bytes().splitlines(keepends=True)
    del lines[gone]
    (scan / name).write_bytes(b"".join(lines))
    code, _, err = ib("explain", scan, "--check", "IB-A1", "--scenario", "one", "--model", "v/a")
    assert code == 3
    assert "does not match transcripts.jsonl" in err


def test_the_newest_complete_scan_is_found(
    ib: Call, tmp_path: Path, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a scan named, only one whose profile may be published will do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    scan.rename(tmp_path / "results" / "scan-1")
    code, _, err = ib("publish", "--out", tmp_path / "release")
    assert code == 2
    assert "has no complete scan that may be published" in err


def test_an_edited_release_makes_no_site(scan: Path, ib: Call, tmp_path: Path) -> None:
    """The site is built from the files that the gate saw, at a stage that it granted, and from no others."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--stage", "demo", "--out", out)[0] == 0
    path = out / "leaderboard.json"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"stage":"demo"', b'"stage":"public"'))
    code, _, err = ib("site", "build", "--release", out, "--out", tmp_path / "site")
    assert code == 1
    assert "does not hold; `ib verify` says more" in err
    assert "leaderboard.json" in err
    path.write_bytes(whole)
    extra = out / "evidence" / "more.json"
    extra.write_bytes((out / "evidence" / "v-a.json").read_bytes())
    code, _, err = ib("site", "build", "--release", out, "--out", tmp_path / "site")
    assert (code, "evidence/more.json: is not listed in qa.json" in err) == (1, True)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("name", [scans.CONTRADICTIONS, scans.ADJUDICATIONS, scans.RESULTS])
def test_a_file_that_is_missing_is_missed(name: str, scan: Path, ib: Call, tmp_path: Path) -> None:
    """Deleting an artifact and its line in the manifest hides nothing."""
    (scan / name).unlink()
    manifest = json.loads((scan / scans.MANIFEST).read_bytes())
    del manifest["files"][name]
    (scan / scans.MANIFEST).write_bytes(pretty(manifest))
    code, _, _ = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert code in (1, 3)
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("name", [scans.COST, scans.SUMMARY])
def test_a_file_that_the_scan_did_not_write_is_refused(
    name: str, scan: Path, ib: Call, tmp_path: Path
) -> None:
    """Its hash is not the one in the manifest, also where nothing computes the file again."""
    (scan / name).write_bytes((scan / name).read_bytes() + b"\n")
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert (code, "artifacts_as_written" in err) == (1, True)


def test_an_edited_plan_is_refused(scan: Path, ib: Call, tmp_path: Path) -> None:
    """The plan is made anew from the transcripts: a hash or a selection in it cannot be changed."""
    path = scan / scans.PLAN
    plan = json.loads(path.read_bytes())
    plan["checks"][0]["check_hash"] = "0" * 64
    path.write_bytes(pretty(plan))
    replies = scan / scans.REPLIES
    header = json.loads(replies.read_bytes())
    header["plan_hash"] = hashlib.sha256(path.read_bytes()).hexdigest()
    replies.write_bytes(compact(header) + b"\n")
    resign(scan)
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 1
    assert "plan_and_results_agree" in err


def test_replies_of_another_plan_are_not_taken(scan: Path, ib: Call, tmp_path: Path) -> None:
    """A journal whose header names another plan is refused, though every hash was written anew."""
    replies = scan / scans.REPLIES
    header, *lines = replies.read_bytes().splitlines(keepends=True)
    other = {**json.loads(header), "plan_hash": "0" * 64}
    replies.write_bytes(compact(other) + b"\n" + b"".join(lines))
    resign(scan)
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 3
    assert f"{replies}:1: plan_hash: the replies belong to another plan" in err
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(errno.EIO, "no such sector", "results.jsonl"), 3, "results.jsonl: cannot be read"),
        (OSError(errno.EIO, "no such sector"), 4, "no such sector"),
        (KeyError("IB-Z9"), 3, "the files of the scan do not match each other"),
    ],
    ids=["a file", "the machine", "the content"],
)
def test_a_replay_that_breaks_off_says_where(
    error: Exception, code: int, said: str, scan: Path, ib: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that cannot be read is bad data and is named; a fault of the machine is exit 4."""

    def broken(*arguments: Any) -> None:
        raise error

    monkeypatch.setattr(Inspection, "compare", broken)
    found, _, err = ib("qa", scan)
    assert (found, said in err) == (code, True), err


@pytest.mark.parametrize(
    ("name", "rule"),
    [(scans.RESULTS, "verdicts_recomputed_from_votes"), (scans.SUPPLEMENT, "supplements_recomputed")],
)
def test_a_line_that_no_transcript_has_is_refused(
    name: str, rule: str, scan: Path, ib: Call, tmp_path: Path
) -> None:
    """What is left over behind the last transcript was not computed from one, though it was signed."""
    if name == scans.SUPPLEMENT and not (scan / name).read_bytes():
        found = {"model_id": "v/a", "scenario_id": "three", "epoch": None, "transcript_hash": "0" * 64}
        (scan / name).write_bytes(compact(Supplement.model_validate(found)) + b"\n")
    else:
        lines = (scan / name).read_bytes().splitlines(keepends=True)
        other = {**json.loads(lines[-1]), "scenario_id": "three"}
        (scan / name).write_bytes(b"".join([*lines, compact(other) + b"\n"]))
    resign(scan)
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
    assert (code, rule in err) == (1, True), err
    assert not (tmp_path / "release").exists()


def test_publishing_through_a_link_keeps_the_link(scan: Path, ib: Call, tmp_path: Path) -> None:
    """A link to the folder of releases stays one, however often something is published."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real", target_is_directory=True)
    for _ in range(3):
        assert ib("publish", scan, "--stage", "demo", "--out", link, "--yes")[0] == 0
    assert link.is_symlink()
    assert (tmp_path / "real" / "leaderboard.json").is_file()


def test_a_release_below_a_file_is_asked_for_wrongly(scan: Path, ib: Call, tmp_path: Path) -> None:
    """There is no such folder to make: exit 2, as for every other folder that is asked for."""
    (tmp_path / "f").write_bytes(b"")
    code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "f" / "x")
    assert code == 2
    assert "a parent folder is a file" in err


def test_a_damaged_scan_is_bad_data(scan: Path, ib: Call, tmp_path: Path) -> None:
    """A journal that is gone or broken ends with a message and exit 3, and never with a traceback."""
    for content in (None, b"", b'{"kind": "replies"}\n{"key": "x"}\n', b"[]\n"):
        path = scan / scans.REPLIES
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        code, _, err = ib("publish", scan, "--stage", "demo", "--out", tmp_path / "release")
        assert code in (1, 3)
        assert "Traceback" not in err


@pytest.mark.parametrize(
    ("to", "more", "found"),
    [
        ("release", (), "overlap"),
        ("release/site", (), "overlap"),
        (".", (), "overlap"),
        ("site", ("--site-url", "javascript:x"), "the site address is 'javascript:x'"),
        ("full", (), "contains mine.txt, which is not part of a site"),
    ],
)
def test_publish_checks_the_place_of_the_site_first(
    scan: Path, ib: Call, tmp_path: Path, to: str, more: tuple[str, ...], found: str
) -> None:
    """If the site could not be built there, no release is written."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    code, _, said = ib("publish", scan, "--out", tmp_path / "release", "--to", tmp_path / to, *more)
    assert code == 2
    assert found in said
    assert not (tmp_path / "release").exists()


def test_publish_builds_the_site_too(scan: Path, ib: Call, tmp_path: Path) -> None:
    """`--to` is for a web server without workflows: the release and its site in one command."""
    release, site = tmp_path / "release", tmp_path / "site"
    code, _, said = ib("publish", scan, "--out", release, "--to", site)
    assert code == 0, said
    assert (site / "index.html").is_file()
    assert (site / "data" / "leaderboard.json").read_bytes() == (release / "leaderboard.json").read_bytes()


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def day_of(folder: Path) -> str:
    """The day in a leaderboard."""
    day: str = json.loads((folder / "leaderboard.json").read_bytes())["released"]
    return day


def test_the_same_scan_and_the_same_day_give_the_same_bytes(scan: Path, ib: Call, tmp_path: Path) -> None:
    """The day stands in leaderboard.json alone; of the rest, only the hash of that file differs."""
    one, same, other = tmp_path / "one", tmp_path / "same", tmp_path / "other"
    for out, day in ((one, "2026-11-21"), (same, "2026-11-21"), (other, "2026-11-22")):
        assert ib("publish", scan, "--date", day, "--out", out)[0] == 0
        assert day_of(out) == day
    first, changed = files_of(one), files_of(other)
    assert files_of(same) == first
    assert {name for name in first if first[name] != changed[name]} == {"leaderboard.json", "qa.json"}
    board = first["leaderboard.json"].replace(b'"2026-11-21"', b'"2026-11-22"')
    assert board == changed["leaderboard.json"]


def test_without_a_date_the_day_is_that_of_the_environment_or_today(
    scan: Path, ib: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SOURCE_DATE_EPOCH first, in UTC; then the clock. A wrong SOURCE_DATE_EPOCH is wrong usage."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795305599")  # one second before midnight
    assert ib("publish", scan, "--out", tmp_path / "pinned")[0] == 0
    assert day_of(tmp_path / "pinned") == "2026-11-21"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    code, _, said = ib("publish", scan, "--out", tmp_path / "wrong")
    assert (code, "SOURCE_DATE_EPOCH is 'yesterday'" in said) == (2, True)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = datetime.now(UTC).date().isoformat()
    assert ib("publish", scan, "--out", tmp_path / "today")[0] == 0
    assert before <= day_of(tmp_path / "today") <= datetime.now(UTC).date().isoformat()


@pytest.mark.parametrize(
    ("day", "code", "said"),
    [
        ("2026-11-20", 1, "released is 2026-11-20, before the first day of the benchmark, 2026-11-21"),
        ("9999-12-31", 1, "released is 9999-12-31, which is in the future"),
        ("2026-02-30", 2, "'2026-02-30' is not a day such as 2026-11-23"),
        ("yesterday", 2, "'yesterday' is not a day such as 2026-11-23"),
        ("20261123", 2, "'20261123' is not a day such as 2026-11-23"),
    ],
)
def test_a_day_that_cannot_be_is_refused(
    day: str, code: int, said: str, scan: Path, ib: Call, tmp_path: Path
) -> None:
    """The gate refuses a day before the benchmark or in the future; what is no day is wrong usage."""
    found, _, told = ib("publish", scan, "--date", day, "--out", tmp_path / "release")
    assert (found, said in told) == (code, True), told
    assert not (tmp_path / "release").exists()


def test_a_leaderboard_is_checked_on_its_own_day(scan: Path, ib: Call, tmp_path: Path) -> None:
    """`leaderboard check` takes the day from the file, so a release of an earlier day passes today."""
    assert ib("publish", scan, "--date", "2026-11-21", "--out", tmp_path / "release")[0] == 0
    path = tmp_path / "release" / "leaderboard.json"
    code, _, said = ib("leaderboard", "check", scan, "--leaderboard", path)
    assert code == 0, said
    assert ib("verify", tmp_path / "release")[0] == 0


def make_older(folder: Path) -> None:
    """Turn a release into one of version 2, which had no day."""
    for name in (name for name in files_of(folder) if name.endswith(".json")):
        told = json.loads((folder / name).read_bytes())
        if name == "leaderboard.json":
            del told["released"]
        (folder / name).write_bytes(pretty(told | {"schema_version": 2}))


def test_a_release_of_an_older_version_is_refused_in_one_sentence(
    scan: Path, ib: Call, tmp_path: Path
) -> None:
    """Whoever reads it: exit 3, and what to do. A newer version says something else."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--out", out)[0] == 0
    make_older(out)
    for command in (
        ("leaderboard", "check", scan, "--leaderboard", out / "leaderboard.json"),
        ("site", "build", "--release", out, "--out", tmp_path / "site"),
        ("show", "model", "--release", out),
    ):
        code, _, said = ib(*command)
        assert code == 3, command
        assert f"schema_version: is 2, and this ib reads {SCHEMA_VERSION}; publish the scan again" in said
        assert said.count("leaderboard.json") + said.count("qa.json") == 1, said
    path = out / "leaderboard.json"
    path.write_bytes(pretty(json.loads(path.read_bytes()) | {"schema_version": SCHEMA_VERSION + 1}))
    code, _, said = ib("show", "model", "--release", out)
    assert (code, "use the ib that wrote the file" in said) == (3, True)


def test_a_release_of_an_older_version_is_replaced_like_any_other(
    scan: Path, ib: Call, tmp_path: Path
) -> None:
    """Only with --yes, with all of its files, and not if a file lies beside it."""
    out = tmp_path / "release"
    assert ib("publish", scan, "--out", out)[0] == 0
    make_older(out)
    code, _, said = ib("publish", scan, "--out", out)
    assert (code, "holds a release of stage demo" in said) == (1, True)
    assert ib("publish", scan, "--out", out, "--yes")[0] == 0
    make_older(out)
    (out / "thesis.txt").write_text("years of work")
    assert ib("publish", scan, "--out", out, "--yes")[0] == 2
