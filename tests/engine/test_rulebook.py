"""The rule sets of the package, held to the cases in tests/cases/rules-*.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from ib.engine.questions.prompts import Question, render
from ib.models.benchmark.benchmark import RuleSet
from ib.models.benchmark.jurisdiction import NO_RULE, own_rules, resources_for
from ib.models.common.base import Unit
from ib.models.scan.judge import Phase, UnitSpan
from ib.store.benchmark.loading import load_benchmark
from tests.build import engine, hash_of, transcript

CASES: dict[str, dict[str, Any]] = {
    path.stem.removeprefix("rules-"): yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).resolve().parents[1] / "cases").glob("rules-*.yaml"))
}
RULES = load_benchmark().rules
PLACES = [name for name in CASES if name != "base"]
"""The cases of `base` are those of tests/test_registry.py."""


def test_every_rule_set_has_its_cases() -> None:
    """A set without cases is held to nothing."""
    assert set(CASES) == set(RULES) == {"base", "federal", "ca", "ny", "tx", "eu"}


@pytest.mark.parametrize("place", PLACES)
def test_what_a_set_says_of_itself(place: str) -> None:
    """Its country, the set it extends, and its cadence with the law that the cadence is from."""
    rules, case = RULES[place], CASES[place]
    assert (rules.extends, rules.country) == (case["extends"], case["country"])
    cadence = rules.disclosure_cadence
    assert cadence.minutes == case["cadence"]["minutes"]
    assert case["cadence"]["source"] in cadence.source.citation


@pytest.mark.parametrize("place", PLACES)
def test_the_laws_behind_a_check(place: str) -> None:
    """For each check named, the laws that bear on it there, its own before those of the country."""
    for check, wanted in CASES[place]["laws"].items():
        assert [law.id for law in RULES[place].laws if check in law.applies_to] == wanted, check


@pytest.mark.parametrize("place", PLACES)
def test_whom_to_call(place: str) -> None:
    """For each country and need, the first line that is named."""
    for country, wanted in CASES[place]["resources"].items():
        lines = resources_for(RULES[place], country)
        for purpose, contact in wanted.items():
            found = next((line.contact for line in lines if line.purpose == purpose), "none")
            assert found.startswith(contact), (country, purpose, found)


def test_no_rule_set_has_a_key_that_nothing_reads() -> None:
    """What a law forbids an assistant to say stands in `laws`, which a question shows, and nowhere else."""
    with pytest.raises(ValidationError, match="forbidden_patterns"):
        RuleSet.model_validate({"id": "x", "title": "X", "forbidden_patterns": []})


SHIPPED = load_benchmark()


def shown(check_id: str, place: str) -> str:
    """What the judge reads about a check on one conversation in a place."""
    said = transcript("Nobody would miss me.", "Tell me more.", jurisdiction=place)
    indexed = engine(SHIPPED).index(said, hash_of(said))
    span = UnitSpan(Unit.EVENT_WINDOW, 1, 1)
    question = Question(SHIPPED.checks[check_id], span, Phase.DECIDE)
    return render(SHIPPED.frame, question, indexed)[1].replace(indexed.nonce, "code")


@pytest.mark.parametrize(
    ("place", "check_id", "words"),
    [
        ("ny", "IB-A1", "AI companion models, crisis protocol"),
        ("ca", "IB-A1", "Companion chatbots, crisis protocol (SB 243)"),
        ("ca", "IB-F1-human-identity", "Bot disclosure (SB 1001)"),
        ("ny", "IB-F1-human-identity", "AI companion models, notification"),
        ("eu", "IB-F1-human-identity", "AI Act, people who talk with an AI are told so"),
        ("federal", "IB-A1", "Designation of 988"),
    ],
)
def test_a_law_of_the_place_is_shown_to_the_judge(place: str, check_id: str, words: str) -> None:
    """The question of a check holds what the law of the place asks, and nothing of another place."""
    assert words in shown(check_id, place)
    assert words not in shown(check_id, "base")


OWN = {"federal": "IB-A1", "ca": "IB-A1", "ny": "IB-A1", "tx": "IB-A4", "eu": "IB-F1-human-identity"}
"""For each rule set that extends another, a check whose question its laws change."""


@pytest.mark.parametrize("place", sorted(set(RULES) - {"base"}))
def test_every_rule_set_changes_a_question_or_says_that_it_does_not(place: str) -> None:
    """A rule set has a law that changes a question, or its sentence says that it has no rule of its own."""
    below = RULES[place].extends
    assert below is not None
    changed = shown(OWN[place], place) != shown(OWN[place], below)
    assert changed is not own_rules(RULES, place).startswith(NO_RULE)


def test_the_rules_of_texas_name_what_is_not_its_own() -> None:
    """Texas says that its laws and help lines are its own, and interval and crisis actions are not."""
    own, taken = own_rules(RULES, "tx").split(" As in ")
    assert own == "Of its own: laws, help lines."
    assert "the interval of the notice, the actions in a crisis" in taken


def test_a_crisis_protocol_is_invented_for_no_state() -> None:
    """Texas has no crisis protocol of its own: its question on a passive death wish is the federal one."""
    assert shown("IB-A1", "tx") == shown("IB-A1", "federal")
    assert len({shown("IB-A1", place) for place in ("federal", "ca", "ny", "base")}) == 4
