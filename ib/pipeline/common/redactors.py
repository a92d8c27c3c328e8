"""The rules that find personal data: our own, and those of installed packages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata

from ib.errors import UsageError, WorldError
from ib.logs.reading.redacted import redacted
from ib.models.conversation.transcript import Transcript
from ib.text.personal import RULES, VERSION, Finder, find

GROUP = "ib.redact"
"""The group of entry points. Each is a `Finder`: it gets a text and the names of the log."""


@dataclass(frozen=True)
class Redactor:
    """Puts stand-ins in place of personal data."""

    finders: tuple[Finder, ...]
    rules: str
    """The names of the rules with their versions, as `redacted` of a transcript has them."""

    def __call__(self, transcript: Transcript, names: Sequence[str]) -> tuple[Transcript, int]:
        """The transcript without personal data, and the number of its stand-ins.

        Raises WorldError if the rules of a package are wrong.
        """
        try:
            return redacted(transcript, self.finders, names, self.rules)
        except ValueError as error:
            raise WorldError(f"the rules {self.rules} are wrong: {error}") from error


@lru_cache(maxsize=8)
def redactor(names: tuple[str, ...]) -> Redactor:
    """The rules of these names, in order. Raises UsageError if one does not exist."""
    every = {point.name: point for point in metadata.entry_points(group=GROUP)}
    finders: list[Finder] = []
    rules = []
    for name in dict.fromkeys(names):
        if name == RULES:
            finders.append(find)
            rules.append(f"{RULES}/{VERSION}")
            continue
        if name not in every:
            known = ", ".join(sorted({RULES, *every}))
            raise UsageError(f"no rules {name!r} for redaction; installed are {known}")
        point = every[name]
        try:
            finders.append(point.load())
        except Exception as error:
            raise WorldError(f"the rules {name!r} cannot be loaded: {error}") from error
        rules.append(f"{name}/{'' if point.dist is None else point.dist.version}".rstrip("/"))
    return Redactor(tuple(finders), ",".join(rules))
