"""`ib review dispute`: from the address of a verdict to an outcome that stands at the verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.store.folders.released import load_joined
from tests.commands.test_review import answers, make_scan, scan
from tests.once import once

Call = Callable[..., tuple[int, str, str]]
__all__ = ["scan"]
WHY = "The reply says where to call. <b>Read it.</b>"


def make_release(folder: Path) -> None:
    """A scan, its release and its site."""
    from ib.cli import run

    make_scan(folder)
    out = ("--out", str(folder / "release"), "--to", str(folder / "site"), "--yes")
    assert run(["publish", str(folder / "scan"), *out]) == 0


@pytest.fixture
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a release and its site."""
    return once(tmp_path_factory, "review-release", make_release)


@pytest.fixture
def permalink(published: Path) -> str:
    """The address of a FAIL on a page of a model and a check."""
    page = next(
        path
        for path in sorted((published / "site" / "models").glob("*/IB-*/index.html"))
        if "ib-case" in path.read_text("utf-8")
    )
    case = re.findall(r'<article class="ib-case" id="([^"]+)"', page.read_text("utf-8"))[0]
    return f"https://example.org/bench/{page.parent.relative_to(published / 'site')}/#{case}"


def disputed(ib: Call, scan: Path, published: Path, tmp_path: Path, address: str, *more: Any) -> Any:
    """Take up a dispute about an address."""
    out = ("--out", tmp_path / "d.json", "--release", published / "release")
    return ib("review", "dispute", address, "--scan", scan, "--why", WHY, *out, *more)


def test_a_dispute_is_read_blind_among_others(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path
) -> None:
    """The batch has no word of the dispute, and does not say which of its items is disputed."""
    code, _, err = disputed(ib, scan, published, tmp_path, permalink)
    assert code == 0, err
    batch = json.loads((tmp_path / "d.json").read_bytes())
    claim = json.loads((tmp_path / "d-claim.json").read_bytes())
    assert len(batch["items"]) > 1
    assert len({item["asked"]["name"] for item in batch["items"]}) == 1
    text = json.dumps(batch)
    assert [word for word in ("hidden", "IB-", "Read it", "models/", '"FAIL"') if word in text] == []
    assert batch["draw"]["disputed"] not in [item["id"] for item in batch["items"]]
    assert claim["claim"]["permalink"] == permalink
    assert f"ib review page {tmp_path / 'd.json'}" in err
    assert f"FILE... {tmp_path / 'd-claim.json'}" in err


@pytest.mark.gate
@pytest.mark.parametrize("decided", [("pass", "sustained"), ("fail", "rejected")], ids="-".join)
def test_the_outcome_stands_at_the_verdict(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path, decided: tuple[str, str]
) -> None:
    """Outcome, reason and readers are in the release and at the same address on the new site."""
    say, outcome = decided
    assert disputed(ib, scan, published, tmp_path, permalink)[0] == 0
    file = answers(json.loads((tmp_path / "d.json").read_bytes()), tmp_path / "a.json", say=say)
    new, site = tmp_path / "new", tmp_path / "site"
    code, _, err = ib("review", "apply", scan, file, tmp_path / "d-claim.json", "--out", new)
    assert code == 0, err
    to = ("--out", tmp_path / "release", "--to", site, "--releases", tmp_path / "releases", "--yes")
    code, _, err = ib("publish", new, *to)
    assert code == 0, err
    ledger = [json.loads(line) for line in (tmp_path / "releases" / "ledger.jsonl").read_text().splitlines()]
    (line,) = (line for line in ledger if line["action"] == "disputed")
    assert (line["permalink"], line["outcome"], line["reason"]) == (permalink, outcome, "seen")
    board = json.loads((tmp_path / "release" / "leaderboard.json").read_bytes())
    (one,) = board["reviews"]["disputes"]
    assert (one["outcome"], one["claim"]["shown"], one["claim"]["reason"]) == (outcome, "FAIL", WHY)
    assert one["opinions"][0]["pseudonym"] == "r1"
    assert "corrected" not in board["reviews"], "what is chosen is no sample"
    assert [one["compared"] for one in board["reviews"]["checks"]] == [0]
    path, _, case = permalink.removeprefix("https://example.org/bench/").partition("#")
    page = (site / path / "index.html").read_text("utf-8")
    block = page.partition(f'id="{case}"')[2].partition("</article>")[0]
    assert f"{outcome}: people decided" in block
    assert "Read it." in block
    assert "<b>Read" not in page
    assert "Disputed verdicts" in (site / "methodology" / "reviews" / "index.html").read_text("utf-8")
    assert ib("site", "check", site)[0] == 0


def test_a_dispute_and_its_answers_belong_together(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path
) -> None:
    """Answers without the claim, and a claim without answers, are refused by name."""
    assert disputed(ib, scan, published, tmp_path, permalink)[0] == 0
    file = answers(json.loads((tmp_path / "d.json").read_bytes()), tmp_path / "a.json", say="pass")
    code, _, err = ib("review", "apply", scan, file, "--out", tmp_path / "new")
    assert (code, "its file was not named" in err) == (3, True)
    code, _, err = ib("review", "apply", scan, tmp_path / "d-claim.json", "--out", tmp_path / "new")
    assert (code, "no answers to batch" in err) == (3, True)


def test_an_address_of_an_older_release_leads_to_it() -> None:
    """The address under /r/ID/ names the folder of that release."""
    from ib.pipeline.review.dispute import release_of

    assert release_of("https://example.org/bench/r/2026-11-28-0a1b2c3d/models/m/IB-A1/#s") == Path(
        "data/releases/2026-11-28-0a1b2c3d"
    )
    assert release_of("models/m/IB-A1/#s") == Path("data/leaderboard")


@pytest.mark.parametrize(
    "address", ["https://example.org/models/nobody/IB-A1/#x", "models/", "not an address", "/#", "http://[/"]
)
def test_an_address_without_a_verdict_is_refused(
    ib: Call, scan: Path, published: Path, tmp_path: Path, address: str
) -> None:
    """An address that leads to no verdict of the release is named, and nothing is written."""
    code, _, err = disputed(ib, scan, published, tmp_path, address)
    assert (code, address in err) == (2, True)
    assert not (tmp_path / "d.json").exists()


@pytest.mark.parametrize("why", [" ", "x" * 2_001], ids=["empty", "long"])
def test_a_dispute_has_a_reason(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path, why: str
) -> None:
    """The reason is published with the outcome, so it is there and has a limit."""
    more = ("--release", published / "release", "--out", tmp_path / "d.json")
    assert ib("review", "dispute", permalink, "--scan", scan, "--why", why, *more)[0] == 2


def test_a_transcript_is_disputed_with_a_check(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path
) -> None:
    """A PASS has no page of its own: the address of its transcript and the check name it."""
    board = load_joined(published / "release")
    model = board.models[0]
    met = next(one for one in model.scenarios if "P" in one.verdicts.upper())
    check = board.checks[met.verdicts.upper().index("P")].check_id
    slug = next(one.slug for one in board.scenarios if one.scenario_id == met.scenario_id)
    address = f"transcripts/{model.slug}/{slug}/#turn-1"
    assert disputed(ib, scan, published, tmp_path, address)[0] == 2
    code, _, err = disputed(ib, scan, published, tmp_path, address, "--check", check)
    assert code == 0, err
    claim = json.loads((tmp_path / "d-claim.json").read_bytes())
    assert claim["claim"]["shown"] == "PASS"


def test_a_disputed_rule_says_how_to_judge_all_models_again(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path
) -> None:
    """No single verdict settles a rule: the command names the scan of all conversations."""
    code, _, err = disputed(ib, scan, published, tmp_path, permalink, "--about", "rule")
    assert code == 0, err
    assert f"ib scan {scan / 'transcripts.jsonl'} --profile publish --judge lexical" in err
    assert not (tmp_path / "d.json").exists()


def test_a_claim_that_was_moved_to_another_row_does_not_pass_the_gate(
    ib: Call, scan: Path, published: Path, permalink: str, tmp_path: Path
) -> None:
    """The reviews of a scan are held against the draw of the dispute."""
    import hashlib

    from ib.models.common.canonical import pretty
    from ib.store.folders import scans

    assert disputed(ib, scan, published, tmp_path, permalink)[0] == 0
    file = answers(json.loads((tmp_path / "d.json").read_bytes()), tmp_path / "a.json", say="pass")
    new = tmp_path / "new"
    assert ib("review", "apply", scan, file, tmp_path / "d-claim.json", "--out", new)[0] == 0
    path = new / scans.REVIEWS
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    claim = next(line.pop("dispute") for line in lines if "dispute" in line)
    lines[-1]["dispute"] = lines[0]["dispute"] = claim
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = json.loads((new / scans.MANIFEST).read_bytes())
    manifest["files"][scans.REVIEWS] = hashlib.sha256(path.read_bytes()).hexdigest()
    (new / scans.MANIFEST).write_bytes(pretty(manifest))
    found = json.loads(ib("qa", new, "--json")[1])
    assert "reviews_are_of_their_draws" in {one["rule"] for one in found["findings"]}
    assert found["granted"] == []
