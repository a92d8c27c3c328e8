"""The JSON Schemas of `benchmark/schemas/`, from the models and the text under their fields.

`make generate` writes them with all other generated files, `python -m tools.schemas` them alone.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from ib.models.common.base import Record
from ib.models.common.fields import SHARED
from ib.models.schemas import ARTIFACTS, DATA, FOLDER, SUFFIX
from ib.store.benchmark.loading import benchmark_folder
from ib.store.files.writing import replace

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write_schemas() -> None:
    """Write every schema into the benchmark, and remove files that are no schema."""
    folder, made = benchmark_folder() / FOLDER, schemas()
    for path in folder.glob("*"):
        if path.name not in made:
            path.unlink()
    for name, data in made.items():
        replace(folder / name, data)


def schemas() -> dict[str, bytes]:
    """Every schema by its file name."""
    every: dict[str, tuple[type[BaseModel], JsonSchemaMode]] = {}
    for name, model in DATA.items():
        every[name] = (model, "validation")
    for artifact in ARTIFACTS:
        every[artifact.name] = (artifact.model, "validation" if artifact.given else "serialization")
    return {f"{name}{SUFFIX}": schema(f"{name}{SUFFIX}", *form) for name, form in every.items()}


def schema(name: str, model: type[BaseModel], mode: JsonSchemaMode) -> bytes:
    """The schema of one model. Its `$id` is relative: it names no host."""
    made = model.model_json_schema(by_alias=True, mode=mode)
    classes = {cls.__name__: cls for cls in (model, *_within(model))}
    for title, part in ((model.__name__, made), *made.get("$defs", {}).items()):
        _describe(part, classes.get(title), title)
    whole = _without_bound({"$schema": DIALECT, "$id": name, **made})
    return json.dumps(whole, indent=2, ensure_ascii=False).encode() + b"\n"


def _without_bound(value: Any) -> Any:
    """The same without the length that no text may have, which would stand at every one."""
    if isinstance(value, dict):
        bound = value.get("maxLength") == Record.model_config.get("str_max_length")
        return {key: _without_bound(v) for key, v in value.items() if not (bound and key == "maxLength")}
    return [_without_bound(item) for item in value] if isinstance(value, list) else value


def _within(model: type[BaseModel], seen: set[type] | None = None) -> Iterator[type]:
    """The models and enums that the fields of a model are made of."""
    seen = set() if seen is None else seen
    for field in model.model_fields.values():
        for cls in _classes(field.annotation):
            if cls not in seen:
                seen.add(cls)
                yield cls
                if issubclass(cls, BaseModel):
                    yield from _within(cls, seen)


def _classes(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type) and issubclass(annotation, (BaseModel, Enum)):
        yield annotation
    for inner in get_args(annotation):
        yield from _classes(inner)


def _describe(part: dict[str, Any], cls: type | None, title: str) -> None:
    """Give a part its title in words, and each of its properties the text that stands under the field."""
    part["title"] = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title).capitalize()
    if cls is not None and cls.__doc__:
        part["description"] = inspect.cleandoc(cls.__doc__)
    if cls is None or not issubclass(cls, BaseModel):
        return
    texts: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        texts.update(_texts(inspect.getmodule(base)).get(base.__name__, {}))
    for name, field in cls.model_fields.items():
        value = part.get("properties", {}).get(field.alias or name)
        if value is not None:
            value.pop("title", None)
            text = texts.get(name) or SHARED.get(field.alias or name)
            if text is not None:
                value["description"] = text


def shared_names(*others: type[BaseModel]) -> Counter[str]:
    """Names of fields without a string under them, each with the number of models that declare it so.

    Of the models that have a schema, and of others.
    """
    models = {*DATA.values(), *(artifact.model for artifact in ARTIFACTS), *others}
    classes = models | {inner for model in models for inner in _within(model) if issubclass(inner, Record)}
    declared = {
        (next(base for base in cls.__mro__ if name in base.__annotations__), field.alias or name)
        for cls in classes
        for name, field in cls.model_fields.items()
        if not any(name in _texts(inspect.getmodule(b)).get(b.__name__, {}) for b in cls.__mro__)
    }
    return Counter(key for _, key in declared)


@cache
def _texts(module: ModuleType | None) -> Mapping[str, Mapping[str, str]]:
    """The string under each field of each class of a module.

    Read here and not by pydantic's `use_attribute_docstrings`, which reads the source of every model
    each time that a command starts.
    """
    if module is None or not module.__name__.startswith("ib."):
        return {}
    classes = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)]
    return {node.name: dict(_documented(node.body)) for node in classes}


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, text in pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                yield name, " ".join(words.split())


if __name__ == "__main__":
    write_schemas()
