"""Linting a benchmark: examples that turn out otherwise are named with file, line and key."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from ib.errors import Finding
from ib.pipeline.common.callbacks import Callbacks
from ib.pipeline.lint.benchmark import lint, lint_benchmark
from tests.models.build import CHECK, LEXICON, PROMPT, changed
from tests.scenario import scenario_dict, write_scenario
from tests.store.small import RULES, SCORING, write_benchmark

PROFILE = {
    "checks": "all",
    "votes": "full",
    "gate_stop": "none",
    "stop": "none",
    "may_publish": True,
}
FAILS = "gets FAIL from the lexical judge, by pattern nurse"
SAYS_NOTHING = [{"user": "I am tired."}, {"assistant": "That sounds hard."}]
SOUND_CHECK = changed(CHECK)
for kind in ("pass", "edge"):
    for item in SOUND_CHECK["examples"][kind]:
        item["messages"] = deepcopy(SAYS_NOTHING)
SOUND_CHECK["examples"]["edge"][1]["expected"] = "PASS"
SOUND: dict[str, Any] = {
    "checks/IB-F1-test.yaml": SOUND_CHECK,
    "lexicons/claims.yaml": changed(LEXICON, "patterns.0.decides", True),
}


def findings(folder: Path, **replaced: Any) -> tuple[Finding, ...]:
    """What is wrong with the small benchmark, with some of its files replaced."""
    linted = lint_benchmark(write_benchmark(folder, **{**SOUND, **replaced}))
    assert not linted.unreadable
    return tuple(linted.findings)


def the_only(folder: Path, **replaced: Any) -> Finding:
    (finding,) = findings(folder, **replaced)
    assert finding.line is not None
    return finding


def test_the_small_benchmark_is_sound(tmp_path: Path) -> None:
    """The benchmark that the other tests break has no finding, and progress is told."""
    told: list[tuple[str, int, int]] = []
    callbacks = Callbacks(progress=lambda *count: told.append(count))
    root = write_benchmark(tmp_path, **SOUND)
    assert lint((), root, callbacks=callbacks).findings == []
    assert told == [("files with examples", done, 2) for done in range(3)]


def test_an_example_of_a_lexicon_that_is_missed(tmp_path: Path) -> None:
    """A hit that no pattern finds is named with its line."""
    lexicon = deepcopy(SOUND["lexicons/claims.yaml"])
    lexicon["examples"]["hit"][3] = {"text": "Nothing of the sort."}
    finding = the_only(tmp_path, **{"lexicons/claims.yaml": lexicon})
    assert (finding.key, finding.found) == ("examples.hit.3", "no pattern matches")
    assert "Nothing of the sort" in Path(finding.file).read_text().splitlines()[(finding.line or 0) - 1]


def test_a_near_miss_of_a_lexicon_that_is_hit(tmp_path: Path) -> None:
    """A near miss that a pattern finds is named with the pattern."""
    lexicon = deepcopy(SOUND["lexicons/claims.yaml"])
    lexicon["examples"]["miss"][2] = {"text": "I was a nurse once."}
    finding = the_only(tmp_path, **{"lexicons/claims.yaml": lexicon})
    assert finding.key == "examples.miss.2"
    assert finding.found.startswith("pattern ")


def test_an_example_of_a_check_with_another_verdict(tmp_path: Path) -> None:
    """A pass example in which a deciding phrase is found is named with its id, verdict and place."""
    check = deepcopy(SOUND_CHECK)
    check["examples"]["pass"][1]["messages"] = deepcopy(check["examples"]["fail"][0]["messages"])
    finding = the_only(tmp_path, **{"checks/IB-F1-test.yaml": check})
    assert finding.key == "examples.pass.1"
    assert finding.found == f"{check['examples']['pass'][1]['id']} {FAILS}"
    assert finding.hint == "PASS"


def test_a_profile_that_may_publish_and_is_stamped(tmp_path: Path) -> None:
    """A stamp says that a scan may not be published."""
    scoring = {**SCORING, "profiles": {"publish": {**PROFILE, "stamp": "DRAFT"}}}
    finding = the_only(tmp_path, **{"configs/scoring.yaml": scoring})
    assert finding.key == "profiles.publish"


def test_every_kind_of_rule_is_asked(tmp_path: Path) -> None:
    """Prompts, rule sets, measurements and scenarios of any benchmark are held to the rules."""
    ruled = {"route": "scenario_rule", "unit_of_analysis": "turn_level", "rule": "disclosure_cadence"}
    prompted = {**SOUND_CHECK, "prompt": PROMPT, "routing": ruled}
    lines = {"US": [{"name": "n", "contact": "c", "for": "emergency", "source": "s"}]}
    files = {
        "checks/IB-F1-test.yaml": prompted,
        "configs/rules/base.yaml": {**RULES, "country": "US", "crisis_resources": lines},
    }
    (tmp_path / "precision").mkdir()
    (tmp_path / "precision" / "gone.jsonl").write_text("")
    write_scenario(tmp_path, scenario_dict("one"))
    write_scenario(tmp_path, scenario_dict("two"))
    keys = {(Path(finding.file).name, finding.key) for finding in findings(tmp_path, **files)}
    assert {
        ("IB-F1-test.yaml", "prompt"),
        ("base.yaml", "crisis_resources.US"),
        ("gone.jsonl", ""),
        ("two.json", "turns.1.user_message"),
    } <= keys
