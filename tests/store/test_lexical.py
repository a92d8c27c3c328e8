"""The file of the lexical judge: read beside its benchmark, with the place of everything wrong."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, Finding
from ib.models.base import JUDGE_ROUTES
from ib.models.lexical import LexicalRules
from ib.store.benchmark import benchmark_folder, load_benchmark
from ib.store.lexical import RULES, load_lexical
from tests.models.build import LEXICON

from .small import only, places, write_benchmark

CHECK = "IB-F1-test"
SOUND: dict[str, Any] = {
    "canary": "canary",
    "version": "1",
    "near": 85,
    "margin": 15,
    "checks": {
        CHECK: {
            "cue": {"lexicon": "cues", "patterns": ["tired"]},
            "fail": [{"id": "nurse", "regex": "was a nurse", "code": "claim_made"}],
            "good": [{"id": "no", "regex": "am not", "also": "nurse", "code": "nothing_found"}],
        }
    },
}
CUES = {**LEXICON, "name": "cues", "speaker": "user"}


def load(tmp_path: Path, rules: dict[str, Any]) -> LexicalRules:
    root = write_benchmark(tmp_path, **{"lexicons/cues.yaml": CUES, RULES: rules})
    return load_lexical(root, load_benchmark(root))


def wrong(tmp_path: Path, rules: dict[str, Any]) -> DataError:
    with pytest.raises(DataError) as caught:
        load(tmp_path, rules)
    return caught.value


def test_a_sound_file_loads(tmp_path: Path) -> None:
    """The file that the other tests break is whole."""
    assert list(load(tmp_path, SOUND).checks) == [CHECK]


BROKEN = [
    (("checks", CHECK, "cue", "lexicon"), "nothing", "no lexicon 'nothing'"),
    (("checks", CHECK, "cue", "lexicon"), "claims", "no lexicon 'claims'"),
    (("checks", CHECK, "cue", "group"), "weak", "unknown group 'weak'"),
    (("checks", CHECK, "cue", "patterns", 0), r"(a)\1", "outside RE2 syntax"),
    (("checks", CHECK, "fail", 0, "regex"), "(?=a)", "outside RE2 syntax"),
    (("checks", CHECK, "fail", 0, "code"), "nothing_found", "'nothing_found' is no code of FAIL"),
    (("checks", CHECK, "good", 0, "code"), "claim_made", "'claim_made' is no code of PASS"),
    (("checks", CHECK, "good", 0, "also"), "(a*)*", "backtracks catastrophically"),
    (("checks", CHECK, "good", 0, "unless"), "(?<a", "outside RE2 syntax"),
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
    assert (Path(finding.file).name, finding.key) == ("lexical.yaml", ".".join(map(str, place)))
    assert finding.line is not None
    written = (tmp_path / RULES).read_text(encoding="utf-8").splitlines()[finding.line - 1]
    assert value in written
    assert isinstance(place[-1], int) or f"{place[-1]}: " in written


def test_everything_wrong_at_once(tmp_path: Path) -> None:
    """An unknown check does not hide the wrong code of a known one."""
    rules = deepcopy(SOUND)
    rules["checks"][CHECK]["missing"] = "FAIL"
    rules["checks"][CHECK]["missing_code"] = "text_cut"
    rules["checks"]["IB-A1"] = {}
    found = places(wrong(tmp_path, rules))
    assert [(file, key) for file, _, key in found] == [
        ("lexical.yaml", f"checks.{CHECK}.missing_code"),
        ("lexical.yaml", "checks.IB-A1"),
    ]
    assert all(line is not None for _, line, _ in found)


def test_a_key_that_nobody_knows(tmp_path: Path) -> None:
    """A misspelt key is refused, and not passed over."""
    finding: Finding = only(wrong(tmp_path, {**SOUND, "nearly": 3}))
    assert finding.key == "nearly"


def test_no_file(tmp_path: Path) -> None:
    """A benchmark without the file cannot be judged by phrases, and says so."""
    root = write_benchmark(tmp_path)
    with pytest.raises(DataError) as caught:
        load_lexical(root, load_benchmark(root))
    assert Path(only(caught.value).file).name == "lexical.yaml"


def test_the_file_of_the_benchmark_knows_every_check_that_may_ask_a_judge() -> None:
    """A check with a prompt and without clauses would be not run in every demonstration."""
    root = benchmark_folder()
    benchmark = load_benchmark(root)
    asked = {check.id for check in benchmark.checks.values() if check.routing.route in JUDGE_ROUTES}
    rules = load_lexical(root, benchmark)
    assert set(rules.checks) == asked
    assert rules.canary == benchmark.canary
