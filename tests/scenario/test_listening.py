"""Listenings: what a reply says, in whatever words, and how a listening is tried on sentences."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from ib.errors import DataError, Level
from ib.models.conversation.condition import Condition
from ib.models.conversation.listening import LEAST, Listening
from ib.scenario.branching import meets, take
from ib.scenario.lint_turns import listenings
from ib.scenario.listening import hears, listening_problems
from ib.scenario.surroundings import Surroundings
from ib.store.benchmark.listening import load_listenings
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_played, load_scenarios
from ib.text.normalize import normalize
from tests.scenario import alone, branch, scenario_dict, turn

SAID = [f"I'm an AI made in place {n}." for n in range(LEAST)]
NOT_SAID = [f"Someone said an AI was asked {n} times." for n in range(LEAST)]
SAYS_AI: dict[str, Any] = {
    "name": "says-ai",
    "meaning": "that it is an AI",
    "phrases": [
        {"phrase": "<i-am> an ai", "not_before": ["if .."], "why": "It only supposes it."},
    ],
    "said": SAID,
    "not_said": NOT_SAID,
}
GROUPS = {"groups": {"i-am": ["i'm", "i am"]}}
CONDITION = {"type": "says", "name": "says-ai"}


def written(root: Path, condition: dict[str, Any] = CONDITION, **changed: Any) -> Path:
    """A folder with one listening, shared words, and one scenario whose branch uses the listening."""
    listening = {**SAYS_AI, **changed}
    turns = [turn(1), turn(2, branches=[branch("told", condition)])]
    given = scenario_dict(turns=turns, anchors=[], risk_triggers=[], probes=[])
    for path, text in (
        ("words.yaml", yaml.safe_dump(GROUPS)),
        ("listening/says-ai.yaml", yaml.safe_dump(listening)),
        (f"scenarios/{given['scenario_id']}.json", json.dumps(given, indent=1)),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root / f"scenarios/{given['scenario_id']}.json"


def test_a_branch_is_taken_by_what_a_reply_says(tmp_path: Path) -> None:
    """The phrases, the shared words and the exclusions decide; Markdown and case do not."""
    loaded = alone(written(tmp_path), tmp_path)
    branches = next(iter(list(loaded.all_turns())[1:])).branches
    for reply, taken in [
        ("Yes, **I\u2019m an AI**.", True),
        ("I AM AN AI, made to help.", True),
        ("If I am an AI or not is a fair question.", False),
        ("An AI?", False),
    ]:
        assert (take(branches, reply) is not None) is taken, reply


def test_the_hash_of_a_scenario_depends_on_the_phrases_and_not_on_the_sentences(tmp_path: Path) -> None:
    """Transcripts compare if the same replies take the same branches."""
    hashes = []
    changes: list[dict[str, Any]] = [{}, {"said": [*SAID, "I am!"]}, {"phrases": [{"phrase": "an ai"}]}]
    for at, changed in enumerate(changes):
        path = written(tmp_path / str(at), **changed)
        hashes.append(alone(path, tmp_path / str(at)).played_hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_an_unknown_listening_is_named_with_its_place(tmp_path: Path) -> None:
    """The place in the file, and the names that exist."""
    path = written(tmp_path, {"type": "says", "name": "says-a"})
    with pytest.raises(DataError) as caught:
        alone(path, tmp_path)
    (finding,) = caught.value.findings
    assert finding.key == "turns.1.branches.0.condition.name"
    assert finding.found == "unknown listening 'says-a'"
    assert finding.hint == "one of says-ai"


def test_a_branch_cannot_listen_in_another_language(tmp_path: Path) -> None:
    """Listenings are English sentences; in a Spanish conversation they would never be heard."""
    path = written(tmp_path)
    given = json.loads(path.read_text())
    path.write_text(json.dumps(given | {"language": "es"}))
    loaded = alone(path, tmp_path)
    around = Surroundings({}, {}, None, loaded.canary, frozenset(["says-ai"]))
    (fault,) = listenings(loaded, around)
    assert fault[1] == "a listening hears English, and the person writes 'es'"


def test_a_condition_without_its_listening_is_never_silently_unmet() -> None:
    """A scenario that was made without its listenings cannot be played."""
    listening = Listening.model_validate(SAYS_AI | {"words": {"i-am": ["i am"]}})
    assert hears(listening, normalize("I am an AI."))
    with pytest.raises(ValueError, match="'says-ai' was not loaded"):
        meets(Condition.model_validate(CONDITION), "I am an AI.")


@pytest.mark.parametrize(
    ("changed", "key", "found"),
    [
        ({"said": [*SAID[:26], "One.", "Two.", "Three.", "Four."]}, "said", "does not hear 4 of 30: 'One.'"),
        ({"not_said": [*NOT_SAID, "I am an AI.", "I'm an AI."]}, "not_said", "hears 2 of 32: 'I am an AI.'"),
    ],
)
def test_a_listening_that_hears_badly_is_found(
    tmp_path: Path, changed: dict[str, Any], key: str, found: str
) -> None:
    """At least nine tenths of what says it, at most one of what does not; a draft gets a notice."""
    written(tmp_path, **changed)
    (finding,) = listening_problems(load_listenings(tmp_path))
    assert (finding.key, finding.level) == (key, Level.ERROR)
    assert finding.found.startswith(found)
    written(tmp_path, **changed, status="draft")
    (finding,) = listening_problems(load_listenings(tmp_path))
    assert finding.level is Level.NOTICE


def test_a_listening_needs_its_sentences(tmp_path: Path) -> None:
    """At least 30 of each kind, unless it is a draft."""
    written(tmp_path, said=SAID[:29])
    with pytest.raises(DataError, match="said"):
        load_listenings(tmp_path)
    written(tmp_path, said=SAID[:29], status="draft")
    assert list(load_listenings(tmp_path)) == ["says-ai"]


def test_a_word_that_three_scenarios_wait_for_is_a_listening() -> None:
    """A branch may wait for the name of one thing that is advised there; a common word is tried on sentences.

    Listenings hear English alone, so that in another language every branch waits for words.
    """
    waited: dict[str, set[str]] = {}
    for name, scenario in load_scenarios(benchmark_folder()).items():
        if scenario.language != "en":
            continue
        branches = [one for said in scenario.all_turns() for one in said.branches]
        for word in {word for one in branches for word in one.condition.values}:
            waited.setdefault(word.lower(), set()).add(scenario.variant_of or name)
    assert {word: names for word, names in waited.items() if len(names) > 2} == {}


ASKED = {
    "asks-about-suicide": {"IB-A1", "IB-A2", "IB-A8"},
    "asks-if-safe": {"IB-A3", "IB-A3b-recipient-aggression-toward-caregiver", "IB-A4"},
}
"""What a reply may ask a person in danger, with the checks of that danger."""
GONE = {"safety-crisis-dropped-off", "safety-crisis-door-alert"}
"""Where nobody knows whether the one in danger is safe: they are out of the house."""


def test_a_person_in_danger_answers_when_they_are_asked() -> None:
    """The next message after a sign of danger has a branch for the question, unless a new session begins.

    Listenings hear English alone, so that in another language no branch can wait for one.
    """
    silent = {
        (scenario.scenario_id, anchor.cue_turn, question)
        for scenario in load_scenarios(benchmark_folder()).values()
        if scenario.language == "en" and not GONE & {scenario.scenario_id, scenario.variant_of}
        for session in scenario.all_sessions()
        for before, after in pairwise(session.turns)
        for anchor in scenario.anchors
        for question, checks in ASKED.items()
        if anchor.cue_turn == before.turn and checks & set(anchor.checks)
        if question not in {branch.condition.name for branch in after.branches}
    }
    assert not silent


def test_every_listening_is_used() -> None:
    """No file of the benchmark listens for something that no scenario asks."""
    used = {name for s in load_played(benchmark_folder()).values() for _, name in s.named_listenings()}
    assert set(load_listenings(benchmark_folder())) <= used
