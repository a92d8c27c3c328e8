"""Reading the version of a benchmark, its closed versions, and the hashes of its items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import TypeAdapter, ValidationError

from ib.errors import DataError, Findings
from ib.models.benchmark.definition import Status
from ib.models.benchmark.version import ClosedVersion, Item, Kind, VersionId, VersionNotes, kind_of, order
from ib.models.common.base import JUDGE_ROUTES, SCREENED_ROUTES, Route
from ib.models.common.canonical import digest
from ib.models.conversation.condition import ConditionType
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import load_yaml
from ib.store.files.wording import shown
from ib.store.files.yaml_json import parse_json, parse_yaml

VERSION = "VERSION"
FOLDER = "versions"
NOTES = f"{FOLDER}/notes.yaml"
FILES: Mapping[Kind, str] = {
    Kind.CHECK: "checks/*.yaml",
    Kind.LEXICON: "lexicons/*.yaml",
    Kind.WORDS: "words.yaml",
    Kind.RULE_SET: "configs/rules/*.yaml",
    Kind.SCENARIO: "scenarios/**/*.json",
    Kind.LISTENING: "listening/*.yaml",
    Kind.TWIN: "twins/**/*.json",
    Kind.FRAME: "configs/frame.yaml",
    Kind.SCORING: "configs/scoring.yaml",
    Kind.CLAIMS: "corpus/claims.yaml",
    Kind.SUPPLEMENTARY: "configs/supplementary.yaml",
    Kind.OVER_ALARM: "configs/over_alarm.yaml",
    Kind.SYSTEM_PROMPT: "configs/system_prompt.md",
    Kind.LEXICAL: "configs/lexical.yaml",
    Kind.REFERENCE: "reference/*.yaml",
}
"""The files of the items. An item is named KIND/FILE, or KIND if there is only one of its kind."""
NOT_ITEMS: Mapping[str, str] = {
    "*.md": "Pages for readers.",
    "VERSION": "It names the version.",
    "calibration/*": "Comparisons with labels change no verdict.",
    "configs/contamination.yaml": "The test for contamination changes no verdict.",
    "configs/draw.yaml": "Draws of one version are compared and never pooled; plans name the draw.",
    "configs/estimates.yaml": "Estimates change without changing an answer.",
    "configs/prices.yaml": "Prices change without changing an answer.",
    "configs/scenarios.yaml": "Only lint reads what scenarios must have in common.",
    "configs/site.yaml": "It says how the site introduces the benchmark.",
    "exam/*": "Items of the exam for judges change no verdict.",
    "guides/*": "Guides for readers of the site.",
    "pilot/*": "Readings of prompts change no verdict.",
    "precision/*": "Measurements of lexicons change no verdict.",
    "recall/*": "Measurements of lexicons change no verdict.",
    "schemas/*": "Schemas are generated from the models.",
    "versions/*": "They are about versions.",
    "voice/*": "Counts of messages elsewhere, to compare with.",
}
"""The files that are no items, each with the reason."""
LEXICAL = "lexical"
"""The key of a check whose content is an item of its own."""
_NOT_OF: Mapping[Kind, tuple[str, ...]] = {Kind.CHECK: (LEXICAL, "enough", "calibration")}
"""The keys that are no part of an item: one with an item of its own, and two that only pages show."""
_JUDGE = frozenset(JUDGE_ROUTES)
_SCREENED = frozenset(SCREENED_ROUTES)
_VERSION_ID: TypeAdapter[str] = TypeAdapter(VersionId)


class Content(NamedTuple):
    """The parsed content of an item."""

    path: Path
    value: dict[str, Any]
    within: tuple[str, ...] = ()
    """The keys in the file under which the content stands."""

    def without(self, *keys: str) -> Content:
        """The content without some of its keys."""
        return self._replace(value={key: part for key, part in self.value.items() if key not in keys})

    def part(self, key: str) -> Content:
        """The content under one key."""
        return Content(self.path, self.value[key] or {}, (key,))


def load_version(root: Path, name: str) -> str | None:
    """The version of a benchmark, or None if it has no file VERSION. Raises DataError for another form."""
    path = root / VERSION
    if not path.is_file():
        return None
    text = decode(read_bytes(path, name), name).strip()
    try:
        return _VERSION_ID.validate_python(text)
    except ValidationError as error:
        allowed = "three whole numbers joined by dots, such as 1.0.0"
        raise DataError.one(name, 1, "", f"found {shown(text)}", allowed) from error


def closed_versions(root: Path) -> dict[str, ClosedVersion]:
    """The closed versions, the oldest first. Raises DataError with all findings about all files."""
    findings, found = Findings(), {}
    for path in sorted((root / FOLDER).glob("[0-9]*.yaml")):
        try:
            closed = load_yaml(ClosedVersion, path)
        except DataError as error:
            findings.extend(error.findings)
            continue
        if closed.version != path.stem:
            wrong = f"{closed.version!r} in a file named {path.name}"
            findings.extend(DataError.one(str(path), 1, "version", wrong, repr(path.stem)).findings)
        found[closed.version] = closed.model_copy(update={"items": _as_counted(closed.items)})
    if findings:
        raise DataError(findings)
    return {name: found[name] for name in sorted(found, key=order)}


def _as_counted(items: Mapping[str, Item]) -> dict[str, Item]:
    """Closed items without the keys that are no part of an item today: they would all count as changed."""
    return {
        name: item.model_copy(update={"parts": {k: h for k, h in item.parts.items() if k not in left_out}})
        if (left_out := _NOT_OF.get(kind_of(name), ()))
        else item
        for name, item in items.items()
    }


def load_notes(root: Path) -> VersionNotes:
    """What people say about versions; nothing if there is no such file."""
    return load_yaml(VersionNotes, root / NOTES) if (root / NOTES).is_file() else VersionNotes(notes={})


def load_items(root: Path) -> dict[str, Item]:
    """Every item of a benchmark. Raises DataError for the first file that cannot be parsed."""
    return items(load_contents(root))


def load_contents(root: Path) -> dict[str, Content]:
    """The parsed content of every item, by its name, without drafts."""
    read = {name: _content(path) for name, path in _files(root)}
    whole = {name: one for name, one in read.items() if one.value.get("status") != Status.DRAFT}
    checks = [one for name, one in whole.items() if kind_of(name) is Kind.CHECK]
    rules = [one for name, one in whole.items() if kind_of(name) is Kind.RULE_SET]
    return {
        **{name: one.without("status", *_NOT_OF.get(kind_of(name), ())) for name, one in whole.items()},
        **{f"{Kind.LEXICAL}/{one.path.stem}": one.part(LEXICAL) for one in checks if LEXICAL in one.value},
        str(Kind.SCREENING): Content(
            root / "checks",
            {one.path.stem: screen for one in checks if (screen := _screen(one.value)) is not None},
        ),
        str(Kind.COUNTRIES): Content(
            root / "configs" / "rules",
            {one.path.stem: [one.value.get(key) for key in ("country", "extends")] for one in rules},
        ),
    }


def items(contents: Mapping[str, Content]) -> dict[str, Item]:
    """The hashes of contents, and what each item uses."""
    return {
        name: Item(
            parts={key: digest(_plain(value))[:16] for key, value in content.value.items()},
            uses=tuple(sorted(_uses(name, content.value, contents.keys()))),
        )
        for name, content in sorted(contents.items())
    }


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """The name and the file of each item."""
    for kind, pattern in FILES.items():
        for path in sorted(root.glob(pattern)):
            yield f"{kind}/{path.stem}" if "*" in pattern else str(kind), path


def _content(path: Path) -> Content:
    text = decode(read_bytes(path, str(path)), str(path))
    if path.suffix == ".md":
        return Content(path, {"text": text.strip()})
    value = (parse_json if path.suffix == ".json" else parse_yaml)(text, str(path))
    if not isinstance(value, dict):
        raise DataError.one(path, 1, "", f"the top level is {shown(value)}", "a mapping of keys")
    return Content(path, {str(key): part for key, part in value.items()})


def _plain(value: Any) -> Any:
    """The value as JSON holds it: text for dates and for keys that are numbers."""
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))


def _screen(check: Mapping[str, Any]) -> Any:
    """What a screening question lists for a check; None for a check on another route."""
    return (check.get("prompt") or {}).get("screen") if _route(check) in _SCREENED else None


def _route(check: Mapping[str, Any]) -> str:
    return str((check.get("routing") or {}).get("route"))


def _uses(name: str, content: Mapping[str, Any], names: Collection[str]) -> Iterator[str]:
    """The other items that the results of an item depend on."""
    kind = kind_of(name)
    if kind is Kind.SCENARIO:  # the replies of models depend on it, and no hash of the scenario has it
        yield str(Kind.SYSTEM_PROMPT)
        yield from (f"{Kind.LISTENING}/{name}" for name in sorted(set(_listenings(content))))
    elif kind is Kind.LISTENING:
        yield from _all(Kind.WORDS, names)
    elif kind is Kind.TWIN:
        yield from map(str, (Kind.SYSTEM_PROMPT, Kind.OVER_ALARM, Kind.FRAME, Kind.COUNTRIES))
        yield from (f"{Kind.LISTENING}/{name}" for name in sorted(set(_listenings(content))))
        yield from _all(Kind.RULE_SET, names)
    elif kind is Kind.SUPPLEMENTARY:
        scope = (content.get("coordination") or {}).get("scope") or ()
        yield from (f"{Kind.LEXICON}/{lexicon}" for lexicon in scope)
        yield from _all(Kind.WORDS, names)
        yield from _all(Kind.RULE_SET, names)
    elif kind is Kind.CHECK:
        yield from _check_uses(content, names)


def _check_uses(check: Mapping[str, Any], names: Collection[str]) -> Iterator[str]:
    route = _route(check)
    yield str(Kind.SCORING)
    if route in _JUDGE:
        yield from (str(Kind.FRAME), str(Kind.COUNTRIES))
    if route in _SCREENED:
        yield str(Kind.SCREENING)
    if route == Route.EXTRACT_THEN_CORPUS:
        yield str(Kind.CLAIMS)
    if route == Route.SCENARIO_RULE:
        yield from _all(Kind.RULE_SET, names)
    lexicon = (check.get("routing") or {}).get("lexicon")
    if lexicon is not None:
        yield f"{Kind.LEXICON}/{lexicon}"
        yield from _all(Kind.WORDS, names)


def _listenings(content: Any) -> Iterator[str]:
    """The listenings that the conditions of a scenario name."""
    if isinstance(content, list):
        for each in content:
            yield from _listenings(each)
    elif isinstance(content, dict):
        if content.get("type") == ConditionType.SAYS and "name" in content:
            yield str(content["name"])
        for key in ("sessions", "turns", "branches", "condition"):
            yield from _listenings(content.get(key))


def _all(kind: Kind, names: Collection[str]) -> Iterator[str]:
    return (name for name in names if kind_of(name) is kind)
