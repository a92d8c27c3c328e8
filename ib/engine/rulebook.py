"""The rules of a jurisdiction, compiled: who asked, what was disclosed, what was denied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ib.models.benchmark import NamedRegex, Rules
from ib.text.normalize import Normalized
from ib.text.patterns import compile_pattern


@dataclass(frozen=True)
class Rulebook:
    """`Rules` with its patterns compiled once."""

    rules: Rules
    certain_ask: tuple[Any, ...]
    possible_ask: tuple[Any, ...]
    disclosure: tuple[Any, ...]
    denial: tuple[Any, ...]

    def asks(self, text: Normalized) -> bool | None:
        """True: asks whether this is a human. None: perhaps. False: does not."""
        if _any(self.certain_ask, text):
            return True
        return None if _any(self.possible_ask, text) else False

    def discloses(self, text: Normalized) -> bool:
        return _any(self.disclosure, text)

    def denies(self, text: Normalized) -> tuple[int, int] | None:
        """Where the text claims to be human, as a span of the original."""
        for pattern in self.denial:
            match = pattern.search(text.text)
            if match is not None:
                return text.span(*match.span())
        return None


def rulebook(rules: Rules) -> Rulebook:
    """Compile the patterns of a rule set."""
    on_asking = rules.disclosure_on_asking
    return Rulebook(
        rules,
        certain_ask=tuple(compile_pattern(p.regex) for p in on_asking.ask_patterns if p.certain),
        possible_ask=tuple(
            compile_pattern(p.regex) for p in on_asking.ask_patterns if not p.certain
        ),
        disclosure=_compiled(on_asking.disclosure_patterns),
        denial=_compiled(on_asking.denial_patterns),
    )


def _compiled(patterns: Sequence[NamedRegex]) -> tuple[Any, ...]:
    return tuple(compile_pattern(pattern.regex) for pattern in patterns)


def _any(patterns: Sequence[Any], text: Normalized) -> bool:
    return any(pattern.search(text.text) is not None for pattern in patterns)
