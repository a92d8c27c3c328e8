"""What the ledger says of the board, and the lines that a new release adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ib.board.history.causes import of_row
from ib.board.history.told import Told
from ib.models.common.base import Stage
from ib.models.release.ledger import ADOPTED, FIRST, OF_ROW, Action, Cause, LedgerLine, ScanSource


@dataclass(frozen=True)
class Ledger:
    """The lines of a ledger, whose chain was checked when they were read."""

    lines: tuple[LedgerLine, ...] = ()

    @property
    def newest(self) -> LedgerLine | None:
        """The line of the newest release. Returns None for an empty ledger."""
        return next((line for line in reversed(self.lines) if line.seal is not None), None)

    @property
    def rows(self) -> dict[str, LedgerLine]:
        """For each row of the board, the line that says how it is now."""
        return self.rows_at(len(self.lines))

    def rows_at(self, count: int) -> dict[str, LedgerLine]:
        """For each row of the board after that many lines, the line that says how it is."""
        rows: dict[str, LedgerLine] = {}
        for line in self.lines[:count]:
            if line.action is Action.WITHDRAWN:
                rows.pop(str(line.model_id), None)
            elif line.action in OF_ROW:
                rows[str(line.model_id)] = line
        return rows

    @property
    def withdrawn(self) -> frozenset[str]:
        """The models that the board had, and no longer has."""
        had = {str(line.model_id) for line in self.lines if line.action in OF_ROW}
        return frozenset(had - self.rows.keys())

    @property
    def releases(self) -> dict[str, LedgerLine]:
        """The first line of each release by its id, oldest first."""
        found: dict[str, LedgerLine] = {}
        for line in self.lines:
            if line.seal is not None:
                found.setdefault(line.release, line)
        return found

    def source(self, release: str, model_id: str) -> ScanSource | None:
        """The scan of a row of a release. Returns None if the ledger has no such row."""
        end = max((n for n, line in enumerate(self.lines, 1) if line.release == release), default=0)
        line = self.rows_at(end).get(model_id)
        return None if line is None else line.scan

    def with_lines(self, further: Sequence[Mapping[str, Any]]) -> Ledger:
        """The ledger with further lines, each given without `number` and `before`."""
        lines = list(self.lines)
        for fields in further:
            before = lines[-1].hash if lines else FIRST
            lines.append(LedgerLine(number=len(lines) + 1, before=before, **fields))
        return Ledger(tuple(lines))


@dataclass(frozen=True)
class Entry:
    """A release that becomes the newest."""

    release: str
    seal: str
    stage: Stage
    day: date
    told: Told
    sources: Mapping[str, ScanSource]
    """The scan of each row, by model."""
    action: Action = Action.RELEASED
    reason: str | None = None


def lines_of(
    ledger: Ledger, before: Told, entry: Entry, withdrawn: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """The lines that a release adds: one for itself, then one for each row that is not as it was.

    `before` is the newest release so far, `withdrawn` has the reason for each model that is withdrawn.
    """
    about = {"release": entry.release, "day": entry.day}
    yield {
        **about, "action": entry.action, "seal": entry.seal, "stage": entry.stage, "reason": entry.reason,
    }  # fmt: skip
    here = ledger.rows
    for change in changes(ledger, entry):
        line = {**about, "action": change.action, "model_id": change.model_id}
        if change.action is Action.WITHDRAWN:
            yield {**line, "reason": withdrawn[change.model_id]}
            continue
        line |= {"row": entry.told.rows[change.model_id], "scan": entry.sources[change.model_id]}
        if change.action is Action.CHANGED:
            same = here[change.model_id].row == entry.told.rows[change.model_id]
            line["causes"] = (Cause.SCAN,) if same else of_row(before, entry.told, change.model_id)
        yield {**line, "reason": entry.reason}
    for dispute in _new_disputes(ledger, entry.told):
        yield {**about, "action": Action.DISPUTED, **dispute}


def _new_disputes(ledger: Ledger, told: Told) -> Iterator[dict[str, Any]]:
    """The decided disputes of a release that no line has yet."""
    known = {(line.permalink, line.outcome, line.model_id) for line in ledger.lines}
    reviews = told.board.get("reviews") or {}
    for one in reviews.get("disputes", ()):
        claim, outcome, model_id = one["claim"], one["outcome"], one["model_id"]
        if (claim["permalink"], outcome, model_id) not in known:
            reason = one["reason"] or claim["reason"]
            yield {
                "model_id": model_id, "permalink": claim["permalink"], "outcome": outcome, "reason": reason,
            }  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What becomes of one row of the board."""

    action: Action
    model_id: str


def changes(ledger: Ledger, entry: Entry) -> Iterator[Change]:
    """What becomes of each row of the board with a release, by model. Unchanged rows are left out."""
    here, gone, told = ledger.rows, ledger.withdrawn, entry.told
    for model_id in sorted(here.keys() | told.rows.keys()):
        if model_id not in told.rows:
            yield Change(Action.WITHDRAWN, model_id)
        elif model_id not in here:
            yield Change(Action.RESTORED if model_id in gone else Action.ADDED, model_id)
        elif (here[model_id].row, here[model_id].scan) != (told.rows[model_id], entry.sources[model_id]):
            yield Change(Action.CHANGED, model_id)


def unfounded(ledger: Ledger, count: int, told: Told) -> Iterator[str]:
    """How the words of the line of a release and of its rows differ from those that the release has.

    `count` is the number of the line of the release. Of a release that was reinstated, nothing is said: the
    reason for that is in no release.
    """
    first = ledger.lines[count - 1]
    if first.action is not Action.RELEASED or first.reason == ADOPTED:
        return
    reason, day = told.board.get("reason"), str(told.board.get("released"))
    reviews = told.board.get("reviews") or {}
    disputes = {
        (one["claim"]["permalink"], one["outcome"], one["model_id"], one["reason"] or one["claim"]["reason"])
        for one in reviews.get("disputes", ())
    }
    for line in ledger.lines[count - 1 :]:
        if line.release != first.release or (line.seal is not None and line is not first):
            return
        if str(line.day) != day:
            yield f"line {line.number} of the ledger has the day {line.day}, and the release has {day}"
        if line.action is Action.DISPUTED:
            if (line.permalink, line.outcome, line.model_id, line.reason) not in disputes:
                yield f"line {line.number} of the ledger has a dispute that the release does not have"
        elif line.reason != reason:
            yield f"line {line.number} of the ledger has another reason than the release"


def disagreements(ledger: Ledger, count: int, release: str, told: Told) -> Iterator[str]:
    """How the rows of a release differ from what the ledger says after that many lines."""
    known = ledger.rows_at(count)
    for model_id in sorted(known.keys() | told.rows.keys()):
        if model_id not in known:
            yield f"the ledger does not know the row of {model_id}"
        elif model_id not in told.rows:
            yield f"the row of {model_id} is missing, which line {known[model_id].number} of the ledger has"
        elif known[model_id].row != told.rows[model_id]:
            yield f"the row of {model_id} is not the one of line {known[model_id].number} of the ledger"
