"""Loading the rules of the supplementary measures. Errors name the file and the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.errors import DataError
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import CONTRACT, load_contract
from ib.store.benchmark.supplementary import RULES, load_supplementary
from tests.models.build import changed
from tests.store.small import only, write_yaml

BENCHMARK = load_benchmark()


def whole(name: str) -> dict[str, Any]:
    value: dict[str, Any] = yaml.safe_load((benchmark_folder() / name).read_text())
    return value


@pytest.mark.parametrize(
    ("path", "new", "key", "found"),
    [
        (
            "coordination.handoff.0.regex",
            "(a+)+b",
            "coordination.handoff.0.regex",
            "backtracks catastrophically",
        ),
        ("admissions.1.regex", "(?=a)b", "admissions.1.regex", "is outside RE2 syntax"),
        *(
            (f"coordination.heard.0.{key}", "nothing", f"coordination.heard.0.{key}", found)
            for key, found in (
                ("lexicon", "there is no user lexicon 'nothing'"),
                ("group", "lexicon ideation has no group 'nothing'"),
                ("cue", "`needs` says nothing of 'nothing'"),
            )
        ),
        (
            "coordination.scope.0",
            "nothing",
            "coordination.scope.0",
            "there is no assistant lexicon 'nothing'",
        ),
        ("fuzzy_chars", "six", "fuzzy_chars", "found 'six'"),
        ("grading.repetitions", 0, "grading.repetitions", "found 0"),
        ("extra", 1, "extra", "unknown key"),
    ],
)
def test_what_does_not_fit_is_named_with_line_and_key(
    tmp_path: Path, path: str, new: Any, key: str, found: str
) -> None:
    """One wrong value: file, line, key and what was found."""
    value = whole(RULES)
    broken = {**value, path: new} if path == "extra" else changed(value, path, new)
    write_yaml(tmp_path / RULES, broken)
    with pytest.raises(DataError) as caught:
        load_supplementary(tmp_path, BENCHMARK)
    finding = only(caught.value)
    assert finding.file.endswith("supplementary.yaml")
    assert (finding.key, found in finding.found) == (key, True)
    assert finding.line is not None


def test_a_benchmark_without_them_has_none(tmp_path: Path) -> None:
    """Neither file has to be there."""
    assert load_supplementary(tmp_path, BENCHMARK) is None
    assert load_contract(tmp_path) is None


@pytest.mark.parametrize(
    ("path", "new", "key"),
    [
        ("sizes.turns_least", 0, "sizes.turns_least"),
        ("counts.scenarios", "many", "counts.scenarios"),
        ("tags.sms", "", "tags.sms"),
    ],
)
def test_the_contract_of_the_corpus_is_strict(tmp_path: Path, path: str, new: Any, key: str) -> None:
    """One wrong value in the contract: file, line and key."""
    write_yaml(tmp_path / CONTRACT, changed(whole(CONTRACT), path, new))
    with pytest.raises(DataError) as caught:
        load_contract(tmp_path)
    finding = only(caught.value)
    assert (finding.key, finding.line is not None) == (key, True)
