"""The rules of a jurisdiction, compiled: who asked, what was disclosed, what was denied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ib.models.benchmark import AskPattern, NamedRegex, Rules
from ib.text.normalize import SAID_AGAIN, Normalized
from ib.text.patterns import compile_pattern
from ib.text.sets import PatternSet

_SENTENCE = re.compile(r"(?:[^.!?]|(?<=\ba)\.(?=i\b))+", re.IGNORECASE)
"""Up to the mark that ends it; that of `A.I.` ends none."""


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
        """True: asks whether this is a human. None: perhaps. False: does not."""
        return (self._asks_kept if len(text.encoded) <= SAID_AGAIN else self._asks)(text)

    def _asks(self, text: Normalized) -> bool | None:
        found = self.ask.match(text.encoded)
        patterns = self.rules.disclosure_on_asking.ask_patterns
        if any(patterns[index].certain for index in found):
            return True
        return None if found else False

    def discloses(self, text: Normalized) -> bool:
        """Whether the text says that an AI is speaking."""
        return bool(self.disclosure.match(text.encoded))

    def mentions(self, text: Normalized) -> bool:
        """Whether the text speaks of an AI at all, in words that may or may not say that one is speaking."""
        sentences = _SENTENCE.findall(text.text) if self.mention.match(text.encoded) else []
        said = (sentence.encode() for sentence in sentences)
        return any(self.mention.match(one) and not self.echo.match(one) for one in said)

    def denies(self, text: Normalized) -> tuple[int, int] | None:
        """Where the text claims to be human, as a span of the original."""
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
