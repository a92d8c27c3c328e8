"""Rules about data that lint holds every benchmark to: each is broken once."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ib.errors import Level
from ib.models.benchmark.benchmark import Law
from ib.models.benchmark.check import Check
from ib.models.benchmark.definition import Status
from ib.pipeline.lint.figures import figure_problems, prompt_problems, rule_problems
from ib.store.benchmark.loading import load_benchmark
from tests.models.build import CHECK, LEXICON, PROMPT, changed
from tests.store.small import write_benchmark, write_lines, write_yaml

RULES = load_benchmark().rules
UNASKED = {**CHECK, "routing": {**CHECK["routing"], "route": "scenario_rule", "rule": "disclosure_cadence"}}
"""A check with a prompt that is never used."""
WORDS = "one two three four five six seven eight nine ten eleven twelve"


def check(check_id: str, cues: str, **fields: Any) -> Check:
    routing = {**CHECK["routing"], "route": "hybrid_llm"}
    prompt = {**PROMPT, "cues": cues}
    return Check.model_validate({**CHECK, "id": check_id, "routing": routing, "prompt": prompt, **fields})


def test_prompts_do_not_repeat_each_other() -> None:
    """A run of twelve words in two checks is told once, for the later one; eleven are not."""
    first, again = check("IB-C1", f"Now {WORDS}."), check("IB-C2", f"And {WORDS}. {WORDS}.")
    (finding,) = prompt_problems({"IB-C1": first, "IB-C2": again})
    assert (finding.file, finding.key) == ("IB-C2", "prompt.cues")
    assert "repeats the prompt of IB-C1" in finding.found
    shorter = check("IB-C2", WORDS.removesuffix(" twelve"))
    assert [*prompt_problems({"IB-C1": first, "IB-C2": shorter})] == []
    (notice,) = prompt_problems({"IB-C1": first, "IB-C2": again.model_copy(update={"status": Status.DRAFT})})
    assert notice.level is Level.NOTICE


def test_a_prompt_that_nobody_is_shown() -> None:
    """A check that asks no judge has none."""
    (finding,) = prompt_problems({"IB-F1-test": Check.model_validate(UNASKED)})
    assert (finding.key, "scenario_rule asks no judge" in finding.found) == ("prompt", True)


def test_a_prompt_that_names_a_check_by_its_id() -> None:
    """Neither its own id nor that of another check means anything to a judge."""
    known = {name: check(name, f"Not {name}.") for name in ("IB-C1", "IB-C2")}
    assert [(one.file, one.key, one.found) for one in prompt_problems(known)] == [
        (name, "prompt.cues", f"names {name}") for name in known
    ]
    known["IB-C1"] = check("IB-C1", "What IB-C2 asks, and what IB-Z9 asks.")
    (first, _) = prompt_problems(known)
    assert (first.file, first.found) == ("IB-C1", "names IB-C2")


def rules(**changed: Any) -> list[tuple[str, str]]:
    """File and key of what is wrong with the rules of a state."""
    sets = {**RULES, "ca": RULES["ca"].model_copy(update=changed)}
    return [(finding.file, finding.key) for finding in rule_problems(sets)]


def test_the_rule_sets_of_the_package_keep_the_rules() -> None:
    """What the next tests break."""
    assert rules() == []


def test_every_country_has_the_first_two_lines() -> None:
    """Wherever there is a list, it says what to dial in an emergency and where suicide is at issue."""
    lines = tuple(x for x in RULES["ca"].crisis_resources["GB"] if x.purpose != "suicide")
    given = {**RULES["ca"].crisis_resources, "GB": lines}
    assert rules(crisis_resources=given) == [("ca", "crisis_resources.GB")]


def test_a_law_words_an_action_otherwise_and_removes_none() -> None:
    """A list of actions that is replaced keeps their ids."""
    assert rules(crisis_actions=RULES["ca"].crisis_actions[1:]) == [("ca", "crisis_actions")]


def test_dates_that_cannot_be() -> None:
    """No law is in force after the day on which its page was read."""
    law: Law = RULES["ca"].laws[0]
    late = law.model_copy(update={"in_force": date(2026, 1, 2), "checked": date(2026, 1, 1)})
    assert rules(laws=(late,)) == [("ca", "laws")]


HIT = {
    **{"lexicon": "claims", "pattern": "nurse", "decides": False, "correct": True, "why": "it is"},
    **{"file": "f", "scenario_id": "s", "turn": 1, "start": 0, "end": 5, "sha256": "0" * 64},
}
HOLDS = {"lexicon": "claims", "holds": True, "certainty": "clear", "text": "A sentence of its own."}


def figures(folder: Path, precision: Any = (HIT,), recall: Any = (HOLDS,)) -> list[tuple[str, str]]:
    """Key and words of what is wrong with the measurements of the small benchmark."""
    root = write_benchmark(folder)
    for name, lines in (("precision/claims.jsonl", precision), ("recall/blind.jsonl", recall)):
        (root / name).parent.mkdir(exist_ok=True)
        write_lines(root / name, lines)
    return [(f.key, f.found) for f in figure_problems(root, load_benchmark(root))]


def test_sound_measurements(tmp_path: Path) -> None:
    """What the next tests break."""
    assert figures(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "key"),
    [({"pattern": "gone"}, "pattern"), ({"decides": True}, "decides"), ({"lexicon": "other"}, "lexicon")],
)
def test_a_judged_hit_is_in_step_with_its_lexicon(tmp_path: Path, change: dict[str, Any], key: str) -> None:
    """Its pattern exists, and decides as the lexicon says."""
    assert [key for key, _ in figures(tmp_path, precision=[{**HIT, **change}])] == [key]


def test_a_hit_is_judged_once(tmp_path: Path) -> None:
    """A hit in two lines would count twice."""
    assert [found for _, found in figures(tmp_path, precision=[HIT, HIT])] == ["this hit is judged twice"]


@pytest.mark.parametrize(
    ("item", "key"),
    [
        ({**HOLDS, "lexicon": "other"}, "lexicon"),
        ({**HOLDS, "group": "none"}, "group"),
        ({**HOLDS, "text": LEXICON["examples"]["hit"][0]["text"].upper()}, "text"),
        (changed(HOLDS, "certainty"), ""),
        ({**changed(HOLDS, "certainty"), "holds": False}, ""),
        ({**HOLDS, "colour": "red"}, "colour"),
    ],
)
def test_a_sentence_that_measures_nothing(tmp_path: Path, item: dict[str, Any], key: str) -> None:
    """It is for a lexicon and a group, says how sure it is or why not, and is no example."""
    assert [key for key, _ in figures(tmp_path, recall=[item])] == [key]


def test_a_sentence_stands_once(tmp_path: Path) -> None:
    """The same sentence twice would count twice."""
    again = {**HOLDS, "text": "a  sentence of its OWN."}
    assert [key for key, _ in figures(tmp_path, recall=[HOLDS, again])] == ["text"]


def test_a_lexicon_without_figures_is_noticed(tmp_path: Path) -> None:
    """Where a benchmark measures its lexicons, it measures all of them."""
    root = write_benchmark(tmp_path)
    write_yaml(root / "precision/summary.yaml", {"judged_by": "us", "lexicons": {}})
    (finding,) = figure_problems(root, load_benchmark(root))
    assert (finding.level, finding.found) == (Level.NOTICE, "has no figures in precision/summary.yaml")


def test_a_rule_set_without_a_rule_of_its_own_is_a_notice() -> None:
    """Lint names a set that differs in nothing from the set that it extends, and it is no error."""
    idle = RULES["federal"].model_copy(update={"id": "la", "title": "Louisiana", "extends": "federal"})
    (finding,) = rule_problems({**RULES, "la": idle})
    assert (finding.file, finding.found) == ("la", "has no rule of its own")
    assert finding.level is Level.NOTICE
