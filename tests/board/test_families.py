"""Scenario families: scenarios joined by variants and contrast groups are one family."""

from __future__ import annotations

from itertools import permutations

import pytest

from ib.board.figures.contrasts import families
from tests.board.world import scan_of

(RESULT, *_) = scan_of()[1]
CHAIN = (
    ("parent", None, None),
    ("variant", "parent", "group"),
    ("second", "variant", None),
    ("other", None, None),
)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_a_chain_is_one_family(order: tuple[int, ...]) -> None:
    """An original, its variant in a contrast group, and a variant of that are one family, in any order."""
    results = [
        RESULT.model_copy(
            update={
                "scenario_id": CHAIN[i][0],
                "variant_of": CHAIN[i][1],
                "contrast_group": CHAIN[i][2],
            }
        )
        for i in order
    ]
    found = families(results)
    assert found["parent"] == found["variant"] == found["second"]
    assert found["other"] == "other"


def test_a_contrast_group_is_one_family() -> None:
    """Scenarios of the same contrast group are one family, even without variants."""
    results = [
        RESULT.model_copy(update={"scenario_id": name, "contrast_group": "g", "variant_of": None})
        for name in ("a", "b")
    ]
    assert len(set(families(results).values())) == 1
