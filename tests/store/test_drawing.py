"""Drawing scenario files: one key gives one set of words, and each error names its file, line and key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ib.errors import DataError, UsageError
from ib.models.conversation.twin_scenario import TwinScenario
from ib.scenario.drawing import DrawKey, seeded
from ib.store.benchmark.drawing import check_drawn, draw_of, key_named, private_key
from ib.store.benchmark.scenarios import load_played, played_paths
from tests.scenario import scenario_dict, turn, write_scenario
from tests.scenario.slots import SLOTS, slotted, write_draw
from tests.store.small import only

VARIED = "safety-crisis-varied"


def drawn(root: Path, key: DrawKey | None = None) -> dict[str, str]:
    """The first message of each scenario of a benchmark, by id."""
    return {name: next(iter(each.all_turns())).user_message for name, each in load_played(root, key).items()}


def test_a_draw_fills_every_text_and_says_what_it_chose(tmp_path: Path) -> None:
    """The words of the slots stand in messages, probes and persona, and agree with `drawn`."""
    write_draw(tmp_path)
    write_scenario(tmp_path, slotted())
    (scenario,) = load_played(tmp_path).values()
    chosen = scenario.drawn.chosen  # type: ignore[union-attr]
    hour = chosen["hour"]
    assert isinstance(hour, dict)
    assert hour in SLOTS["hour"]["values"]
    assert f"since {hour['digits']}" in next(iter(scenario.all_turns())).user_message
    assert scenario.probes[0].expected == (f"{hour['digits']} | {hour['words']}",)
    assert scenario.persona.name == f"{chosen['first_name']} Doe"
    assert "{" not in scenario.model_dump_json(exclude={"canary"}).replace('{"', "").replace(":{", "")


def test_a_key_gives_one_draw_and_another_key_another(tmp_path: Path) -> None:
    """The same key gives the same words, in any order of files; 30 seeds give many different openings. The
    template is one, and the hash of the scenario is that of its words."""
    write_draw(tmp_path)
    write_scenario(tmp_path, slotted())
    assert drawn(tmp_path) == drawn(tmp_path) == drawn(tmp_path, DrawKey(bytes(32)))
    scenarios = [next(iter(load_played(tmp_path, seeded(str(n))).values())) for n in range(30)]
    assert len({each.definition_hash for each in scenarios}) > 20
    assert len({each.drawn.template_hash for each in scenarios if each.drawn}) == 1
    assert len({draw_of([each]) for each in scenarios}) == 30


def test_a_twin_and_a_variant_have_the_words_of_their_origin(tmp_path: Path) -> None:
    """Slots are drawn by family. A slot of the origin may not be listed again."""
    write_draw(tmp_path)
    write_scenario(tmp_path, slotted())
    said = [turn(1, "{first_name} again, since {hour.digits}")]
    write_scenario(tmp_path, scenario_dict(VARIED, variant_of="safety-crisis-small", turns=said))
    for seed in "abcdef":
        both = load_played(tmp_path, seeded(seed))
        first, second = both["safety-crisis-small"].drawn, both[VARIED].drawn
        assert first is not None
        assert second is not None
        assert first.chosen == second.chosen
        assert first.template_hash != second.template_hash
    again = {"variant_of": "safety-crisis-small", "slots": {"hour": SLOTS["hour"]}}
    write_scenario(tmp_path, scenario_dict(VARIED, **again))
    with pytest.raises(DataError) as caught:
        load_played(tmp_path)
    assert only(caught.value).key == "slots.hour"


@pytest.mark.parametrize(
    ("slot", "found"),
    [
        ({"kind": "name", "values": ["Ada"] * 8}, "'ada' is given twice"),
        ({"kind": "name", "values": ["Ada", "Bea"]}, "at least 8"),
        ({"kind": "name", "values": [{"a": "Ada"}, *"BCDEFGH"]}, "value 2 has other forms"),
        ({"kind": "nickname", "values": list("ABCDEFGH")}, "'nickname'"),
        ({"kind": "name", "values": ["{hour}", *"BCDEFGH"]}, "{hour}"),
    ],
)
def test_a_slot_that_is_no_choice_among_equals_is_refused(tmp_path: Path, slot: Any, found: str) -> None:
    """Doubled values, too few, unequal forms, unknown kinds and braces: each is named with its key."""
    write_draw(tmp_path)
    path = write_scenario(tmp_path, slotted(slots={**SLOTS, "first_name": slot}))
    with pytest.raises(DataError) as caught:
        load_played(tmp_path)
    finding = caught.value.findings[0]
    assert finding.file == str(path)
    assert finding.key.startswith("slots.first_name")
    assert finding.line is not None
    assert any(found in str(each) for each in caught.value.findings), caught.value


def test_slots_need_a_public_key(tmp_path: Path) -> None:
    """Without `configs/draw.yaml` no words can be chosen; a broken key is named with its line."""
    write_scenario(tmp_path, slotted())
    with pytest.raises(DataError) as caught:
        load_played(tmp_path)
    assert "configs/draw.yaml" in only(caught.value).found
    write_draw(tmp_path).write_text('public: "00ff"\n')
    with pytest.raises(DataError) as caught:
        load_played(tmp_path)
    assert (only(caught.value).line, only(caught.value).key) == (1, "public")


def test_a_private_draw_needs_slots(tmp_path: Path) -> None:
    """The words of a scenario without slots are public; every such scenario is named."""
    write_draw(tmp_path)
    write_scenario(tmp_path, slotted())
    plain = write_scenario(tmp_path, scenario_dict("safety-crisis-plain"))
    played = load_played(tmp_path, seeded("private"))
    check_drawn(played.values(), played_paths(tmp_path), None)
    with pytest.raises(DataError) as caught:
        check_drawn(played.values(), played_paths(tmp_path), seeded("private"))
    assert only(caught.value).file == str(plain)


def test_a_key_file_holds_a_key_and_no_message_repeats_it(tmp_path: Path) -> None:
    """A short key, another text and a missing file are errors; `public` is the default."""
    path = tmp_path / "key"
    path.write_text("ab" * 32 + "\n")
    assert private_key(path) == DrawKey(bytes.fromhex("ab" * 32)) == key_named(str(path))
    assert key_named("public") is None is key_named(None)
    for wrong in ("ab" * 31, "AB" * 32, "", "secret words"):
        path.write_text(wrong)
        with pytest.raises(DataError) as caught:
            private_key(path)
        assert only(caught.value).line == 1
        assert not wrong or wrong not in str(caught.value)
    with pytest.raises(UsageError, match="no such file"):
        key_named(str(tmp_path / "missing"))
    assert "ab" * 32 not in repr(DrawKey(bytes.fromhex("ab" * 32)))


def test_no_dump_of_a_scenario_has_its_slots(tmp_path: Path) -> None:
    """A release shows a scenario as drawn, a twin as well. The choices stand in the file alone."""
    write_draw(tmp_path)
    write_scenario(tmp_path, slotted())
    (scenario,) = load_played(tmp_path).values()
    assert "slots" not in json.loads(scenario.model_dump_json())
    assert TwinScenario.model_fields["slots"].exclude
