"""Regular expressions in data files, which are checked to be safe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, BaseModel, StringConstraints, ValidationError, ValidationInfo
from pydantic_core import PydanticCustomError

from ib.text.patterns import refusal

UNSAFE = "unsafe_pattern"
"""The error type of an unsafe pattern; `problem` in the context of the error is the reason."""
KNOWN_SAFE = {"patterns": "known safe"}
"""A validation context that skips the check of patterns, for files whose digest is known to be safe."""


def _safe(regex: str, info: ValidationInfo) -> str:
    problem = None if info.context == KNOWN_SAFE else refusal(regex)
    if problem is not None:
        raise PydanticCustomError(UNSAFE, "{problem}", {"problem": problem})
    return regex


def unsafe_patterns(item: BaseModel) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The unsafe patterns of a model that was validated with `KNOWN_SAFE`, as (key path, reason)."""
    try:
        type(item).model_validate_json(item.model_dump_json(by_alias=True, exclude_unset=True))
    except ValidationError as error:
        for flaw in error.errors(include_url=False):
            if flaw["type"] == UNSAFE:
                yield flaw["loc"], flaw["msg"]


Regex = Annotated[str, StringConstraints(min_length=2, max_length=2000), AfterValidator(_safe)]
"""A safe pattern in RE2 syntax, matched on normalized text; case does not matter."""
