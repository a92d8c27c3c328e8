"""Phrases in data files, and the named groups of words that they share (see `ib.text.phrases`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from ib.models.common.base import Record, Slug
from ib.text.grammar import PhraseError
from ib.text.phrases import check_after, check_before, check_phrase

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
