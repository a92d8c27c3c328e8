"""Finding the line of a key in a YAML or JSON text, and the keys that its model allows there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel

from ib.errors import Finding
from ib.store.files.reading import decode, read_bytes
from ib.store.files.yaml_json import json_as_yaml, too_deep

LineIn = Callable[[Sequence[str | int]], int | None]
MAX_COMPOSED = 8 << 20
"""Longer texts get no line numbers, because the tree of a text takes a hundred times its space."""


def lines_in(text: str) -> LineIn:
    """A function from a path of keys to its line in the text (the line of the nearest parent if missing).

    It returns None for every path if YAML cannot read the text.
    """
    root = _compose(text)
    return lambda location: None if root is None else _line(root, location)


def line_of(path: Path, location: Sequence[str | int]) -> int | None:
    """The line of a key in a file."""
    return lines_in(decode(read_bytes(path), str(path)))(location)


def finding_at(path: Path, name: str, location: Sequence[str | int], found: str, allowed: str) -> Finding:
    """A finding at a key of a YAML or JSON file, with its line."""
    return Finding.at(name, line_of(path, location), ".".join(map(str, location)), found, allowed)


def keys_beside(model: type[BaseModel], location: Sequence[str | int]) -> tuple[str, ...]:
    """The keys that a model allows in the place of the last key of `location`.

    Returns an empty tuple if the place is not known, or if one of several models may stand there.
    """
    here = {model}
    for part in location[:-1]:
        fields = [
            field for one in here for name, field in one.model_fields.items() if part in (name, field.alias)
        ]
        if fields:  # else the item of a list, or the key of a mapping
            here = set().union(*(_models(field.annotation) for field in fields))
    if len(here) != 1:
        return ()
    return tuple(field.alias or name for name, field in here.pop().model_fields.items())


def _models(annotation: Any) -> set[type[BaseModel]]:
    """The models in the type of a field."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return set().union(*map(_models, get_args(annotation)))


def _compose(text: str) -> yaml.Node | None:
    """The tree of a text; its nodes know their lines. Returns None if YAML cannot read the text."""
    if len(text) > MAX_COMPOSED or too_deep(text):
        return None
    try:
        return yaml.compose(json_as_yaml(text), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _line(root: yaml.Node, location: Sequence[str | int]) -> int:
    node, line = root, root.start_mark.line
    for part in location:
        if isinstance(node, yaml.MappingNode):
            pair = next(((k, v) for k, v in node.value if k.value == str(part)), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        else:
            break
    return line + 1
