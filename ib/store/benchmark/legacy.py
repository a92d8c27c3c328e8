"""Scenario files from elsewhere: finding, reading and upgrading them, with the line of every finding."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ib.errors import Finding, Level, Place
from ib.models.conversation.scenario import Scenario
from ib.models.draw.keyed_slot import Form, KeyedSlot
from ib.scenario.drawing import chosen, filled, seeded
from ib.scenario.nodes import Known
from ib.scenario.upgrade import SIGNS, Upgraded, upgrade
from ib.store.benchmark.loading import label
from ib.store.files.places import LineIn, lines_in
from ib.store.files.reading import decode, read_bytes
from ib.store.files.validation import findings_of
from ib.store.files.yaml_json import parse_json


@dataclass(frozen=True)
class Foreign:
    """A scenario file in any form, with its upgraded scenario (None if the file cannot be accepted)."""

    path: Path
    line_in: LineIn
    upgraded: Upgraded
    scenario: Scenario | None
    findings: tuple[Finding, ...]
    """Errors, and notices that say how older forms are read."""

    @property
    def name(self) -> str:
        """The path of the file, for messages."""
        return label(self.path)

    def located(self, findings: Iterable[Finding], level: Level | None = None) -> Iterator[Finding]:
        """Findings about the scenario, moved to the places in the original file."""
        for finding in findings:
            path = self.upgraded.origin(finding.place.path)
            place = Place(self.name, self.line_in(path), path)
            yield replace(finding, place=place, level=level or finding.level)


def scenario_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Every named file, and every JSON file in every named folder, each once."""
    seen: set[Path] = set()
    for path in paths:
        inside = (file for file in sorted(path.rglob("*.json")) if not file.is_dir())
        for file in inside if path.is_dir() else (path,):
            whole = Path(os.path.realpath(file))  # unlike Path.resolve, accepts a link to itself
            if whole not in seen:
                seen.add(whole)
                yield file


def _drawn(text: str, given: Any, name: str) -> tuple[str, Any]:
    """The text of a file with the words of some draw in its own slots, and its content.

    A file alone has no public key. Slots that do not fit the model are left to the validation.
    """
    try:
        slots = TypeAdapter(dict[Form, KeyedSlot]).validate_python(given["slots"])
    except (TypeError, KeyError, ValidationError):
        return text, given
    told = filled(text, chosen(slots, name, seeded("one file")))
    return told, parse_json(told, name)


def load_foreign(path: Path, known: Known) -> Foreign:
    """Load one file in any form. Raises DataError if it cannot be read."""
    return read_foreign(path, decode(read_bytes(path, label(path)), label(path)), known)


def read_foreign(path: Path, text: str, known: Known) -> Foreign:
    """Upgrade and validate the text of one file. Raises DataError if it is not strict JSON."""
    name = label(path)
    given = parse_json(text, name)
    text, given = _drawn(text, given, name)
    parsed = cache(lambda: lines_in(text))

    def lines(path: Sequence[str | int]) -> int | None:
        return parsed()(path)  # most files have no findings, and need no lines

    if isinstance(given, dict) and "$schema" in given and not SIGNS & given.keys():
        notice = Finding.at(name, 1, "$schema", "a JSON schema, not a scenario", "ignored", Level.NOTICE)
        return Foreign(path, lines, Upgraded(given, None), None, (notice,))
    upgraded = upgrade(given, known)
    findings = [replace(f, place=Place(name, lines(f.place.path), f.place.path)) for f in upgraded.findings]
    scenario = None
    if upgraded.value is not None:
        try:
            scenario = Scenario.model_validate_json(json.dumps(upgraded.value), strict=True)
        except ValidationError as error:
            findings += findings_of(error, Scenario, name, origin=upgraded.origin, line_in=lines)
    return Foreign(path, lines, upgraded, scenario, tuple(findings))
