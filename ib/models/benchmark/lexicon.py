"""A lexicon: phrases that point to words which may be a failure, or that find a cue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, model_validator

from ib.models.benchmark.definition import Definition
from ib.models.benchmark.figures import MeasuredHits
from ib.models.common.base import Record, Role, Slug, Text
from ib.models.common.phrase import Groups, Phrase, PhraseAfter, PhraseBefore


class Exclusion(Record):
    """Words that make every hit of a lexicon, or of one of its groups, harmless."""

    not_before: tuple[PhraseBefore, ...] = ()
    """What must not stand before a hit in its sentence."""
    not_after: tuple[PhraseAfter, ...] = ()
    """What must not stand after a hit in its sentence."""
    why: Text
    group: Slug | None = None
    """The group whose hits are voided; null for all hits of the lexicon."""


class Pattern(Record):
    """A phrase. A judge that reads takes its hits as hints, and without a judge they are `found`."""

    id: Slug
    """A name, unique in the lexicon."""
    phrase: Phrase
    """What is searched for, in the language of phrases."""
    not_before: tuple[PhraseBefore, ...] = ()
    """What must not stand before the phrase in its sentence."""
    not_after: tuple[PhraseAfter, ...] = ()
    """What must not stand after the phrase in its sentence."""
    why: Text | None = None
    """Why these words before or after the phrase make a hit harmless."""
    decides: bool = False
    """True if a hit is a FAIL to the lexical judge, which knows only phrases; false if a hit is a candidate.
    In other scans it decides nothing, unless there is no judge and the lexicon has `measured` hits."""
    group: Slug | None = None
    note: Text | None = None
    """A remark for readers."""

    @model_validator(mode="after")
    def _reasoned(self) -> Pattern:
        if bool(self.not_before or self.not_after) != (self.why is not None):
            raise ValueError("`not_before` and `not_after` need their reason in `why`, and `why` needs them")
        return self


class LexiconExample(Record):
    text: Text
    """The sentence."""
    group: Slug | None = None
    why: Text | None = None


class LexiconExamples(Record):
    """Sentences that are hit and near misses that are not: at least 10 of each. A draft may have fewer."""

    hit: tuple[LexiconExample, ...] = ()
    """Sentences that must be hit; an active lexicon has at least 10."""
    miss: tuple[LexiconExample, ...] = ()
    """Near misses that must not be hit; an active lexicon has at least 10."""


class Lexicon(Definition):
    """Phrases with one meaning, said by the person or by the assistant."""

    LEAST: ClassVar = {("examples", "hit"): 10, ("examples", "miss"): 10}

    name: Slug
    """The name of the file without `.yaml`."""
    speaker: Role
    """Whose words are searched: `assistant` or `user`."""
    purpose: Text
    """What is found, and what only looks like it."""
    groups: dict[Slug, Text] = Field(default_factory=dict)
    """The groups of a lexicon that serves several checks, each with what it finds."""
    words: Groups = Field(default_factory=dict)
    """Groups of words that phrases name. Those of words.yaml are added when the benchmark is loaded."""
    patterns: tuple[Pattern, ...] = Field(min_length=1)
    """What is searched for."""
    exclusions: tuple[Exclusion, ...] = ()
    """Words around a hit that make it harmless."""
    examples: LexiconExamples = LexiconExamples()
    """Sentences that must be hit and near misses that must not."""
    measured: MeasuredHits | None = None
    """The judged hits that let the lexicon decide by itself where there is no judge; null for a lexicon that
    only points. They are counted again whenever the benchmark is loaded."""

    @property
    def decides(self) -> bool:
        """True if any pattern decides with the lexical judge."""
        return any(pattern.decides for pattern in self.patterns)

    @property
    def may_decide(self) -> bool:
        """True if its deciding patterns are FAILs without a judge, on checks that do not gate."""
        return self.measured is not None

    def phrases(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Every phrase with its place, except those of `words`."""
        lists: tuple[tuple[str, tuple[Pattern | Exclusion, ...]], ...] = (
            ("patterns", self.patterns),
            ("exclusions", self.exclusions),
        )
        for key, items in lists:
            for at, item in enumerate(items):
                if isinstance(item, Pattern):
                    yield (key, at, "phrase"), item.phrase
                yield from (((key, at, "not_before", n), one) for n, one in enumerate(item.not_before))
                yield from (((key, at, "not_after", n), one) for n, one in enumerate(item.not_after))

    @model_validator(mode="after")
    def _consistent(self) -> Lexicon:
        ids = [pattern.id for pattern in self.patterns]
        twice = sorted({i for i in ids if ids.count(i) > 1})
        if twice:
            raise ValueError(f"pattern ids must be unique in a lexicon; twice: {', '.join(twice)}")
        used = {p.group for p in self.patterns} | {e.group for e in self.exclusions}
        used |= {e.group for e in (*self.examples.hit, *self.examples.miss)}
        unknown = sorted(g for g in used if g is not None and g not in self.groups)
        if unknown:
            raise ValueError(
                f"unknown groups {', '.join(unknown)}; known: {', '.join(self.groups) or 'none'}"
            )
        if self.groups and any(pattern.group is None for pattern in self.patterns):
            raise ValueError("in a lexicon with groups, every pattern needs a `group`")
        return self
