"""`ib submit check`: conversations of others are checked, priced and never judged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.cli import run
from ib.scenario.drawing import DrawKey
from tests.commands.test_draw import KEY, checks_alone
from tests.scenario import write_scenario
from tests.scenario.slots import slotted, write_draw

Call = Callable[..., tuple[int, str, str]]
Rows = list[dict[str, Any]]
EXAMPLE = Path(__file__).resolve().parents[2] / "docs/examples/refunds"
MANIFEST: dict[str, Any] = {
    "model": "steady",
    "provider": "reference",
    "played_from": "2026-11-20",
    "played_to": "2026-11-21",
    "settings": {"temperature": 0, "max_tokens": None, "system_prompt": "benchmark", "tools": []},
    "how_played": "ib_run",
    "ib_version": "0.1.0",
    "draw": "public",
    "submitter": {"name": "A. Person", "contact": "a@example.org"},
    "conflict_of_interest": "none",
}
LAMP, TICKETS = "refunds-policy-lamp", "refunds-late-tickets"


def branching(root: Path) -> None:
    """Give one scenario a branch, two sessions and a note, as scenarios of the benchmark have them."""
    path = next(root.rglob(f"{TICKETS}.json"))
    told = json.loads(path.read_text())
    first, second = told.pop("turns")
    second["branches"] = [
        {
            **{key: second[key] for key in ("expected_behaviors", "autofail_triggers")},
            "branch_id": "told-friday",
            "condition": {"type": "contains_any", "values": ["Friday"]},
            "user_message": "Friday is late. I paid 120 dollars for two empty seats.",
        }
    ]
    told["sessions"] = [
        {"session_number": 1, "turns": [first]},
        {"session_number": 2, "elapsed": "3 days", "context": "Note: two tickets.", "turns": [second]},
    ]
    path.write_text(json.dumps(told))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark and a submission that can be judged. Tests must not change it."""
    folder = tmp_path_factory.mktemp("submission")
    branching(Path(shutil.copytree(EXAMPLE, folder / "benchmark")))
    call = ("run", "-m", "reference/steady", "--benchmark", folder / "benchmark", "--out", folder / "s")
    assert run([str(one) for one in call]) == 0
    (folder / "s" / "submission.yaml").write_text(yaml.safe_dump(MANIFEST))
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy of the submission that a test may change."""
    shutil.copytree(made / "s", tmp_path / "s")
    return tmp_path / "s"


def rows(place: Path) -> Rows:
    return [json.loads(line) for line in (place / "transcripts.jsonl").read_text().splitlines()]


def write(place: Path, lines: Rows) -> None:
    (place / "transcripts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))


def one(lines: Rows, scenario: str = TICKETS) -> dict[str, Any]:
    return next(line for line in lines if line["scenario_id"] == scenario)


def manifest(place: Path, **changes: Any) -> None:
    told = {**MANIFEST, **changes}
    (place / "submission.yaml").write_text(yaml.safe_dump({k: v for k, v in told.items() if v != "absent"}))


def checked(ib: Call, made: Path, place: Path, *more: object) -> tuple[int, dict[str, Any], str]:
    """The exit code, the report and the messages."""
    code, out, err = ib("submit", "check", place, "--benchmark", made / "benchmark", "--json", *more)
    return code, json.loads(out) if out else {}, err


def test_a_whole_submission_can_be_judged(
    ib: Call, made: Path, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Complete, with calls and dollars of a named judge; no key is needed, and the folder stays as it is."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    code, report, err = checked(
        ib, made, place, "--judge", "openai/gpt-4o", "--out", tmp_path / "report.json"
    )
    assert (code, report["can_be_judged"], report["reasons"]) == (0, True, []), err
    assert (report["scenarios"], report["complete"], report["conversations"]) == (3, 3, 3)
    assert set(report["files"]) == {"submission.yaml", "transcripts.jsonl", "incomplete.jsonl"}
    assert report["price"]["cost"][0]["usd"] > 0
    assert 0 < report["price"]["planned_calls"] <= report["price"]["planned_calls_max"]
    assert json.loads((tmp_path / "report.json").read_bytes()) == report
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    code, told, _ = ib("submit", "check", place, "--benchmark", made / "benchmark")
    assert code == 0
    assert "only maintainers judge" in told
    assert "--judge PROVIDER/MODEL estimates dollars" in told
    _, report, _ = checked(ib, made, place, "--judge", "reference/judge")
    assert report["differs"] == [
        "reference/judge is of the provider of the model, which a release states in its notes"
    ]


def other_reply(lines: Rows) -> None:
    """The reply no longer says Friday, and the person still answers to it."""
    one(lines)["messages"][1]["content"] = "You will hear from us."


def in_session_one(lines: Rows) -> None:
    one(lines)["messages"][2]["session"] = 1


def earlier(lines: Rows) -> None:
    one(lines)["messages"][2]["time"] = one(lines)["messages"][3]["time"] = "2026-01-02T00:00:00Z"


def other_model(lines: Rows) -> None:
    for line in lines:
        line["model_id"] = "reference/other"


def repeated(lines: Rows) -> None:
    """The same words as a second repetition, as somebody would pad a submission."""
    copies = [{**line, "epoch": 2} for line in lines]
    for line in lines:
        line["epoch"] = 1
    lines += copies


TWICE = {"repetitions": 2, "settings": {**MANIFEST["settings"], "temperature": 0.7}}
EDITS: dict[str, tuple[Callable[[Rows], object], dict[str, Any], str, str, str]] = {
    "another branch": (other_reply, {}, "not_a_play", "messages.2.content", "differs from scenario"),
    "another session": (in_session_one, {}, "not_a_play", "messages.2.session", "differs from scenario"),
    "another time": (earlier, {}, "not_a_play", "messages.2.time", "differs from scenario"),
    "cut short": (
        lambda lines: one(lines, LAMP).update(messages=one(lines, LAMP)["messages"][:2]),
        {}, "not_a_play", "messages", "differs from scenario",
    ),
    "another version": (
        lambda lines: one(lines)["provenance"].update(scenario_hash="0" * 64),
        {}, "other_benchmark", "provenance.scenario_hash", "differs from scenario",
    ),
    "another draw": (
        lambda lines: one(lines)["provenance"].update(draw="0" * 64),
        {}, "other_benchmark", "provenance.draw", "differs from scenario",
    ),
    "no scenario of ours": (
        lambda lines: one(lines).update(scenario_id="night-01"),
        {}, "other_benchmark", "scenario_id", "has no scenario night-01",
    ),
    "a missing scenario": (
        lambda lines: lines.remove(one(lines)),
        {}, "incomplete", TICKETS, "0 plays of 1",
    ),
    "too few repetitions": (
        lambda lines: [line.update(epoch=1) for line in lines],
        {"repetitions": 2}, "incomplete", "refunds-late-parcel", "1 play of 2",
    ),
    "a line twice": (lambda lines: lines.append(one(lines)), {}, "doubled", "scenario_id", "is also in"),
    "repetitions that were copied": (repeated, TWICE, "doubled", "messages", "word for word the replies"),
    "another model": (other_model, {}, "manifest", "model_id", "is reference/other"),
    "another prompt": (
        lambda lines: one(lines)["provenance"].update(system_prompt_hash="0" * 64),
        {}, "manifest", "provenance.system_prompt_hash", "is 000",
    ),
    "another temperature": (
        lambda lines: one(lines)["provenance"].update(sampling={"temperature": 1.0}),
        {}, "manifest", "provenance.sampling.temperature", "is 1.0",
    ),
    "settings that were not recorded": (
        lambda lines: one(lines)["provenance"].update(harness="llm/raw"),
        {"settings": {**MANIFEST["settings"], "max_tokens": 2000}},
        "manifest", "provenance.sampling.", "is not stated",
    ),
    "another day": (
        lambda lines: one(lines)["provenance"].update(date="2026-11-01"),
        {}, "manifest", "provenance.date", "is 2026-11-01",
    ),
    "another harness": (
        lambda lines: one(lines)["provenance"].pop("harness"),
        {}, "manifest", "provenance.harness", "is not stated",
    ),
    "a key in a reply": (
        lambda lines: one(lines, LAMP)["messages"][-1].update(content="Use sk-" + "proj-" + "a1B2c3D4" * 6),
        {}, "leak", "", "looks like a key",
    ),
    "the canary": (
        lambda lines: one(lines, LAMP)["messages"][-1].update(content=f"I read {one(lines)['canary']}."),
        {}, "leak", "messages", "has the canary",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_what_cannot_be_judged_is_named(ib: Call, made: Path, place: Path, name: str) -> None:
    """Each fault is a reason with file, line and key, and the answer is no."""
    change, told, kind, key, words = EDITS[name]
    lines = rows(place)
    change(lines)
    write(place, lines)
    manifest(place, **told)
    code, report, err = checked(ib, made, place)
    assert (code, report["can_be_judged"]) == (1, False), err
    found = next(reason for reason in report["reasons"] if reason["kind"] == kind)
    assert found["key"].startswith(key)
    assert words in found["found"]
    assert found["allowed"]
    assert kind == "incomplete" or (found["file"], found["line"] > 0) == ("transcripts.jsonl", True)
    assert "sk-proj" not in json.dumps(report)


def test_all_reasons_are_listed_at_once(ib: Call, made: Path, place: Path) -> None:
    """Two faults in one conversation, one in another, and the price is that of what is left."""
    lines = rows(place)
    other_reply(lines)
    one(lines)["provenance"]["scenario_hash"] = "0" * 64
    one(lines, LAMP)["scenario_id"] = "night-01"
    write(place, lines)
    code, out, err = ib("submit", "check", place, "--benchmark", made / "benchmark")
    assert (code, out.count("no: ")) == (1, 4)  # and the lamp was not played
    assert "4 reasons" in err
    assert "judging 1 conversations" in out


def test_a_fault_is_no_reply(ib: Call, made: Path, place: Path) -> None:
    """A play that failed is counted, named where its scenario is missing, and stands there once."""
    lines = rows(place)
    fault = {
        "model_id": "reference/steady", "scenario_id": TICKETS, "epoch": None, "turn": 2,
        "fault": "rate_limit", "detail": "429", "messages": one(lines)["messages"][:2],
    }  # fmt: skip
    (place / "incomplete.jsonl").write_text(json.dumps(fault) + "\n")
    _, report, _ = checked(ib, made, place)
    assert [(reason["kind"], reason["file"]) for reason in report["reasons"]] == [
        ("doubled", "incomplete.jsonl")
    ]
    lines.remove(one(lines))
    write(place, lines)
    code, report, _ = checked(ib, made, place)
    assert (code, report["faults"]) == (1, 1)
    (reason,) = report["reasons"]
    assert "1 play ended with a fault (rate_limit in turn 2)" in reason["found"]


def test_what_only_differs_is_no_reason(ib: Call, made: Path, place: Path) -> None:
    """Another prompt, tools, another harness and hidden text can be judged, and are said."""
    lines = rows(place)
    for line in lines:
        line["provenance"] = {"served_model": "steady-2"}
    one(lines, LAMP)["messages"][-1]["content"] += " <!-- aside -->"
    write(place, lines)
    manifest(
        place, how_played="own_harness", harness_hash="ab" * 20, ib_version="absent",
        settings={**MANIFEST["settings"], "system_prompt": "0" * 64, "tools": ["search"]},
    )  # fmt: skip
    code, report, err = checked(ib, made, place)
    assert code == 0, err
    said = "\n".join(report["differs"])
    for words in (
        "another system prompt", "tools (search)", "another harness",
        "notes that begin sessions of 1 scenario", "3 conversations without", "1 reply with hidden text",
        "said that steady-2 answered",
    ):  # fmt: skip
        assert words in said


def test_a_private_address_is_no_leak(ib: Call, made: Path, place: Path) -> None:
    """A model at a private address can be handed in, which is said; a key in the address is a leak."""
    lines = rows(place)
    for line in lines:
        line["provenance"]["sampling"] = {"base_url": "http://10.0.0.7:8000/v1"}
    write(place, lines)
    code, report, err = checked(ib, made, place)
    assert (code, report["reasons"]) == (0, []), err
    assert report["differs"][0].startswith("3 conversations with a private address of the model")
    one(lines)["provenance"]["sampling"]["base_url"] = "http://10.0.0.7/v1?key=sk-proj-" + "a1B2c3D4" * 6
    write(place, lines)
    code, report, _ = checked(ib, made, place)
    assert (code, {reason["kind"] for reason in report["reasons"]}) == (1, {"leak"})


def test_what_could_not_be_compared_is_said(ib: Call, made: Path, place: Path) -> None:
    """Each key of the manifest that conversations lack is named with their number, and no other key."""
    lines = rows(place)
    one(lines)["provenance"] |= {"date": "2026-11-20", "sampling": {"temperature": 0}}
    write(place, lines)
    _, told, _ = ib("submit", "check", place, "--benchmark", made / "benchmark")
    assert [line.rpartition(":")[0] for line in told.splitlines() if line.startswith("not compared")] == [
        f"not compared: {key}"
        for key in ("provenance.date", "provenance.sampling.max_tokens", "provenance.sampling.temperature")
    ]
    assert "provenance.date: 2 conversations without it" in told
    assert "max_tokens: 3 conversations without it" in told


def test_a_reason_of_several_conversations_is_one_line(ib: Call, made: Path, place: Path) -> None:
    """The first place, and how many more; the report lists each."""
    lines = rows(place)
    other_model(lines)
    write(place, lines)
    code, told, err = ib("submit", "check", place, "--benchmark", made / "benchmark")
    (no,) = (line for line in told.splitlines() if line.startswith("no: "))
    assert code == 1
    assert "transcripts.jsonl:1 model_id" in no
    assert no.endswith("(and the same in 2 more lines)")
    assert "3 reasons, listed above" in err


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown key": ({"modle": "x"}, "modle"),
    "no contact": ({"submitter": {"name": "A. Person"}}, "submitter.contact"),
    "no address": ({"submitter": {"name": "A. Person", "contact": "call me"}}, "submitter.contact"),
    "days in the wrong order": ({"played_from": "2026-11-22"}, "played_to"),
    "a day to come": ({"played_to": "2999-01-01"}, "played_to"),
    "no version": ({"ib_version": "absent"}, "ib_version"),
    "no hash of the harness": ({"how_played": "own_harness"}, "harness_hash"),
    "no such set": ({"sets": ["later"]}, "sets"),
    "a private draw without its key": ({"draw": "0" * 64}, "draw"),
    "another prompt": (
        {"settings": {**MANIFEST["settings"], "system_prompt": "mine"}},
        "settings.system_prompt",
    ),
    "a word for a hash": ({"how_played": "own_harness", "harness_hash": "main"}, "harness_hash"),
    "a word for a draw": ({"draw": "secret"}, "draw"),
    "another form": ({"schema_version": 2}, "schema_version"),
    "settings that are not said": ({"settings": {"temperature": 0}}, "settings.tools"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_manifest_is_bad_data(ib: Call, made: Path, place: Path, name: str) -> None:
    """The message names file, key, what was found and what is allowed."""
    told, key = WRONG[name]
    manifest(place, **told)
    code, report, err = checked(ib, made, place)
    assert (code, report) == (3, {})
    assert f" {key}: " in err
    assert "text that matches" not in err, "what is allowed is said in words"
    assert "submission.yaml" in err


def test_faults_of_all_files_are_named_together(ib: Call, made: Path, place: Path) -> None:
    """The manifest, a line that is no JSON and an empty reply, each with its line."""
    manifest(place, draw="mine")
    lines = rows(place)
    one(lines, LAMP)["messages"][-1]["content"] = " "
    write(place, lines)
    with (place / "transcripts.jsonl").open("a") as file:
        file.write("{\n")
    code, _, err = checked(ib, made, place)
    assert code == 3
    for words in (" draw: ", "the message is empty", "transcripts.jsonl:4"):
        assert words in err
    (place / "submission.yaml").unlink()
    assert "submission.yaml: is missing" in checked(ib, made, place)[2]


@pytest.mark.gate
def test_only_published_scenarios_of_the_sets_are_wanted(ib: Call, tmp_path: Path) -> None:
    """A scenario of another set, or one that is not published, is a reason."""
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "benchmark"))
    edits: dict[str, dict[str, Any]] = {
        LAMP: {"set": "extra"},
        TICKETS: {"published": False, "unpublished_reason": "In a test."},
    }
    for name, changes in edits.items():
        path = next(root.rglob(f"{name}.json"))
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    chosen = [word for name in ("refunds-late-parcel", LAMP, TICKETS) for word in ("-s", name)]
    made = ("--benchmark", root, "--out", tmp_path / "s")
    assert ib("run", "-m", "reference/steady", *chosen, *made)[0] == 0
    found = {}
    for sets in (["core"], ["core", "extra"]):
        manifest(tmp_path / "s", sets=sets)
        code, report, _ = checked(ib, tmp_path, tmp_path / "s")
        assert (code, report["scenarios"], report["complete"]) == (1, len(sets), len(sets))
        found[len(sets)] = {reason["found"] for reason in report["reasons"]}
    assert found[2] == {f"{TICKETS} is not published"}
    assert found[1] == {f"{TICKETS} is not published", f"{LAMP} is of extra"}


@pytest.mark.gate
def test_a_private_draw_is_checked_with_its_key(ib: Call, tmp_path: Path) -> None:
    """With the key it can be judged; as a play of the public draw, or with no key, it cannot."""
    root, canary = checks_alone(tmp_path / "benchmark")
    write_scenario(root, slotted(canary=canary))
    write_draw(root)
    (tmp_path / "key").write_text(KEY)
    draw = ("--draw", tmp_path / "key")
    made = ("--benchmark", root, "--out", tmp_path / "s")
    assert ib("run", "-m", "reference/echo", *draw, *made)[0] == 0
    told = {"model": "echo", "draw": DrawKey(bytes.fromhex(KEY)).hash}
    manifest(tmp_path / "s", **told)
    code, report, err = checked(ib, tmp_path, tmp_path / "s", *draw)
    assert code == 0, err
    assert any("not the public one" in one for one in report["differs"])
    assert KEY not in json.dumps(report)
    code, _, err = checked(ib, tmp_path, tmp_path / "s")
    assert (code, "no key was given" in err, "submission.yaml:" in err) == (3, True, True)
    manifest(tmp_path / "s", model="echo")
    code, _, err = checked(ib, tmp_path, tmp_path / "s", *draw)
    assert (code, " draw: is public" in err) == (3, True)
    code, report, _ = checked(ib, tmp_path, tmp_path / "s")
    assert (code, report["reasons"][0]["key"]) == (1, "provenance.draw")
