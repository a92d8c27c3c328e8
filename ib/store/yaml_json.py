"""Reading YAML and JSON files into strict models, with every finding and its line.

The happy path uses the C loader and no positions. Only when something is wrong is the file read
again, as a tree of nodes that know their lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson
import yaml
from pydantic import BaseModel, ValidationError

from ib.errors import DataError, Finding

Model = TypeVar("Model", bound=BaseModel)
Place = tuple[str | int, ...]
LineIn = Callable[[Sequence[str | int]], int | None]


_STRING, _MAPPING, _SEQUENCE = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))


class _Loader(yaml.CSafeLoader):
    """The C loader, refusing a key that stands twice in one mapping.

    Plain mappings, lists and words, which are nearly all of a file, are made here, in a third of the
    time that the general way takes; whatever else there is goes that way.
    """

    def construct_document(self, node: yaml.Node) -> Any:
        return self._value(node)

    def _value(self, node: yaml.Node) -> Any:
        tag = node.tag
        if tag == _STRING and isinstance(node, yaml.ScalarNode):
            return node.value
        if tag == _MAPPING and isinstance(node, yaml.MappingNode):
            return self._mapping(node)
        if tag == _SEQUENCE and isinstance(node, yaml.SequenceNode):
            return [self._value(item) for item in node.value]
        return self.construct_object(node, deep=True)

    def _mapping(self, node: yaml.MappingNode) -> dict[Any, Any]:
        if any(key.tag != _STRING or not isinstance(key, yaml.ScalarNode) for key, _ in node.value):
            made: dict[Any, Any] = self.construct_mapping(node, deep=True)
            return made
        made = {key.value: self._value(value) for key, value in node.value}
        if len(made) != len(node.value):
            raise _DuplicateKey(node)
        return made

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        if len(mapping) != len(node.value):
            raise _DuplicateKey(node)
        return mapping


# The safe loader's own constructor for mappings bypasses `construct_mapping` of a subclass.
def _construct(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _construct)


class _DuplicateKey(Exception):
    def __init__(self, node: yaml.MappingNode) -> None:
        seen: set[str] = set()
        self.key, self.line = "", node.start_mark.line + 1
        for key, _ in node.value:
            if key.value in seen:
                self.key, self.line = str(key.value), key.start_mark.line + 1
                break
            seen.add(key.value)
        super().__init__(self.key)


def read_bytes(path: Path, name: str | None = None) -> bytes:
    """The bytes of a file; DataError where it is missing, a folder, or unreadable."""
    label = name or str(path)
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DataError.one(label, None, "", "no such file", "give the path of a file") from error
    except IsADirectoryError as error:
        raise DataError.one(label, None, "", "is a folder", "give the path of a file") from error
    except OSError as error:
        found = f"may not be read: {error.strerror}"
        raise DataError.one(label, None, "", found, "a readable file") from error


def decode(data: bytes, name: str) -> str:
    """UTF-8 text; DataError names the line of the first byte that is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise DataError.one(name, line, "", found, "text must be UTF-8") from error


def parse_yaml(text: str, name: str) -> Any:
    """The value of YAML text; a duplicate key is an error, and so is an alias."""
    if "&" in text and "*" in text:
        _refuse_aliases(text, name)
    try:
        # Bytes, which the C parser reads in two thirds of the time that it takes for a string.
        return yaml.load(text.encode(), Loader=_Loader)  # noqa: S506 - _Loader is a safe loader
    except _DuplicateKey as error:
        raise DataError.one(name, error.line, error.key, "key given twice", "once") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise DataError.one(name, line, "", f"broken YAML: {error.problem}", "valid YAML") from error
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError) as error:
        # The loader lets values through that Python then refuses: a 45th day, endless nesting.
        line, key = _refused(text)
        raise DataError.one(name, line, key, f"broken YAML: {error}", "valid YAML") from error


def _refuse_aliases(text: str, name: str) -> None:
    """A few lines of aliases of aliases can stand for more than fits a machine; data here needs none."""
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent):
                mark = event.start_mark
                line = None if mark is None else mark.line + 1
                found = f"alias *{event.anchor}"
                raise DataError.one(name, line, "", found, "the value itself, written out")
    except yaml.YAMLError:
        return  # the loader says what is wrong


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


def build(model: type[Model], value: Any, *, name: str, text: str | None = None) -> Model:
    """`value` as a model; DataError lists every field that does not fit, with its line in `text`."""
    try:
        # By way of JSON, where strictness still lets a list be a tuple and a word an enum member.
        return model.model_validate_json(_as_json(value, name), strict=True)
    except ValidationError as error:
        root = compose(text) if text is not None else None
        raise DataError(findings_of(error, name, root)) from error


def _as_json(value: Any, name: str) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError as error:
        raise DataError.one(name, None, "", f"holds a value of no use: {error}", "plain values") from error


def line_of(path: Path, location: Sequence[str | int]) -> int | None:
    """The line of a YAML file at which a key stands."""
    return lines_in(path.read_text(encoding="utf-8"))(location)


def lines_in(text: str) -> LineIn:
    """Where in a JSON or YAML text a place stands: its line, or that of the nearest key above it.

    None for every place of a text that YAML cannot read.
    """
    root = compose(text)
    return lambda location: None if root is None else _line(root, location)


_HALVES = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def compose(text: str) -> yaml.Node | None:
    """The tree of a text, whose nodes know their lines; None where YAML cannot read it."""
    try:
        return yaml.compose(json_as_yaml(text), Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def json_as_yaml(text: str) -> str:
    """JSON without what YAML does not read: tabs as white space, and characters escaped as two halves.

    Every line stays where it is; the values do not, and must be taken from the text itself.
    """
    return _HALVES.sub("?", text).replace("\t", " ")


def finding_at(path: Path, name: str, location: Sequence[str | int], found: str, allowed: str) -> Finding:
    """A finding with the line and the key of a place in a YAML or JSON file."""
    return Finding.at(name, line_of(path, location), ".".join(map(str, location)), found, allowed)


def load_yaml(model: type[Model], path: Path, *, name: str | None = None) -> Model:
    """A YAML file as a model."""
    label = name or str(path)
    return cast("Model", _loaded(model, decode(read_bytes(path, label), label), label))


@lru_cache(maxsize=256)
def _loaded(model: type[BaseModel], text: str, label: str) -> BaseModel:
    """A text as a model; `ib demo` reads every file of the benchmark four times."""
    value = parse_yaml(text, label)
    if not isinstance(value, dict):
        found = f"top level is {type(value).__name__}"
        raise DataError.one(label, 1, "", found, "a mapping of keys")
    return build(model, value, name=label, text=text)


def findings_of(
    error: ValidationError,
    name: str,
    root: yaml.Node | None = None,
    line: int | None = None,
    *,
    origin: Callable[[Place], Place] = lambda place: place,
    line_in: LineIn | None = None,
) -> list[Finding]:
    """One finding for each error of a validation.

    `origin` says where a place of what was validated stood in the file, `line_in` on which line.
    """
    findings = []
    for item in error.errors(include_url=False):
        location = origin(tuple(part for part in item["loc"] if not _is_type_tag(part)))
        at = line if root is None else _line(root, location)
        at = at if line_in is None else line_in(location)
        key = ".".join(str(part) for part in location)
        findings.append(Finding.at(name, at, key, *_words(item)))
    return findings


def _is_type_tag(part: Any) -> bool:
    """pydantic puts the name of a union's member into the path; readers do not know it."""
    return isinstance(part, str) and ("[" in part or part.endswith("()"))


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


def _words(item: Any) -> tuple[str, str]:
    """What was found and what is allowed, in words for the person who edits the file."""
    kind, value = item["type"], item.get("input")
    if kind == "extra_forbidden":
        return "unknown key", "remove it, or look for a misspelling"
    if kind == "missing":
        return "is missing", "it is required"
    if kind == "value_error":
        return str(item["ctx"]["error"]), "see the field's documentation"
    shown = repr(value) if not isinstance(value, (dict, list)) else f"a {type(value).__name__}"
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return f"found {shown}", item["msg"][0].lower() + item["msg"][1:]
