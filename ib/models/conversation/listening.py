"""A listening: one thing that a reply may say, which the conditions of branches can ask for by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from ib.models.benchmark.definition import Definition
from ib.models.common.base import Record, Slug, Text
from ib.models.common.phrase import Groups, Phrase, PhraseAfter, PhraseBefore

LEAST = 30
"""How many sentences of each kind a listening is tried on, at least."""
Place = tuple[str | int, ...]


class Wording(Record):
    """One way of saying it."""

    phrase: Phrase
    """What is searched for, in the language of phrases."""
    not_before: tuple[PhraseBefore, ...] = ()
    """What must not stand before the phrase in its sentence."""
    not_after: tuple[PhraseAfter, ...] = ()
    """What must not stand after the phrase in its sentence."""
    why: Text | None = None
    """Why these words before or after the phrase change what it says."""

    @model_validator(mode="after")
    def _with_reason(self) -> Wording:
        if bool(self.not_before or self.not_after) != (self.why is not None):
            raise ValueError("`not_before` and `not_after` need their reason in `why`, and `why` needs them")
        return self


class Listening(Definition):
    """One thing that a reply may say, the phrases that find it, and the sentences that it is tried on."""

    LEAST: ClassVar = {("phrases",): 1, ("said",): LEAST, ("not_said",): LEAST}

    name: Slug
    """The name, which is the file's."""
    meaning: Text
    """What a reply says that meets the condition, in words that an author of scenarios understands."""
    words: Groups = Field(default_factory=dict)
    """Groups of words that phrases name. Those of words.yaml are added when the benchmark is loaded."""
    phrases: tuple[Wording, ...] = ()
    """The phrases that find it, each with what must not stand beside it."""
    said: tuple[Text, ...] = Field(default=(), exclude=True)
    """Ways in which models say it: at least 30. Excluded from every dump, and so from the hash of scenarios:
    a sentence to try changes nothing that is played."""
    not_said: tuple[Text, ...] = Field(default=(), exclude=True)
    """Replies that come near without saying it: at least 30."""

    def each_phrase(self) -> Iterator[tuple[Place, str]]:
        """Every phrase with its place, except those of `words`."""
        for at, wording in enumerate(self.phrases):
            place: Place = ("phrases", at)
            yield (*place, "phrase"), wording.phrase
            yield from (((*place, "not_before", n), one) for n, one in enumerate(wording.not_before))
            yield from (((*place, "not_after", n), one) for n, one in enumerate(wording.not_after))
