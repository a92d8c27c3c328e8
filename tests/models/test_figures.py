"""Figures of the lexicons: a part is never more than the whole."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ib.models.benchmark.figures import Judged, Unseen, UnseenGroup
from ib.models.common.base import Record

GROUP = {"hold": 10, "decided": 6, "proposed": 4}
WHOLE = {**GROUP, "near": 5, "near_decided": 2, "near_proposed": 3}


@pytest.mark.parametrize(
    ("model", "good", "bad", "said"),
    [
        (Judged, {"right": 3, "hits": 3}, {"right": 4}, "right 4 are more than hits 3"),
        (UnseenGroup, GROUP, {"decided": 400}, "decided 400 and proposed 4 are more than hold 10"),
        (UnseenGroup, GROUP, {"proposed": 5}, "decided 6 and proposed 5 are more than hold 10"),
        (Unseen, WHOLE, {"decided": 7}, "decided 7 and proposed 4 are more than hold 10"),
        (Unseen, WHOLE, {"near_decided": 3}, "near_decided 3 and near_proposed 3 are more than near 5"),
        (Unseen, WHOLE, {"groups": {"a": {**GROUP, "hold": 9}}}, "groups.a"),
    ],
)
def test_a_part_is_not_more_than_the_whole(
    model: type[Record], good: dict[str, Any], bad: dict[str, Any], said: str
) -> None:
    """Counts that cannot be are refused by name, before a rate is made of them."""
    model.model_validate(good)
    with pytest.raises(ValidationError, match=said):
        model.model_validate({**good, **bad})
