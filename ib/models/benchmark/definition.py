"""Definitions: checks and lexicons, which may be drafts before they meet the rules for a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import Field, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails

from ib.models.common.base import Record


class Status(StrEnum):
    """Whether a check or a lexicon is part of every scan and release."""

    ACTIVE = "active"
    DRAFT = "draft"


class Lack(NamedTuple):
    """A list that holds fewer items than an active definition needs."""

    path: tuple[str, ...]
    items: Sized
    least: int

    def __str__(self) -> str:
        count = len(self.items)
        return f"{count} of at least {self.least} items"


class Definition(Record):
    """A check or a lexicon. An active one is complete; a draft may have shorter lists than `LEAST`."""

    LEAST: ClassVar[Mapping[tuple[str, ...], int]] = {}
    """The minimum length of lists in an active definition, by their key path."""

    status: Status = Field(default=Status.ACTIVE, exclude=True)
    """A draft may be incomplete. It is linted with notices, judged only in a scan that names it, and is
    never part of a release. Excluded from every dump, and so from the digest."""

    @property
    def is_draft(self) -> bool:
        """True if this is a draft."""
        return self.status is Status.DRAFT

    def lacks(self) -> Iterator[Lack]:
        """The lists of a draft that are too short; none for an active definition."""
        for path, least in self.LEAST.items():
            items: Any = self
            for key in path:
                items = _value(items, key)
            if len(items) < least:
                yield Lack(path, items, least)

    @model_validator(mode="after")
    def _whole_unless_draft(self) -> Self:
        if not self.is_draft:
            errors = [_too_short(lack) for lack in self.lacks()]
            if errors:
                raise ValidationError.from_exception_data(type(self).__name__, errors)
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """The schema of the fields, with the minimum lengths of lists if the definition is not a draft."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        is_draft = {"properties": {"status": {"const": "draft"}}, "required": ["status"]}
        whole: dict[str, Any] = {}
        for path, least in cls.LEAST.items():
            inner = whole
            for key in path:
                inner.setdefault("required", [])
                inner["required"] += [] if key in inner["required"] else [key]
                inner = inner.setdefault("properties", {}).setdefault(key, {})
            inner["minItems"] = least
        return {**schema, "if": is_draft, "else": whole}


def _value(record: Record, key: str) -> Any:
    """The value of a field, by its key in the file."""
    fields = type(record).model_fields
    return getattr(record, next(name for name, field in fields.items() if (field.alias or name) == key))


def _too_short(lack: Lack) -> InitErrorDetails:
    counts = {"field_type": "Tuple", "min_length": lack.least, "actual_length": len(lack.items)}
    return InitErrorDetails(type="too_short", loc=lack.path, input=[], ctx=counts)
