"""A lexicon decides by itself only with judged hits that are counted again when the benchmark is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, Finding
from ib.pipeline.lint.benchmark import lint_benchmark
from ib.store.benchmark.loading import load_benchmark
from tests.models.build import LEXICON, changed
from tests.store.small import write_benchmark, write_lines

FILE = "precision/unseen/claims.jsonl"
HIT: dict[str, Any] = {
    **{"lexicon": "claims", "pattern": "nurse", "decides": True, "correct": True, "why": "it is"},
    **{"file": "f", "scenario_id": "s", "turn": 1, "start": 0, "end": 5, "sha256": "0" * 64},
}
TUNED = [{**HIT, "file": "tuned", "scenario_id": "s0"}]


def hits(number: int, wrong: int = 0) -> list[dict[str, Any]]:
    """Judged hits at different places, of which some are wrong."""
    return [{**HIT, "scenario_id": f"s{n}", "correct": n >= wrong} for n in range(number)]


def small(folder: Path, lines: list[dict[str, Any]] | None, **measured: Any) -> Path:
    """The small benchmark, whose lexicon names these hits; without a file if there are no lines."""
    rows = lines or []
    told = {"file": FILE, "hits": len(rows), "right": sum(row["correct"] for row in rows), **measured}
    lexicon = {**changed(LEXICON, "patterns.0.decides", True), "measured": told}
    root = write_benchmark(folder, **{"lexicons/claims.yaml": lexicon})
    for name, written in ((FILE, lines), ("precision/claims.jsonl", TUNED)):
        if written is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            write_lines(root / name, written)
    return root


def findings(root: Path) -> tuple[Finding, ...]:
    """What is wrong with a benchmark when it is loaded; `ib lint` lists the same."""
    with pytest.raises(DataError) as error:
        load_benchmark(root)
    told = {(finding.key, finding.found) for finding in error.value.findings}
    assert told <= {(finding.key, finding.found) for finding in lint_benchmark(root).unreadable}
    return error.value.findings


@pytest.mark.parametrize(("number", "wrong"), [(59, 0), (93, 1), (500, 10)])
def test_enough_right_hits_let_a_lexicon_decide(tmp_path: Path, number: int, wrong: int) -> None:
    """59 of 59 and 92 of 93 have a lower 95% bound of at least .95."""
    assert load_benchmark(small(tmp_path, hits(number, wrong))).lexicons["claims"].may_decide


@pytest.mark.parametrize(("number", "wrong"), [(59, 1), (92, 1), (500, 20)])
def test_a_bound_that_is_too_low(tmp_path: Path, number: int, wrong: int) -> None:
    """With more wrong hits the precision may be lower than .95."""
    (finding,) = findings(small(tmp_path, hits(number, wrong)))
    assert (finding.key, finding.line is not None) == ("measured.right", True)
    assert f"{number - wrong} of {number} were right: the lower 95% bound is 0.9" in finding.found


@pytest.mark.parametrize("number", [0, 1, 58])
def test_too_few_hits(tmp_path: Path, number: int) -> None:
    """Fewer than 59 hits are too few, even if all are right."""
    (finding,) = findings(small(tmp_path, hits(number)))
    assert finding.key == "measured.hits"
    assert finding.found.startswith(f"{number} judged hits of deciding patterns are too few")


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    """What the lexicon names must be there."""
    (finding,) = findings(small(tmp_path, None, hits=59, right=59))
    assert (finding.key, finding.found) == ("measured.file", f"there is no file {FILE!r}")


@pytest.mark.parametrize(
    ("stated", "key"), [({"hits": 61}, "hits"), ({"right": 58}, "right"), ({"hits": 60, "right": 60}, "hits")]
)
def test_counts_that_differ_from_the_file(tmp_path: Path, stated: dict[str, int], key: str) -> None:
    """What the lexicon states is counted again, line by line."""
    found = findings(small(tmp_path, hits(59), **stated))
    assert found[0].key == f"measured.{key}"
    assert found[0].found == f"says {stated[key]}, and {FILE} has 59"


def test_hits_of_patterns_that_only_point_do_not_count(tmp_path: Path) -> None:
    """A hit of another lexicon, an unknown pattern or a hint is named with its line, and no hint counts."""
    lines = [*hits(58), {**HIT, "scenario_id": "x", "decides": False}]
    keys = [(finding.key, finding.line) for finding in findings(small(tmp_path, lines, hits=58, right=58))]
    assert keys[0] == ("decides", 59)
    assert keys[1][0] == "measured.hits"


@pytest.mark.parametrize("name", ["/tmp/hits.jsonl", "../hits.jsonl", "precision/claims.jsonl"])
def test_a_file_that_may_not_be_named(tmp_path: Path, name: str) -> None:
    """The file lies in the benchmark, and is not the one with the text that the lexicon was tuned on."""
    (finding,) = findings(small(tmp_path, hits(59), file=name))
    assert finding.key == "measured.file"


def test_hits_on_text_that_the_lexicon_was_tuned_on(tmp_path: Path) -> None:
    """A copy of the hits in `precision/` is no measurement of other text."""
    (finding,) = findings(small(tmp_path, [*hits(59), *TUNED]))
    assert finding.found.startswith("1 of the hits are in precision/claims.jsonl")


def test_no_lexicon_of_the_benchmark_decides() -> None:
    """None has such a file. Without a judge, all of them only point."""
    assert [name for name, one in load_benchmark().lexicons.items() if one.may_decide] == []
