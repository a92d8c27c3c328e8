"""Strict parsing of YAML and JSON: returns a value, or raises DataError with the line.

Strict means: no duplicate key in a mapping, no NaN or Infinity, no integer of more than 64 bits, no
lone surrogate, no alias, and at most MAX_DEPTH levels.

Valid texts are read by C parsers without positions. An invalid text is read again, as a tree of nodes
that know their lines.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

import yaml

from ib.errors import DataError

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


LONGEST_WORD = 5
"""The most letters of a plain word that is no text in YAML 1.1, such as `false`."""


def _is_text(value: str) -> bool:
    """True for most plain scalars that no rule of YAML reads as a number, a date, a truth value or null."""
    return value[0].isalpha() and len(value) > LONGEST_WORD


class StrictLoader(yaml.CSafeLoader):
    """The C loader with the strict rules.

    Plain mappings, lists and strings are nearly all of a file. They are built here, in a third of the
    time that the general constructor takes. The general constructor builds every other value.
    """

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """The tag of a node without one. Most are text, which is seen here; the general search takes long."""
        if kind is yaml.ScalarNode and value and (not implicit[0] or _is_text(value)):
            return _STRING
        tag: str = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        return tag

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


def parse_json(text: str, name: str, line: int | None = None) -> Any:
    """The value of a JSON text. `line` is its line number if the text is one line of a file."""
    value = parse_shallow_json(text, name, line)
    flaw = _flaw(value)
    if flaw is not None:
        raise DataError.one(name, line, "", *flaw)
    return value


def parse_shallow_json(text: str, name: str, line: int | None = None) -> Any:
    """`parse_json` without the checks of depth and lone surrogates, which models do themselves."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = _BOM if text.startswith("\ufeff") else error.msg
        found = f"broken JSON: {_words(message, _JSON_WORDS)}"
        # In a file of lines, what is missing at the end is missing before the line break.
        found += "" if line is None else f" at column {min(error.pos, len(text.rstrip())) + 1}"
        raise DataError.one(name, line or error.lineno, "", found, "valid JSON") from error
    except _Refused as error:
        _refuse_json(text, name, line, error)
    except RecursionError as error:
        raise DataError.one(name, line, "", *TOO_DEEP) from error


TOO_DEEP = (f"nested more than {MAX_DEPTH} levels deep", f"at most {MAX_DEPTH} levels")
HALF = ("half of a character: a lone surrogate", "both halves, or the character itself")
"""The finding for JSON that escapes only one half of a surrogate pair."""


_HALVES = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def json_as_yaml(text: str) -> str:
    """JSON in a form that YAML can read: tabs become spaces, and escaped surrogates become `?`.

    Line numbers stay the same. Values may change, so they must be taken from the original text.
    """
    return _HALVES.sub("?", text).replace("\t", " ")


def _refuse_json(text: str, name: str, line: int | None, error: _Refused) -> NoReturn:
    """Raises DataError for a duplicate key or a refused number, with its line in a document."""
    key = error.key
    if error.literal is not None:
        at, key = _literal(text, error.literal)
        line = at if line is None else line
    elif line is None:
        parse_yaml(json_as_yaml(text), name)  # raises DataError for the duplicate key, with its line
    raise DataError.one(name, line, key, error.found, error.allowed) from error


class _Refused(Exception):
    """A value that JSON allows and strict parsing refuses."""

    def __init__(self, found: str, allowed: str, *, key: str = "", literal: str | None = None) -> None:
        super().__init__(found)
        self.found, self.allowed, self.key, self.literal = found, allowed, key, literal


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused("key given twice", "once", key=key)
    return made


def _constant(literal: str) -> NoReturn:
    raise _Refused(f"found {literal}", "a finite number", literal=literal)


def _finite(literal: str) -> float:
    number = float(literal)
    return number if math.isfinite(number) else _constant(literal)


def _whole(literal: str) -> int:
    if len(literal) <= 20 and -(2**63) <= int(literal) < 2**64:
        return int(literal)
    shown = literal if len(literal) <= 80 else f"a number of {len(literal)} digits"
    raise _Refused(f"found {shown}", "a number of at most 64 bits", literal=literal)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_constant, parse_float=_finite, parse_int=_whole
)
_LITERAL = re.compile(r'(?:"((?:[^"\\]|\\.)*)"\s*(:?)\s*)|([^\s"{}\[\],:]+)')


def _literal(text: str, literal: str) -> tuple[int | None, str]:
    """The line and the key of a number, ignoring text in strings."""
    key = ""
    for met in _LITERAL.finditer(text):
        if met[3] == literal:
            return text.count("\n", 0, met.start()) + 1, key
        key = met[1] if met[2] else key
    return None, ""


def _flaw(value: Any) -> tuple[str, str] | None:
    """The finding for a parsed value that is too deep or has a lone surrogate, or None."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return TOO_DEEP
        if any(isinstance(item, str) and _halved(item) for item in level):
            return HALF
        level = [inner for item in level for inner in _inner(item)]
    return None


def _inner(item: Any) -> Any:
    if isinstance(item, dict):
        return (*item, *item.values())
    return item if isinstance(item, list) else ()


def _halved(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


_BOM = "Unexpected UTF-8 BOM"
_JSON_WORDS = {
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting value": "a value is missing",
    "Illegal trailing comma before end of object": "a comma before the closing bracket",
    "Illegal trailing comma before end of array": "a comma before the closing bracket",
    "Extra data": "text after the end",
    "Unterminated string starting at": "a string has no closing quote",
    "Invalid control character at": "a control character that is not escaped",
    "Invalid \\escape": "an unknown escape",
    "Invalid \\uXXXX escape": "an escape \\u without four hexadecimal digits",
    _BOM: "a byte order mark before the first character",
}


_YAML_WORDS = {
    "mapping values are not allowed": "a colon where no key can be; text with a colon needs quotes",
    "did not find expected key": "a key is missing, or not indented like the others",
    "did not find expected '-' indicator": "an item of a list is not indented like the others",
    "did not find expected ',' or ']'": "a list that begins with [ is not closed",
    "did not find expected ',' or '}'": "a mapping that begins with { is not closed",
    "did not find expected node content": "a value is missing",
    "did not find expected <document start>": "text after the end",
    "did not find expected": "a character is missing",
    "found unexpected end of stream": "a text in quotes is not closed",
    "found unexpected document indicator": "a text in quotes is not closed",
    "could not find expected ':'": "a colon is missing after a key",
    "found character that cannot start any token": "a tab or another character that needs quotes",
    "control characters are not allowed": "a control character",
    "unacceptable character": "a control character",
    "special characters are not allowed": "a control character",
    "found undefined alias": "an alias without its value",
    "found unknown escape character": "an unknown escape in double quotes",
    "found duplicate anchor": "an anchor given twice",
    "but found another document": "a second document",
    "could not determine a constructor": "an unknown tag",
    "found unhashable key": "a list or a mapping as a key",
    "block sequence entries are not allowed": "an item of a list where none can be",
    "found a tab character": "a tab in the indentation",
    "found invalid": "a character that is not allowed here",
    "expected a": "a value that does not fit its tag",
}


def _words(message: str, table: Mapping[str, str]) -> str:
    """A parser's message in plain words."""
    return next((words for said, words in table.items() if message.startswith(said)), "cannot be read")


def parse_yaml(text: str, name: str) -> Any:
    """The value of YAML text."""
    if "&" in text and "*" in text:
        _refuse_aliases(text, name)
    if too_deep(text):
        raise DataError.one(name, None, "", *TOO_DEEP)
    try:
        # The C parser reads bytes in two thirds of the time that it needs for a string.
        return yaml.load(text.encode(), Loader=StrictLoader)  # noqa: S506 - it is a safe loader
    except Refused as error:
        raise DataError.one(name, error.line, error.key, error.found, error.allowed) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        found = f"broken YAML: {_words(str(error.problem), _YAML_WORDS)}"
        raise DataError.one(name, line, "", found, "valid YAML") from error
    except RecursionError as error:
        raise DataError.one(name, None, "", *TOO_DEEP) from error
    except (yaml.YAMLError, ValueError, AttributeError) as error:
        # The parser accepts values that Python then refuses, such as a 45th day.
        line, key = _refused(text)
        found = f"broken YAML: {_words(str(error), _YAML_WORDS)}"
        raise DataError.one(
            name, line, key, found, "valid YAML, with quotes around text that looks like a date or a number"
        ) from error


def _refuse_aliases(text: str, name: str) -> None:
    """Raises DataError for an alias: a few lines of nested aliases can expand to more than memory holds."""
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent):
                mark = event.start_mark
                line = None if mark is None else mark.line + 1
                found = f"alias *{event.anchor}"
                raise DataError.one(name, line, "", found, "the value itself, written out")
    except yaml.YAMLError:
        return  # the loader reports the error


def _refused(text: str) -> tuple[int | None, str]:
    """The line and the key of the first value that cannot be read."""
    loader = yaml.CSafeLoader(text)
    try:
        nodes = [(loader.get_single_node(), "")]
        seen: set[int] = set()
        while nodes:
            node, key = nodes.pop(0)
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, yaml.MappingNode):
                nodes += [(value, f"{key}.{name.value}".lstrip(".")) for name, value in node.value]
            elif isinstance(node, yaml.SequenceNode):
                nodes += [(value, f"{key}.{index}") for index, value in enumerate(node.value)]
            elif node is not None and not _constructs(loader, node):
                return node.start_mark.line + 1, key
    except (yaml.YAMLError, RecursionError):
        pass
    finally:
        loader.dispose()
    return None, ""


def _constructs(loader: yaml.CSafeLoader, node: yaml.Node) -> bool:
    try:
        loader.construct_object(node)
    except (yaml.YAMLError, ValueError, AttributeError):
        return False
    return True
