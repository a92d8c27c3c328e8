"""The condition of a branch: what the last reply must say for the branch to be taken."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from pydantic import model_validator

from ib.models.common.base import Record, Slug, Text
from ib.models.common.phrase import Regex
from ib.models.conversation.listening import Listening


class ConditionType(StrEnum):
    """How the condition of a branch is matched with the reply before it."""

    CONTAINS_ANY = "contains_any"
    CONTAINS_ALL = "contains_all"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"
    SAYS = "says"


class Condition(Record):
    """A condition on the assistant's last reply, matched on normalized text; case does not matter.

    Values match whole words: `er` does not match `her`.
    """

    type: ConditionType
    """How the last reply is read."""
    values: tuple[Text, ...] = ()
    """Whole words to look for; for every type but `regex` and `says`."""
    pattern: Regex | None = None
    """A regular expression in RE2 syntax; for `regex`."""
    name: Slug | None = None
    """The listening, a file in `listening/`, that says what the reply must say, for type `says`."""
    listening: Listening | None = None
    """The listening itself. It is filled in when the scenario is loaded, and a file does not give it."""

    @model_validator(mode="after")
    def _one_form(self) -> Condition:
        needed = {ConditionType.REGEX: "pattern", ConditionType.SAYS: "name"}.get(self.type, "values")
        given = {
            "pattern": self.pattern is not None,
            "name": self.name is not None,
            "values": bool(self.values),
        }
        for key, there in given.items():
            if there is not (key == needed):
                wrong = "not allowed" if there else "required"
                raise ValueError(f"`{key}` is {wrong} for a condition of type `{self.type}`")
        return self

    def hearing(self, listenings: Mapping[str, Listening]) -> Self:
        """The condition with the listening that it names. Raises KeyError for an unknown name."""
        return self if self.name is None else self.model_copy(update={"listening": listenings[self.name]})
