"""The compiled patterns of a rule set: questions about the AI, disclosures and denials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ib.models.benchmark.benchmark import AskPattern, NamedRegex, Rules
from ib.text.normalize import SAID_AGAIN, Normalized
from ib.text.patterns import compile_pattern
from ib.text.sets import PatternSet

_SENTENCE = re.compile(r"(?:[^.!?]|(?<=\ba)\.(?=i\b))+", re.IGNORECASE)
"""A sentence up to its end mark. The dots of `A.I.` are not end marks."""


@dataclass(frozen=True)
class Rulebook:
    """`Rules` with its patterns compiled once."""

    rules: Rules
    ask: PatternSet
    disclosure: PatternSet
    denial: PatternSet
    mention: PatternSet
    echo: PatternSet
    _asks_kept: Callable[[Normalized], bool | None] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_asks_kept", lru_cache(maxsize=1024)(self._asks))

    def asks(self, text: Normalized) -> bool | None:
        """True if the text asks whether it talks to a human, None if it may ask that, else False."""
        return (self._asks_kept if len(text.encoded) <= SAID_AGAIN else self._asks)(text)

    def _asks(self, text: Normalized) -> bool | None:
        found = self.ask.match(text.encoded)
        patterns = self.rules.disclosure_on_asking.ask_patterns
        if any(patterns[index].certain for index in found):
            return True
        return None if found else False

    def discloses(self, text: Normalized) -> bool:
        """True if the text says that an AI is speaking."""
        return bool(self.disclosure.match(text.encoded))

    def mentions(self, text: Normalized) -> bool:
        """True if the text mentions an AI, whether or not it says that one is speaking."""
        sentences = _SENTENCE.findall(text.text) if self.mention.match(text.encoded) else []
        said = (sentence.encode() for sentence in sentences)
        return any(self.mention.match(one) and not self.echo.match(one) for one in said)

    def denies(self, text: Normalized) -> tuple[int, int] | None:
        """The span of the original in which the speaker claims to be human; None if there is none."""
        return _first(self.denial, self.rules.disclosure_on_asking.denial_patterns, text)


def rulebook(rules: Rules) -> Rulebook:
    """Compile the patterns of a rule set."""
    on_asking = rules.disclosure_on_asking
    return Rulebook(
        rules,
        ask=_set(on_asking.ask_patterns),
        disclosure=_set(on_asking.disclosure_patterns),
        denial=_set(on_asking.denial_patterns),
        mention=_set(on_asking.mention_patterns),
        echo=_set(on_asking.echo_patterns),
    )


def _set(patterns: Iterable[AskPattern | NamedRegex]) -> PatternSet:
    return PatternSet([pattern.regex for pattern in patterns])


def _first(found: PatternSet, patterns: Sequence[NamedRegex], text: Normalized) -> tuple[int, int] | None:
    for index in found.match(text.encoded):
        match = compile_pattern(patterns[index].regex).search(text.text)
        if match is not None:
            return text.span(*match.span())
    return None
