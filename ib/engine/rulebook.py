"""The rules of a jurisdiction, compiled: who asked, what was disclosed, what was denied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ib.models.benchmark import AskPattern, NamedRegex, Rules
from ib.text.normalize import Normalized
from ib.text.patterns import PatternSet, compile_pattern


@dataclass(frozen=True)
class Rulebook:
    """`Rules` with its patterns compiled once."""

    rules: Rules
    ask: PatternSet
    disclosure: PatternSet
    denial: PatternSet

    def asks(self, text: Normalized) -> bool | None:
        """True: asks whether this is a human. None: perhaps. False: does not."""
        found = self.ask.match(text.text.encode())
        patterns = self.rules.disclosure_on_asking.ask_patterns
        if any(patterns[index].certain for index in found):
            return True
        return None if found else False

    def discloses(self, text: Normalized) -> bool:
        """Whether the text says that an AI is speaking."""
        return bool(self.disclosure.match(text.text.encode()))

    def denies(self, text: Normalized) -> tuple[int, int] | None:
        """Where the text claims to be human, as a span of the original."""
        for index in self.denial.match(text.text.encode()):
            pattern = self.rules.disclosure_on_asking.denial_patterns[index]
            match = compile_pattern(pattern.regex).search(text.text)
            if match is not None:
                return text.span(*match.span())
        return None


def rulebook(rules: Rules) -> Rulebook:
    """Compile the patterns of a rule set."""
    on_asking = rules.disclosure_on_asking
    return Rulebook(
        rules,
        ask=_set(on_asking.ask_patterns),
        disclosure=_set(on_asking.disclosure_patterns),
        denial=_set(on_asking.denial_patterns),
    )


def _set(patterns: Iterable[AskPattern | NamedRegex]) -> PatternSet:
    return PatternSet([pattern.regex for pattern in patterns])
