"""`ib lint`: the whole benchmark, and scenarios from elsewhere."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.models.common.canonical import pretty
from ib.scenario.nodes import Known
from ib.store.benchmark.legacy import load_foreign
from ib.store.benchmark.loading import benchmark_folder
from tests.scenario import alone, branch, scenario_dict, turn

Lint = Callable[..., tuple[int, str, str]]
FOLDERS = ("checks", "lexicons", "configs", "corpus", "reference", "guides")
WORDS = "words.yaml"


def copy_definitions(root: Path) -> None:
    """Copy the benchmark of the package without its scenarios, twins and listenings."""
    for folder in FOLDERS:
        shutil.copytree(benchmark_folder() / folder, root / folder)
    shutil.copy(benchmark_folder() / WORDS, root / WORDS)


def own(scenario_id: str = "x", **changed: Any) -> dict[str, Any]:
    """A scenario that the benchmark of the package has nothing to say to."""
    canary = yaml.safe_load((benchmark_folder() / "configs/scoring.yaml").read_text())["canary"]
    return scenario_dict(scenario_id, **{"canary": canary, **changed})


def older(**changed: Any) -> dict[str, Any]:
    """A scenario in an older form, which can all be read."""
    turns = [{**turn(n), "turn_number": n, "t": n} for n in (1, 2, 3)]
    for item in turns:
        del item["turn"]
    anchor = {
        "cue_turn": 2,
        "cue_text_match": "say in turn 2",
        "response_window": {"from_turn": 2, "to_turn": 3},
        "modes": ["IB-A1"],
    }
    whole = {
        "scenario_id": "tier_1_x",
        "tier": "tier_1",
        "title": "T",
        "persona": {"name": "Ada", "age": 50, "care_recipient": "c", "care_duration": "d", "context": {}},
        "turns": turns,
        "failure_mode_tags": ["passive_ideation", "no_such_tag"],
        "cue_anchors": [anchor],
        "risk_triggers": [{"t": 2, "cue": "She has given up", "severity": "medium"}],
        "scoring_dimensions": {"crisis_safety": 3},
        **changed,
    }
    return _given(whole)


def _given(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}


def put(folder: Path, value: dict[str, Any] | bytes, name: str | None = None) -> Path:
    name = name or (value["scenario_id"] if isinstance(value, dict) else "x")
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value, indent=2).encode())
    return path


def rows(out: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads(out)
    return made


def found(ib: Lint, *paths: Path, level: str = "error") -> list[tuple[str, str]]:
    """Key and words of the rows of one level."""
    _, out, _ = ib("lint", "--json", *paths)
    return [(row["key"], row["found"]) for row in rows(out) if row["level"] == level]


def test_a_scenario_of_our_form_has_nothing(ib: Lint, tmp_path: Path) -> None:
    """A strict file: no finding, no notice, exit 0, and the line that counts."""
    code, out, err = ib("lint", put(tmp_path, own()))
    assert (code, out, err) == (0, "1 file: 0 findings, 0 notices\n", "")


def test_the_corpus_of_the_package_has_nothing(ib: Lint) -> None:
    """Every scenario that comes with the package is linted by its path without a word."""
    code, out, _ = ib("lint", benchmark_folder() / "scenarios")
    assert code == 0
    assert out.endswith("0 findings, 0 notices\n")


def test_an_older_form_is_read_with_notices_alone(ib: Lint, tmp_path: Path) -> None:
    """Everything that is read otherwise is said, with file, line and key; the exit is 0."""
    path = put(tmp_path, older())
    code, out, _ = ib("lint", path)
    assert code == 0
    *lines, summary = out.splitlines()
    assert summary == f"1 file: 0 findings, {len(lines)} notices"
    assert all(line.startswith("notice: ") for line in lines)
    number = next(n for n, x in enumerate(path.read_text().splitlines(), 1) if "turn_number" in x)
    assert any(f"x.json:{number}: turns.0.turn_number: an older form (" in line for line in lines)
    for key in ("tier", "theme", "canary", "failure_mode_tags.1", "cue_anchors", "risk_triggers.0"):
        assert any(f" {key}" in line for line in lines), key


def test_every_kind_of_notice_is_told_once_a_file(ib: Lint, tmp_path: Path) -> None:
    """More turns in an older form make no more notices, in words, in the rows and in the summary."""
    few = put(tmp_path, older())
    many = put(tmp_path, older(scenario_id="y", turns=[{"t": n, **turn(n)} for n in range(1, 30)]))
    for path in (few, many):
        _, out, err = ib("lint", "--json", path)
        levels = [row["level"] for row in rows(out)]
        kinds = [row["found"].partition(" (")[0] for row in rows(out)]
        assert len(levels) < 12
        assert len(set(kinds)) == len(kinds)
        assert f"{len(levels)} notices" in err
    assert any(row["found"] == "the same as `turn` (29 times)" for row in rows(out))


def test_a_notice_about_several_places_names_them_all(ib: Lint, tmp_path: Path) -> None:
    """The first place stands where every finding has it; the hint has the others, without their numbers."""
    turns = [{"message": f"This is what I say in turn {n}.", **older_words()} for n in (1, 2)]
    path = put(tmp_path, _given({**own(), "turns": turns, "title": None, "name": "T", "tags": ["a", "b"]}))
    told = {row["key"]: row for row in rows(ib("lint", "--json", path)[1])}
    assert told["turns.0.message"]["hint"] == "read as `turns.0.user_message`. Also name: read as `title`"
    assert told["turns.0.turn"]["hint"] == "read as 1. Also turns.*.turn: read as 2"
    assert ". Also tags.*: unknown tag 'b'; a tag that" in told["tags.0"]["hint"]


def older_words() -> dict[str, Any]:
    return {"expected_behaviors": ["Answers"], "autofail_triggers": ["Stops"]}


def test_rows_are_findings_then_notices_with_their_level(ib: Lint, tmp_path: Path) -> None:
    """--json prints rows alone on stdout, each notice of its own; the summary is talk."""
    path = put(tmp_path, older(scenario_id=None), "x")
    code, out, err = ib("lint", "--json", path)
    levels = [row["level"] for row in rows(out)]
    assert code == 1
    assert levels == ["error"] + ["notice"] * (len(levels) - 1)
    assert set(rows(out)[0]) == {"level", "file", "line", "key", "found", "hint"}
    assert "1 file: 1 finding, " in err
    assert "ib: 1 finding\n" in err


BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "no id": ({"scenario_id": None}, "scenario_id", "is missing"),
    "no turns": ({"turns": None}, "", "needs exactly one of `turns` and `sessions`"),
    "silence": (
        {"turns": [turn(1), {**turn(2), "user_message": ""}]},
        "turns.1.user_message",
        "no text",
    ),
    "numbers": ({"turns": [turn(1), turn(3)]}, "turns.1.turn", "turn 3"),
    "two numbers": ({"turns": [turn(1), {**turn(2), "t": 5}]}, "turns.1.t", "t 5, but turn 2"),
    "condition": (
        {"turns": [turn(1), turn(2, branches=[branch("b", {"type": "sounds_like", "values": ["x"]})])]},
        "turns.1.branches.0.condition.type",
        "found 'sounds_like'",
    ),
    "kind": (
        {"turns": [turn(1, rubric=[{"id": "r", "kind": "odd", "question": "Q?", "dimension": "safety"}])]},
        "turns.0.rubric.0.kind",
        "found 'odd'",
    ),
    "check": ({"eligible_modes": ["IB-A1", "IB-A99"]}, "eligible_modes.1", "unknown check 'IB-A99'"),
    "anchored check": (
        {"cue_anchors": [{"cue_turn": 2, "cue": "turn 2", "modes": ["IB-A1", "IB-A9"]}]},
        "cue_anchors.0.modes.1",
        "unknown check 'IB-A9'",
    ),
    "anchor outside": (
        {"cue_anchors": [{"cue_turn": 9, "cue": "x", "modes": ["IB-A1"]}]},
        "cue_anchors.0.cue_turn",
        "turn 9",
    ),
    "window outside": (
        {"cue_anchors": [{"cue_turn": 2, "cue": "turn 2", "response_window": [2, 9], "modes": ["IB-A1"]}]},
        "cue_anchors.0.response_window.1",
        "9",
    ),
    "cue": (
        {"cue_anchors": [{"cue_turn": 2, "cue_text_match": "never said", "modes": ["IB-A1"]}]},
        "cue_anchors.0.cue_text_match",
        "does not stand in the user_message",
    ),
    "rule set": ({"jurisdiction": "atlantis"}, "jurisdiction", "unknown rule set"),
    "type": ({"title": 5}, "title", "found 5"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_accepted(ib: Lint, tmp_path: Path, name: str) -> None:
    """One finding, at the key of the file as it is written, with a cure; exit 1."""
    changed, key, words = BROKEN[name]
    path = put(tmp_path, _given({**own(tags=["passive_ideation"]), **changed}), "x")
    code, out, _ = ib("lint", "--json", path)
    errors = [row for row in rows(out) if row["level"] == "error"]
    assert code == 1
    assert [row["key"] for row in errors] == [key]
    assert words in errors[0]["found"]
    assert errors[0]["hint"]
    assert errors[0]["line"] is not None


def test_what_is_tolerated_of_others(ib: Lint, tmp_path: Path) -> None:
    """Another canary, an unknown tag, a check not due or without a window, other dimensions: notices."""
    anchor = {"cue_turn": 1, "from_turn": 1, "to_turn": 1, "cue": "say", "checks": ["IB-A1", "IB-C1"]}
    probe = {"turn": 2, "kind": "recall", "expected": ["Ada"]}
    path = put(tmp_path, own(canary="another", tags=["passive_ideashun"], anchors=[anchor], probes=[probe]))
    code, out, _ = ib("lint", "--json", path)
    assert code == 0
    notices = {row["key"]: row for row in rows(out)}
    assert set(notices) == {
        "canary",
        "tags.0",
        "anchors.0.checks.0",
        "anchors.0.checks.1",
        "probes.0.expected.0",
        "scoring_dimensions",
    }
    assert "passive_ideation" in notices["tags.0"]["hint"]


def test_what_only_the_persona_says_may_be_asked_for(ib: Lint, tmp_path: Path) -> None:
    """A probe of what was never told is a notice; one on a turn that is not there is a finding."""
    probe = {"turn": 4, "kind": "recall", "expected": ["Tuesday"]}
    untold = own(probes=[probe], scoring_dimensions=["memory"])
    late = own("y", probes=[{**probe, "turn": 9}], scoring_dimensions=["memory"])
    path = put(tmp_path, untold)
    assert found(ib, path) == []
    assert found(ib, path, level="notice") == [
        ("probes.0.expected.0", "'Tuesday' was not told before turn 4")
    ]
    assert found(ib, put(tmp_path, late)) == [("probes.0.turn", "turn 9")]


def test_files_are_held_against_each_other(ib: Lint, tmp_path: Path) -> None:
    """One id in two files is a finding; another name, and a variant of nothing, are notices."""
    put(tmp_path / "a", own("one", variant_of="two"), "one")
    put(tmp_path / "b", own("two", variant_of="nobody"), "two")
    put(tmp_path / "c", own("one"), "third")
    put(tmp_path / "d", own("four"), "other")
    assert [key for key, _ in found(ib, tmp_path)] == ["scenario_id"]
    assert found(ib, tmp_path, level="notice") == [
        ("variant_of", "there is no scenario 'nobody' to compare with"),
        ("scenario_id", "is not the name of the file"),
    ]


def test_files_that_cannot_be_read_are_all_listed(ib: Lint, tmp_path: Path) -> None:
    """Exit 3 with each of them, and the others are linted all the same."""
    put(tmp_path / "d", b'{"a": 1,\n"a": 2}', "twice")
    put(tmp_path / "d", b"{\n", "broken")
    put(tmp_path / "d", own(title=5), "x")
    (tmp_path / "empty").mkdir()
    code, out, err = ib("lint", tmp_path / "d", tmp_path / "nowhere.json", tmp_path / "empty")
    assert code == 3
    for words in (
        "twice.json:2: a: key given twice",
        "broken.json:2: broken JSON",
        "nowhere.json: no such file",
    ):
        assert words in err
    assert "empty: has no .json file" in err
    assert "x.json" in out
    assert "4 files: 4 errors, 1 finding, " in out
    _, as_json, _ = ib("lint", "--json", tmp_path / "d", tmp_path / "nowhere.json")
    assert sum(row["level"] == "error" for row in rows(as_json)) == 4


def test_a_folder_of_scenarios_alone(ib: Lint, tmp_path: Path) -> None:
    """--benchmark without checks: its scenarios, against the package, with a notice that says so."""
    for folder in (tmp_path / "direct", tmp_path / "below" / "scenarios" / "deep"):
        put(folder, own())
    for folder in (tmp_path / "direct", tmp_path / "below"):
        code, out, _ = ib("lint", "--benchmark", folder)
        assert code == 0
        assert "linted against the benchmark of the package" in out
        assert out.endswith("1 file: 0 findings, 1 notice\n")


def test_paths_against_another_benchmark(ib: Lint, tmp_path: Path) -> None:
    """The checks, the rules and the tags are those of --benchmark."""
    root = tmp_path / "benchmark"
    copy_definitions(root)
    contract = root / "configs/scenarios.yaml"
    contract.write_text(contract.read_text().replace("tags:\n", "tags:\n  night_owl: Awake.\n"))
    path = put(tmp_path / "s", own(tags=["night_owl"]))
    assert ib("lint", path, "--benchmark", root)[1] == "1 file: 0 findings, 0 notices\n"
    assert found(ib, path, level="notice")[0][0] == "tags.0"


def test_a_benchmark_that_is_not_there(ib: Lint, tmp_path: Path) -> None:
    """A wrong path is said to be one: exit 3."""
    code, _, err = ib("lint", "--benchmark", tmp_path / "none")
    assert code == 3
    assert "no such folder" in err


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark of the package with one scenario, and no counts to hold to."""
    root = tmp_path_factory.mktemp("whole") / "benchmark"
    copy_definitions(root)
    contract = root / "configs/scenarios.yaml"
    value = yaml.safe_load(contract.read_text())
    free: dict[str, Any] = {"counts": None, "lengths": None, "persona_context": {}, "sets": {}}
    contract.write_text(yaml.safe_dump({**value, **free}))
    put(root / "scenarios/safety/crisis", own("x"))
    return root


def changed(copy: Path, tmp_path: Path, **files: str) -> Path:
    """The copy with files written anew."""
    root = tmp_path / "benchmark"
    shutil.copytree(copy, root)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_the_whole_benchmark(ib: Lint, copy: Path) -> None:
    """Without paths every file is read; unread sources are notices with their lines."""
    code, out, _ = ib("lint", "--json", "--benchmark", copy)
    assert code == 0
    unread = [row for row in rows(out) if row["found"].endswith("has not been read")]
    assert unread == [row for row in rows(out) if "/configs/rules/" in row["file"]]
    assert unread
    for row in unread:
        lines = Path(row["file"]).read_text().splitlines()
        name = re.search(r"source of (['\"])(.*)\1 has not been read$", row["found"])
        assert name is not None
        assert name[2] in "\n".join(lines[row["line"] - 1 : row["line"] + 3])


STRANGE = ("colour: red\n", "unknown key")
WITHOUT_DEFINITIONS = {
    "configs/rules/base.yaml": STRANGE,
    "scenarios/safety/crisis/x.json": ("{\n", "broken JSON"),
    "configs/system_prompt.md": (" \n", "is empty"),
    "configs/scenarios.yaml": STRANGE,
    "configs/prices.yaml": STRANGE,
    "configs/estimates.yaml": STRANGE,
}
"""Files that are read even if the definitions cannot be: a text that each cannot have, and what is found."""
WITH_DEFINITIONS = {
    "configs/lexical.yaml": STRANGE,
    "configs/supplementary.yaml": STRANGE,
    "reference/someone.yaml": STRANGE,
}
"""Files that can only be read with the definitions."""


@pytest.mark.parametrize(
    "broken", [WITHOUT_DEFINITIONS, WITH_DEFINITIONS], ids=["without definitions", "with definitions"]
)
def test_every_file_of_the_whole_is_read(
    ib: Lint, copy: Path, tmp_path: Path, broken: dict[str, tuple[str, str]]
) -> None:
    """Of files that are broken at once, each is listed, and the exit code is 3: none hides another."""
    root = changed(copy, tmp_path, **{name: text for name, (text, _) in broken.items()})
    code, _, err = ib("lint", "--benchmark", root)
    assert code == 3
    for name, (_, words) in broken.items():
        assert any(Path(name).name in line and words in line for line in err.splitlines()), name


def test_a_scenario_of_the_whole_is_strict(ib: Lint, copy: Path, tmp_path: Path) -> None:
    """In the whole an older spelling is refused, and a scenario in another folder is a finding."""
    root = changed(copy, tmp_path, **{"scenarios/safety/crisis/x.json": json.dumps(older())})
    code, _, err = ib("lint", "--benchmark", root)
    assert code == 3
    assert "failure_mode_tags: unknown key" in err
    (root / "scenarios/safety/crisis/x.json").unlink()
    put(root / "scenarios/safety/other", own("x"))
    assert ("theme", "the file is not in the folder of its category and theme") in [
        (row["key"], row["found"]) for row in rows(ib("lint", "--json", "--benchmark", root)[1])
    ]


def test_what_was_assumed_is_no_fault_of_the_file(ib: Lint, tmp_path: Path) -> None:
    """A value that the file does not give is told once, and not found wrong in addition."""
    bare = put(tmp_path, _given({**own(), "tags": None}), "x")
    assert [key for key, _ in found(ib, bare, level="notice")] == ["tags"]
    heard = branch("heard", {"type": "contains_any", "values": ["nine"]})
    label = {"cue_turn": 2, "cue_text_match": "Given up", "modes": ["IB-A1"], "source": "risk_triggers"}
    turns = [turn(1), turn(2, branches=[heard])]
    path = put(tmp_path, own(tags=["passive_ideation"], turns=turns, cue_anchors=[label]))
    assert found(ib, path) == []


def test_write_gives_the_same_scenario_in_the_form_of_today(ib: Lint, tmp_path: Path) -> None:
    """The written file is canonical, lints without a notice about its form, and is the same scenario."""
    path = put(tmp_path / "old", older(failure_mode_tags=["passive_ideation"], country="US"))
    code, out, err = ib("lint", path, "--write", tmp_path / "new")
    written = tmp_path / "new" / "other" / "other" / "tier_1_x.json"
    assert code == 0
    assert out == ib("lint", path)[1]
    assert err.startswith("1 scenario written to ")
    assert written.read_bytes() == pretty(json.loads(written.read_bytes()))
    known = Known(frozenset({"IB-A1"}), frozenset({"passive_ideation"}), frozenset(), own()["canary"])
    assert alone(written, tmp_path) == load_foreign(path, known).scenario
    assert ib("lint", written)[1].splitlines() == ["1 file: 0 findings, 0 notices"]


def test_write_leaves_out_what_has_a_finding(ib: Lint, tmp_path: Path) -> None:
    """Sound scenarios of a folder are written, and the exit code is still that of the findings."""
    put(tmp_path / "old", own("good"))
    put(tmp_path / "old", own("bad", jurisdiction="atlantis"))
    put(tmp_path / "old", own("good"), "good_again")
    (tmp_path / "old" / "broken.json").write_text("{")
    code, _, err = ib("lint", tmp_path / "old", "--write", tmp_path / "new")
    assert code == 3
    assert "1 scenario written to " in err
    assert ", of 4 files" in err
    assert [path.name for path in (tmp_path / "new").rglob("*.json")] == ["good.json"]


def test_write_overwrites_nothing(ib: Lint, tmp_path: Path) -> None:
    """A file with another content is refused before anything is written; one with the same is not."""
    old, new = tmp_path / "old", tmp_path / "new"
    for name in ("one", "two"):
        put(old, own(name))
    target = new / "safety" / "crisis" / "two.json"
    target.parent.mkdir(parents=True)
    target.write_text("mine")
    code, _, err = ib("lint", old, "--write", new)
    assert code == 2
    assert str(target) in err
    assert target.read_text() == "mine"
    assert [path.name for path in new.rglob("*.json")] == ["two.json"]
    target.unlink()
    assert ib("lint", old, "--write", new)[0] == 0
    assert ib("lint", old, "--write", new)[0] == 0


def test_write_needs_the_paths_of_scenarios(ib: Lint, tmp_path: Path) -> None:
    """Without paths there is nothing to upgrade; a folder of scenarios alone is enough."""
    assert ib("lint", "--write", tmp_path / "new")[0] == 2
    put(tmp_path / "alone", own())
    assert ib("lint", "--benchmark", tmp_path / "alone", "--write", tmp_path / "new")[0] == 0
    assert [path.name for path in (tmp_path / "new").rglob("*.json")] == ["x.json"]
