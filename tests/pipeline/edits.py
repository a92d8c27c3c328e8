"""Edits of a release, of its scan and of its site, by somebody who makes every hash and the seal again.

Every edit is drawn from a seed: a place in a document, and what is done to it there. `outcome` says whether
it is found. `SIGNATURE_ALONE` says which edits may pass, each with the reason: nothing that the release
carries contradicts them.
"""

from __future__ import annotations

import gzip
import hashlib
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from delivery.build.compared import compare
from ib.errors import IbError
from ib.models.common.canonical import compact, pretty
from ib.models.release.source import BENCHMARK, CONVERSATIONS, PLAN
from ib.pipeline.release.release import prepare_release
from ib.pipeline.release.verify import NOT_CARRIED, verify_release
from ib.store.folders import scans
from tests.pipeline.verifying import read, reseal, write

Steps = tuple[str | int, ...]
"""The way to a value in a document."""

SIGNATURE_ALONE = {
    "day": "The day of a release follows from nothing.",
    "hash of a file of the scan": f"The release does not carry the bytes of {', '.join(NOT_CARRIED)}.",
    "reply": "A reply that decides nothing and that nothing quotes: no figure and no quote changes with it.",
    "text of the benchmark": "Words of the benchmark that decide nothing here; `ib verify` names the file as "
    "another one than that of the installation.",
}
"""What may be edited without a contradiction. A signature alone settles it."""


@dataclass(frozen=True)
class Edit:
    """One edit."""

    name: str
    of: str
    """`release`, `scan` or `site`."""
    apply: Callable[[Path], object]
    """Changes a copy of the folder."""
    may_pass: str | None = None
    """The key of SIGNATURE_ALONE, if nothing may contradict the edit."""


@dataclass(frozen=True)
class Places:
    """The folders that edits are applied to. They are not changed."""

    release: Path
    scan: Path
    site: Path


def outcome(edit: Edit, places: Places, folder: Path) -> str | None:
    """What is said of the edit; None if it passes. `folder` is new, and removed again."""
    original = {"release": places.release, "scan": places.scan, "site": places.site}[edit.of]
    copy = shutil.copytree(original, folder)
    try:
        edit.apply(copy)
        return _said(edit, places, copy)
    finally:
        shutil.rmtree(folder)


def _said(edit: Edit, places: Places, copy: Path) -> str | None:
    try:
        if edit.of == "site":
            return next((str(one) for one in compare(copy, places.site)), None)
        if edit.of == "scan":
            made = prepare_release(copy, "demo", None)
            same = made.files == _files(places.release)
            return "nothing changed" if same else None
        found = verify_release(copy)
    except IbError as error:
        return str(error)
    return found.differences[0].words if found.differences else None


def _files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def edits(places: Places, seed: int, release: int, scan: int, site: int) -> Iterator[Edit]:
    """So many edits of each kind, always the same for a seed."""
    draw = random.Random(seed)  # noqa: S311 - edits are drawn, not secrets
    yield from (_of_release(places.release, draw) for _ in range(release))
    yield from (_of_scan(places.scan, draw) for _ in range(scan))
    yield from (_of_site(places.site, draw) for _ in range(site))


DOCUMENTS = (
    *("leaderboard.json", "leaderboard.json", "evidence", "transcripts", "rows", "rows"),
    *("scenarios.jsonl", "qa.json"),
)
MADE_AGAIN = ("released", "seal")
"""What every edit makes again in qa.json."""
PACKED = (PLAN, CONVERSATIONS, CONVERSATIONS, BENCHMARK)


def _of_release(release: Path, draw: random.Random) -> Edit:
    if draw.random() < 0.7:
        kind = draw.choice(DOCUMENTS)
        names = [kind] if "." in kind else [f"{kind}/{p.name}" for p in (release / kind).iterdir()]
        name = draw.choice(sorted(names))
        return _document(name, read(release / name), draw)
    name = draw.choice(PACKED)
    data = gzip.decompress((release / name).read_bytes())
    return _plan(data, draw) if name == PLAN else _row(name, data.splitlines(), draw)


def _document(name: str, document: Any, draw: random.Random) -> Edit:
    """A change of one value of a document."""
    ways = [steps for steps in _steps(document) if name != "qa.json" or steps[0] not in MADE_AGAIN]
    steps = draw.choice(ways)
    what, changed = _changed(_at(document, steps), draw)
    _set(document, steps, changed)

    def apply(folder: Path) -> None:
        write(folder / name, document)
        reseal(folder)

    return Edit(f"{name}: {_dotted(steps)}: {what}", "release", apply, _may_pass(name, steps))


def _plan(data: bytes, draw: random.Random) -> Edit:
    document = orjson.loads(data)
    steps = draw.choice(list(_steps(document)))
    what, changed = _changed(_at(document, steps), draw)
    _set(document, steps, changed)

    def apply(folder: Path) -> None:
        (folder / PLAN).write_bytes(gzip.compress(pretty(document), mtime=0))
        reseal(folder)

    return Edit(f"{PLAN}: {_dotted(steps)}: {what}", "release", apply)


def _row(name: str, lines: list[bytes], draw: random.Random) -> Edit:
    """A change of one value of a row, or a row that is gone or there twice."""
    at = draw.randrange(len(lines))
    row = orjson.loads(lines[at])
    steps: Steps = ()
    what = draw.choice(("gone", "twice", "value", "value", "value", "value"))
    if what == "value":
        steps = draw.choice(list(_steps(row)))
        what, changed = _changed(_at(row, steps), draw)
        _set(row, steps, changed)
        new = [compact(row)]
    else:
        new = [] if what == "gone" else [lines[at], lines[at]]
    rows = [*lines[:at], *new, *lines[at + 1 :]]

    def apply(folder: Path) -> None:
        (folder / name).write_bytes(gzip.compress(b"".join(row + b"\n" for row in rows), mtime=0))
        reseal(folder)

    return Edit(f"{name}: row {at}: {_dotted(steps)}: {what}", "release", apply, _may_pass(name, steps, what))


def _may_pass(name: str, steps: Steps, what: str = "") -> str | None:
    """What settles an edit that passes, if it may."""
    if name == "leaderboard.json" and steps == ("released",):
        return "day"
    if name == "qa.json" and steps[:1] == ("checked",) and steps[-1] in NOT_CARRIED:
        return "hash of a file of the scan"
    if (
        name == CONVERSATIONS
        and len(steps) > 2
        and steps[1] in ("replies", "second")
        and steps[-1] == "answer"
    ):
        return "reply"
    if name == BENCHMARK and (steps == ("text",) or what in ("gone", "value")):
        return "text of the benchmark"
    return None


SCANNED = (scans.RESULTS, scans.RESULTS, scans.SUPPLEMENT, scans.OVER_ALARM, scans.TRANSCRIPTS, scans.PLAN)


def _of_scan(scan: Path, draw: random.Random) -> Edit:
    """A change of one value of a file of the scan, with the hashes of the manifest made again."""
    name = draw.choice(SCANNED)
    data = (scan / name).read_bytes()
    lines = [data] if name == scans.PLAN else data.splitlines()
    at = draw.randrange(len(lines))
    row = orjson.loads(lines[at])
    steps = draw.choice(list(_steps(row)))
    what, changed = _changed(_at(row, steps), draw)
    _set(row, steps, changed)
    whole = (
        pretty(row)
        if name == scans.PLAN
        else b"".join((compact(row) if number == at else line) + b"\n" for number, line in enumerate(lines))
    )

    def apply(folder: Path) -> None:
        (folder / name).write_bytes(whole)
        path = folder / scans.MANIFEST
        manifest = orjson.loads(path.read_bytes())
        for file in manifest["files"]:
            manifest["files"][file] = hashlib.sha256((folder / file).read_bytes()).hexdigest()
        path.write_bytes(pretty(manifest))

    return Edit(f"{name}: row {at}: {_dotted(steps)}: {what}", "scan", apply)


def _of_site(site: Path, draw: random.Random) -> Edit:
    """A byte of a file, a file that is gone, or one that is more."""
    names = sorted(p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file())
    name, what = draw.choice(names), draw.choice(("byte", "gone", "more", "end"))
    place = draw.random()

    def apply(folder: Path) -> None:
        path = folder / name
        data = path.read_bytes()
        if what == "gone":
            path.unlink()
        elif what == "more":
            path.with_name(f"{path.name}.more").write_bytes(data)
        elif what == "end" or not data:
            path.write_bytes(data + b" ")
        else:
            at = int(place * len(data))
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])

    return Edit(f"{name}: {what}", "site", apply)


def _steps(value: Any, before: Steps = ()) -> Iterator[Steps]:
    """The ways to every value of a document that is not empty."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*before, key)
        yield from _steps(one, (*before, key))


def _at(document: Any, steps: Steps) -> Any:
    for step in steps:
        document = document[step]
    return document


GONE = object()
"""In place of a value that an edit removes."""


def _set(document: Any, steps: Steps, value: Any) -> None:
    holder = _at(document, steps[:-1])
    if value is GONE:
        del holder[steps[-1]]
    else:
        holder[steps[-1]] = value


def _changed(value: Any, draw: random.Random) -> tuple[str, Any]:
    """What is done to a value, and the value then, which is never the same."""
    if draw.random() < 0.15:
        return "gone", GONE
    if isinstance(value, bool):
        return "turned", not value
    if isinstance(value, int):
        return "one more", value + 1
    if isinstance(value, float):
        return "halved", value / 2 + 0.001
    if isinstance(value, str):
        return "reworded", _reworded(value, draw)
    if isinstance(value, list) and value:
        return "an element less", value[1:]
    if isinstance(value, dict) and value:
        return "a key less", dict(list(value.items())[1:])
    return "a number", 1


SWAPPED = {"FAIL": "PASS", "PASS": "FAIL", "demo": "public", "UNCLEAR": "PASS", "judge": "rule"}


def _reworded(text: str, draw: random.Random) -> str:
    if text in SWAPPED:
        return SWAPPED[text]
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text[1:] + ("0" if text[0] != "0" else "1")
    for old, new in (('"FAIL"', '"PASS"'), ('"PASS"', '"FAIL"')):
        if old in text and draw.random() < 0.7:
            return text.replace(old, new, 1)
    return f"{text} indeed"


def _dotted(steps: Steps) -> str:
    return ".".join(map(str, steps))
