"""`ib contamination`: a model that knows the words of the draw is found, and one that guesses is not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from ib.models.draw.contamination import ALPHA, OPTIONS, ContaminationItem
from ib.pipeline.run.contamination import prepare_test, result_of
from ib.scenario.forced_choice import LETTERS, letter
from ib.stats.guessing import power
from tests.commands.test_draw import checks_alone
from tests.scenario import write_scenario
from tests.scenario.slots import slotted, write_draw

Call = Callable[..., tuple[int, str, str]]
HASH = "0" * 64


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checks of the benchmark with twelve scenarios, which have 36 slots in their messages."""
    made, canary = checks_alone(tmp_path_factory.mktemp("benchmark"))
    for number in range(12):
        write_scenario(made, slotted(f"safety-crisis-small-{number}", canary=canary))
    write_draw(made)
    return made


@pytest.fixture(scope="module")
def items(root: Path) -> dict[str, ContaminationItem]:
    return prepare_test(["reference/echo"], root).items


def script(
    path: Path, items: dict[str, ContaminationItem], replies: Callable[[ContaminationItem], str]
) -> Path:
    """The script of a model that answers each question with a text of its own."""
    told = {name: [{"text": replies(item)}] for name, item in items.items()}
    value = {"model_id": "v/planted", "model": "Planted", "replies": told, "otherwise": {"text": "?"}}
    path.write_text(json.dumps(value))
    return path


def test_a_model_that_knows_the_draw_is_found(
    root: Path, items: dict[str, ContaminationItem], tmp_path: Path, ib: Call
) -> None:
    """It names every word, by its letter; the result is on disk and on stdout."""
    model = script(tmp_path / "s.json", items, lambda item: f"{LETTERS[item.right]}.")
    out = tmp_path / "test"
    code, said, _ = ib(
        "contamination", "-m", f"scripted:{model}", "--benchmark", root, "--out", out, "--json"
    )
    assert code == 0
    (result,) = json.loads(said)
    assert (result["right"], result["asked"], result["flagged"]) == (36, 36, True)
    assert json.loads((out / "contamination.jsonl").read_text()) == result


def test_the_test_knows_what_it_can_find_and_costs(root: Path, tmp_path: Path, ib: Call) -> None:
    """A dry run says questions, calls and power, and makes nothing."""
    out = tmp_path / "test"
    code, said, _ = ib(
        "contamination", "-m", "reference/echo", "--benchmark", root, "--dry-run", "--out", out
    )
    assert code == 0
    assert "36 questions with 8 options each" in said
    assert "36 calls planned" in said
    assert "power at p <= 0.01" in said
    assert not out.exists()


def test_questions_show_the_message_without_its_word(root: Path) -> None:
    """The word of the draw stands among the options alone; each place holds it equally often."""
    prepared = prepare_test(["reference/echo"], root)
    for scenario in prepared.run.scenarios:
        item, said = prepared.items[scenario.scenario_id], next(iter(scenario.all_turns())).user_message
        message = said.split("Which expression")[0]
        assert "____" in message
        assert item.options[item.right] not in message
        assert all(f"{at}) {word}" in said for at, word in zip(LETTERS, item.options, strict=True))
    places = [item.right for item in prepared.items.values()]
    assert max(map(places.count, range(OPTIONS))) - min(map(places.count, range(OPTIONS))) <= 1


def test_guessers_are_rarely_flagged_and_knowers_always(items: dict[str, ContaminationItem]) -> None:
    """200 seeds: guesses are flagged at most 4 times, full memory always, one letter for all never, and 20%
    of memory as often as the stated power says."""
    flagged = dict.fromkeys((0.0, 0.2, 1.0), 0)
    for seed in range(200):
        chance = random.Random(seed)  # noqa: S311
        for share in flagged:
            replies = [
                (item, LETTERS[item.right if chance.random() < share else chance.randrange(OPTIONS)])
                for item in items.values()
            ]
            flagged[share] += result_of("v/m", replies, 0, draw=HASH, plan_hash=HASH).flagged
    assert flagged[0.0] <= 4
    assert flagged[1.0] == 200
    stated = power(len(items), OPTIONS, ALPHA, 0.2)
    assert flagged[0.2] == pytest.approx(200 * stated, abs=3 * (200 * stated * (1 - stated)) ** 0.5)
    for at in LETTERS:
        same = result_of("v/m", [(item, at) for item in items.values()], 0, draw=HASH, plan_hash=HASH)
        assert not same.flagged


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("C", 2),
        ("(C)", 2),
        ("The answer is C.", 2),
        ("**C) green**", 2),
        ("green", 2),
        ("It's the Green one", 2),
        ("A or C", None),
        ("I cannot know.", None),
        ("red or blue", None),
        ("", None),
    ],
)
def test_a_reply_names_one_option_or_none(reply: str, named: int | None) -> None:
    """A letter that stands alone, or the words of one option. The pronoun in `I cannot` is no letter."""
    words = ("red", "blue", "green", "white", "black", "brown", "pink", "gray")
    assert letter(reply, words) == named


def test_a_benchmark_without_slots_cannot_be_asked_about(tmp_path: Path, ib: Call) -> None:
    """There is no draw that a model could know."""
    made, _ = checks_alone(tmp_path / "plain")
    (made / "scenarios").mkdir()
    code, _, err = ib("contamination", "-m", "reference/echo", "--benchmark", made)
    assert code == 2
    assert "has slots" in err
