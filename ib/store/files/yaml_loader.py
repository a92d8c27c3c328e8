"""The strict YAML loader: plain values, unique keys, finite numbers, limited depth."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

MAX_DEPTH = 200
"""The maximum nesting depth of a YAML or JSON text."""
MAX_DIGITS = 80
"""The maximum number of characters of an integer: 64 binary digits, with prefix and separators."""
SAFE_BRACKETS = 5000
"""This many open brackets can be composed without a crash."""
_STRING, _MAPPING, _SEQUENCE = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))
_INDENTED = re.compile(r"^[ \t?:-]{2000}", re.MULTILINE)


def too_deep(text: str) -> bool:
    """True if a YAML text is so deeply nested that composing it may crash the process.

    The C composer calls itself for each level, and the process dies on a stack overflow. Less deep
    texts are composed, and the loader counts their levels.
    """
    if text.count("[") + text.count("{") < SAFE_BRACKETS and not _INDENTED.search(text):
        return False
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                return True
    except yaml.YAMLError:
        pass  # the loader reports the error
    return False


class Refused(Exception):
    """A value that YAML allows and strict parsing refuses, with its line and key."""

    def __init__(self, node: yaml.Node, found: str, allowed: str, key: str = "") -> None:
        super().__init__(found)
        self.line: int = node.start_mark.line + 1
        self.found, self.allowed, self.key = found, allowed, key


class StrictLoader(yaml.CSafeLoader):
    """The C loader with the strict rules.

    Plain mappings, lists and strings are nearly all of a file. They are built here, in a third of the
    time that the general constructor takes. The general constructor builds every other value.
    """

    def construct_document(self, node: yaml.Node) -> Any:
        return self._value(node, 1)

    def _value(self, node: yaml.Node, depth: int) -> Any:
        tag = node.tag
        if tag == _STRING and isinstance(node, yaml.ScalarNode):
            return node.value
        if depth > MAX_DEPTH:
            raise Refused(node, f"nested more than {MAX_DEPTH} levels deep", f"at most {MAX_DEPTH} levels")
        if tag == _MAPPING and isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth + 1)
        if tag == _SEQUENCE and isinstance(node, yaml.SequenceNode):
            return [self._value(item, depth + 1) for item in node.value]
        return self.construct_object(node, deep=True)

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[Any, Any]:
        if any(key.tag != _STRING or not isinstance(key, yaml.ScalarNode) for key, _ in node.value):
            made: dict[Any, Any] = self.construct_mapping(node, deep=True)
            return made
        made = {key.value: self._value(value, depth) for key, value in node.value}
        if len(made) != len(node.value):
            raise _twice(node)
        return made

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        if len(mapping) != len(node.value):
            raise _twice(node)
        return mapping


def _twice(node: yaml.MappingNode) -> Refused:
    """The error for a duplicate key of a mapping."""
    seen: set[str] = set()
    for key, _ in node.value:
        if key.value in seen:
            return Refused(key, "key given twice", "once", str(key.value))
        seen.add(key.value)
    return Refused(node, "key given twice", "once")


# The safe loader's constructors do not call the methods of a subclass.
def _construct_mapping(loader: StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    return loader.construct_mapping(node, deep=True)


def _construct_float(loader: StrictLoader, node: yaml.ScalarNode) -> float:
    number: float = loader.construct_yaml_float(node)
    if not math.isfinite(number):
        raise Refused(node, f"found {node.value}", "a finite number")
    return number


def _construct_int(loader: StrictLoader, node: yaml.ScalarNode) -> int:
    if len(node.value) > MAX_DIGITS:
        raise Refused(node, f"found a number of {len(node.value)} digits", "a number of at most 64 bits")
    number: int = loader.construct_yaml_int(node)
    if not -(2**63) <= number < 2**64:
        raise Refused(node, f"found {node.value}", "a number of at most 64 bits")
    return number


StrictLoader.add_constructor(_MAPPING, _construct_mapping)
StrictLoader.add_constructor("tag:yaml.org,2002:float", _construct_float)
StrictLoader.add_constructor("tag:yaml.org,2002:int", _construct_int)
