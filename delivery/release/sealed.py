"""Open a release: the site reads and publishes only files that passed the gate.

The file `qa.json` in the release folder is not proof by itself. A release is refused if the folder contains
a link or a file that `qa.json` does not list, if the hash of a file differs, if `qa.json` itself was edited,
if the gate did not grant the stage, if the gate that wrote `qa.json` had fewer rules than this one, or if a
text contains a key or a machine path. Whoever computes every hash again is found by `ib verify`, which
computes the release again from its source, and which `ib site build` runs first (design/211).
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from delivery.release.background import Background
from delivery.release.view import Release, consistent
from ib.board.evidence.leaks import LeakSearch
from ib.board.gate.decision import RULES
from ib.errors import DataError, Refused
from ib.models.benchmark.benchmark import Benchmark, benchmark_hash
from ib.models.common.base import STAGE_ORDER
from ib.models.release.bytes import release_bytes
from ib.models.release.leaderboard import Evidence, Leaderboard
from ib.models.release.qa import Qa, sealed
from ib.models.release.rows import TranscriptRow, joined
from ib.models.release.source import EXAMS, SOURCE_FILES
from ib.models.release.transcripts import Transcripts
from ib.models.release.verified import Signature
from ib.store.files.reading import decode, read_bytes, unpacked_bytes
from ib.store.files.signing import UNSIGNED
from ib.store.files.writing import file_names
from ib.store.folders.exams import carried
from ib.store.folders.released import SCENARIOS, SIGNATURE, released_of_json, rows_of, scenarios_of
from ib.store.folders.sources import lines

Model = TypeVar("Model", Leaderboard, Evidence, Transcripts, Qa)
LEADERBOARD = "leaderboard.json"
QA = "qa.json"
_EVIDENCE = re.compile(r"evidence/([^/]+)\.json")
_TRANSCRIPTS = re.compile(r"transcripts/([^/]+)\.json")
_ROWS = re.compile(r"rows/([^/]+)\.jsonl")


NO_BACKGROUND = Background()


@dataclass(frozen=True)
class SealedRelease:
    """A release whose files are exactly those that passed the gate."""

    leaderboard: Leaderboard
    """With its rows and scenarios."""
    evidence: Mapping[str, Evidence]
    """By the slug of the model."""
    transcripts: Mapping[str, Transcripts]
    """By the slug of the model."""
    rows: Mapping[str, tuple[TranscriptRow, ...]]
    """What the release says of each transcript, by the slug of the model."""
    files: Mapping[str, bytes]
    """Every file of the release as read and checked. The site publishes these bytes."""

    def release(
        self,
        benchmark: Benchmark,
        background: Background = NO_BACKGROUND,
        signature: Signature = UNSIGNED,
    ) -> Release:
        """The release for the pages. Raises DataError if its parts do not belong together."""
        made = Release(self.leaderboard, self.evidence, benchmark, background, self.transcripts)
        source = tuple(name for name in SOURCE_FILES if name in self.files)
        exams = None
        if EXAMS in self.files:
            exams = carried(unpacked_bytes(self.files[EXAMS], EXAMS), EXAMS)
        return consistent(replace(made, rows=self.rows, signature=signature, source=source, exams=exams))


def open_sealed(folder: Path, benchmark: Benchmark, leaks: LeakSearch) -> SealedRelease:
    """Open the release in a folder. Raises Refused, with every reason, if it did not pass the gate.

    Raises DataError if the folder has no qa.json. Each file is read only once, so the published bytes are
    the checked bytes.
    """
    names = set(file_names(folder))
    if QA not in names:
        found = "no such file, so the folder is no release"
        hint = (
            "give a folder with leaderboard.json, qa.json, evidence/ and transcripts/, as `ib publish` writes"
        )
        raise DataError.one(folder / QA, None, "", found, hint)
    _refuse(folder, [*_not_plain(folder, names)])
    written = read_bytes(folder / QA)
    qa = _parsed(Qa, written, folder / QA)
    files = {name: read_bytes(folder / name) for name in sorted(names & qa.released.keys())}
    _refuse(folder, [*_unlisted(names - {QA, SIGNATURE}, qa), *_changed(files, qa), *_edited(written, qa)])
    files |= {QA: written, **({SIGNATURE: read_bytes(folder / SIGNATURE)} if SIGNATURE in names else {})}
    board = _parsed(Leaderboard, files[LEADERBOARD], folder / LEADERBOARD)
    _refuse(folder, [*_ungranted(board, qa), *_of_another(board, benchmark), *_leaking(files, leaks)])
    evidence = _each(Evidence, _EVIDENCE, files, folder)
    transcripts = _each(Transcripts, _TRANSCRIPTS, files, folder)
    rows = rows_of(board, files, folder)
    whole = joined(board, rows, scenarios_of(files, folder))
    return SealedRelease(whole, evidence, transcripts, rows, files)


def _each(
    model: type[Model], form: re.Pattern[str], files: Mapping[str, bytes], folder: Path
) -> dict[str, Model]:
    """The files whose names have a form, parsed, by the slug in the name."""
    return {
        match[1]: _parsed(model, data, folder / name)
        for name, data in files.items()
        if (match := form.fullmatch(name))
    }


def _parsed(model: type[Model], data: bytes, path: Path) -> Model:
    name = str(path)
    return released_of_json(model, decode(data, name), name)


def _refuse(folder: Path, reasons: list[str]) -> None:
    if reasons:
        raise Refused(f"{folder} is not the release that passed the gate", reasons)


def _not_plain(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Links and the like. What a link leads to is outside of the release, and may change by itself."""
    for name in sorted(names):
        if not stat.S_ISREG((folder / name).lstat().st_mode):
            yield f"{name} is a link or no plain file; put the file itself there"


def _unlisted(names: Iterable[str], qa: Qa) -> Iterator[str]:
    """Files that the gate did not check, or that cannot belong to a release."""
    for name in sorted(set(names) - qa.released.keys()):
        yield f"{name} is not listed in {QA}; remove it"
    for name in sorted(qa.released):
        forms = (_EVIDENCE, _TRANSCRIPTS, _ROWS)
        own = name in (LEADERBOARD, SCENARIOS, *SOURCE_FILES)
        if not own and not any(form.fullmatch(name) for form in forms):
            yield f"{name} is not a file of a release"


def _changed(files: Mapping[str, bytes], qa: Qa) -> Iterator[str]:
    """Files that are missing, or that changed after the gate checked them."""
    for name in sorted({LEADERBOARD, SCENARIOS, *qa.released} - files.keys()):
        yield f"{name} is missing"
    for name, data in files.items():
        if hashlib.sha256(data).hexdigest() != qa.released[name]:
            yield f"{name} has changed since it passed the gate"


def _edited(written: bytes, qa: Qa) -> Iterator[str]:
    """Findings that are not as the gate wrote them, to the last byte."""
    if written != release_bytes(sealed(qa)):
        yield f"{QA} has changed since the gate wrote it"


def _ungranted(board: Leaderboard, qa: Qa) -> Iterator[str]:
    """A stage that the gate did not grant, or that its own findings refuse."""
    if board.stage not in qa.granted:
        yield f"the gate did not grant stage {board.stage}"
    refused = {stage for finding in qa.findings for stage in finding.refuses}
    for stage in STAGE_ORDER:
        if (stage in qa.granted) == (stage in refused):
            yield f"{QA} contradicts itself about stage {stage}"
    unknown = [name for name, _, _ in RULES if name not in qa.rules]
    if unknown:
        yield f"{QA} is from an older gate without {', '.join(unknown)}; publish the scan again"


def _of_another(board: Leaderboard, benchmark: Benchmark) -> Iterator[str]:
    if board.benchmark_hash != benchmark_hash(benchmark):
        yield "the release was made with another benchmark; name that benchmark with --benchmark"


def _leaking(files: Mapping[str, bytes], leaks: LeakSearch) -> Iterator[str]:
    """Keys and machine paths. The environment may contain other secrets now than when the gate ran."""
    for name, data in files.items():
        found_in: Iterator[str]
        if name in SOURCE_FILES:
            found_in = chain.from_iterable(map(leaks.in_file, lines(data, name)))
        elif name == SCENARIOS or _ROWS.fullmatch(name):
            found_in = leaks.in_lines(data.splitlines())
        else:
            found_in = leaks.in_file(data)
        for found in found_in:
            yield f"{name}: {found}"
