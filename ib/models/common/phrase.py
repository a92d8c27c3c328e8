"""Phrases and regular expressions in data files, and the named groups of words that they share.

`ib.text.phrases` explains the language of phrases; patterns are checked to be safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, ValidationError, ValidationInfo
from pydantic_core import PydanticCustomError

from ib.models.common.base import Record, Slug
from ib.text.grammar import PhraseError
from ib.text.patterns import refusal
from ib.text.phrases import check_after, check_before, check_phrase

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


INVALID_PHRASE = "invalid_phrase"
"""The error type of a text that is not a phrase; its context holds what was found and what is allowed."""
LONGEST = 120
"""The most characters of a phrase, so that a person can read it at a glance."""


def _checked_by(check: Callable[[str], None]) -> AfterValidator:
    def validate(phrase: str) -> str:
        try:
            check(phrase)
        except PhraseError as error:
            details = {"found": error.found, "allowed": error.allowed}
            raise PydanticCustomError(INVALID_PHRASE, "{found}; allowed: {allowed}", details) from error
        return phrase

    return AfterValidator(validate)


_SHORT = StringConstraints(min_length=1, max_length=LONGEST, strip_whitespace=True)
Phrase = Annotated[str, _SHORT, _checked_by(check_phrase)]
"""A line of the phrase language."""
PhraseBefore = Annotated[str, _SHORT, _checked_by(check_before)]
"""A phrase that must not stand before another one in its sentence. It may end with a gap."""
PhraseAfter = Annotated[str, _SHORT, _checked_by(check_after)]
"""A phrase that must not stand after another one in its sentence. It may begin with a gap."""
Groups = dict[Slug, tuple[Phrase, ...]]
"""The phrases that each name stands for."""


class SharedWords(Record):
    """The named groups of words that the phrases of all files may use."""

    groups: Groups = Field(min_length=1)
    """The phrases that each name stands for. A group may use other groups."""
