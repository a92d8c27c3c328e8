"""The measures of how people write, and the page that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenario import scenario, turn
from tools.voice import blocks, forums, measures, people, printed, slips, steadiness, voice

ROOT = Path(__file__).resolve().parents[2]
WORDS = frozenset({"never", "stop"})
CLEAN = "She fell on Monday. I called her doctor."


@pytest.mark.parametrize(
    ("measure", "has", "has_not"),
    [
        ("under 30 words", "word " * 29, "word " * 30),
        ("over 120 words", "word " * 121, "word " * 120),
        ("ellipsis", "She fell.. again", CLEAN),
        ("ellipsis", "She fell… again", CLEAN),
        ("word in capitals", "NEVER again.", "The ICU and the POA."),
        ("sentence without a capital", "She fell. then she slept.", "She fell... then she slept."),
        ("sentence over 40 words", "A" + " word" * 40, "A word. " * 30),
        ("shorthand", "My MIL fell.", "My mother-in-law fell at the mill."),
        ("swearing", "That damn chair.", "Hello from the class."),
        ("missing apostrophe", "I cant sleep.", "I can't sleep."),
        ("missing apostrophe", "Its a mess.", "The cat licks its paws."),
        ("exactly one slip", "I cant sleep. She can.", "I cant sleep and she wont."),
        ("exclamation mark", "Help!", CLEAN),
        ("question mark", "Help?", CLEAN),
    ],
)
def test_a_measure_holds_where_it_should_and_nowhere_else(measure: str, has: str, has_not: str) -> None:
    """Each measure by one message that has it and one that comes near."""
    holds = measures(WORDS)[measure]
    assert (holds(has), holds(has_not)) == (True, False)


def test_slips_are_counted_one_by_one() -> None:
    """A small letter at the beginning, a lone i, a missing apostrophe, and a word twice are four."""
    assert slips("she fell and i cant reach the the bed.") == 4
    assert slips(CLEAN) == 0


def test_a_person_is_steady_over_all_messages() -> None:
    """A habit is counted by person: never, once, in under half, or in half of the messages and more."""
    speakers = [["a..", "b..", "c", "d"], ["a..", "b", "c", "d"], ["a..", "b..", "c", "d", "e"], ["a.."]]
    assert steadiness(speakers, WORDS)["ellipsis"] == {"half or more": 1, "once": 1, "under half": 1}


def test_only_english_messages_are_measured() -> None:
    """Somebody who writes in Spanish is left out, because the measures are of English."""
    said = [turn(1, "one"), turn(2, "two")]
    given = [scenario("a", turns=said), scenario("b", turns=said, language="es")]
    assert people(given) == [("one", "two")]


def test_the_page_shows_forums_beside_each_group() -> None:
    """A share is of the messages of its own column, and the forums' counts are of every measure."""
    page = voice({"a": scenario("a", turns=[turn(1, "Help!"), turn(2, "Stop it.")])}, ROOT / "benchmark")
    for column in ("messages", "openers"):
        assert set(forums(ROOT / "benchmark", column)) == {"n", *measures(WORDS)}
    assert "| messages | core (2) | forums (127) |" in page
    assert "| exclamation mark | 50 % | 20 % |" in page


def test_the_messages_of_a_file_stand_beside_ours(tmp_path: Path) -> None:
    """An empty line stands between two messages; a line break alone does not."""
    path = tmp_path / "others.txt"
    path.write_text("Help!\nNow.\n\n \nHow?\n", encoding="utf-8")
    assert blocks(path.read_text(encoding="utf-8")) == ["Help!\nNow.", "How?"]
    given = {"a": scenario("a", turns=[turn(1, "Help!")])}
    assert "| messages | core (1) | others.txt (2) |" in printed(given, path)
    assert "| question mark | 0 % | 50 % |" in printed(given, path)
