"""A closed version never changes again: each rule is broken once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ib.errors import DataError, Level
from ib.pipeline.lint.benchmark import lint_benchmark
from ib.pipeline.lint.versions import version_problems
from ib.store.benchmark.versions import FOLDER, VERSION, load_items
from tests.models.build import CHECK, LEXICON, changed
from tests.store.small import write_benchmark, write_yaml
from tools.version import record

CHECK_FILE = "checks/IB-F1-test.yaml"


def closed(folder: Path, version: str = "1.0.0", files: Mapping[str, Any] = MappingProxyType({})) -> Path:
    """The small benchmark, with `files` in place of its own, and with a closed version."""
    root = write_benchmark(folder, **files)
    (root / FOLDER).mkdir(exist_ok=True)
    (root / FOLDER / f"{version}.yaml").write_bytes(record(version, load_items(root)))
    return root


def told(root: Path, version: str | None) -> list[tuple[str, str, str]]:
    """File, key and words of every finding."""
    return [(Path(one.file).name, one.key, one.found) for one in version_problems(root, version)]


def test_a_closed_version_as_it_was(tmp_path: Path) -> None:
    """Nothing to report; neither after a change of layout."""
    root = closed(tmp_path)
    assert told(root, "1.0.0") == []
    (root / CHECK_FILE).write_text("# A comment.\n" + (root / CHECK_FILE).read_text())
    assert told(root, "1.0.0") == []


def test_a_changed_item_under_a_closed_version(tmp_path: Path) -> None:
    """The finding names file, line, the keys, and what to do."""
    root = closed(tmp_path)
    write_yaml(root / CHECK_FILE, changed(changed(CHECK, "summary", "Other."), "name", "Other"))
    (finding,) = version_problems(root, "1.0.0")
    assert finding.key == "name"
    assert finding.line is not None
    assert (root / CHECK_FILE).read_text().splitlines()[finding.line - 1].startswith("name:")
    assert finding.found == "name, summary changed since version 1.0.0 was closed"
    assert finding.hint.startswith("raise the version in ")


def test_a_new_item_and_one_that_is_gone(tmp_path: Path) -> None:
    """A new item is named in its file, one that is gone in VERSION."""
    root = closed(tmp_path, files={"lexicons/old.yaml": {**LEXICON, "name": "old"}})
    (root / "lexicons" / "old.yaml").rename(root / "lexicons" / "new.yaml")
    assert told(root, "1.0.0") == [
        ("new.yaml", "", "is new since version 1.0.0 was closed"),
        (VERSION, "", "lexicon/old is gone since version 1.0.0 was closed"),
    ]


def test_lexical_rules_are_named_in_the_file_of_their_check(tmp_path: Path) -> None:
    """They are an item of their own, under the key `lexical`."""
    root = closed(tmp_path, files={CHECK_FILE: {**CHECK, "lexical": {"missing": "PASS"}}})
    write_yaml(root / CHECK_FILE, {**CHECK, "lexical": {"missing": "FAIL"}})
    assert told(root, "1.0.0") == [
        ("IB-F1-test.yaml", "lexical.missing", "missing changed since version 1.0.0 was closed")
    ]


def test_what_items_share_is_told_once(tmp_path: Path) -> None:
    """A changed line of a screening question is told in the check, and not again for the question."""
    root = closed(tmp_path)
    prompt = {**CHECK["prompt"], "screen": "Other."}
    assert CHECK["routing"]["route"] in ("lexicon_only", "regex_with_llm_edge")
    write_yaml(root / CHECK_FILE, {**CHECK, "prompt": prompt})
    assert [key for _, key, _ in told(root, "1.0.0")] == ["prompt"]


def test_an_open_version_may_change(tmp_path: Path) -> None:
    """A version above every closed one."""
    root = closed(tmp_path)
    write_yaml(root / CHECK_FILE, changed(CHECK, "name", "Other"))
    assert told(root, "1.0.1") == []


def test_the_newest_closed_version_counts(tmp_path: Path) -> None:
    """A version below it is refused, whether or not it is closed itself; 1.10.0 is above 1.9.0."""
    root = closed(tmp_path, "1.9.0")
    closed(tmp_path, "1.10.0")
    for version in ("1.9.0", "1.9.5"):
        assert told(root, version) == [(VERSION, "", f"found {version}, but version 1.10.0 is closed")]
    assert told(root, "1.10.0") == []


@pytest.mark.parametrize(("has_record", "level"), [(True, Level.ERROR), (False, Level.NOTICE)])
def test_a_missing_version(tmp_path: Path, has_record: bool, level: Level) -> None:
    """An error where versions were closed; a benchmark that never had one is told in a notice."""
    root = closed(tmp_path) if has_record else write_benchmark(tmp_path)
    (finding,) = version_problems(root, None)
    assert (finding.found, finding.level) == ("is missing", level)


def test_a_note_about_no_version(tmp_path: Path) -> None:
    """Notes are about closed versions and the open one."""
    root = closed(tmp_path)
    write_yaml(root / FOLDER / "notes.yaml", {"notes": {"1.0.0": "a", "1.1.0": "b", "3.0.0": "c"}})
    assert told(root, "1.1.0") == [("notes.yaml", "notes.3.0.0", "there is no version 3.0.0")]


def test_lint_asks_for_the_version(tmp_path: Path) -> None:
    """`ib lint` has these findings among its own, and those of a record that cannot be read."""
    root = closed(tmp_path)
    (root / VERSION).write_text("1.0.0\n")
    write_yaml(root / CHECK_FILE, changed(CHECK, "caregiver_benefit", "Other."))
    found = "caregiver_benefit changed since version 1.0.0 was closed"
    assert found in [one.found for one in lint_benchmark(root).findings]
    write_yaml(root / FOLDER / "0.9.0.yaml", {"version": "0.9.0"})
    assert [Path(one.file).name for one in lint_benchmark(root).unreadable] == ["0.9.0.yaml"]
    with pytest.raises(DataError):
        [*version_problems(root, "1.0.0")]
