"""The site is built only from files that passed the gate, at a stage that the gate granted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from delivery.release.sealed import SealedRelease, open_sealed, verify
from delivery.sync_web_bench import build
from ib.board.evidence.leaks import LeakSearch
from ib.errors import DataError, Refused
from ib.models.common.base import Stage
from ib.models.release.bytes import release_bytes
from ib.models.release.qa import Qa, sealed
from ib.store.files.leaks import load_leak_forms
from tests.delivery import sample

LEAKS = LeakSearch(load_leak_forms())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A valid release."""
    return sample.write(tmp_path / "release")


def opened(folder: Path) -> SealedRelease:
    return open_sealed(folder, sample.benchmark(), LEAKS)


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON document."""
    document = orjson.loads(path.read_bytes())
    change(document)
    path.write_bytes(orjson.dumps(document))


def edit_qa(folder: Path, change: Callable[[Any], object]) -> None:
    """Change qa.json and seal it again, as an attacker would."""
    path = folder / "qa.json"
    edit(path, change)
    path.write_bytes(release_bytes(sealed(Qa.model_validate_json(path.read_bytes()))))


def sign(folder: Path, *names: str) -> None:
    """Write the current hashes of these files to qa.json, as an attacker would."""
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    edit_qa(folder, lambda qa: qa["released"].update(hashes))


def refused(folder: Path) -> str:
    """The message with which the release is refused."""
    with pytest.raises(Refused) as caught:
        opened(folder)
    return str(caught.value)


def test_a_release_that_passed_the_gate_is_opened_byte_for_byte(folder: Path) -> None:
    """The opened release has the documents and the bytes of every file."""
    release = opened(folder)
    assert release.leaderboard == sample.release()[0]
    assert release.evidence == sample.release()[1]
    assert release.transcripts == sample.transcripts()
    assert release.files == {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("name", ["evidence/more.json", "evidence/x/y.json", "notes.txt", ".hidden"])
def test_a_file_that_qa_does_not_list_is_refused(folder: Path, name: str) -> None:
    """An additional evidence file, and any other additional file in any folder, is refused."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes((folder / "evidence" / "alder.json").read_bytes())
    assert f"{name} is not listed in qa.json" in refused(folder)


@pytest.mark.parametrize("name", ["notes.txt", "evidence/x/y.json", "page.html"])
def test_a_file_that_cannot_belong_to_a_release_is_refused_even_if_listed(folder: Path, name: str) -> None:
    """The site publishes only a leaderboard and evidence, even if qa.json lists other files."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"{}")
    sign(folder, name)
    assert f"{name} is not a file of a release" in refused(folder)


@pytest.mark.parametrize("name", ["leaderboard.json", "evidence/alder.json"])
def test_a_file_that_was_changed_or_lost_is_refused(folder: Path, name: str) -> None:
    """One added space changes the hash, and a missing file is reported as missing."""
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole + b" ")
    assert f"{name} has changed since it passed the gate" in refused(folder)
    (folder / name).unlink()
    assert f"{name} is missing" in refused(folder)


def test_a_leaderboard_that_qa_does_not_list_is_refused(folder: Path) -> None:
    """A leaderboard without a hash in qa.json did not pass the gate."""
    edit_qa(folder, lambda qa: qa["released"].pop("leaderboard.json"))
    assert "leaderboard.json is not listed in qa.json" in refused(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda qa: qa.update(granted=[]),
        lambda qa: qa["checked"].update({"results.jsonl": "0" * 64}),
        lambda qa: qa.pop("seal"),
        lambda qa: qa.update(seal="0" * 64),
        lambda qa: qa,
    ],
    ids=["another stage", "another hash", "no seal", "another seal", "other bytes"],
)
def test_edited_findings_are_refused(folder: Path, change: Callable[[Any], object]) -> None:
    """The findings are published too, and must be as the gate wrote them, to the last byte."""
    edit(folder / "qa.json", change)
    assert "qa.json has changed since the gate wrote it" in refused(folder)


def test_a_key_in_the_findings_is_refused(folder: Path) -> None:
    """The findings are published too, so they are searched for keys as every other file is."""
    edit_qa(folder, lambda qa: qa["rules"].append("sk-proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6N"))
    assert "qa.json: rules" in refused(folder)


@pytest.mark.parametrize("name", ["leaderboard.json", "qa.json", "evidence/alder.json", "transcripts"])
def test_a_link_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    """A link leads out of the release, even if what it leads to has the right hash."""
    target = tmp_path / "elsewhere"
    (folder / name).rename(target)
    (folder / name).symlink_to(target)
    assert f"{name} is a link or no plain file" in refused(folder)


def test_a_folder_that_is_a_link_is_opened(folder: Path, tmp_path: Path) -> None:
    """The folder itself may be a link, such as one to the newest release."""
    (tmp_path / "newest").symlink_to(folder)
    assert opened(tmp_path / "newest").leaderboard == sample.release()[0]


def test_every_reason_is_given_at_once(folder: Path) -> None:
    """All problems are reported together, not one per attempt."""
    (folder / "notes.txt").write_bytes(b"")
    (folder / "evidence" / "alder.json").unlink()
    assert refused(folder).count("\n  - ") == 2


def test_a_stage_that_was_not_granted_is_refused(folder: Path, tmp_path: Path) -> None:
    """No site is built if the gate did not grant the stage of the leaderboard."""
    board, _ = sample.release(Stage.PUBLIC)
    (folder / "leaderboard.json").write_bytes(release_bytes(board))
    sign(folder, "leaderboard.json")
    finding = {"rule": "real_judge", "refuses": ["research", "public"], "count": 1, "detail": ["x"]}
    edit_qa(folder, lambda qa: qa.update(granted=["demo"], findings=[finding]))
    assert refused(folder).endswith("\n  - the gate did not grant stage public")
    with pytest.raises(Refused, match="did not grant stage public"):
        build(folder, sample.benchmark(), tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("granted", "refuses"), [(["demo", "research", "public"], ["public"]), (["demo"], [])]
)
def test_a_qa_that_contradicts_itself_is_refused(
    folder: Path, granted: list[str], refuses: list[str]
) -> None:
    """A stage must be granted exactly if no finding refuses it."""
    finding = {"rule": "real_judge", "refuses": refuses, "count": 1, "detail": ["x"]}
    edit_qa(folder, lambda qa: qa.update(granted=granted, findings=[finding]))
    assert "qa.json contradicts itself about stage public" in refused(folder)


def test_the_qa_of_an_older_gate_is_refused(folder: Path) -> None:
    """An older gate with fewer rules may have granted a stage that this gate would refuse."""
    edit_qa(folder, lambda qa: qa["rules"].remove("real_judge"))
    assert "without real_judge" in refused(folder)


def test_the_release_of_another_benchmark_is_refused(folder: Path) -> None:
    """Otherwise the pages would show the checks of one benchmark and the figures of another."""
    edit(folder / "leaderboard.json", lambda board: board.update(benchmark_hash="0" * 64))
    sign(folder, "leaderboard.json")
    assert "made with another benchmark" in refused(folder)


def test_verify_compares_the_transcripts_with_the_evidence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quote that is not in its transcript is found, even if somebody signed the file again."""
    monkeypatch.setattr("delivery.release.sealed.load_benchmark", lambda root: sample.benchmark())
    assert verify(folder).leaderboard == sample.release()[0]
    edit(folder / "transcripts/alder.json", lambda told: told["transcripts"].clear())
    sign(folder, "transcripts/alder.json")
    with pytest.raises(DataError, match=r"transcripts/alder\.json"):
        verify(folder)


def test_a_key_or_a_path_is_refused_even_with_a_valid_hash(folder: Path) -> None:
    """A key in a quote and a path in a reason are both reported, and the key is not repeated."""
    key = "sk-proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6N"
    name = "evidence/alder.json"
    edit(folder / name, lambda evidence: evidence["items"][0]["quotes"][0].update(quote=f"it is {key}"))
    edit(folder / name, lambda evidence: evidence["items"][0].update(reason="in /home/ada/x"))
    sign(folder, name)
    said = refused(folder)
    assert f"{name}: items.0.quotes.0.quote contains what looks like a key" in said
    assert f"{name}: items.0.reason contains what looks like a path" in said
    assert key not in said


def test_a_secret_of_this_environment_is_never_published(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the gate may not have had this secret."""
    monkeypatch.setenv("MY_API_KEY", sample.QUOTED.title())
    edit(folder / "evidence" / "alder.json", lambda found: found.update(canary=sample.QUOTED.title()))
    sign(folder, "evidence/alder.json")
    with pytest.raises(Refused, match="canary contains what looks like a key"):
        build(folder, sample.benchmark(), tmp_path / "site")


def test_a_key_in_a_scenario_is_never_published(folder: Path, tmp_path: Path) -> None:
    """Pages also show the scenarios of the benchmark, which the gate does not check."""
    root = sample.write_background(tmp_path / "root")
    path = root / "scenarios" / f"{sample.SCENARIOS[0]}.json"
    edit(path, lambda scenario: scenario.update(title="sk-proj-" + "Zq7Kd0vLm2Xw9Rt4Yb6N"))
    with pytest.raises(Refused, match=f"{sample.SCENARIOS[0]}: title contains what looks like a key"):
        build(folder, sample.benchmark(), tmp_path / "site", root)


def test_a_file_of_a_release_that_is_not_json_is_bad_data(folder: Path) -> None:
    """A file that cannot be parsed is named in the message, even if its hash is valid."""
    (folder / "evidence" / "alder.json").write_bytes(b"{")
    sign(folder, "evidence/alder.json")
    with pytest.raises(DataError, match=r"alder\.json"):
        opened(folder)
    (folder / "qa.json").unlink()
    with pytest.raises(DataError, match=r"qa\.json: no such file"):
        opened(folder)


def test_a_key_in_a_line_is_found(folder: Path) -> None:
    """The files of lines are searched for keys like every other file."""
    path = folder / "scenarios.jsonl"
    key = b"sk-proj-" + b"Zq7Kd0vLm2Xw9Rt4Yb6N"
    path.write_bytes(path.read_bytes().replace(b'"jurisdiction":"', b'"jurisdiction":"' + key, 1))
    sign(folder, path.name)
    assert "scenarios.jsonl: " in refused(folder)


def test_a_leaderboard_that_lists_rows_itself_is_refused(folder: Path) -> None:
    """Rows are read from their files alone, where they are compared with transcripts and evidence."""
    edit(folder / "leaderboard.json", lambda board: board.update(open_gates=[]))
    sign(folder, "leaderboard.json")
    with pytest.raises(
        DataError, match=r"open_gates: is in the file; rows/ and scenarios\.jsonl, which have it"
    ):
        opened(folder)


def test_the_rows_of_another_model_are_refused(folder: Path) -> None:
    """The header of a file of rows names its model."""
    (folder / "rows" / "alder.jsonl").write_bytes((folder / "rows" / "birch.jsonl").read_bytes())
    sign(folder, "rows/alder.jsonl")
    with pytest.raises(DataError, match=r"alder\.jsonl:1: model_id: the rows are those of 'reference/birch'"):
        opened(folder)
