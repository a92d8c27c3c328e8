"""Branches on what models really say: every condition of the corpus, over every real reply."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ib.models.conversation.condition import Condition, ConditionType
from ib.models.conversation.scenario import Branch
from ib.scenario import branching
from ib.store.benchmark.loading import benchmark_folder
from ib.store.benchmark.scenarios import load_scenarios
from ib.text.normalize import normalize
from tests.real.conftest import TRANSCRIPTS

TURNS = [
    (f"{scenario.scenario_id}:{turn.turn}", turn.branches)
    for scenario in load_scenarios(benchmark_folder()).values()
    for turn in scenario.all_turns()
    if turn.branches
]


@pytest.fixture(scope="module")
def replies(real: Path) -> list[str]:
    """Every reply of the two real models."""
    said = []
    for path in TRANSCRIPTS:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                messages = json.loads(line)["messages"]
                said += [m["content"] for m in messages if m["role"] == "assistant"]
    assert len(said) > 700
    return said


@pytest.fixture(autouse=True, scope="module")
def once() -> Iterator[None]:
    """Every reply is normalized once, and every condition evaluated once on each."""
    known: dict[tuple[int, str], bool] = {}
    evaluated = branching.meets

    def meets(condition: Condition, reply: str) -> bool:
        key = id(condition), reply  # the conditions of TURNS live as long as this
        if key not in known:
            known[key] = evaluated(condition, reply)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branching, "normalize", cache(normalize))
        patch.setattr(branching, "meets", meets)
        yield


@cache
def folded(reply: str) -> str:
    """The normal form of a reply, without case; made once for all conditions."""
    return normalize(reply).text.casefold()


def by_hand(condition: Condition, reply: str) -> bool:
    """The same condition, read a second way: no code shared with the engine but the normal form."""
    text = folded(reply)
    if condition.pattern is not None:
        return re.search(condition.pattern, text, re.IGNORECASE) is not None

    def there(value: str) -> bool:
        words = r"\s+".join(re.escape(word) for word in value.casefold().replace("\u2019", "'").split())
        left = r"\b" if value[0].isalnum() else ""
        right = r"\b" if value[-1].isalnum() else ""
        return re.search(f"{left}{words}{right}", text) is not None

    found = [there(value) for value in condition.values]
    if condition.type is ConditionType.CONTAINS_ALL:
        return all(found)
    return any(found) if condition.type is ConditionType.CONTAINS_ANY else not any(found)


@pytest.mark.parametrize(("place", "branches"), TURNS, ids=[place for place, _ in TURNS])
def test_every_condition_is_evaluated_on_every_real_reply(
    place: str, branches: tuple[Branch, ...], replies: list[str]
) -> None:
    """No condition fails on a real reply, none is met by all of them, and a second reading agrees on each."""
    for branch in branches:
        met = [branching.meets(branch.condition, reply) for reply in replies]
        if branch.condition.type is not ConditionType.SAYS:  # its sentences try it, in the lint
            assert met == [by_hand(branch.condition, reply) for reply in replies], (place, branch.branch_id)
        assert not all(met), f"{place}: {branch.branch_id} is met by every real reply"
    for reply in replies:
        first = next((branch for branch in branches if branching.meets(branch.condition, reply)), None)
        assert branching.take(branches, reply) == first
