"""A source has no word of a conversation that is withheld, and verifying says what is not proven."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ib.models.common.base import Carrying
from ib.models.release.source import CONVERSATIONS
from ib.pipeline.release.release import prepare_release, write_release
from ib.pipeline.scan.judges import SCRIPTS
from ib.pipeline.scan.scan import scan
from tests.pipeline import verifying
from tests.pipeline.verifying import edit_rows, reseal, verified

Row = dict[str, Any]
KEY = "sk-" + "proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6NZq7Kd0vLm2Xw9Rt4Yb6N"


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The plays of the small scan."""
    path = verifying.scanned(tmp_path_factory).parent / "run" / "transcripts.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def released(plays: list[Row], folder: Path, carrying: Carrying = Carrying.PLAYS) -> Path:
    """The release of some plays, judged by words."""
    path = folder / "plays.jsonl"
    path.write_text("".join(json.dumps(play) + "\n" for play in plays), "utf-8")
    scanned = scan(path, profile="publish", judge="lexical", out=folder / "scan")
    write_release(prepare_release(scanned.path, "demo", None, carrying), folder / "release")
    return folder / "release"


def words(play: Row) -> list[str]:
    """What was said in a play, in pieces that no other text has by chance."""
    return [piece for one in play["messages"] for piece in one["content"].split("\n") if len(piece) > 25]


def source(release: Path) -> str:
    """Everything that the source says of conversations."""
    return gzip.decompress((release / CONVERSATIONS).read_bytes()).decode()


def test_without_transcripts_the_source_has_votes_and_no_word(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, plays: list[Row]
) -> None:
    """Verdicts are computed from the votes that are stated, and the message counts the conversations."""
    made = prepare_release(verifying.scanned(tmp_path_factory), "demo", None, Carrying.NONE)
    write_release(made, tmp_path / "release")
    told = source(tmp_path / "release")
    assert [piece for play in plays for piece in words(play) if json.dumps(piece)[1:-1] in told] == []
    found = verified(tmp_path / "release")
    assert found.differences == ()
    assert "6 conversations withheld, because the release carries no transcripts" in found.unproven[0]


def test_a_vote_that_is_turned_is_found_without_the_words(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A verdict must follow from the votes that are stated, and the leaderboard from the verdicts."""
    made = prepare_release(verifying.scanned(tmp_path_factory), "demo", None, Carrying.NONE)
    write_release(made, tmp_path / "release")

    def turn(rows: list[Row]) -> None:
        row = next(
            row
            for one in rows
            for row in (one["conversation"]["result"] or {"rows": []})["rows"]
            if row["verdict"] == "PASS" and row["votes"]
        )
        for window in row["windows"]:
            window["verdict"] = "UNCLEAR"

    edit_rows(tmp_path / "release", CONVERSATIONS, turn)
    reseal(tmp_path / "release")
    said = "\n".join(one.words for one in verified(tmp_path / "release").differences)
    assert "PASS does not follow from its windows" in said


def test_a_conversation_with_a_key_is_withheld(tmp_path: Path, plays: list[Row]) -> None:
    """The others stay whole; the key is nowhere in the release, and the release holds."""
    first, *others = plays
    messages = [dict(one) for one in first["messages"]]
    messages[1]["content"] += f" Use {KEY} for it."
    release = released([{**first, "messages": messages}, *others], tmp_path)
    for path in release.rglob("*"):
        data = b"" if path.is_dir() else path.read_bytes()
        assert KEY.encode() not in (gzip.decompress(data) if path.suffix == ".gz" else data), path
    found = verified(release)
    assert found.differences == ()
    assert "1 conversation withheld, with what looks like a key" in found.unproven[0]


def log(play: Row, number: int) -> Row:
    """A play as the log of another tool, with metadata, an id and words beside the conversation."""
    kept = {key: play[key] for key in ("model_id", "model", "messages")}
    beside = {"turn": 1, "kind": "tool_result", "content": "The diary of a stranger."}
    found = {"form": "python", "file": "private-name.json", "id": "private-id"}
    provenance = {"harness": "import/chat", "source": found}
    more = {"meta": {"version": "private-version"}, "context": [beside], "provenance": provenance}
    return {**kept, "scenario_id": f"log-{number}", **more}


@pytest.mark.parametrize("carrying", [Carrying.PLAYS, Carrying.ALL])
def test_logs_of_people_keep_their_ids_and_metadata(
    carrying: Carrying, tmp_path: Path, plays: list[Row]
) -> None:
    """By default no word of them is there; if all are carried, then without what nobody said."""
    logs = [log(play, number) for number, play in enumerate(plays[:2])]
    release = released(logs, tmp_path, carrying)
    told = source(release)
    hidden = ["private-", "diary of a stranger"]
    if carrying is Carrying.PLAYS:
        hidden += [json.dumps(piece)[1:-1] for one in logs for piece in words(one)]
    assert [one for one in hidden if one in told] == []
    found = verified(release)
    assert found.differences == ()
    expected = {Carrying.PLAYS: "2 conversations withheld", Carrying.ALL: "2 conversations without metadata"}
    assert expected[carrying] in found.unproven[0]


def test_a_second_judge_is_computed_again(tmp_path: Path, plays: list[Row]) -> None:
    """What a second judge answered is in the source too."""
    path = tmp_path / "plays.jsonl"
    path.write_text("".join(json.dumps(play) + "\n" for play in plays[:2]), "utf-8")
    out = tmp_path / "scan"
    scan(path, profile="publish", judge=SCRIPTS, second_judge="lexical", second_share=0.5, out=out)
    write_release(prepare_release(out, "demo", None), tmp_path / "release")
    assert '"second":[' in source(tmp_path / "release")
    found = verified(tmp_path / "release")
    assert found.differences == ()
    assert [one.partition(" are as stated: ")[0] for one in found.unproven] == [
        "a release does not carry these files of the scan, so that their hashes"
    ]
