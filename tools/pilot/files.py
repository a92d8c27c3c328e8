"""The files of a pilot: rows in the benchmark, and outside of it what readers get and write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ib.errors import DataError, Finding, Findings
from ib.models.benchmark.check import Check
from ib.models.benchmark.pilot import ItemPlace, PilotItem, ReplySource, ScreenedItem
from ib.models.common.base import Record
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import Transcript
from ib.models.scan.over_alarm import OverAlarmRules
from ib.store.files.reading import decode, raw_lines, read_bytes
from ib.store.files.validation import decoded_line, model_of_json
from ib.store.files.writing import replace
from ib.store.files.yaml_json import parse_json
from tools.pilot.asking import as_reply
from tools.pilot.candidates import Candidate
from tools.pilot.sources import lines

FOLDER = "pilot"
SCREENINGS = "screening"
Row = TypeVar("Row", PilotItem, ScreenedItem)


def load_rows(root: Path) -> tuple[tuple[PilotItem, ...], tuple[ScreenedItem, ...]]:
    """Every row of a benchmark's pilots: those of checks, and those of screening questions."""
    paths = sorted((root / FOLDER).glob("*.jsonl"))
    screens = [path for path in paths if is_screening(path.stem)]
    own = tuple(row for path in paths if path not in screens for row in lines(PilotItem, path))
    return own, tuple(row for path in screens for row in lines(ScreenedItem, path))


def rows_of(root: Path, name: str, model: type[Row]) -> list[Row]:
    """The rows about one check or screening question; none if it was never drawn."""
    path = root / FOLDER / f"{name}.jsonl"
    return list(lines(model, path)) if path.is_file() else []


def write_rows(root: Path, name: str, rows: Iterable[ItemPlace]) -> None:
    """Write the rows about one check or screening question, sorted by batch and item."""
    ordered = sorted(rows, key=lambda row: (row.batch, row.item))
    told = (compact(row.model_dump(mode="json", exclude_none=True)) for row in ordered)
    replace(root / FOLDER / f"{name}.jsonl", b"".join(line + b"\n" for line in told))


def is_screening(name: str) -> bool:
    """True for the name of a screening question."""
    return name.startswith(SCREENINGS)


class KeptItem(Record):
    """An item as it was drawn, so that quotes can be looked up when it has been read."""

    source: ReplySource
    file: str
    transcript: Transcript
    turns: tuple[int, ...]
    meant: str | None = None
    claim: tuple[int, int] | None = None
    person: str | None = None

    def candidate(self) -> Candidate:
        """The item."""
        return Candidate(**{name: getattr(self, name) for name in type(self).model_fields})


class Kept(Record):
    """The items of one question in one batch, in the order of their numbers, and the wording that is read."""

    checks: tuple[Check, ...]
    items: tuple[KeptItem, ...]
    alarm: OverAlarmRules | None = None
    """The question about over-alarm, if that is what was drawn; then there are no checks."""


@dataclass(frozen=True)
class Desk:
    """The folder of a batch: sheets and answers of readers, and apart from them what was drawn."""

    folder: Path
    batch: int

    @property
    def sheets(self) -> Path:
        """The folder that readers see."""
        return self.folder / str(self.batch)

    def _kept(self, name: str) -> Path:
        return self.folder / "drawn" / str(self.batch) / f"{name}.json"

    def write(
        self,
        name: str,
        sheet: str,
        items: Sequence[Candidate],
        checks: Sequence[Check] = (),
        alarm: OverAlarmRules | None = None,
    ) -> None:
        """Write a sheet for readers and keep its items."""
        kept = Kept.model_construct(
            checks=tuple(checks),
            alarm=alarm,
            items=tuple(
                KeptItem(**{field: getattr(one, field) for field in KeptItem.model_fields}) for one in items
            ),
        )
        for path in (self._kept(name), self.sheets / f"{name}.md"):
            path.parent.mkdir(parents=True, exist_ok=True)
        told = kept.model_dump(mode="json", by_alias=True)
        for check, dumped in zip(kept.checks, told["checks"], strict=True):
            dumped["calibration"] = check.calibration  # a dump leaves it out, because no hash has it
        replace(self._kept(name), compact(told))
        replace(self.sheets / f"{name}.md", sheet.encode())

    def drawn(self, name: str) -> Kept | None:
        """What was drawn for a check; None if nothing was."""
        path = self._kept(name)
        if not path.is_file():
            return None
        return model_of_json(Kept, decode(read_bytes(path, str(path)), str(path)), str(path))

    def names(self) -> tuple[str, ...]:
        """The checks and screening questions that were drawn."""
        return tuple(sorted(path.stem for path in (self.folder / "drawn" / str(self.batch)).glob("*.json")))

    def answers(self, name: str, reader: str, items: int) -> list[str] | None:
        """A reader's replies in the order of the items; None if the reader has not answered.

        Raises DataError if a line is no answer, or if not every item is answered once.
        """
        path = self.sheets / f"{name}.{reader}.jsonl"
        if not path.is_file():
            return None
        found, findings = dict[int, str](), Findings()
        for number, raw in raw_lines(path, str(path)):
            value = parse_json(decoded_line(raw, str(path), number), str(path), number)
            findings.extend(_flaws(value, path, number, found, items))
            if not findings:
                found[value["item"]] = as_reply(value["reply"])
        missing = sorted({*range(1, items + 1)} - found.keys())
        if missing and not findings:
            told = f"no answer for item {', '.join(map(str, missing))}"
            findings.add(Finding.at(str(path), None, "item", told, "one line for each item"))
        if findings:
            raise DataError(findings)
        return [found[item] for item in range(1, items + 1)]


def _flaws(value: object, path: Path, number: int, found: dict[int, str], items: int) -> Iterator[Finding]:
    """What is wrong with a line of answers."""
    if not isinstance(value, dict) or value.keys() != {"item", "reply"}:
        allowed = '{"item": number, "reply": {...}}'
        yield Finding.at(str(path), number, "", "is not an item with its reply", allowed)
    elif not isinstance(value["item"], int) or not 1 <= value["item"] <= items:
        allowed = f"a number from 1 to {items}"
        yield Finding.at(str(path), number, "item", f"found {value['item']!r}", allowed)
    elif value["item"] in found:
        yield Finding.at(str(path), number, "item", f"item {value['item']} is answered twice", "one line")
