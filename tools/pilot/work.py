"""Draw the items of a batch, and write down what readers answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ib.engine.questions.prompts import Screening
from ib.errors import Refused, UsageError
from ib.models.benchmark.check import Check
from ib.models.benchmark.pilot import (
    OVER_ALARM,
    ItemPlace,
    PilotItem,
    ReplySource,
    ScreenedItem,
    WrittenExchange,
)
from tools.pilot.alarms import AlarmAsking
from tools.pilot.asking import Asking
from tools.pilot.candidates import Candidate
from tools.pilot.choosing import FAIL, FAILS_LEAST, GRADES_LEAST, ITEMS, choose, choose_graded
from tools.pilot.files import Desk, Row, is_screening, rows_of, write_rows
from tools.pilot.sheets import Sheet
from tools.pilot.sources import Real, Reference, written_candidates

SCREENED_ITEMS = 40
"""The items of a screening question."""
SCREENED_FAILS = 0.7
"""The share of them that are meant to fail the check that they were drawn for, at most."""


@dataclass(frozen=True)
class Drawn:
    """What was drawn for one check or screening question."""

    name: str
    items: tuple[Candidate, ...]
    text: str
    """The sheet for readers."""

    def meant(self, choice: str) -> int:
        """How many items are meant to get a verdict or grade."""
        return sum(item.meant == choice for item in self.items)

    @property
    def problems(self) -> Iterator[str]:
        """What the batch has too few of."""
        if is_screening(self.name):
            return
        if self.name == OVER_ALARM:
            for grade, least in GRADES_LEAST.items():
                if (count := self.meant(grade)) < least:
                    yield f"only {count} of {least} items are meant as {grade}; write more in written.yaml"
            return
        fails = self.meant(FAIL)
        if len(self.items) < ITEMS:
            yield f"only {len(self.items)} of {ITEMS} items"
        if fails < FAILS_LEAST:
            yield f"only {fails} of {FAILS_LEAST} items are meant to FAIL; write more in written.yaml"


@dataclass(frozen=True)
class Pool:
    """All candidates of a pilot."""

    real: Real
    reference: Reference | None
    written: tuple[WrittenExchange, ...]

    def of(self, check: Check) -> Iterator[Candidate]:
        """The candidates for one check."""
        yield from self.real.candidates(check)
        if self.reference is not None:
            yield from self.reference.candidates(check)
        yield from written_candidates(check.id, check.routing.unit_of_analysis, self.written)


def draw_check(asking: Asking, check: Check, pool: Pool, root: Path, desk: Desk) -> Drawn:
    """Draw a batch for one check, and write its rows and its sheet.

    Raises Refused if readers have answered the batch. Words of other batches are not drawn again.
    """
    others = _others(rows_of(root, check.id, PilotItem), check.id, desk.batch)
    items = choose(_free(pool.of(check), others), f"{check.id}/{desk.batch}", again=bool(others))
    if not items:
        return Drawn(check.id, (), "")
    rows = _rows(check.id, items, desk.batch, asking.template(check.id))
    questions = tuple(asking.render(check, item) for item in items)
    told = Drawn(check.id, items, Sheet(check.id, questions, asking.begins(check)).text(str(desk.sheets)))
    desk.write(check.id, told.text, items, (check,))
    write_rows(root, check.id, [*others, *rows])
    return told


def draw_alarm(asking: AlarmAsking, candidates: Iterable[Candidate], root: Path, desk: Desk) -> Drawn:
    """Draw a batch for the question about over-alarm, and write its rows and its sheet.

    Raises Refused if readers have answered the batch.
    """
    others = _others(rows_of(root, OVER_ALARM, PilotItem), OVER_ALARM, desk.batch)
    items = choose_graded(_free(candidates, others), f"{OVER_ALARM}/{desk.batch}")
    if not items:
        return Drawn(OVER_ALARM, (), "")
    rows = _rows(OVER_ALARM, items, desk.batch, asking.template())
    sheet = Sheet(OVER_ALARM, tuple(asking.render(item) for item in items), asking.begins)
    told = Drawn(OVER_ALARM, items, sheet.text(str(desk.sheets)))
    desk.write(OVER_ALARM, told.text, items, alarm=asking.rules)
    write_rows(root, OVER_ALARM, [*others, *rows])
    return told


def draw_screening(asking: Asking, screening: Screening, root: Path, desk: Desk) -> Drawn:
    """Draw a batch for a screening question from the items that were drawn for its checks."""
    others = _others(rows_of(root, screening.id, ScreenedItem), screening.id, desk.batch)
    drawn = {check.id: desk.drawn(check.id) for check in screening.checks}
    missing = sorted(name for name, kept in drawn.items() if kept is None)
    if missing:
        raise UsageError(f"{screening.id}: draw batch {desk.batch} of {', '.join(missing)} first")
    several = {name: [i.candidate() for i in kept.items] for name, kept in drawn.items() if kept is not None}
    items = _screened(several)
    template = asking.screening_template(screening.id)
    rows = [
        ScreenedItem(**_place(desk.batch, number, item, template), screen=screening.id)
        for number, item in enumerate(items, start=1)
    ]
    questions = tuple(asking.render_screening(screening, item) for item in items)
    sheet = Sheet(screening.id, questions, asking.begins(screening))
    told = Drawn(screening.id, items, sheet.text(str(desk.sheets)))
    desk.write(screening.id, told.text, items, screening.checks)
    write_rows(root, screening.id, [*others, *rows])
    return told


def _screened(several: Mapping[str, Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """For each check equally many items: first those meant to fail, real and short ones before others."""
    each = SCREENED_ITEMS // len(several)
    chosen: dict[str, Candidate] = {}
    for items in several.values():
        short = sorted(items, key=lambda i: (i.source is not ReplySource.REAL, i.tokens, i.sha256))
        fails = [item for item in short if item.meant == FAIL][: round(SCREENED_FAILS * each)]
        other = [item for item in short if item.meant != FAIL]
        taken = [item for item in [*fails, *other] if item.sha256 not in chosen][:each]
        chosen.update((item.sha256, item) for item in taken)
    return tuple(chosen[words] for words in sorted(chosen))


def _others(rows: Sequence[Row], name: str, batch: int) -> list[Row]:
    """The rows of other batches. Raises Refused if readers have answered this one."""
    if any(row.batch == batch and (row.one or row.two) for row in rows):
        raise Refused(f"readers have answered batch {batch} of {name}; draw another batch")
    return [row for row in rows if row.batch != batch]


def _free(candidates: Iterable[Candidate], others: Sequence[ItemPlace]) -> list[Candidate]:
    """The candidates whose place and words no other batch has."""
    places, words = {row.place for row in others}, {row.sha256 for row in others}
    return [c for c in candidates if c.place not in places and c.sha256 not in words]


def _rows(name: str, items: Iterable[Candidate], batch: int, template: str) -> list[PilotItem]:
    return [
        PilotItem(**_place(batch, number, item, template), check=name, meant=item.meant, person=item.person)
        for number, item in enumerate(items, start=1)
    ]


def _place(batch: int, number: int, item: Candidate, template: str) -> dict[str, object]:
    return {
        "batch": batch,
        "item": number,
        "source": item.source,
        "file": item.file,
        "model_id": item.transcript.model_id,
        "scenario_id": item.transcript.scenario_id,
        "turns": item.turns,
        "claim": item.claim,
        "sha256": item.sha256,
        "template": template,
    }


@dataclass(frozen=True)
class ReadBatch:
    """How much of a batch a reader has answered."""

    names: tuple[str, ...]
    """The checks and screening questions that the reader answered."""
    missing: tuple[str, ...]
    """Those that were drawn and not answered."""
    invalid: Mapping[str, int]
    """For each, how many replies do not count, if any."""


def read_batch(asking: Asking, root: Path, desk: Desk, reader: str, by: str) -> ReadBatch:
    """Read the answers of one reader on a whole batch, and write the verdicts into the rows.

    Raises DataError for answers that cannot be read, and UsageError if there are none. Then no row changes.
    """
    read: dict[str, list[ItemPlace]] = {}
    missing, invalid = list[str](), dict[str, int]()
    for name in desk.names():
        rows = _read(asking, root, desk, name, reader, by)
        if rows is None:
            missing.append(name)
            continue
        read[name] = rows
        void = sum(getattr(row, reader).invalid is not None for row in rows if row.batch == desk.batch)
        invalid |= {name: void} if void else {}
    if not read:
        raise UsageError(f"{desk.sheets} has no answers of reader {reader}")
    for name, rows in read.items():
        write_rows(root, name, rows)
    return ReadBatch(tuple(read), tuple(missing), invalid)


def _read(asking: Asking, root: Path, desk: Desk, name: str, reader: str, by: str) -> list[ItemPlace] | None:
    """All rows of a check, with the readings of one batch; None if the reader has not answered."""
    kept = desk.drawn(name)
    assert kept is not None
    replies = desk.answers(name, reader, len(kept.items))
    if replies is None:
        return None
    # Replies are read by the wording that was answered, although the check may have changed since.
    worded = Asking(asking.benchmark.model_copy(update={"checks": {c.id: c for c in kept.checks}}))
    items = [item.candidate() for item in kept.items]
    told: Callable[[Candidate, str], object]
    if is_screening(name):
        screening = Screening(name, kept.checks)
        rows: list[ItemPlace] = [*rows_of(root, name, ScreenedItem)]
        told = lambda item, reply: worded.read_screening(screening, item, reply, by)  # noqa: E731
    elif kept.alarm is not None:
        alarms = AlarmAsking(asking.benchmark, kept.alarm)
        rows = [*rows_of(root, name, PilotItem)]
        told = lambda item, reply: alarms.read(item, reply, by)  # noqa: E731
    else:
        rows = [*rows_of(root, name, PilotItem)]
        told = lambda item, reply: worded.read(kept.checks[0], item, reply, by)  # noqa: E731
    mine = [row for row in rows if row.batch == desk.batch]
    if [row.sha256 for row in mine] != [item.sha256 for item in items]:
        raise Refused(f"the rows of {name} are not those of {desk.folder}; draw batch {desk.batch} again")
    read = [
        row.model_copy(update={reader: told(item, reply)})
        for row, item, reply in zip(mine, items, replies, strict=True)
    ]
    return [*(row for row in rows if row.batch != desk.batch), *read]
