"""The items of a benchmark: hashes of parsed content, and what each item uses."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.models.benchmark.benchmark import benchmark_hash
from ib.models.benchmark.version import Difference, Item
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.versions import (
    FILES,
    FOLDER,
    NOT_ITEMS,
    VERSION,
    closed_versions,
    load_items,
    load_notes,
    load_version,
)
from tests.models.build import CHECK, LEXICON, changed
from tests.scenario import scenario_dict, write_scenario
from tests.store.small import RULES, places, write_benchmark, write_yaml

ROOT = benchmark_folder()
CHECK_FILE = "checks/IB-F1-test.yaml"


def small(folder: Path, **replaced: Any) -> dict[str, Item]:
    return load_items(write_benchmark(folder, **replaced))


def keys(folder: Path, **replaced: Any) -> dict[str, tuple[str, ...]]:
    """The changed items of the small benchmark after files were replaced, each with its changed keys."""
    before = small(folder)
    return Difference(before, small(folder, **replaced)).changed


def test_every_file_is_an_item_or_is_none_for_a_reason() -> None:
    """If this fails, add the new kind of file to FILES, or to NOT_ITEMS with the reason."""
    of_items = {path for pattern in FILES.values() for path in ROOT.glob(pattern)}
    for path in (path for path in ROOT.rglob("*") if path.is_file() and path not in of_items):
        name = path.relative_to(ROOT).as_posix()
        assert any(fnmatchcase(name, pattern) for pattern in NOT_ITEMS), f"{name}: an item or none?"
    assert all(NOT_ITEMS.values())


def test_every_kind_of_file_has_items() -> None:
    """And the names of items are unique: none replaces another."""
    found = load_items(ROOT)
    files = [path for pattern in FILES.values() for path in ROOT.glob(pattern)]
    lexical = [name for name in found if name.startswith("lexical/")]
    assert len(found) == len(files) + len(lexical) + len(("screening", "countries"))
    assert {name.partition("/")[0] for name in found} == {*FILES, "screening", "countries"}


def test_every_item_uses_items_that_exist() -> None:
    """A misspelled name would never be a reason."""
    found = load_items(ROOT)
    assert {name for one in found.values() for name in one.uses} <= found.keys()


def test_a_check_uses_what_its_route_reads() -> None:
    """The real checks: by rule, by reference statements, by phrases, by a judge alone."""
    found = load_items(ROOT)
    rules = {name for name in found if name.startswith("rule_set/")}
    assert {*found["check/IB-B5"].uses} == {"scoring", *rules}
    assert {"claims", "frame", "scoring", "countries"} <= {*found["check/IB-B3"].uses}
    assert {"lexicon/human_identity_claim", "screening", "frame"} <= {
        *found["check/IB-F1-human-identity"].uses
    }
    assert {*found["check/IB-C-presence-without-action"].uses} == {"scoring", "frame", "countries"}
    teen = found["scenario/safety-crisis-uk-teen"].uses
    assert "system_prompt" in teen
    assert "listening/asks-about-suicide" in teen
    assert found["listening/asks-about-suicide"].uses == ("words",)
    assert {"lexicon/prescribing", *rules} <= {*found["supplementary"].uses}


def test_layout_and_comments_change_nothing(tmp_path: Path) -> None:
    """The content is hashed, not the text of the file."""
    before = small(tmp_path)
    path = tmp_path / CHECK_FILE
    path.write_text("# A comment.\n\n" + path.read_text(), encoding="utf-8")
    assert load_items(tmp_path) == before


def test_a_changed_value_names_its_key(tmp_path: Path) -> None:
    """One key of one item; no other item differs."""
    assert keys(tmp_path, **{CHECK_FILE: changed(CHECK, "name", "Other")}) == {"check/IB-F1-test": ("name",)}


def test_lexical_rules_are_an_item_of_their_own(tmp_path: Path) -> None:
    """They are in no hash of the check, so the check has not changed."""
    before = small(tmp_path)
    rules = {"cue": {"always": True}}
    after = small(tmp_path, **{CHECK_FILE: {**CHECK, "lexical": rules}})
    found = Difference(before, after)
    assert (found.added, found.changed) == (("lexical/IB-F1-test",), {})


def test_a_comparison_with_labels_changes_no_item(tmp_path: Path) -> None:
    """Neither in the benchmark of today, nor against a version in which it was a part of a check."""
    other = {"status": "provisional", "note": "Somebody says so."}
    assert keys(tmp_path, **{CHECK_FILE: {**CHECK, "calibration": other}}) == {}
    closed = closed_versions(ROOT)["1.0.0"].items["check/IB-A1"]
    assert "calibration" not in closed.parts
    assert "fail_rule" in closed.parts


def test_drafts_are_no_items(tmp_path: Path) -> None:
    """`status: active` is the same as no status."""
    before = small(tmp_path)
    draft = {**CHECK, "id": "IB-F1-draft", "status": "draft"}
    files = {"checks/IB-F1-draft.yaml": draft, "lexicons/claims.yaml": {**LEXICON, "status": "active"}}
    assert small(tmp_path, **files) == before


def test_a_new_check_that_is_not_screened_leaves_the_screening_question(tmp_path: Path) -> None:
    """The question lists only checks that phrases can decide."""
    before = small(tmp_path)["screening"]
    judged = {**CHECK, "id": "IB-F1-new", "routing": {**CHECK["routing"], "route": "llm_primary"}}
    assert small(tmp_path, **{"checks/IB-F1-new.yaml": judged})["screening"] == before


def test_a_country_is_told_to_judges(tmp_path: Path) -> None:
    """A change of it is a change of `countries`; another key of the rule set is not."""
    other = {**RULES, "title": "Other"}
    assert keys(tmp_path, **{"configs/rules/base.yaml": other}) == {"rule_set/base": ("title",)}
    there = {**RULES, "country": "US"}
    assert keys(tmp_path, **{"configs/rules/base.yaml": there}) == {
        "rule_set/base": ("country",),
        "countries": ("base",),
    }


def test_the_system_prompt_is_an_item(tmp_path: Path) -> None:
    """Its text counts without the space around it, as `ib run` uses it."""
    write_benchmark(tmp_path)
    path = tmp_path / "configs" / "system_prompt.md"
    path.write_text("Answer.\n")
    first = load_items(tmp_path)["system_prompt"]
    path.write_text("\nAnswer.\n\n")
    assert load_items(tmp_path)["system_prompt"] == first
    path.write_text("Answer well.\n")
    assert load_items(tmp_path)["system_prompt"] != first


def test_a_scenario_is_an_item(tmp_path: Path) -> None:
    """Wherever in the folder of scenarios it lies."""
    write_benchmark(tmp_path)
    write_scenario(tmp_path, scenario_dict("one"))
    assert "scenario/one" in load_items(tmp_path)


def test_the_version_is_loaded_and_is_in_no_hash(tmp_path: Path) -> None:
    """It is a name. A benchmark without VERSION has none."""
    write_benchmark(tmp_path)
    without = load_benchmark(tmp_path)
    (tmp_path / VERSION).write_text("1.2.3\n")
    named = load_benchmark(tmp_path)
    assert (without.version, named.version) == (None, "1.2.3")
    assert benchmark_hash(without) == benchmark_hash(named)


def test_another_form_of_version_is_refused(tmp_path: Path) -> None:
    """With the file, what was found and what is allowed."""
    write_benchmark(tmp_path)
    (tmp_path / VERSION).write_text("two\n")
    with pytest.raises(DataError, match="found 'two'; three whole numbers joined by dots") as caught:
        load_benchmark(tmp_path)
    assert [(name, line) for name, line, _ in places(caught.value)] == [(VERSION, 1)]


def test_closed_versions_are_ordered_and_named_after_their_files(tmp_path: Path) -> None:
    """1.9.0 comes before 1.10.0; a record in a file of another name is refused."""
    for name in ("1.10.0", "1.9.0"):
        write_yaml(tmp_path / FOLDER / f"{name}.yaml", {"version": name, "items": {}})
    assert [*closed_versions(tmp_path)] == ["1.9.0", "1.10.0"]
    write_yaml(tmp_path / FOLDER / "2.0.0.yaml", {"version": "3.0.0", "items": {}})
    write_yaml(tmp_path / FOLDER / "4.0.0.yaml", {"version": "4.0.0"})
    with pytest.raises(DataError) as caught:
        closed_versions(tmp_path)
    assert [(name, key) for name, _, key in places(caught.value)] == [
        ("2.0.0.yaml", "version"),
        ("4.0.0.yaml", "items"),
    ]


def test_notes_may_be_missing(tmp_path: Path) -> None:
    """They are for people."""
    assert load_notes(tmp_path).notes == {}
    write_yaml(tmp_path / FOLDER / "notes.yaml", {"notes": {"1.0.0": "The first."}})
    assert load_notes(tmp_path).notes == {"1.0.0": "The first."}


def test_the_version_of_the_package_is_not_lower_than_its_records() -> None:
    """And every record can be read."""
    assert load_version(ROOT, VERSION) is not None
    assert "1.0.0" in closed_versions(ROOT)
