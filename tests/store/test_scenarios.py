"""Loading scenarios: everything that is wrong with a file is told with file, line and key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.store.benchmark.scenarios import Scenarios, load_contract, load_scenarios
from tests.scenario import alone, scenario_dict, turn, write_scenario
from tests.store.small import only, places

NAME = "safety-crisis-small"


def put(tmp_path: Path, text: str | bytes, name: str = NAME) -> Path:
    path = tmp_path / "scenarios" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def failing(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        alone(path, path.parent)
    assert caught.value.exit_code == 3
    assert all(finding.file == str(path) for finding in caught.value.findings)
    return caught.value


def line_with(path: Path, words: str, *, last: bool = False) -> int:
    """The number of the line in which words stand."""
    numbers = [n for n, line in enumerate(path.read_text().splitlines(), start=1) if words in line]
    return numbers[-1 if last else 0]


def wrong(tmp_path: Path, **changed: Any) -> tuple[Path, DataError]:
    path = put(tmp_path, json.dumps(scenario_dict(**changed), indent=2))
    return path, failing(path)


def test_a_sound_scenario_loads(tmp_path: Path) -> None:
    """The scenario that the other tests break is whole, alone and in its folder."""
    path = write_scenario(tmp_path, scenario_dict())
    assert alone(path, path.parent).scenario_id == NAME
    assert list(load_scenarios(tmp_path)) == [NAME]


def test_broken_json(tmp_path: Path) -> None:
    """The line where the JSON breaks is named."""
    finding = only(failing(put(tmp_path, '{\n "canary": "c",\n "title" "t"\n}')))
    assert (finding.line, finding.key) == (3, "")
    assert finding.found.startswith("broken JSON")


def test_a_key_given_twice(tmp_path: Path) -> None:
    """Which of two values would hold, nobody can know: the second is named, with its line."""
    finding = only(failing(put(tmp_path, '{\n "title": "a",\n "canary": "c",\n "title": "b"\n}')))
    assert (finding.line, finding.key, finding.found) == (4, "title", "key given twice")


def test_a_key_given_twice_deep_inside(tmp_path: Path) -> None:
    """The same in a turn."""
    finding = only(failing(put(tmp_path, '{"turns": [\n {"turn": 1,\n  "turn": 2}]}')))
    assert (finding.line, finding.key) == (3, "turn")


def test_a_key_given_twice_in_json_that_is_no_yaml(tmp_path: Path) -> None:
    """Tabs, and characters in two halves, do not hide it."""
    text = '{\n\t"title": "\\ud83d\\ude42",\n\t"title": "b"\n}'
    finding = only(failing(put(tmp_path, text)))
    assert (finding.line, finding.key, finding.found) == (3, "title", "key given twice")


def test_a_value_of_the_wrong_type(tmp_path: Path) -> None:
    """A number is no text, and a text no number: nothing is converted in silence."""
    path, error = wrong(tmp_path, title=5, turns=[{**turn(1), "turn": "1"}])
    assert set(places(error)) == {
        (path.name, line_with(path, '"title"'), "title"),
        (path.name, line_with(path, '"turn": "1"'), "turns.0.turn"),
    }


def test_an_unknown_key(tmp_path: Path) -> None:
    """A key that the form does not have is a misspelling until it is shown to be none."""
    path, error = wrong(tmp_path, turns=[turn(1, user_mesage="x")])
    finding = only(error)
    assert (finding.line, finding.key) == (line_with(path, "user_mesage"), "turns.0.user_mesage")
    assert finding.found == "unknown key"


def test_an_older_spelling_is_not_taken_by_the_loader(tmp_path: Path) -> None:
    """Only `ib lint` reads older spellings; what is played is in our form."""
    _, error = wrong(tmp_path, failure_mode_tags=["grief"])
    assert only(error).key == "failure_mode_tags"


def test_what_is_missing(tmp_path: Path) -> None:
    """A required key is named, at the line of what should hold it."""
    finding = only(wrong(tmp_path, persona=None)[1])
    assert (finding.line, finding.key, finding.found) == (1, "persona", "is missing")


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    """The first byte that is none is named with its line."""
    finding = only(failing(put(tmp_path, b'{\n "title": "caf\xe9"\n}')))
    assert (finding.line, finding.found) == (2, "byte 0xe9 is not UTF-8")


def test_a_folder_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Both are said to be what they are."""
    folder = tmp_path / "x.json"
    folder.mkdir()
    assert only(failing(folder)).found == "is a folder"
    assert only(failing(tmp_path / "y.json")).found == "no such file"


def test_a_number_that_no_file_should_hold(tmp_path: Path) -> None:
    """Thousands of digits are bad data, and no crash."""
    finding = only(failing(put(tmp_path, '{"title": ' + "9" * 5000 + "}")))
    assert (finding.line, finding.key, finding.found) == (1, "title", "found a number of 5000 digits")


def test_nesting_without_end(tmp_path: Path) -> None:
    """So are thousands of brackets."""
    assert only(failing(put(tmp_path, "[" * 100_000))).found == "nested more than 200 levels deep"


def test_a_name_that_is_not_the_id(tmp_path: Path) -> None:
    """A scenario is found by the name of its file, which is its id."""
    path = put(tmp_path, json.dumps(scenario_dict("another")))
    finding = only(failing(path))
    assert (finding.line, finding.key, finding.hint) == (1, "scenario_id", repr(NAME))


def test_turns_or_sessions_and_why_it_is_not_published(tmp_path: Path) -> None:
    """Both forms at once, none of them, and `published` without its reason are refused."""
    assert "exactly one of `turns` and `sessions`" in only(wrong(tmp_path, turns=None)[1]).found
    sessions = [{"session_number": 1, "turns": [turn(1)]}]
    assert "exactly one of `turns` and `sessions`" in only(wrong(tmp_path, sessions=sessions)[1]).found
    assert "`unpublished_reason`" in only(wrong(tmp_path, published=False)[1]).found


def test_everything_wrong_in_every_file_at_once(tmp_path: Path) -> None:
    """Five broken files are named together, beside one that is sound."""
    write_scenario(tmp_path, scenario_dict("sound"))
    put(tmp_path, '{\n"title" 1}', "broken")
    put(tmp_path, '{\n"title": 1,\n"title": 2}', "twice")
    put(tmp_path, b'{\n\n"title": "\xe9"}', "bytes")
    put(tmp_path, json.dumps(scenario_dict("other"), indent=2), "renamed")
    put(tmp_path, json.dumps(scenario_dict("typed", title=1, colour="red"), indent=2), "typed")
    with pytest.raises(DataError) as caught:
        load_scenarios(tmp_path)
    typed = tmp_path / "scenarios" / "typed.json"
    assert set(places(caught.value)) == {
        ("broken.json", 2, ""),
        ("twice.json", 3, "title"),
        ("bytes.json", 3, ""),
        ("renamed.json", 1, "scenario_id"),
        ("typed.json", line_with(typed, '"title"'), "title"),
        ("typed.json", line_with(typed, '"colour"'), "colour"),
    }


def test_one_id_in_two_folders(tmp_path: Path) -> None:
    """Two files of one name cannot both be the scenario."""
    write_scenario(tmp_path, scenario_dict())
    write_scenario(tmp_path, scenario_dict(theme="other"))
    with pytest.raises(DataError) as caught:
        load_scenarios(tmp_path)
    assert only(caught.value).found == f"'{NAME}' given twice"


def test_scenarios_are_loaded_when_they_are_asked_for(tmp_path: Path) -> None:
    """A broken file that nobody asks for stops nobody."""
    write_scenario(tmp_path, scenario_dict())
    put(tmp_path, "{", "broken")
    scenarios = Scenarios(tmp_path)
    assert (len(scenarios), "broken" in scenarios, "nowhere" in scenarios) == (2, True, False)
    assert scenarios[NAME] is scenarios[NAME]
    with pytest.raises(DataError):
        scenarios["broken"]


def test_a_corpus_need_not_hold_itself_to_anything(tmp_path: Path) -> None:
    """Without configs/scenarios.yaml there is no contract, and no failure."""
    assert load_contract(tmp_path) is None
