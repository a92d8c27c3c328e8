"""`ib run`: the plan first, then plays; the same bytes at any parallelism; errors kept apart."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ib.store.files.writing import disk
from ib.store.folders.journal import Journal
from tests.scenario import branch, scenario_dict, turn, write_scenario
from tests.store.small import SCORING, write_benchmark, write_yaml

Call = Callable[..., tuple[int, str, str]]

SMOKE = {
    "checks": "deterministic",
    "votes": "none",
    "gate_stop": "none",
    "stop": "none",
    "may_publish": False,
}
CHARACTER: dict[str, Any] = {
    "id": "plain",
    "name": "Plain",
    "canary": "canary",
    "summary": "Says little.",
    "slots": [
        {
            "name": "all",
            "rules": [{"id": "asked", "when": {"pattern": "turn 2"}, "say": ["You said turn two: $quote."]}],
            "otherwise": ["Yes.", "Go on."],
        }
    ],
    "silence": "Yes.",
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A benchmark from elsewhere: one check, one character, three scenarios."""
    root = write_benchmark(tmp_path / "pack")
    write_yaml(root / "configs" / "scoring.yaml", {**SCORING, "profiles": {"smoke": SMOKE}})
    write_yaml(root / "reference" / "plain.yaml", CHARACTER)
    write_yaml(root / "reference" / "other.yaml", {**CHARACTER, "id": "other", "name": "Other"})
    (root / "configs" / "system_prompt.md").write_text("Answer.\n")
    turns = [
        turn(1),
        turn(2),
        turn(3, branches=[branch("two", {"type": "contains_any", "values": ["turn two"]})]),
    ]
    write_scenario(root, scenario_dict("safety-crisis-a", turns=turns))
    write_scenario(root, scenario_dict("safety-crisis-b", tags=["distress_disclosure"]))
    hidden = {"published": False, "unpublished_reason": "Too long."}
    write_scenario(root, scenario_dict("empathy-grief-c", category="empathy", theme="grief", **hidden))
    return root


def script(path: Path, **replies: Any) -> str:
    """A scripted model as a file; the option that names it."""
    value = {
        "model_id": "test/scripted",
        "model": "Scripted",
        "replies": replies,
        "otherwise": {"text": "Yes."},
    }
    path.write_text(json.dumps(value))
    return f"scripted:{path}"


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_scenarios_become_transcripts(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Every published scenario is played; branches follow the real reply; a scan reads what came out."""
    out = tmp_path / "run"
    code, stdout, _ = ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", out, "--json")
    assert code == 0
    plan = json.loads(stdout)["plan"]
    assert (plan["planned_calls"], plan["estimated_cost_usd"], plan["harness"]) == (7, 0.0, "llm/raw")
    assert plan == json.loads((out / "run_plan.json").read_text())
    first, second = lines(out / "transcripts.jsonl")
    assert [first["scenario_id"], second["scenario_id"]] == ["safety-crisis-a", "safety-crisis-b"]
    assert first["messages"][3]["content"] == "You said turn two: This is what I say in turn 2."
    assert first["messages"][4]["branch_id"] == "two"
    assert first["provenance"]["harness"] == "reference"
    assert first["canary"] == "canary"
    manifest = json.loads((out / "run_manifest.json").read_text())
    assert (manifest["transcripts"], manifest["incomplete"]) == (2, 0)
    scanned = tmp_path / "scan"
    assert ib("scan", out / "transcripts.jsonl", "--benchmark", pack, "--out", scanned)[0] == 0
    assert [row["scenario_id"] for row in lines(scanned / "results.jsonl")] == [
        "safety-crisis-a",
        "safety-crisis-b",
    ]


def test_the_same_run_twice_gives_the_same_bytes_at_any_parallelism(
    ib: Call, pack: Path, tmp_path: Path
) -> None:
    """Everything but the manifest is the same, whatever runs at once and in whatever order it is named."""
    folders = []
    for index, arguments in enumerate(
        (
            ("-m", "reference/plain", "-m", "reference/other"),
            ("-m", "reference/other", "-m", "reference/plain", "--scenario-parallel", "8"),
            ("-m", "reference/plain", "-m", "reference/other", "--model-parallel", "4"),
        )
    ):
        folders.append(tmp_path / f"run-{index}")
        assert ib("run", *arguments, "--benchmark", pack, "--out", folders[-1])[0] == 0
    for name in (
        "run_plan.json",
        "transcripts.jsonl",
        "completions.jsonl",
        "incomplete.jsonl",
        "cost_report.json",
    ):
        assert len({(folder / name).read_bytes() for folder in folders}) == 1, name


def test_lesson_07_an_error_ends_the_play_and_resume_tries_it_again(
    ib: Call, pack: Path, tmp_path: Path
) -> None:
    """A fault leaves no transcript; the run says so with exit 4; --resume asks only what has no answer."""
    path, out = tmp_path / "script.json", tmp_path / "run"
    bad = [{"text": "One."}, {"fault": "transient", "detail": "503"}]
    model = script(path, **{"safety-crisis-b": bad})
    code, _, stderr = ib("run", "-m", model, "--benchmark", pack, "--out", out)
    assert code == 4
    assert "1 of 2 plays are incomplete" in stderr
    assert "--resume" in stderr
    assert [row["scenario_id"] for row in lines(out / "transcripts.jsonl")] == ["safety-crisis-a"]
    (broken,) = lines(out / "incomplete.jsonl")
    assert (broken["turn"], broken["fault"], len(broken["messages"])) == (2, "transient", 2)
    before = len(lines(out / "completions.jsonl"))
    code, _, _ = ib("run", "-m", model, "--benchmark", pack, "--out", out, "--resume")
    assert code == 4
    assert len(lines(out / "completions.jsonl")) == before
    script(path, **{"safety-crisis-b": [{"text": "One."}]})
    code, _, stderr = ib("run", "-m", model, "--benchmark", pack, "--out", out, "--resume")
    assert (code, "another plan" in stderr) == (4, True)


@pytest.mark.parametrize("text", ["  ", "[](https://a.org)"])
def test_an_empty_answer_is_no_answer(ib: Call, pack: Path, tmp_path: Path, text: str) -> None:
    """A model that shows nothing has not answered: the play is incomplete, and asked again on resume."""
    out = tmp_path / "run"
    model = script(tmp_path / "s.json", **{"safety-crisis-a": [{"text": text}]})
    assert ib("run", "-m", model, "--benchmark", pack, "--out", out)[0] == 4
    assert lines(out / "incomplete.jsonl")[0]["fault"] == "empty"


def test_lesson_38_a_dry_run_writes_only_what_it_was_asked_to(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Without --out nothing is written; with it the plan and its cost, and nothing is called."""
    code, stdout, _ = ib("run", "-m", "reference/plain", "--benchmark", pack, "--dry-run")
    assert (code, stdout.splitlines()[1]) == (0, "7 calls planned (at most 7), cost $0.00")
    out = tmp_path / "plan"
    assert ib("run", "-m", "reference/plain", "--benchmark", pack, "--dry-run", "--out", out)[0] == 0
    assert sorted(path.name for path in out.iterdir()) == ["cost_report.json", "run_plan.json"]


def test_the_folder_of_a_dry_run_is_not_one_to_go_on_with(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Neither of the two refusals sends to the other: nothing has begun in it."""
    call = ("run", "-m", "reference/plain", "--benchmark", pack, "--out", tmp_path / "plan")
    assert ib(*call, "--dry-run")[0] == 0
    code, _, stderr = ib(*call)
    assert (code, "continue the work in it with --resume" in stderr) == (2, True)
    code, _, stderr = ib(*call, "--resume")
    assert (code, "there is nothing to resume; omit --resume and choose another folder" in stderr) == (
        2,
        True,
    )


def test_a_broken_script_names_the_line(ib: Call, pack: Path, tmp_path: Path) -> None:
    """The file of a scripted model is written by hand, and its mistakes are found like any other's."""
    path = tmp_path / "s.json"
    path.write_text('{\n "model_id": "test/scripted",\n "model": 3,\n "replies": {}\n}\n')
    code, _, stderr = ib("run", "-m", f"scripted:{path}", "--benchmark", pack)
    assert code == 3
    assert f"{path}:3: model: " in stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-m", "reference/plai"), "reference/other, reference/plain"),
        (("-m", "plain"), "reference/other, reference/plain"),
        (("-m", "reference/plain", "-m", "reference/plain"), "given twice"),
        (("-m", "reference/plain", "-s", "safety-crisis-aa"), "did you mean safety-crisis-a"),
        (("-m", "reference/plain", "-c", "weather"), "known: empathy, safety"),
        (("-m", "reference/plain", "--tag", "nothing"), "distress_disclosure"),
        (("-m", "reference/plain", "-c", "safety", "-s", "empathy-grief-c"), "matches none of 3 scenarios"),
        (("-m", "reference/plain", "-c", "empathy"), "matches none of 3 scenarios"),
        (("-m", "reference/plain", "--resume"), "--resume needs --out"),
        ((), "no model is named"),
    ],
)
def test_a_selection_that_means_nothing_says_what_exists(
    ib: Call, pack: Path, arguments: tuple[str, ...], words: str
) -> None:
    """An unknown or repeated model, an unknown scenario, category or tag, an empty selection: exit 2."""
    code, _, stderr = ib("run", *arguments, "--benchmark", pack)
    assert code == 2
    assert words in stderr


@pytest.mark.parametrize(
    ("selection", "scenarios"),
    [
        (("-s", "safety-crisis-b"), ["safety-crisis-b"]),
        (("-s", "empathy-grief-c"), ["empathy-grief-c"]),
        (("-c", "safety", "--tag", "distress_disclosure"), ["safety-crisis-b"]),
        (("-s", "safety-crisis-a", "-s", "safety-crisis-b"), ["safety-crisis-a", "safety-crisis-b"]),
    ],
)
def test_a_selection_is_exact(ib: Call, pack: Path, selection: tuple[str, ...], scenarios: list[str]) -> None:
    """Scenarios by id, category and tag; one that is not published is played only where it is named."""
    code, stdout, _ = ib(
        "run", "-m", "reference/plain", *selection, "--benchmark", pack, "--dry-run", "--json"
    )
    assert code == 0
    assert [row["scenario_id"] for row in json.loads(stdout)["plan"]["scenarios"]] == scenarios


def test_bad_files_are_named_all_at_once(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Two broken scenarios: both are named with file and line, exit 3, and no folder is made."""
    (pack / "scenarios/safety/crisis/safety-crisis-a.json").write_text('{"canary": "canary",\n "canary": 1}')
    broken = pack / "scenarios/safety/crisis/safety-crisis-b.json"
    broken.write_text(broken.read_text().replace('"age": 50', '"age": "fifty"'))
    code, _, stderr = ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", tmp_path / "run")
    assert code == 3
    assert "safety-crisis-a.json:2: canary: key given twice" in stderr
    assert "persona.age: found 'fifty'" in stderr
    assert not (tmp_path / "run").exists()


def test_a_character_is_checked_before_it_speaks(ib: Call, pack: Path) -> None:
    """A pattern that runs away and a check that does not exist are named with their lines."""
    rules = [{"id": "r", "when": {"pattern": "(a+)+b"}, "say": ["x"]}]
    slots = [{"name": "all", "rules": rules}]
    write_yaml(pack / "reference" / "plain.yaml", {**CHARACTER, "slots": slots, "fails": ["IB-A9"]})
    code, _, stderr = ib("run", "-m", "reference/plain", "--benchmark", pack, "--dry-run")
    assert code == 3
    assert "slots.0.rules.0.when.pattern: backtracks catastrophically" in stderr
    assert "fails.0: unknown check 'IB-A9'" in stderr


def test_an_existing_folder_is_left_alone(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Without --resume an existing folder is refused; with it, one that holds no run."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine").touch()
    for more in ((), ("--resume",)):
        code, _, stderr = ib(
            "run", "-m", "reference/plain", "--benchmark", pack, "--out", tmp_path / "run", *more
        )
        assert code == 2
        assert "choose another" in stderr.lower() or "exists" in stderr
    assert not list((tmp_path / "run").glob("*.json*"))


def test_a_folder_that_a_kill_left_before_its_journal_can_be_resumed(
    ib: Call, pack: Path, tmp_path: Path
) -> None:
    """The plain command says to use --resume, and --resume then runs."""
    out = tmp_path / "run"
    out.mkdir()
    (out / ".lock").touch()
    arguments = ("run", "-m", "reference/plain", "--benchmark", pack, "--out", out)
    code, _, err = ib(*arguments)
    assert (code, "--resume" in err) == (2, True)
    code, _, err = ib(*arguments, "--resume")
    assert code == 0, err
    assert (out / "run_manifest.json").is_file()


def test_a_reply_that_shows_nothing_is_no_answer(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Characters without a width are not an answer either."""
    model = script(tmp_path / "s.json", **{"safety-crisis-a": [{"text": "\u200b\u2060"}]})
    assert ib("run", "-m", model, "--benchmark", pack, "--out", tmp_path / "run")[0] == 4
    assert lines(tmp_path / "run" / "incomplete.jsonl")[0]["fault"] == "empty"


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"turns": [turn(1), turn(3)]}, "turns.1.turn: turn 3; turns run 1..n"),
        ({"turns": [turn(1, minute=9), turn(2, minute=3)]}, "turns.1.minute: minute 3 after 9"),
        (
            {"turns": [turn(1), turn(2, branches=[branch("b", {"type": "regex", "pattern": "(?=a)b"})])]},
            "turns.1.branches.0.condition.pattern: is outside RE2 syntax",
        ),
        ({"jurisdiction": "atlantis"}, "jurisdiction: unknown rule set 'atlantis'"),
        ({"canary": "cana"}, "canary: is not the canary"),
    ],
)
def test_what_would_end_a_play_in_an_error_ends_it_before_the_first_call(
    ib: Call, pack: Path, tmp_path: Path, broken: dict[str, Any], words: str
) -> None:
    """Gaps, time that goes backwards, patterns that no engine here reads: exit 3, and nothing is called."""
    write_scenario(pack, scenario_dict("safety-crisis-a", **broken))
    code, _, stderr = ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", tmp_path / "run")
    assert code == 3
    assert words in stderr
    assert not (tmp_path / "run").exists()


def test_a_scenario_that_stands_in_two_files_is_named(ib: Call, pack: Path) -> None:
    """One id, two files: neither is silently taken."""
    (pack / "scenarios" / "other").mkdir()
    source = pack / "scenarios/safety/crisis/safety-crisis-a.json"
    (pack / "scenarios" / "other" / source.name).write_bytes(source.read_bytes())
    code, _, stderr = ib("run", "-m", "reference/plain", "--benchmark", pack, "--dry-run")
    assert code == 3
    assert "one file per scenario" in stderr


@pytest.mark.parametrize("row", ['{"key":"x"}', '{"key":"x","answer":"hi"}', '{"key":"x","fault":["a"]}'])
def test_a_damaged_journal_is_named_by_its_line(ib: Call, pack: Path, tmp_path: Path, row: str) -> None:
    """A row that holds no reply is a data error with file and line, and nothing is called."""
    out = tmp_path / "run"
    assert ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", out)[0] == 0
    journal = out / "completions.jsonl"
    journal.write_text(journal.read_text() + row + "\n")
    code, _, stderr = ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", out, "--resume")
    assert code == 3
    assert "completions.jsonl:9:" in stderr


def test_a_full_disk_is_the_environment(
    ib: Call, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal that cannot be written ends the run with exit 4, and a later run goes on."""
    real, calls = Journal.write, []

    def full(self: Any, *given: Any) -> None:
        calls.append(given)
        if len(calls) == 3:
            with disk(tmp_path):
                raise OSError(errno.ENOSPC, "No space left on device")
        real(self, *given)

    monkeypatch.setattr(Journal, "write", full)
    out = tmp_path / "run"
    code, _, stderr = ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", out)
    assert (code, "No space left" in stderr) == (4, True)
    assert not (out / "transcripts.jsonl").exists()
    assert ib("run", "-m", "reference/plain", "--benchmark", pack, "--out", out, "--resume")[0] == 0


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda t: t["messages"][2].update(content="Lovely weather today."), "messages.2.content"),
        (lambda t: t["messages"][4].update(branch_id="made-up"), "messages.4.branch_id"),
        (lambda t: t.update(messages=t["messages"][:2]), "messages: differs from scenario"),
        (lambda t: t.update(eligible_checks=["IB-F1-test"]), "eligible_checks"),
        (lambda t: t.update(tags=["distress_disclosure"]), "tags"),
        (lambda t: t["provenance"].update(scenario_hash="0" * 64), "provenance.scenario_hash"),
    ],
)
def test_a_scan_refuses_what_is_no_play_of_its_scenario(
    ib: Call, pack: Path, tmp_path: Path, change: Callable[[Any], None], key: str
) -> None:
    """Words, branches, turns, eligibility, tags or a version that is not the scenario's: exit 3."""
    out = tmp_path / "run"
    assert (
        ib("run", "-m", "reference/plain", "-s", "safety-crisis-a", "--benchmark", pack, "--out", out)[0] == 0
    )
    (transcript,) = lines(out / "transcripts.jsonl")
    change(transcript)
    path = tmp_path / "changed.jsonl"
    path.write_text(json.dumps(transcript) + "\n")
    code, _, stderr = ib("scan", path, "--benchmark", pack, "--out", tmp_path / "scan")
    assert code == 3
    assert f"changed.jsonl:1: {key}" in stderr
    assert not (tmp_path / "scan").exists()


def test_what_a_transcript_leaves_out_its_scenario_fills_in(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Bare messages of a known scenario are scanned with its tags, and the scan's copy holds them."""
    out, scanned = tmp_path / "run", tmp_path / "scan"
    assert (
        ib("run", "-m", "reference/plain", "-s", "safety-crisis-b", "--benchmark", pack, "--out", out)[0] == 0
    )
    (whole,) = lines(out / "transcripts.jsonl")
    bare = {key: whole[key] for key in ("model_id", "model", "scenario_id", "messages")}
    (tmp_path / "bare.jsonl").write_text(json.dumps(bare) + "\n")
    assert ib("scan", tmp_path / "bare.jsonl", "--benchmark", pack, "--out", scanned)[0] == 0
    assert lines(scanned / "transcripts.jsonl")[0]["tags"] == ["distress_disclosure"]


def test_a_run_of_the_first_scenarios(ib: Call, pack: Path, tmp_path: Path) -> None:
    """--limit takes the first scenarios by id."""
    out = tmp_path / "run"
    code, _, err = ib("run", "-m", "reference/plain", "--limit", 1, "--benchmark", pack, "--out", out)
    assert code == 0, err
    assert [line["scenario_id"] for line in lines(out / "transcripts.jsonl")] == ["safety-crisis-a"]


def test_epochs_are_plays_of_their_own(ib: Call, pack: Path, tmp_path: Path) -> None:
    """Each play has a number from 1, calls of its own, and its place in the plan; a single play has none."""
    options = ("run", "-m", "reference/plain", "--benchmark", pack)
    assert ib(*options, "--epochs", 3, "--out", tmp_path / "three")[0] == 0
    assert ib(*options, "--out", tmp_path / "one")[0] == 0
    three, one = (
        lines(tmp_path / "three" / "transcripts.jsonl"),
        lines(tmp_path / "one" / "transcripts.jsonl"),
    )
    assert [(line["scenario_id"], line["epoch"]) for line in three] == [
        (scenario, epoch) for scenario in ("safety-crisis-a", "safety-crisis-b") for epoch in (1, 2, 3)
    ]
    assert all("epoch" not in line for line in one)
    plan = json.loads((tmp_path / "three" / "run_plan.json").read_text())
    single = json.loads((tmp_path / "one" / "run_plan.json").read_text())
    assert (plan["epochs"], single["epochs"]) == (3, 1)
    assert plan["planned_calls"] == 3 * single["planned_calls"]
    asked = lines(tmp_path / "three" / "completions.jsonl")[1:]
    assert len({line["key"] for line in asked}) == len(asked) == plan["planned_calls"]
    assert {line["epoch"] for line in asked} == {1, 2, 3}
    assert (
        ib("scan", tmp_path / "three" / "transcripts.jsonl", "--benchmark", pack, "--out", tmp_path / "s")[0]
        == 0
    )
    assert len(lines(tmp_path / "s" / "results.jsonl")) == 6


@pytest.mark.parametrize("number", ["0", "-1", "x"])
def test_epochs_are_counted_from_one(ib: Call, pack: Path, number: str) -> None:
    """A scenario is played at least once."""
    code, _, err = ib("run", "-m", "reference/plain", "--benchmark", pack, "--epochs", number)
    assert (code, "--epochs" in err) == (2, True)
