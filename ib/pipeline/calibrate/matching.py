"""Labels matched with the rows of a scan: one item for each conversation and check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ib.board.figures.contrasts import Families
from ib.errors import DataError, Finding
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.calibration import CalibrationItem, Label
from ib.models.benchmark.wording import wording_hash
from ib.models.common.base import Role, State, Verdict
from ib.models.common.canonical import digest
from ib.models.common.reason import Reason
from ib.models.conversation.transcript import Transcript
from ib.models.scan.result import Judged, TranscriptResult, VerdictResult
from ib.pipeline.calibrate.labels import Given
from ib.pipeline.scan.find import pairs
from ib.store.folders.scans import ScanFolder

Named = tuple[str, str | None, int | None]
"""How a label names a conversation: id, model, epoch."""


@dataclass
class Matched:
    """The items of each check, and which checks were judged by another wording."""

    items: dict[str, list[CalibrationItem]] = field(default_factory=dict)
    older: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Place:
    transcript: Transcript
    result: TranscriptResult


def matched(folder: ScanFolder, benchmark: Benchmark, given: Sequence[Given]) -> Matched:
    """The labels as items. Raises DataError with every label that does not fit the scan or another label."""
    places, family = _places(folder, {one.conversation for one in given})
    findings: list[Finding] = []
    labels: defaultdict[tuple[tuple[str, str, int], str], dict[str, Given]] = defaultdict(dict)
    of: dict[tuple[str, str, int], _Place] = {}
    for one in given:
        found = [place for place in places[one.conversation] if _is_meant(place.result, one)]
        flaws = [*_misplaced(one, found, benchmark)]
        if not flaws:
            place = found[0]
            of[place.result.key] = place
            earlier = labels[place.result.key, one.check_id].setdefault(one.by, one)
            flaws = [*_beyond(one, place.transcript), *_twice(one, earlier)]
        findings += flaws
    if findings:
        raise DataError(findings)
    made = Matched()
    phrases = folder.plan().judge.absent
    for (key, check_id), told in sorted(labels.items()):
        place = of[key]
        row = next((row for row in place.result.rows if row.mode_id == check_id), None)
        verdict = _said(row, phrases=phrases)
        if isinstance(row, Judged) and row.older_question:
            made.older.add(check_id)
        item = _item(place, check_id, family[place.result.scenario_id], row, verdict, told.values())
        made.items.setdefault(check_id, []).append(item)
    return made


def _places(folder: ScanFolder, wanted: set[str]) -> tuple[defaultdict[str, list[_Place]], dict[str, str]]:
    """The conversations that a label may mean, by each of their ids, and the family of each scenario."""
    found: defaultdict[str, list[_Place]] = defaultdict(list)
    families = Families()
    for transcript, result in pairs(folder):
        families.add(result)
        for name in {result.scenario_id, result.log_id} & wanted:
            found[str(name)].append(_Place(transcript, result))
    return found, families.names()


def _is_meant(result: TranscriptResult, one: Given) -> bool:
    return one.model in (None, result.model_id) and one.epoch in (None, result.epoch)


def _misplaced(one: Given, found: Sequence[_Place], benchmark: Benchmark) -> Iterator[Finding]:
    check = benchmark.checks.get(one.check_id)
    if check is None:
        yield one.finding("check", f"unknown check {one.check_id!r}", "`ib show check` lists all checks")
    elif one.wording not in (None, wording_hash(check, benchmark)):
        seen, today = str(one.wording)[:12], wording_hash(check, benchmark)[:12]
        found_there = f"{seen} is another wording of {check.id}, whose wording today is {today}"
        yield one.finding("wording", found_there, "labels of today's wording")
    if not found:
        told = f"the scan has no conversation {one.conversation!r}"
        told += "" if one.model is None else f" of {one.model}"
        yield one.finding("id", told, "a scenario_id of the scan, or the id of a log")
    elif len(found) > 1:
        told = f"the scan has {len(found)} conversations {one.conversation!r}"
        yield one.finding("id", told, "name one with `model`, and `epoch` if there are several plays")


def _beyond(one: Given, transcript: Transcript) -> Iterator[Finding]:
    replies = {m.turn for m in transcript.messages if m.role is Role.ASSISTANT}
    strangers = sorted(set(one.turns) - replies)
    if strangers:
        found = f"{one.conversation} has no reply in turn {strangers[0]}"
        yield one.finding("turns", found, f"turns {min(replies)} to {max(replies)}")


def _twice(one: Given, earlier: Given) -> Iterator[Finding]:
    if earlier is one:
        return
    place = earlier.file if earlier.line is None else f"{earlier.file}:{earlier.line}"
    about = f"{one.check_id} on {one.conversation}"
    if earlier.verdict is one.verdict:
        yield one.finding("id", f"{one.by} labeled {about} in {place}, too", "one label")
    else:
        found = f"{one.by} says {one.verdict} of {about}, and {earlier.verdict} in {place}"
        yield one.finding("label", found, "one label")


def _said(row: VerdictResult | None, *, phrases: bool) -> Verdict | None:
    """The verdict of a row. Without a judge (`phrases`), a hit of a lexicon is a FAIL and no hit a PASS."""
    if isinstance(row, Judged):
        return row.verdict
    if row is None or not phrases:
        return None
    if row.state is State.FOUND:
        return Verdict.FAIL
    return Verdict.PASS if row.reason is Reason.NO_PHRASE_FOUND else None


def _item(
    place: _Place,
    check_id: str,
    family: str,
    row: VerdictResult | None,
    verdict: Verdict | None,
    told: Iterable[Given],
) -> CalibrationItem:
    result = place.result
    return CalibrationItem(
        model_id=result.model_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        check_id=check_id,
        family=family,
        transcript_hash=result.transcript_hash,
        row_hash=digest(row),
        verdict=verdict,
        turns=_turns(row) if verdict is Verdict.FAIL else (),
        labels=tuple(
            Label(by=one.by, verdict=one.verdict, turns=_failing(one))
            for one in sorted(told, key=lambda one: one.by)
        ),
    )


def _failing(one: Given) -> tuple[int, ...]:
    """The turns that a label fails."""
    return tuple(sorted(set(one.turns))) if one.verdict is Verdict.FAIL else ()


def _turns(row: VerdictResult | None) -> tuple[int, ...]:
    """The turns in which the judge, or a lexicon, found the failure."""
    if row is None:
        return ()
    found = {span.turn for span in row.evidence if span.role is Role.ASSISTANT}
    if isinstance(row, Judged) and row.occurrences is not None:
        found |= set(row.occurrences.turns)
    return tuple(sorted(found))
