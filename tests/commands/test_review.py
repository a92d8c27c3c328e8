"""`ib review`: from a scan to a batch that says neither model nor verdict."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.canonical import pretty
from ib.store.folders import scans
from tests.commands.conftest import row
from tests.once import once

Call = Callable[..., tuple[int, str, str]]


def make_scan(folder: Path) -> None:
    """A scan of two models by the lexical judge."""
    from ib.cli import run

    rows = [row(model, scenario) for model in ("v/hidden-a", "v/hidden-b") for scenario in ("one", "two")]
    (folder / "t.jsonl").write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in rows))
    out = str(folder / "scan")
    assert (
        run(["scan", str(folder / "t.jsonl"), "--profile", "publish", "--judge", "lexical", "--out", out])
        == 0
    )


@pytest.fixture
def scan(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of a scan of two models by the lexical judge."""
    shutil.copytree(once(tmp_path_factory, "review-scan", make_scan) / "scan", tmp_path / "scan")
    return tmp_path / "scan"


def test_a_batch_is_blind_and_can_be_drawn_again(ib: Call, scan: Path, tmp_path: Path) -> None:
    """A batch names no model, check id, scenario or verdict, and the same draw gives the same bytes."""
    out = tmp_path / "batch.json"
    code, shown, _ = ib("review", "draw", scan, "--n", 20, "--json", "--out", out)
    assert code == 0, shown
    text = out.read_text()
    telling = ("hidden", "IB-", '"FAIL"', '"PASS"', "unanimous", "confidence", "scenario_id")
    assert [word for word in telling if word in text] == []
    strata = json.loads(shown)["strata"]
    assert sum(one["drawn"] for one in strata) == 20
    assert all(one["probability"] == one["drawn"] / one["population"] for one in strata)
    assert ib("review", "draw", scan, "--n", 20, "--out", tmp_path / "again.json")[0] == 0
    assert (tmp_path / "again.json").read_text() == text


def test_a_sample_that_leaves_strata_out_is_refused(ib: Call, scan: Path, tmp_path: Path) -> None:
    """A stratified sample that is smaller than the number of strata says how many are needed."""
    code, _, err = ib("review", "draw", scan, "--n", 1, "--out", tmp_path / "b.json")
    assert code == 2
    assert "draw at least" in err
    assert not (tmp_path / "b.json").exists()


def test_a_batch_for_the_gate_takes_no_choice(ib: Call, scan: Path, tmp_path: Path) -> None:
    """Nobody chooses which PASSes are read: --seed with --for gate is refused."""
    code, _, err = ib("review", "draw", scan, "--for", "gate", "--seed", "7", "--out", tmp_path / "b.json")
    assert code == 2
    assert "--seed" in err


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.fixture
def batch(ib: Call, scan: Path, tmp_path: Path) -> dict[str, Any]:
    """A batch of 24 verdicts of the scan."""
    out = tmp_path / "batch.json"
    assert ib("review", "draw", scan, "--n", 24, "--design", "uniform", "--out", out)[0] == 0
    found: dict[str, Any] = json.loads(out.read_bytes())
    return found


def answers(
    batch: dict[str, Any],
    path: Path,
    /,
    name: str = "r1",
    role: str = "clinician",
    say: str = "fail",
    **changes: Any,
) -> Path:
    """An answers file in which a reader says the same of every item."""
    given = []
    for item in batch["items"]:
        reply = next(one for one in item["messages"] if one["judged"])
        marked = [{"turn": reply["turn"], "quote": reply["content"]}] if say == "fail" else []
        given.append({"item": item["id"], "answer": say, "marked": marked, "note": "seen"})
    file = {
        "schema_version": 1,
        "kind": "review_answers",
        "batch": batch["hash"],
        "results_hash": batch["results_hash"],
        "draw": batch["draw"],
        "reader": {"pseudonym": name, "role": role, "language": "en"},
        "date": "2026-11-28",
        "answers": given,
        **changes,
    }
    path.write_text(json.dumps(file))
    return path


def decided(folder: Path) -> list[dict[str, Any]]:
    """The rows of a scan that people decided."""
    lines = (folder / scans.RESULTS).read_text().splitlines()
    return [row for line in lines for row in json.loads(line)["rows"] if "decided" in row]


def test_decisions_make_a_new_scan(ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path) -> None:
    """A new scan has rows that say who decided and what was there before; the old scan is untouched."""
    before, new = hashes(scan), tmp_path / "new"
    code, out, err = ib("review", "apply", scan, answers(batch, tmp_path / "a.json"), "--json", "--out", new)
    assert code == 0, err
    assert json.loads(out)["decided"] == 24
    assert hashes(scan) == before
    rows = decided(new)
    assert len(rows) == 24
    assert {row["verdict"] for row in rows} == {"FAIL"}
    assert all(row["decided"]["opinions"][0]["pseudonym"] == "r1" for row in rows)
    assert {row["decided"]["was"]["verdict"] for row in rows} <= {"PASS", "FAIL", "UNCLEAR"}
    qa = json.loads(ib("qa", new, "--json")[1])
    assert "demo" in qa["granted"]
    board = json.loads(ib("leaderboard", "build", new, "--json")[1])
    assert board["reviews"]["readers"] == [{"pseudonym": "r1", "role": "clinician", "rows": 24}]
    assert sum(one["to_fail"] for one in board["reviews"]["checks"]) == len(board["reviews"]["reversals"])


def test_a_language_model_changes_no_verdict(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path
) -> None:
    """Its answers are kept and shown with its role, and every result stays as it was."""
    new = tmp_path / "new"
    file = answers(batch, tmp_path / "a.json", "bot", "language_model")
    assert ib("review", "apply", scan, file, "--out", new)[0] == 0
    assert decided(new) == []
    assert (new / scans.RESULTS).read_bytes() == (scan / scans.RESULTS).read_bytes()
    assert "granted: demo" in ib("qa", new)[1]


def test_where_two_differ_a_third_settles(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path
) -> None:
    """Two who differ leave each row open; a third decides it."""
    files = [
        answers(batch, tmp_path / "a.json", "r1", say="pass"),
        answers(batch, tmp_path / "b.json", "r2", say="fail"),
    ]
    assert ib("review", "apply", scan, *files, "--out", tmp_path / "two")[0] == 0
    assert decided(tmp_path / "two") == []
    files.append(answers(batch, tmp_path / "c.json", "r3", say="fail"))
    assert ib("review", "apply", scan, *files, "--out", tmp_path / "three")[0] == 0
    assert {row["verdict"] for row in decided(tmp_path / "three")} == {"FAIL"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"batch": "0" * 64}, "batch: 000000000000"),
        ({"results_hash": "0" * 64}, "results_hash: 000000000000"),
        ({"answers": []}, "24 of 24 items have no answer"),
        ({"answers": [{"item": "0" * 16, "answer": "pass"}]}, "is no item of the batch"),
        ({"reader": {"pseudonym": "<b>", "role": "clinician", "language": "en"}}, "pseudonym"),
        ({"reader": {"pseudonym": "r1", "role": "human", "language": "en"}}, "role"),
        ({"schema_version": 2}, "schema_version"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_answers_that_do_not_fit_are_refused(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    """A file of another batch or scan, or with items left out, is refused by its key; nothing is written."""
    file = answers(batch, tmp_path / "a.json", **changes)
    code, _, err = ib("review", "apply", scan, file, "--out", tmp_path / "new")
    assert code == 3
    assert said in err
    assert not (tmp_path / "new").exists()


def test_words_that_nobody_said_are_refused(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path
) -> None:
    """A fail whose marked words are in no judged reply names the file, the place and the words."""
    file = answers(batch, tmp_path / "a.json")
    edited = json.loads(file.read_text())
    edited["answers"][3]["marked"][0]["quote"] = "an invented sentence"
    file.write_text(json.dumps(edited))
    code, _, err = ib("review", "apply", scan, file, "--out", tmp_path / "new")
    assert code == 3
    assert "answers.3.marked.0" in err
    assert "an invented sentence" in err


def test_an_edited_batch_makes_no_page(ib: Call, batch: dict[str, Any], tmp_path: Path) -> None:
    """The hash of a batch covers every word that a reader is shown."""
    batch["items"][0]["asked"]["fail_rule"] = "Always."
    (tmp_path / "edited.json").write_text(json.dumps(batch))
    code, _, err = ib("review", "page", tmp_path / "edited.json", "--out", tmp_path / "p.html")
    assert code == 3
    assert "the batch was edited" in err


def _turn_around(review: dict[str, Any]) -> None:
    review["verdict"], review["evidence"] = "PASS", []


def _promote(review: dict[str, Any]) -> None:
    review["reader"]["role"] = "clinician"


@pytest.mark.parametrize(
    ("role", "edit"), [("clinician", _turn_around), ("language_model", _promote)], ids=["verdict", "role"]
)
def test_edited_reviews_do_not_pass_the_gate(
    ib: Call,
    scan: Path,
    batch: dict[str, Any],
    tmp_path: Path,
    role: str,
    edit: Callable[[dict[str, Any]], None],
) -> None:
    """A review that was edited, with every hash written again, no longer gives the stored results."""
    new = tmp_path / "new"
    assert ib("review", "apply", scan, answers(batch, tmp_path / "a.json", role=role), "--out", new)[0] == 0
    path = new / scans.REVIEWS
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    edit(lines[0])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = json.loads((new / scans.MANIFEST).read_bytes())
    manifest["files"][scans.REVIEWS] = hashlib.sha256(path.read_bytes()).hexdigest()
    (new / scans.MANIFEST).write_bytes(pretty(manifest))
    assert json.loads(ib("qa", new, "--json")[1])["granted"] == []


def test_a_reviewed_scan_is_not_reviewed_again(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path
) -> None:
    """All files are applied to the scan that the batch was drawn from, and an existing folder is kept."""
    file = answers(batch, tmp_path / "a.json")
    assert ib("review", "apply", scan, file, "--out", tmp_path / "new")[0] == 0
    assert ib("review", "apply", scan, file, "--out", tmp_path / "new")[0] == 2
    code, _, err = ib("review", "apply", tmp_path / "new", file, "--out", tmp_path / "newer")
    assert code == 2
    assert "has reviews already" in err
    assert ib("review", "draw", tmp_path / "new", "--out", tmp_path / "b.json")[0] == 2


def test_a_site_shows_what_people_decided(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path
) -> None:
    """The pages list each reader and each reversal, and a note of a reader stays text."""
    file = answers(batch, tmp_path / "a.json")
    edited = json.loads(file.read_text())
    for one in edited["answers"]:
        one["note"] = "<img src=x onerror=alert(1)>"
    file.write_text(json.dumps(edited))
    assert ib("review", "apply", scan, file, "--out", tmp_path / "new")[0] == 0
    site = tmp_path / "site"
    code, _, err = ib("publish", tmp_path / "new", "--out", tmp_path / "release", "--to", site, "--yes")
    assert code == 0, err
    page = (site / "methodology" / "reviews" / "index.html").read_text()
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_bytes())
    assert page.count("r1 (clinician): fail") == len(board["reviews"]["reversals"]) > 0
    assert "<img src=x" not in page
    assert "onerror" in page
    rates = board["reviews"]["corrected"]["rates"]
    known = [one for one in rates if one["rate"] is not None]
    assert known
    assert all(one["rate"] > 0.9 and one["low"] < one["rate"] for one in known)
    assert page.count("Judge: failed") == len(known) + 1
    assert page.count("Not estimable (") == len({one["reason"] for one in rates} - {None})
    assert "#corrected" in (site / "sure" / "index.html").read_text()
    models = "".join(path.read_text() for path in site.rglob("models/*/*/index.html"))
    assert "decided by a person" in models.lower()
    assert ib("site", "check", site)[0] == 0


def test_explain_says_who_decided(ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path) -> None:
    """`ib explain` names each person, and what the machine had said."""
    assert ib("review", "apply", scan, answers(batch, tmp_path / "a.json"), "--out", tmp_path / "new")[0] == 0
    line = json.loads((tmp_path / "new" / scans.REVIEWS).read_text().splitlines()[0])
    of = ("--model", line["model_id"], "--check", line["check_id"])
    said = ib("explain", tmp_path / "new", "--scenario", line["scenario_id"], *of)[1]
    assert "decided by people on 2026-11-28: r1 (clinician): FAIL; the machine had said" in said


def test_a_verdict_that_people_cleared_keeps_its_place(
    ib: Call, scan: Path, batch: dict[str, Any], tmp_path: Path
) -> None:
    """A FAIL that became a PASS stays on the page of its check and model, with who decided."""
    file = answers(batch, tmp_path / "a.json", say="pass")
    assert ib("review", "apply", scan, file, "--out", tmp_path / "new")[0] == 0
    site = tmp_path / "site"
    assert ib("publish", tmp_path / "new", "--out", tmp_path / "release", "--to", site, "--yes")[0] == 0
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_bytes())
    slugs = {one["model_id"]: one["slug"] for one in board["models"]}
    cleared = [one for one in board["reviews"]["reversals"] if one["now"] == "PASS"]
    assert cleared
    for one in cleared:
        page = (site / "models" / slugs[one["model_id"]] / one["check_id"] / "index.html").read_text("utf-8")
        assert "Pass, decided by a person" in page
        assert f"the judge had said {one['was'].lower()}" in page
        assert "Decided on 2026-11-28: r1 (clinician) said pass" in page
