"""Sets: scenarios beyond the core, which are played and counted only as sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ib.errors import Refused, UsageError
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Transcript
from ib.models.scan.part import WHOLE, Part
from ib.pipeline.common.select import Selection, select
from ib.pipeline.lint.benchmark import surroundings
from ib.pipeline.release.release import prepare_release
from ib.pipeline.scan.scan import scan
from ib.scenario.lint import corpus_problems, problems, set_counts
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.benchmark.scenarios import load_scenarios
from tests.commands.conftest import row

ROOT = benchmark_folder()
CORE = {name: one for name, one in load_scenarios(ROOT).items() if one.set is None}
FIRST, SECOND = sorted(name for name, one in CORE.items() if one.published and one.variant_of is None)[:2]
WITH_SET = {**CORE, SECOND: CORE[SECOND].model_copy(update={"set": "long"})}
AROUND = surroundings(load_benchmark(), ROOT)


def names(chosen: Selection) -> set[str]:
    """The ids of a selection."""
    return {scenario.scenario_id for scenario in select(WITH_SET, chosen)}


def test_a_set_is_played_only_if_it_is_named() -> None:
    """By default the core is played, and an id names a scenario of any set."""
    assert FIRST in names(Selection())
    assert SECOND not in names(Selection())
    assert names(Selection(sets=("long",))) == {SECOND}
    assert {FIRST, SECOND} <= names(Selection(sets=("core", "long")))
    assert names(Selection(ids=(SECOND,))) == {SECOND}
    category = CORE[SECOND].category
    assert names(Selection(sets=("long",), categories=(category,))) == {SECOND}
    assert SECOND not in names(Selection(categories=(category,)))


def test_an_unknown_set_is_an_error() -> None:
    """The message names the sets that there are."""
    with pytest.raises(UsageError, match=r"--set 'lng' is not a set; did you mean long"):
        select(WITH_SET, Selection(sets=("lng",)))


def test_a_scenario_names_a_set_of_the_contract() -> None:
    """`ib lint` refuses another name and offers the nearest."""
    odd = CORE[SECOND].model_copy(update={"set": "lomg"})
    assert [(p.place.path, p.found, p.hint) for p in problems(odd, AROUND)] == [
        (("set",), "unknown set 'lomg'", "perhaps long")
    ]


def test_the_counts_of_the_core_are_those_of_the_core() -> None:
    """A scenario of a set is missing from the counts of the core and counts in its set."""
    assert AROUND.contract is not None
    found = [p.found for p in corpus_problems(WITH_SET, AROUND)]
    assert f"{len(CORE) - 1} scenarios" in found
    long = AROUND.contract.sets["long"]
    wanted = long.model_copy(
        update={"counts": long.counts.model_copy(update={"scenarios": 1, "published": 1, "twins": 0})}
    )
    contract = AROUND.contract.model_copy(update={"sets": {"long": wanted}})
    assert not list(set_counts(list(WITH_SET.values()), [], contract))
    missing = [p.found for p in set_counts(list(CORE.values()), [], contract)]
    assert missing == ["0 scenarios of the set long", "0 published scenarios of the set long"]


def test_a_set_has_sizes_of_its_own() -> None:
    """A conversation that is too short for its set is found."""
    short = next(one for one in CORE.values() if one.turns is not None and len(one.turns) < 15)
    told = [
        p.hint
        for p in problems(short.model_copy(update={"set": "long"}), AROUND)
        if p.place.path == ("turns",)
    ]
    assert told == ["15 to 40"]
    assert not [p for p in problems(short, AROUND) if p.place.path == ("turns",)]


def test_a_set_is_part_of_what_was_played() -> None:
    """A scenario that moves into a set is another one to every scan."""
    core: Scenario = CORE[SECOND]
    assert core.played_hash != WITH_SET[SECOND].played_hash
    assert "set" not in core.model_dump()


def test_a_release_is_of_one_set(tmp_path: Path) -> None:
    """A scan of the core and of a set is refused; each by itself is granted, and says what it is."""
    rows = [row("v/a", "quiet-01"), {**row("v/a", "quiet-02"), "set": "long"}]
    played = [Transcript.model_validate(one) for one in rows]
    for name, part in (("mixed", WHOLE), ("long", Part(sets=("long",))), ("core", Part(sets=("core",)))):
        scan(played, out=tmp_path / name, part=part)
    told = "sets_by_themselves: 1: the transcripts are of core and long; scan each with --set"
    with pytest.raises(Refused, match=told):
        prepare_release(tmp_path / "mixed", "demo", None)
    boards = {name: prepare_release(tmp_path / name, "demo", None).leaderboard for name in ("long", "core")}
    assert (boards["long"].set, boards["core"].set) == ("long", None)
    assert any("of the set “long”" in note for note in boards["long"].notes)
    assert not any("of the set" in note for note in boards["core"].notes)
    assert boards["long"].comparability_key != boards["core"].comparability_key


def test_an_unknown_set_of_transcripts_is_an_error(tmp_path: Path) -> None:
    """`ib scan --set` names the sets that the transcripts have."""
    with pytest.raises(UsageError, match="--set 'ladder' is not a set of these transcripts"):
        scan([Transcript.model_validate(row("v/a", "q"))], out=tmp_path / "no", part=Part(sets=("ladder",)))
