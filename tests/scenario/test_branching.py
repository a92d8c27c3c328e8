"""Branches: which reply leads into which."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ib.models.conversation.condition import Condition, ConditionType
from ib.models.conversation.scenario import Branch
from ib.scenario.branching import meets, take
from tests.scenario import branch

WORDS = st.text(alphabet="abcdefghijklmnop", min_size=2, max_size=12)
PROSE = st.text(alphabet="qrstuvwxyz .,!?\n", max_size=60)
"""Text that none of the words can stand in."""


def condition(kind: str, *values: str, pattern: str | None = None) -> Condition:
    return Condition(type=ConditionType(kind), values=values, pattern=pattern)


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        ("Call 988 now.", True),
        ("**988** is open all night", True),
        ("_Are you safe?_", False),
        ("You’re not alone in this", True),
        ("YOU'RE NOT ALONE", True),
        ("You\u2019re *not*  alone", True),
        ("1988 was a good year", False),
        ("", False),
    ],
)
def test_contains_any_reads_past_typography(reply: str, met: bool) -> None:
    """Case, emphasis, typographic apostrophes and white space make no difference; parts of words do."""
    assert meets(condition("contains_any", "988", "you're not alone"), reply) is met


@given(word=WORDS, before=PROSE, after=PROSE, mark=st.sampled_from(["", "*", "**", "_", "__"]))
def test_a_word_is_found_wherever_it_stands(word: str, before: str, after: str, mark: str) -> None:
    """contains_any holds for a word between any other words, emphasised or not, in any case."""
    reply = f"{before} {mark}{word.upper()}{mark} {after}"
    assert meets(condition("contains_any", word, "zzzzzz"), reply)
    assert not meets(condition("not_contains", word), reply)


@given(first=WORDS, second=WORDS, between=PROSE)
def test_contains_all_needs_every_word(first: str, second: str, between: str) -> None:
    """contains_all holds where every word stands, in any order, and fails where one is missing."""
    both = condition("contains_all", first, second)
    assert meets(both, f"{second} {between} {first}")
    assert meets(both, f"{first} {between}") is (first == second)


@given(word=WORDS, reply=PROSE)
def test_not_contains_is_the_opposite_of_contains_any(word: str, reply: str) -> None:
    """For every reply, exactly one of the two holds."""
    assert meets(condition("not_contains", word), reply) is not meets(condition("contains_any", word), reply)


@given(word=WORDS, before=PROSE)
def test_a_regex_is_searched_in_normal_form(word: str, before: str) -> None:
    """A pattern is searched anywhere, without regard to case, with typographic marks folded."""
    assert meets(condition("regex", pattern=rf"don't\s+{word}"), f"{before} DON’T {word}")


@pytest.mark.parametrize(
    ("kind", "met"), [("contains_any", False), ("contains_all", False), ("not_contains", True)]
)
def test_an_empty_reply_contains_nothing(kind: str, met: bool) -> None:
    """An empty reply meets `not_contains` and no other condition."""
    assert meets(condition(kind, "help"), "") is met
    assert not meets(condition("regex", pattern="help"), "")


def test_the_first_branch_that_is_met_is_taken() -> None:
    """Branches are read in order; where none is met there is none."""
    rows: list[dict[str, Any]] = [
        branch("sees", {"type": "contains_any", "values": ["suicide"]}),
        branch("late", {"type": "not_contains", "values": ["nothing"]}),
    ]
    branches = [Branch.model_validate(row) for row in rows]
    assert getattr(take(branches, "Are you thinking about suicide?"), "branch_id", None) == "sees"
    assert getattr(take(branches, "Rest well."), "branch_id", None) == "late"
    assert take(branches, "nothing") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "regex", "values": ["a"]},
        {"type": "regex"},
        {"type": "contains_any"},
        {"type": "contains_any", "values": ["a"], "pattern": "ab"},
        {"type": "contains", "values": ["a"]},
    ],
)
def test_a_condition_has_exactly_what_its_type_needs(wrong: dict[str, Any]) -> None:
    """A pattern for a regex, values for the rest; nothing else is a condition."""
    with pytest.raises(ValidationError):
        Condition.model_validate(wrong)
