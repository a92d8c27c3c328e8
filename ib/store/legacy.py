"""Scenario files from elsewhere: found, read and translated, with the line of everything noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import orjson
from pydantic import ValidationError

from ib.errors import DataError, Finding
from ib.models.scenario import Scenario
from ib.scenario.lenient import Known, Location, Remark
from ib.scenario.upgrade import Adopted, adopt
from ib.store.benchmark import label
from ib.store.places import LineIn, lines_in
from ib.store.reading import decode, read_bytes
from ib.store.validation import findings_of
from ib.store.yaml_json import parse_json


@dataclass
class Foreign:
    """What one file came to: a scenario, or None, and everything there is to say of it."""

    path: Path
    text: str
    adopted: Adopted | None = None
    scenario: Scenario | None = None
    findings: Sequence[Finding] = ()
    notices: Sequence[Finding] = ()

    @cached_property
    def line(self) -> LineIn:
        """The line of a place of the file."""
        return lines_in(self.text)

    def located(self, remarks: Iterable[Remark]) -> list[Finding]:
        """Remarks on places of the file, with their lines."""
        name = label(self.path)
        return [
            Finding.at(name, self.line(remark.location), dotted(remark.location), remark.found, remark.read)
            for remark in remarks
        ]


def dotted(location: Location) -> str:
    """A place as findings name it."""
    return ".".join(map(str, location))


def scenario_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Every file that is named, and every JSON file of every folder, each once."""
    seen: set[Path] = set()
    for path in paths:
        inside = (file for file in sorted(path.rglob("*.json")) if not file.is_dir())
        for file in inside if path.is_dir() else (path,):
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def load_foreign(path: Path, known: Known) -> Foreign:
    """One file, whatever older form it is in; DataError where it cannot be read at all.

    What the model refuses after the translation is a finding at the place where the file has it.
    """
    name = label(path)
    text = decode(read_bytes(path, name), name)
    value = parse_json(text, name)
    _plain(value, name)
    made = Foreign(path, text)
    if isinstance(value, dict) and "$schema" in value and not {"scenario_id", "turns", "sessions"} & {*value}:
        made.notices = [Finding.at(name, 1, "$schema", "a JSON schema and no scenario", "not read")]
        return made
    made.adopted = adopt(value, known)
    findings = made.located(made.adopted.findings)
    made.notices = made.located(made.adopted.notices)
    data = _plain(made.adopted.value, name)
    if made.adopted.value is not None:
        try:
            made.scenario = Scenario.model_validate_json(data, strict=True)
        except ValidationError as error:
            origin = made.adopted.notes.origin
            findings += findings_of(error, Scenario, name, origin=origin, line_in=made.line)
    made.findings = findings
    return made


def _plain(value: object, name: str) -> bytes:
    """A value as JSON; DataError where no file could hold it, as half a character."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError as error:
        raise DataError.one(name, None, "", f"holds a value of no use: {error}", "plain values") from error
