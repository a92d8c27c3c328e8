"""Closing a version, and the page of changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ib.errors import Refused
from ib.store.benchmark.versions import FOLDER, VERSION, closed_versions, load_items
from tests.models.build import CHECK, changed
from tests.pipeline.test_lint_benchmark import SOUND
from tests.store.small import write_benchmark, write_yaml
from tools.changes import changes
from tools.version import close_version

CHECK_FILE = "checks/IB-F1-test.yaml"


def small(folder: Path, version: str) -> Path:
    root = write_benchmark(folder, **SOUND)
    (root / VERSION).write_text(f"{version}\n")
    return root


def test_closing_writes_the_record_of_the_open_version(tmp_path: Path) -> None:
    """The record has the items as they are."""
    root = small(tmp_path, "1.0.0")
    assert close_version(root) == root / FOLDER / "1.0.0.yaml"
    assert closed_versions(root)["1.0.0"].items == load_items(root)


def test_a_closed_version_is_not_closed_again(tmp_path: Path) -> None:
    """Its record stays as it is."""
    root = small(tmp_path, "1.0.0")
    before = close_version(root).read_bytes()
    write_yaml(root / CHECK_FILE, changed(SOUND[CHECK_FILE], "name", "Other"))
    with pytest.raises(Refused, match=r"version 1\.0\.0 is closed"):
        close_version(root)
    assert (root / FOLDER / "1.0.0.yaml").read_bytes() == before


def test_a_version_with_findings_is_not_closed(tmp_path: Path) -> None:
    """Neither one with findings nor one that cannot be read nor one without a name."""
    root = small(tmp_path, "1.0.0")
    broken = changed(SOUND[CHECK_FILE], "examples.pass.1.messages", CHECK["examples"]["fail"][0]["messages"])
    write_yaml(root / CHECK_FILE, broken)
    with pytest.raises(Refused, match="1 finding"):
        close_version(root)
    (root / CHECK_FILE).write_text("id: [")
    with pytest.raises(Refused, match="mend the findings"):
        close_version(root)
    (root / VERSION).unlink()
    with pytest.raises(Refused, match="VERSION is missing"):
        close_version(root)
    assert not (root / FOLDER).exists()


def test_the_page_of_changes(tmp_path: Path) -> None:
    """A closed version is compared with the one before, an open version with the newest closed one."""
    root = small(tmp_path, "1.0.0")
    close_version(root)
    (root / VERSION).write_text("1.1.0\n")
    write_yaml(root / CHECK_FILE, changed(SOUND[CHECK_FILE], "name", "Other"))
    close_version(root)
    lexicon = {**SOUND["lexicons/claims.yaml"], "name": "more"}
    write_yaml(root / "lexicons" / "more.yaml", lexicon)
    write_yaml(root / FOLDER / "notes.yaml", {"notes": {"1.1.0": "A better name."}})
    page = changes(root, "1.2.0")
    third, second, first = page.split("\n## ")[1:]
    assert third.startswith("1.2.0 (open)\n")
    assert "Added: 1 lexicon: `more`." in third
    assert "never share a table" in third
    assert "Verdicts on 1 of 1 check still compare." in third
    assert second.startswith("1.1.0 (closed)\n\nA better name.\n")
    assert "Verdicts on 0 of 1 check still compare.\n  - Because of their own change: all 1." in second
    assert "| `check/IB-F1-test` | `name` |" in second
    assert first.startswith("1.0.0 (closed)\n\nThe first version, with 1 check, 1 lexicon, 1 rule set, ")


def test_a_version_without_changes(tmp_path: Path) -> None:
    """It says so."""
    root = small(tmp_path, "1.0.0")
    close_version(root)
    assert "No item differs from version 1.0.0. All results compare." in changes(root, "1.0.1")


def test_a_change_outside_the_key(tmp_path: Path) -> None:
    """Results may share a table if nothing in the comparability key differs."""
    root = small(tmp_path, "1.0.0")
    close_version(root)
    write_yaml(root / "reference" / "new.yaml", {"id": "new"})
    assert "Results of 1.0.0 and 1.0.1 may share a table" in changes(root, "1.0.1")
