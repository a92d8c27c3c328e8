"""Opening a release: only the files that the gate saw are read, published and told on pages.

`qa.json` lies beside the release and proves nothing by itself. The site is refused if the folder holds
another file than `qa.json` lists, if a file has another hash, if the stage was not granted, if the gate
that wrote it knew fewer rules than this one, or if a text holds a key or a machine path.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ib.board.gate import RULES
from ib.board.leaks import LeakSearch
from ib.errors import Refused
from ib.models.base import STAGE_ORDER
from ib.models.benchmark import Benchmark, benchmark_hash
from ib.models.leaderboard import Evidence, Leaderboard, Qa
from ib.store.files import file_names
from ib.store.reading import decode, read_bytes
from ib.store.validation import model_of_json

Model = TypeVar("Model", Leaderboard, Evidence, Qa)
LEADERBOARD = "leaderboard.json"
QA = "qa.json"
_EVIDENCE = re.compile(r"evidence/([^/]+)\.json")


@dataclass(frozen=True)
class SealedRelease:
    """A release that is what the gate saw."""

    leaderboard: Leaderboard
    evidence: Mapping[str, Evidence]
    """By the slug of the model."""
    files: Mapping[str, bytes]
    """Every file of the release, as it was read and checked: it is published byte for byte."""


def open_sealed(folder: Path, benchmark: Benchmark, leaks: LeakSearch) -> SealedRelease:
    """The release in a folder. Raises Refused, with every reason, if it is not the one that the gate saw.

    Each file is read once, so what was checked is what is published.
    """
    sealed = read_bytes(folder / QA)
    qa = _parsed(Qa, sealed, folder / QA)
    names = set(file_names(folder)) - {QA}
    files = {name: read_bytes(folder / name) for name in sorted(names & qa.released.keys())}
    _refuse(folder, [*_unlisted(names, qa), *_changed(files, qa)])
    board = _parsed(Leaderboard, files[LEADERBOARD], folder / LEADERBOARD)
    _refuse(folder, [*_ungranted(board, qa), *_of_another(board, benchmark), *_leaking(files, leaks)])
    evidence = {
        match[1]: _parsed(Evidence, data, folder / name)
        for name, data in files.items()
        if (match := _EVIDENCE.fullmatch(name))
    }
    return SealedRelease(board, evidence, {**files, QA: sealed})


def _parsed(model: type[Model], data: bytes, path: Path) -> Model:
    name = str(path)
    return model_of_json(model, decode(data, name), name)


def _refuse(folder: Path, reasons: list[str]) -> None:
    if reasons:
        raise Refused(f"{folder} is not the release that passed the gate", reasons)


def _unlisted(names: Iterable[str], qa: Qa) -> Iterator[str]:
    """Files that nobody checked, or that no release has."""
    for name in sorted(set(names) - qa.released.keys()):
        yield f"{name} is not listed in {QA}; remove it"
    for name in sorted(qa.released):
        if name != LEADERBOARD and _EVIDENCE.fullmatch(name) is None:
            yield f"{name} is not a file of a release"


def _changed(files: Mapping[str, bytes], qa: Qa) -> Iterator[str]:
    """Files that are missing, or are not those that were checked."""
    for name in sorted({LEADERBOARD, *qa.released} - files.keys()):
        yield f"{name} is missing"
    for name, data in files.items():
        if hashlib.sha256(data).hexdigest() != qa.released[name]:
            yield f"{name} is not the file that the gate saw"


def _ungranted(board: Leaderboard, qa: Qa) -> Iterator[str]:
    """A stage that the gate did not grant, or cannot have granted."""
    if board.stage not in qa.granted:
        yield f"the gate did not grant stage {board.stage}"
    refused = {stage for finding in qa.findings for stage in finding.refuses}
    for stage in STAGE_ORDER:
        if (stage in qa.granted) == (stage in refused):
            yield f"{QA} contradicts itself about stage {stage}"
    unknown = [name for name, _, _ in RULES if name not in qa.rules]
    if unknown:
        yield f"an older gate wrote {QA}, without {', '.join(unknown)}; publish the scan again"


def _of_another(board: Leaderboard, benchmark: Benchmark) -> Iterator[str]:
    if board.benchmark_hash != benchmark_hash(benchmark):
        yield "the release was made with another benchmark; name it with --benchmark"


def _leaking(files: Mapping[str, bytes], leaks: LeakSearch) -> Iterator[str]:
    """Keys and machine paths: the environment may hold another secret than when the gate looked."""
    for name, data in files.items():
        for found in leaks.in_file(data):
            yield f"{name}: {found}"
