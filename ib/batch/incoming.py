"""Conversations as they come in, checked as a scan checks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from ib.errors import DataError, Finding, Place
from ib.errors import Path as Keys
from ib.logs.reading.form import Record
from ib.logs.reading.notes import HALF, has_half, kind_of
from ib.logs.rows import WHOLE, transcript_of_row
from ib.models.benchmark.benchmark import Benchmark
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.pipeline.scan.prepare import fitted
from ib.pipeline.scan.recorded import TagCheck
from ib.store.benchmark.scenarios import Scenarios
from ib.store.files.validation import model_of_line
from ib.store.folders.transcripts import placed, problems

LEFT_OUT = "failed before its end, as its log says"
"""Why a row of Scout is left out."""


@dataclass(frozen=True)
class Broken:
    """A conversation that is not judged, and why."""

    id: str | None
    findings: tuple[Finding, ...]
    """Empty if the conversation is only left out."""

    @property
    def problem(self) -> str:
        """Why it is not judged, in one line."""
        return "; ".join(str(finding) for finding in self.findings) or LEFT_OUT


@dataclass
class Incoming:
    """Reads conversations for one benchmark."""

    benchmark: Benchmark
    root: Path
    """The folder of the benchmark."""
    _scenarios: Scenarios = field(init=False)
    _tags: TagCheck = field(init=False)

    def __post_init__(self) -> None:
        self._scenarios = Scenarios(self.root)
        self._tags = TagCheck(self.benchmark, self.root)

    def read(self, value: Any, row: int, name: str) -> tuple[Transcript, str] | Broken:
        """A conversation with the hash of its line, or why it is none. Rows are counted from 1."""
        try:
            return self._read(value, row, name)
        except (UnicodeEncodeError, orjson.JSONEncodeError):
            if isinstance(value, Transcript) or has_half(value):
                return Broken(None, (Finding.at(name, None, (f"row {row}",), *HALF),))
            raise

    def _read(self, value: Any, row: int, name: str) -> tuple[Transcript, str] | Broken:
        locate = partial(_in_row, row)
        found = value if isinstance(value, Transcript) else _transcript(value, locate)
        if isinstance(found, Transcript):
            checked = self._checked(found)
            if isinstance(checked, Transcript):
                return checked, line_hash(transcript_line(checked))
            found = checked
        placed_there = (replace(one, place=Place(name, *locate(one.place.path))) for one in found)
        return Broken(_id_of(value), tuple(placed_there))

    def _checked(self, transcript: Transcript) -> Transcript | list[Finding]:
        """The transcript with the fields of its scenario, or what is wrong with it."""
        if transcript.twin is not None:
            found = "is a play of a safe twin, which no check judges"
            return [Finding.at("", None, "twin", found, "`ib scan` measures over-alarm on it")]
        wrong = list(problems(transcript, self.benchmark.checks))
        if wrong:
            return wrong
        joined = placed(fitted(transcript, self._scenarios), self.benchmark.rules)
        if isinstance(joined, Finding):
            return [joined]
        is_played = joined.scenario_id in self._scenarios
        return ([] if is_played else list(self._tags.findings(joined))) or joined


def _transcript(value: Any, locate: Any) -> Transcript | list[Finding]:
    """A row, or a list of messages, as a transcript. An empty list of findings is a row to leave out."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        value = {"messages": [_message(item) for item in value]}
    if not isinstance(value, Mapping):
        return [Finding.at("", None, "", f"is {kind_of(value)}", "a mapping with `messages`")]
    if value.get(WHOLE) is not None:
        return _whole(value[WHOLE])
    made, notes = transcript_of_row(Record(value, locate))
    return notes.findings if made is None else made


def _whole(value: Any) -> Transcript | list[Finding]:
    """The JSON of a transcript."""
    if not isinstance(value, str):
        return [Finding.at("", None, WHOLE, f"is {kind_of(value)}", "the JSON of a transcript")]
    made = model_of_line(Transcript, value.encode("utf-8", "surrogatepass"), "", 0)
    if isinstance(made, Transcript):
        return made
    return [replace(one, place=Place("", None, (WHOLE, *one.place.path))) for one in made]


def _message(item: Any) -> Any:
    """A pair of role and text as a mapping."""
    is_pair = isinstance(item, tuple | list) and len(item) == 2
    return {"role": item[0], "content": item[1]} if is_pair else item


def _in_row(number: int, keys: Keys) -> tuple[None, Keys]:
    return None, (f"row {number}", *keys)


def _id_of(value: Any) -> str | None:
    """The id that a row gives its conversation, as far as it can be told."""
    if isinstance(value, Transcript):
        return value.log_id or value.scenario_id
    if not isinstance(value, Mapping):
        return None
    own = next((value[key] for key in ("transcript_id", "id") if isinstance(value.get(key), str | int)), None)
    return None if own is None else str(own).encode("utf-8", "replace").decode()


def refuse(broken: Sequence[Broken]) -> None:
    """Raises DataError with the findings of all broken conversations, if there are any."""
    findings = [finding for one in broken for finding in one.findings]
    if findings:
        raise DataError(findings)
