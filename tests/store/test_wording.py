"""What a model refuses is told in the words of this project, for every model and every kind of error."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

import ib.models
from ib.errors import Finding
from ib.models.common.base import Record, Role
from ib.store.files.validation import findings_of
from ib.store.files.wording import PAGES, PATTERNS, UNKNOWN

ROOT = Path(__file__).resolve().parents[2]
for module in pkgutil.iter_modules(ib.models.__path__):
    importlib.import_module(f"ib.models.{module.name}")

BAD: tuple[Any, ...] = (
    *(None, True, 0, -1, 3, 10**18, 1.5, 1e308, "", "x", " ", "X" * 200, "\u202e"),
    *("2024-13-01", "2024-01-01T00:00", "2024-01-01T00:00:00Z"),
    *([], ["x"], [1], ["x"] * 5, [{}], [["x"]], {}, {"x": 1}, {"x": {}}, {"": "x"}),
)
"""A value of every kind that a file can hold."""


def models(root: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    for model in root.__subclasses__():
        if model.__module__.startswith("ib."):
            yield model
        yield from models(model)


MODELS = sorted(set(models()), key=lambda model: (model.__module__, model.__name__))


def broken(model: type[BaseModel]) -> Iterator[ValidationError]:
    """What a model says of every bad value, for itself and for each of its fields."""
    fields = [field.alias or name for name, field in model.model_fields.items()]
    values = [*BAD, *({name: value} for name in fields for value in BAD)]
    for value in values:
        try:
            model.model_validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            yield error


def schemas(value: Any) -> Iterator[dict[str, Any]]:
    """Every part of a model's inner schema."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from schemas(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from schemas(inner)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_sentence_of_a_library_is_shown(model: type[BaseModel]) -> None:
    """For every error that a bad value can raise in any model."""
    model.model_rebuild()
    for error in broken(model):
        said = findings_of(error, model, "file")
        for item, finding in zip(error.errors(include_url=False), said, strict=True):
            if item["type"] == "value_error":
                assert finding.found == str(item["ctx"]["error"])
                assert finding.hint.startswith("see ")
                assert (ROOT / finding.hint.removeprefix("see ")).is_file()
                continue
            if item["type"] == UNKNOWN:  # its hint has keys, which may be any words
                continue
            for sentence in ("should", "Input", "input", "valid ", "validation", "permitted", "Field "):
                assert sentence not in finding.found.replace(repr(item["input"]), ""), finding
                assert sentence not in finding.hint, finding
            assert item["msg"].casefold() not in str(finding).casefold()
            assert "another form" not in finding.hint, f"no words for {item['type']}"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_pattern_has_words(model: type[BaseModel]) -> None:
    """A person who edits a file need not read a regular expression."""
    model.model_rebuild()
    named = [part.get("pattern") for part in schemas(model.__pydantic_core_schema__)]
    assert {pattern for pattern in named if isinstance(pattern, str)} <= set(PATTERNS)


def test_every_page_exists() -> None:
    """A message sends nobody to a page that is not there."""
    assert all((ROOT / page).is_file() for page in PAGES.values())


class Name(Record):
    """A model in a list and in a mapping; one of its fields has another name in a file."""

    first: str = ""
    family: Annotated[str, Field(alias="last")] = ""


class Some(Record):
    """A model with a field of every kind."""

    examples: Annotated[tuple[str, ...], Field(min_length=10)] = ("",) * 10
    categories: Annotated[tuple[str, ...], Field(max_length=1)] = ()
    fail: Annotated[tuple[int, ...], Field(min_length=2)] = (1, 2)
    name: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    kind: Literal["a", "b"] = "a"
    no: Literal[False] = False
    word: Literal[Role.USER] = Role.USER
    share: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.5
    count: Annotated[int, Field(gt=0, le=3)] = 1
    day: date | None = None
    time: datetime | None = None
    yes: bool = True
    table: dict[str, int] | None = None
    inner: Some | None = None
    several: tuple[Name, ...] = ()
    by_name: dict[str, Name] | None = None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"examples": ["x"]}, "examples: 1 example; at least 10"),
        ({"examples": []}, "examples: no example; at least 10"),
        ({"categories": ["x", "y"]}, "categories: 2 categories; at most 1"),
        ({"fail": [1]}, "fail: 1 item; at least 2"),
        ({"inner": {"examples": ["x"] * 9}}, "inner.examples: 9 examples; at least 10"),
        ({"name": ""}, "name: no text; at least 1 character"),
        ({"name": "four"}, "name: 4 characters; at most 3 characters"),
        ({"name": 4}, "name: found 4; text"),
        ({"name": None}, "name: found null; text"),
        ({"kind": "c"}, "kind: found 'c'; 'a' or 'b'"),
        ({"no": True}, "no: found true; false"),
        ({"word": "x"}, "word: found 'x'; user"),
        ({"share": 1}, "share: found 1; less than 1"),
        ({"share": -0.5}, "share: found -0.5; at least 0"),
        ({"share": "x"}, "share: found 'x'; a number"),
        ({"count": 0}, "count: found 0; more than 0"),
        ({"count": 4}, "count: found 4; at most 3"),
        ({"count": 1.5}, "count: found 1.5; a whole number"),
        ({"day": "31.1.2026"}, "day: found '31.1.2026'; a date such as 2026-01-31"),
        ({"time": "noon"}, "time: found 'noon'; a date and a time such as 2026-01-31T12:00:00Z"),
        ({"yes": "no"}, "yes: found 'no'; true or false"),
        ({"table": []}, "table: found a list; a mapping of keys"),
        ({"table": {"x": True}}, "table.x: found true; a whole number"),
        ({"inner": {"nmae": 1}}, f"inner.nmae: unknown key; allowed: {', '.join(Some.model_fields)}"),
        ({"several": [{"nmae": 1}]}, "several.0.nmae: unknown key; allowed: first, last"),
        ({"by_name": {"x": {"nmae": 1}}}, "by_name.x.nmae: unknown key; allowed: first, last"),
        ({"name": "x" * 500}, "name: 500 characters; at most 3 characters"),
        ([], "found a list; a mapping of keys"),
    ],
)
def test_words(value: Any, said: str) -> None:
    """What was found, with its count, and what is allowed."""
    with pytest.raises(ValidationError) as caught:
        Some.model_validate_json(json.dumps(value), strict=True)
    (finding,) = findings_of(caught.value, Some, "")
    assert isinstance(finding, Finding)
    assert str(finding).strip() == said
