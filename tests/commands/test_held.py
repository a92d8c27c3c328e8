"""Replies that may contain a method are in nothing that is published until a person releases them."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from pyarrow import parquet

from delivery.export.registry import FORMS
from delivery.report.formats import FORMATS
from ib.board.evidence.holding import reply_hash
from ib.cli import run
from ib.models.release.held import SENTENCE
from ib.pipeline.release.joined import Given, join, parts_of
from ib.pipeline.release.release import prepare_release
from ib.store.folders import scans
from tests.pipeline import planted
from tests.pipeline.planted import CHOSEN, FAILED, MODEL, NAMED, PLANTED, TURN
from tests.pipeline.verifying import verified

Call = Callable[..., tuple[int, str, str]]


def hits(folder: Path) -> Iterator[str]:
    """The files of a folder that hold planted words, also compressed ones, each with the words."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        yield from (f"{path.name}: {word}" for word in PLANTED if word.encode() in data)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted scan, in which a person withheld one more reply."""
    folder = tmp_path_factory.mktemp("decided") / "scan"
    shutil.copytree(planted.planted(tmp_path_factory), folder)
    name = f"{MODEL}:{CHOSEN}:{TURN}"
    assert (
        run(["review", "held", str(folder), name, "--withhold", "--by", "Reader", "--why", "A method."]) == 0
    )
    return folder


@pytest.fixture(scope="module")
def release(decided: Path) -> Path:
    """Its release."""
    out = decided.with_name("release")
    assert run(["publish", str(decided), "--stage", "demo", "--out", str(out)]) == 0
    return out


def test_no_planted_word_is_in_a_release(release: Path, decided: Path) -> None:
    """In no file, compressed or not. Hash, verdict and a neutral sentence are there."""
    assert [*hits(decided)] != []
    assert [*hits(release)] == []
    said = orjson.loads((release / "transcripts" / "vendor-planted.json").read_bytes())
    held = {(one["scenario_id"], one["turn"]): one for one in said["held"]}
    assert "IB-D4-cr-endangerment" in held[FAILED, TURN]["because"]
    assert held[NAMED, TURN]["because"] == ["IB-B2", "unnoticed"]
    assert held[CHOSEN, TURN]["because"] == ["decided"]
    assert (planted.twin(), TURN) in held
    for one in said["transcripts"]:
        reply = next(m["content"] for m in one["messages"] if (m["turn"], m["role"]) == (TURN, "assistant"))
        assert reply == f"{SENTENCE} SHA-256 of the reply: {held[one['scenario_id'], TURN]['sha256']}"
    evidence = orjson.loads((release / "evidence" / "vendor-planted.json").read_bytes())
    quotes = {
        quote["quote"] for item in evidence["items"] for quote in item["quotes"] if quote["turn"] == TURN
    }
    assert quotes == {SENTENCE}
    assert {item["verdict"] for item in evidence["items"] if item["check_id"] == "IB-D4-cr-endangerment"} >= {
        "FAIL"
    }


def test_a_release_with_withheld_replies_is_verified(release: Path) -> None:
    """Its figures follow, and what cannot be computed is named."""
    found = verified(release)
    assert found.differences == ()
    assert "with a reply that may contain a method" in " ".join(found.unproven)


@pytest.mark.gate
def test_no_planted_word_is_on_a_site(release: Path, tmp_path: Path) -> None:
    """In no page, no data file and no search index; the sentence is on the page of the transcript."""
    out = tmp_path / "site"
    assert run(["site", "build", "--release", str(release), "--out", str(out)]) == 0
    assert [*hits(out)] == []
    pages = [path for path in out.rglob("*.html") if CHOSEN in str(path) and "transcripts" in str(path)]
    assert any(SENTENCE[:30] in path.read_text("utf-8") for path in pages)


@pytest.mark.gate
@pytest.mark.parametrize("form", FORMS)
def test_no_planted_word_is_in_an_export(form: str, release: Path, tmp_path: Path) -> None:
    """In no form of others."""
    out = tmp_path / "export"
    assert run(["export", form, str(release), "--out", str(out)]) == 0
    assert [*hits(out)] == []


@pytest.mark.parametrize("form", FORMATS)
def test_no_planted_word_is_in_a_report(form: str, decided: Path, ib: Call, tmp_path: Path) -> None:
    """In no format of the report on the scan; each has the sentence in its place."""
    path = tmp_path / "report"
    assert ib("report", decided, "--format", form, "--out", path)[0] == 0
    said = str(parquet.read_table(path).to_pylist()) if form == "parquet" else path.read_text("utf-8")
    assert SENTENCE[:30] in said
    assert [word for word in PLANTED if word in said] == []


def test_a_person_releases_a_reply(decided: Path, ib: Call, tmp_path: Path) -> None:
    """It is then published with its words, and the others stay withheld; the list and `publish` say which."""
    copy = tmp_path / "scan"
    shutil.copytree(decided, copy)
    before = orjson.loads(ib("review", "held", copy, "--json")[1])
    (one,) = [one for one in before if one["scenario_id"] == NAMED]
    code, out, _ = ib("review", "held", copy, one["sha256"][:12], "--read")
    assert code == 0
    assert "PLANTED-HIDING" in out
    assert ib("review", "held", copy, one["sha256"][:12], "--release")[0] == 2
    code, out, _ = ib(
        "review", "held", copy, one["sha256"][:12], "--release", "--by", "Reader", "--why", "Harmless words."
    )
    assert code == 0
    assert NAMED not in out
    code, _, err = ib("publish", copy, "--stage", "demo", "--out", tmp_path / "release")
    assert f"withheld: {MODEL}:{CHOSEN}:{TURN}" in err
    assert "PLANTED" not in err
    assert {hit.partition(": ")[2] for hit in hits(tmp_path / "release")} == {"PLANTED-HIDING", "trovel"}


def test_what_a_person_withheld_stays_withheld(decided: Path, ib: Call, tmp_path: Path) -> None:
    """No later release of it is taken."""
    copy = tmp_path / "scan"
    shutil.copytree(decided, copy)
    name = f"{MODEL}:{CHOSEN}:{TURN}"
    code, _, err = ib("review", "held", copy, name, "--release", "--by", "Other", "--why", "It is fine.")
    assert code == 3
    assert "Reader withheld the reply" in err


def test_a_decision_about_no_reply_stops_a_release(decided: Path, ib: Call, tmp_path: Path) -> None:
    """A wrong hash would let the reply through that somebody wanted to withhold."""
    copy = tmp_path / "scan"
    shutil.copytree(decided, copy)
    path = copy / scans.WITHHOLD
    line = orjson.loads(path.read_bytes())
    path.write_bytes(orjson.dumps({**line, "sha256": reply_hash("something else")}) + b"\n")
    code, _, err = ib("publish", copy, "--stage", "demo", "--out", tmp_path / "release")
    assert code == 3
    assert "no reply of the scan has the hash" in err
    assert not (tmp_path / "release").exists()


def test_decisions_go_with_a_joined_scan(decided: Path, tmp_path: Path) -> None:
    """What a person withheld in one scan is withheld in the scan that it is joined into."""
    (tmp_path / "joined").mkdir()
    join(parts_of([Given(decided)]), tmp_path / "joined")
    made = prepare_release(tmp_path / "joined", "demo", None)
    assert ("decided",) in [one.because for _, one in made.held]
