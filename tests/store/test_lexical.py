"""The rules of the lexical judge: read with their checks, with the place of everything wrong."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError
from ib.models.benchmark.benchmark import benchmark_hash
from ib.models.benchmark.lexical import LexicalRules
from ib.models.common.canonical import digest
from ib.pipeline.lint.benchmark import lint_benchmark
from ib.store.benchmark.lexical import CONFIG, load_lexical, without_rules
from ib.store.benchmark.loading import load_benchmark
from tests.models.build import CHECK, LEXICON, PROMPT
from tests.store.small import only, places, write_benchmark

ID = "IB-F1-test"
FILE = f"checks/{ID}.yaml"
CONFIG_FILE = {"canary": "canary", "version": "1", "near": 85, "margin": 15}
SOUND: dict[str, Any] = {
    "cue": {"lexicon": "cues", "patterns": ["tired"]},
    "fail": [{"id": "nurse", "regex": "was a nurse", "code": "claim_made"}],
    "good": [{"id": "no", "regex": "am not", "also": "nurse", "code": "nothing_found"}],
}
ASKS_A_JUDGE = {**CHECK, "routing": {**CHECK["routing"], "route": "hybrid_llm"}, "prompt": PROMPT}
CUES = {**LEXICON, "name": "cues", "speaker": "user"}


def load(
    tmp_path: Path, rules: dict[str, Any], check: dict[str, Any] = ASKS_A_JUDGE, **config: Any
) -> LexicalRules:
    files = {
        "lexicons/cues.yaml": CUES,
        FILE: {**check, "lexical": rules},
        CONFIG: {**CONFIG_FILE, **config},
    }
    root = write_benchmark(tmp_path, **files)
    return load_lexical(root, load_benchmark(root))


def wrong(tmp_path: Path, rules: dict[str, Any]) -> DataError:
    with pytest.raises(DataError) as caught:
        load(tmp_path, rules)
    return caught.value


def test_a_sound_file_loads(tmp_path: Path) -> None:
    """The file that the other tests break is whole."""
    assert list(load(tmp_path, SOUND).checks) == [ID]


BROKEN = [
    (("cue", "lexicon"), "nothing", "there is no user lexicon 'nothing'"),
    (("cue", "lexicon"), "claims", "there is no user lexicon 'claims'"),
    (("cue", "group"), "weak", "unknown group 'weak'"),
    (("cue", "patterns", 0), r"(a)\1", "outside RE2 syntax"),
    (("fail", 0, "regex"), "(?=a)", "outside RE2 syntax"),
    (("fail", 0, "code"), "nothing_found", "'nothing_found' is not a rationale code of FAIL"),
    (("good", 0, "code"), "claim_made", "'claim_made' is not a rationale code of PASS"),
    (("good", 0, "also"), "(a*)*", "backtracks catastrophically"),
    (("good", 0, "unless"), "(?<a", "outside RE2 syntax"),
]


@pytest.mark.parametrize(("place", "value", "says"), BROKEN)
def test_what_does_not_fit_is_named_with_line_and_key(
    tmp_path: Path, place: tuple[str | int, ...], value: str, says: str
) -> None:
    """A cue of the person's words, patterns that RE2 takes, codes of the right verdict; else a finding."""
    rules = deepcopy(SOUND)
    inside: Any = rules
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    finding = only(wrong(tmp_path, rules))
    assert says in finding.found
    assert (Path(finding.file).name, finding.key) == (f"{ID}.yaml", ".".join(map(str, ("lexical", *place))))
    assert finding.line is not None
    written = (tmp_path / FILE).read_text(encoding="utf-8").splitlines()[finding.line - 1]
    assert value in written
    assert isinstance(place[-1], int) or f"{place[-1]}: " in written


def test_everything_wrong_at_once(tmp_path: Path) -> None:
    """A wrong code does not hide that the file has another canary."""
    rules = {**SOUND, "missing": "FAIL", "missing_code": "text_cut"}
    with pytest.raises(DataError) as caught:
        load(tmp_path, rules, canary="another")
    assert [(file, key) for file, _, key in places(caught.value)] == [
        (f"{ID}.yaml", "lexical.missing_code"),
        ("lexical.yaml", "canary"),
    ]
    assert all(line is not None for _, line, _ in places(caught.value))


def test_rules_of_a_check_that_asks_no_judge(tmp_path: Path) -> None:
    """Such rules would be read by nobody."""
    routing = {"route": "scenario_rule", "unit_of_analysis": "turn_level", "rule": "disclosure_cadence"}
    with pytest.raises(DataError, match="route scenario_rule asks no judge"):
        load(tmp_path, SOUND, {**CHECK, "routing": routing})


def test_a_key_that_nobody_knows(tmp_path: Path) -> None:
    """A misspelled key is refused."""
    with pytest.raises(DataError) as caught:
        load(tmp_path, SOUND, nearly=3)
    assert only(caught.value).key == "nearly"


def test_a_check_that_asks_a_judge_needs_rules(tmp_path: Path) -> None:
    """Where a benchmark has the lexical judge, lint names every check that this judge cannot decide."""
    root = write_benchmark(tmp_path, **{FILE: ASKS_A_JUDGE, CONFIG: CONFIG_FILE})
    (finding,) = without_rules(root, load_benchmark(root))
    assert (Path(finding.file).name, finding.key, finding.found) == (f"{ID}.yaml", "lexical", "is missing")
    assert finding in lint_benchmark(root).findings


def test_the_rules_are_no_part_of_any_hash(tmp_path: Path) -> None:
    """An answer of another judge stays valid if these rules change; the lexical judge's own does not."""
    root = write_benchmark(tmp_path / "without", **{FILE: ASKS_A_JUDGE})
    bare = load_benchmark(root)
    rules = load(tmp_path / "with", SOUND)
    ruled = load_benchmark(tmp_path / "with")
    assert ruled.checks[ID].lexical is not None
    assert digest(ruled.checks[ID]) == digest(bare.checks[ID])
    assert benchmark_hash(ruled.model_copy(update={"lexicons": bare.lexicons})) == benchmark_hash(bare)
    assert digest(rules) != digest(load(tmp_path / "other", {**SOUND, "lasting": True}))


def test_no_file(tmp_path: Path) -> None:
    """A benchmark without the file cannot be judged by phrases, and says so."""
    root = write_benchmark(tmp_path)
    with pytest.raises(DataError) as caught:
        load_lexical(root, load_benchmark(root))
    assert Path(only(caught.value).file).name == "lexical.yaml"
