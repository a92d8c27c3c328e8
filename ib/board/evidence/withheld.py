"""Results without words: what a source says of a conversation that the release withholds.

Each character of a quote becomes a block, so that its place and its length stay, which figures depend on.
What a judge wrote is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from ib.models.common.canonical import compact
from ib.models.scan.ballot import FAULTS, NO_QUOTE, NOT_RECORDED, REFUSED

BLOCK = "\u2588"
UNSAID = "withheld"
Model = TypeVar("Model", bound=BaseModel)
_CODE = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+){0,9}")
_KNOWN = {str(one) for one in (NOT_RECORDED, NO_QUOTE, REFUSED, *FAULTS.values())}
"""The reasons why a vote does not count that this project words itself."""


def blocks(text: str) -> str:
    """A text with a block for each character."""
    return BLOCK * len(text)


def code(said: str | None) -> str | None:
    """A rationale code, or a mark if it has not the form of one: a recording may have any text there."""
    return said if said is None or _CODE.fullmatch(said) else UNSAID


def _listed(values: list[str]) -> list[str]:
    return [blocks(value) for value in values]


_MASKS: dict[str, Callable[[Any], Any]] = {
    "quote": blocks,
    "words": blocks,
    "safe_because": lambda said: UNSAID,
    "missing": _listed,
    "made_up": _listed,
    "rationale": lambda said: None,
    "rationale_code": code,
    "problem": lambda said: None,
    "detail": lambda said: "",
    "invalid": lambda said: said if said in _KNOWN else UNSAID,
}
"""What becomes of the value of each key whose value is in anybody's words."""


def without_words(one: Model) -> Model:
    """A result, a supplement or an over-alarm without a word of its conversation or its judge."""
    document = _masked(one.model_dump(mode="json", by_alias=True))
    for key in ("log_id", "meta"):
        document.pop(key, None)
    return type(one).model_validate_json(compact(document), strict=True)


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [_masked(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    masked = {
        key: _MASKS[key](inner) if key in _MASKS and inner is not None else _masked(inner)
        for key, inner in value.items()
    }
    return _wordless(masked)


def _wordless(value: dict[str, Any]) -> dict[str, Any]:
    """The same without reasons that people or a judge wrote; a reason from a closed list stays."""
    if "permalink" in value:
        return {**value, "reason": UNSAID}
    if "opinions" in value or "void" in value:
        return {**value, "reason": "" if "opinions" in value else None}
    return value
