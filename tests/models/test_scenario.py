"""A scenario and its transcripts: both give the same circumstances and the same hash as played."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from typing import Any

import pytest

import ib.models.conversation.scenario as scenarios
from ib import models
from ib.models.benchmark.check import Due
from ib.models.common.base import Scope
from ib.models.common.canonical import digest
from ib.models.conversation.scenario import Scenario, ScenarioCategory
from ib.models.conversation.transcript import Provenance, Transcript, transcript_line
from ib.models.scan.run import PlannedScenario
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from tests.build import check
from tests.scenario import scenario, scenario_dict


def played(of: Scenario, **fields: Any) -> Transcript:
    """A transcript that was played from a scenario, as far as its record tells."""
    said = [{"turn": 1, "role": role, "content": text} for role, text in (("user", "u"), ("assistant", "a"))]
    said[0]["content"] = next(of.all_turns()).user_message
    values = {
        "model_id": "lab/model",
        "model": "Model",
        "scenario_id": of.scenario_id,
        "provenance": Provenance(definition_hash=of.definition_hash),
        "messages": said,
        **of.transcript_fields(),
    }
    return Transcript.model_validate({**values, **fields})


ANCHOR = {"cue_turn": 1, "from_turn": 1, "to_turn": 1, "checks": ["IB-A1"], "cue": "This"}
CHANGES: dict[str, dict[str, Any]] = {
    "category": {"category": "other"},
    "tags": {"tags": ["other"]},
    "risk triggers": {"risk_triggers": [{"turn": 1, "cue": "other", "severity": "high"}]},
    "anchors": {"anchors": [ANCHOR]},
    "jurisdiction": {"jurisdiction": "eu"},
    "contrast": {"contrast": {"group": "g", "variable": "v"}},
    "variant": {"variant_of": "another"},
    "country": {"country": "GB"},
    "title": {"title": "Another title"},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_scenario_has_another_hash_as_played(name: str) -> None:
    """Any change in a scenario changes the hash of its transcripts."""
    before, after = scenario(), scenario(**CHANGES[name])
    assert before.played_hash != after.played_hash
    assert played(after).played_hash == after.played_hash


def test_a_list_of_eligible_checks_is_part_of_the_scenario_as_played() -> None:
    """A record that lists its checks is asked others, so it is no play of the scenario."""
    assert played(scenario(), eligible_checks=("IB-C1",)).played_hash != scenario().played_hash


def test_both_hashes_of_a_scenario_stand_under_the_same_json_field() -> None:
    """Python tells the definition from the scenario as played; `scenario_hash` stays in the files."""
    of = scenario()
    assert of.definition_hash != of.played_hash
    plan = PlannedScenario(scenario_id="s", definition_hash=of.definition_hash, turns=1)
    assert b'"scenario_hash":"%s"' % digest(of).encode() in transcript_line(played(of))
    assert plan.model_dump(by_alias=True)["scenario_hash"] == digest(of)
    again = Provenance.model_validate_json('{"scenario_hash": "0"}')
    assert again.definition_hash == "0"


WANTED = (("any",), ("crisis",), ("t",), ("c",), ("x",))


@pytest.mark.parametrize(("scope", "wanted"), list(product(Scope, WANTED)))
def test_a_check_is_due_on_a_scenario_as_on_its_transcripts(scope: Scope, wanted: tuple[str, ...]) -> None:
    """Scenario and transcript name the same circumstances, and these decide what is due."""
    risk = {"turn": 1, "cue": "c", "severity": "high"}
    for suppressing in ((), ("t",), ("x",)):
        item = check(scope=scope, tags=wanted, suppressed_by_tags=suppressing)
        of = Scenario.model_validate(scenario_dict(category="crisis", tags=["t"], risk_triggers=[risk]))
        assert of.circumstances == played(of).circumstances == {"crisis", "t", "c"}
        asked = scope is Scope.UNIVERSAL or wanted != ("x",)
        expected = Due.NO if not asked else Due.SUPPRESSED if suppressing == ("t",) else Due.YES
        assert item.due(of.circumstances) is expected


NAMES = ("Scenario", "Session", "Turn", "Persona", "ScenarioCategory", "ScoringDimension")


def test_the_models_of_a_scenario_have_one_home_and_can_be_imported_from_models() -> None:
    """`ib.models` exports the very classes of `ib.models.conversation.scenario`, and no others."""
    assert sorted(models.__all__) == sorted(NAMES)
    assert set(dir(models)) == set(NAMES)
    for name in NAMES:
        assert getattr(models, name) is getattr(scenarios, name)
        assert getattr(models, name).__module__ == "ib.models.conversation.scenario"
    with pytest.raises(AttributeError, match=r"'ib\.models' has no attribute 'ScenarioModel'; it exports"):
        models.ScenarioModel  # noqa: B018 - reading it is the test


def test_importing_the_package_of_the_models_loads_none_of_them() -> None:
    """A command that needs no model does not pay for pydantic."""
    code = "import sys, ib.models; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_categories_are_those_of_the_benchmark() -> None:
    """Each of the four categories has scenarios, and every public scenario has one of them."""
    listed = {one.category for one in load_scenarios(benchmark_folder()).values()}
    assert listed == set(ScenarioCategory)
