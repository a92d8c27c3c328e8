"""Verifying a release: everything in it is computed again from its own source, and compared.

Nothing outside the folder is read but the benchmark of this installation, which is only compared with that of
the release. A seal or a hash that somebody made again does not help: no figure is taken from the release.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from ib.board.evidence.leaks import LeakSearch
from ib.board.gate.differences import differences
from ib.errors import DataError
from ib.models.common.canonical import digest
from ib.models.release.leaderboard import SCHEMA_VERSION, Evidence, Leaderboard
from ib.models.release.ledger import JoinedFrom
from ib.models.release.qa import Qa, sealed
from ib.models.release.source import (
    BENCHMARK,
    CONVERSATIONS,
    EXAMS,
    FOLDER,
    PLAN,
    SOURCE_FILES,
    BenchmarkFile,
    WithheldReason,
)
from ib.models.release.transcripts import Transcripts
from ib.models.release.verified import Difference, Signature, Verified
from ib.pipeline.release.bundle import differing, unpack
from ib.pipeline.release.exams import problems
from ib.pipeline.release.opened import NOTHING, Opened, Proof
from ib.pipeline.release.release import EVIDENCE, TRANSCRIPTS, Release, make_release
from ib.pipeline.release.replay import misfits
from ib.pipeline.release.restated import SourceReplay
from ib.pipeline.release.sourced import Published, SourceReading
from ib.store.benchmark.loading import benchmark_folder, label
from ib.store.files.leaks import load_leak_forms
from ib.store.files.lines import Lines
from ib.store.files.reading import decode, read_bytes
from ib.store.files.wording import counted
from ib.store.files.writing import file_names
from ib.store.files.yaml_json import parse_json
from ib.store.folders import scans, sources
from ib.store.folders.released import (
    LEADERBOARD,
    QA,
    SCENARIOS,
    SIGNATURE,
    board_of_any,
    load_released,
    signature_of,
)

REASONS = {
    WithheldReason.UNPUBLISHED: "of scenarios that the benchmark does not publish",
    WithheldReason.OPEN_LOG: "of real people, perhaps (logs and imported conversations)",
    WithheldReason.NOT_ASKED: "because the release carries no transcripts",
    WithheldReason.PRIVATE_DRAW: "of a private draw",
    WithheldReason.PRIVATE_TEXT: "with what looks like a key or a path of a machine",
    WithheldReason.HELD: "with a reply that may contain a method, a dose for harm or a way to hide it",
}
ABOUT_PEOPLE = ("gate_fails_decided_by_people", "passes_read_by_people", "reviews_are_of_their_draws")
"""Rules of the gate that read the words of each conversation that people reviewed."""
NOT_CARRIED = (
    *(scans.REPLIES, scans.SECOND_REPLIES, scans.COST, scans.CONTRADICTIONS),
    *(scans.SENTINELS, scans.SENTINEL_REPLIES),
)
"""Files of a scan whose bytes do not follow from what a release carries."""
_FORMS = re.compile(rf"(?:{EVIDENCE}|{TRANSCRIPTS})/[^/]+\.json|rows/[^/]+\.jsonl")


def verify_release(
    folder: Path,
    installed: Path | None = None,
    signers: Path | None = None,
    opened: Opened = NOTHING,
) -> Verified:
    """Compute a release again from its source, and name each difference.

    `installed` is the benchmark that the release's own one is compared with (None for that of the package);
    it decides nothing, unless `opened` has scans, which are computed again with it. `signers` is a file of
    allowed signers that the signature is held against. A release of an older form has no source: its hashes
    are compared, and nothing else.
    Raises DataError if the folder holds no release, or if a file of it cannot be read, and WorldError if
    signers are given and ssh-keygen is missing.
    """
    board = board_of_any(folder / LEADERBOARD)
    version = board.get("schema_version")
    signature = signature_of(folder, signers)
    if isinstance(version, int) and version < SCHEMA_VERSION:
        return _older(folder, board, signature)
    return _Verification(folder, installed or benchmark_folder(), signature, opened).run()


def _older(folder: Path, board: Mapping[str, Any], signature: Signature) -> Verified:
    """What can be said of a release without a source: whether its files are those of its qa.json."""
    qa = board_of_any(folder / QA)
    named = qa.get("released")
    listed: Mapping[str, str] = named if isinstance(named, dict) else {}
    names = frozenset(file_names(folder)) - {SIGNATURE}
    hashes = {name: _sha(folder / name) for name in names - {QA}}
    found = [*_file_differences(listed, hashes, names)]
    if qa.get("seal") != digest({name: value for name, value in qa.items() if name != "seal"}):
        found.append(_of_file(QA, "has changed since the gate wrote it"))
    if board.get("stage") not in (qa.get("granted") or ()):
        found.append(_of_file(QA, f"does not grant stage {board.get('stage')}"))
    without = (
        f"the release has form {board['schema_version']}, from before releases carried what they were made "
        f"from (form {SCHEMA_VERSION}): only hashes were compared. Whoever edits such a release can make "
        "every hash again, and no verdict and no figure can be computed from it. Publish the scan again to "
        "get one that can be verified"
    )
    return Verified(
        release=folder.resolve().name,
        stage=str(board.get("stage")),
        released=str(board.get("released")),
        schema_version=board["schema_version"],
        computed=False,
        differences=tuple(found),
        unproven=(without,),
        benchmark=(),
        signature=signature,
    )


def _sha(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


def _of_file(name: str, words: str, stated: Any = None, computed: Any = None) -> Difference:
    return Difference(file=name, figure="", stated=stated, computed=computed, words=f"{name}: {words}")


def _file_differences(
    listed: Mapping[str, str], hashes: Mapping[str, str], names: frozenset[str]
) -> Iterator[Difference]:
    """Files that are more, missing or changed, by the hashes of qa.json."""
    for name in sorted(names - {QA} - listed.keys()):
        yield _of_file(name, f"is not listed in {QA}")
    for name in sorted(listed.keys() - names):
        yield _of_file(name, "is missing")
    for name in sorted(listed.keys() & hashes.keys()):
        if listed[name] != hashes[name]:
            yield _of_file(name, "has changed since it passed the gate", listed[name], hashes[name])


@dataclass
class _Verification:
    """The verification of one release."""

    folder: Path
    installed: Path
    signature: Signature
    opened: Opened

    def run(self) -> Verified:
        board = load_released(Leaderboard, self.folder / LEADERBOARD)
        qa = load_released(Qa, self.folder / QA)
        names = frozenset(file_names(self.folder)) - {SIGNATURE}
        found = [*_file_differences(qa.released, self._hashes(names), names), *self._links(names)]
        lacking = {PLAN, BENCHMARK, CONVERSATIONS} - names
        found += [_of_file(name, "is missing, so nothing can be computed") for name in sorted(lacking)]
        unproven: list[str] = []
        other: tuple[str, ...] = ()
        if not lacking:
            with tempfile.TemporaryDirectory(prefix="ib-verify-") as temporary:
                root = Path(temporary)
                unpack(sources.rows(BenchmarkFile, self.folder / BENCHMARK), root)
                other = tuple(differing(root, self.installed))
                reading = self._reading(root, qa, board, names)
                with _named_as_bundled(root, self.folder / BENCHMARK):
                    found += self._against(self._again(reading, board), reading, names)
                proof = Proof(self.folder, self.installed, board, reading, self.opened)
                found += proof.differences()
                whole = board.plan_hash in proof.proven
                unproven = [*(() if whole else _unproven(reading)), *proof.unproven()]
        return Verified(
            release=self.folder.resolve().name,
            stage=board.stage,
            released=board.released.isoformat(),
            schema_version=board.schema_version,
            computed=not lacking,
            differences=tuple(_once(found)),
            unproven=tuple(unproven),
            benchmark=other,
            signature=self.signature,
        )

    def _hashes(self, names: Iterable[str]) -> Mapping[str, str]:
        return {name: _sha(self.folder / name) for name in names if (self.folder / name).is_file()}

    def _links(self, names: Iterable[str]) -> Iterator[Difference]:
        for name in sorted(names):
            if (self.folder / name).is_symlink():
                yield _of_file(name, "is a link; put the file itself there")
            elif name not in (LEADERBOARD, QA, SCENARIOS, *SOURCE_FILES) and not _FORMS.fullmatch(name):
                yield _of_file(name, "is not a file of a release")

    def _reading(self, root: Path, qa: Qa, board: Leaderboard, names: frozenset[str]) -> SourceReading:
        evidence = [load_released(Evidence, self.folder / name) for name in _in(EVIDENCE, names)]
        said = [load_released(Transcripts, self.folder / name) for name in _in(TRANSCRIPTS, names)]
        published = Published(
            {one.model_id: one for one in evidence},
            {one.model_id: one for one in said},
            board.reviews,
            _joined(board),
            board.judging_usd,
            board.reason,
        )
        files = {name: read_bytes(self.folder / name) for name in sorted(names) if name in SOURCE_FILES}
        return SourceReading(self.folder, root, qa.checked, published, files)

    def _again(self, reading: SourceReading, board: Leaderboard) -> Release:
        """The release as it follows from its source, at the same stage and on the same day."""
        with misfits(self.folder / FOLDER, "files of the source", "the source as `ib publish` wrote it"):
            replayed = SourceReplay(reading).run()
            made = make_release(replayed, day=board.released, leaks=LeakSearch(load_leak_forms()))
        return made.at(board.stage).because(board.reason)

    def _against(self, made: Release, reading: SourceReading, names: frozenset[str]) -> Iterator[Difference]:
        """How the release differs from the one that follows."""
        yield from (_of_file(CONVERSATIONS, problem) for problem in reading.misfits)
        yield from (_of_file(EXAMS, problem) for problem in problems(reading.exams))
        different = False
        for name in made.documents:
            if name not in names:
                yield _of_file(name, "is missing, and follows from the source")
                continue
            for one in self._between(name, made.files[name]):
                different = True
                yield one
        for name, lines in made.lines.items():
            if name not in names:
                yield _of_file(name, "is missing, and follows from the source")
                continue
            for one in self._between_lines(name, lines):
                different = True
                yield one
        for name in sorted(names - made.files.keys() - made.lines.keys()):
            yield _of_file(name, "does not follow from the source")
        yield from self._findings(made, reading, different=different)

    def _between(self, name: str, made: bytes) -> Iterator[Difference]:
        """The differences of one document; one that says so if only its form differs."""
        there = read_bytes(self.folder / name)
        if there == made:
            return
        found = [*differences(name, orjson.loads(there), orjson.loads(made))]
        yield from found or [_of_file(name, "has other bytes than those that `ib publish` writes")]

    def _between_lines(self, name: str, lines: Lines) -> Iterator[Difference]:
        """The differences of a file of lines."""
        if _sha(self.folder / name) == lines.sha256:
            return
        there = [parse_json(decode(line, name), name) for line in read_bytes(self.folder / name).splitlines()]
        found = [*differences(name, there, [orjson.loads(line) for line in lines])]
        yield from found or [_of_file(name, "has other bytes than those that `ib publish` writes")]

    def _findings(self, made: Release, reading: SourceReading, *, different: bool) -> Iterator[Difference]:
        """The differences of qa.json, apart from the hashes of files that are named already."""
        name = QA
        stated = orjson.loads(read_bytes(self.folder / name))
        computed = orjson.loads(made.files[name])
        qa = Qa.model_validate(stated, strict=False)
        if sealed(qa).seal != stated["seal"]:
            yield _of_file(name, "has changed since the gate wrote it")
        for one in (stated, computed):
            one.pop("seal")
        if different:
            for one in (stated, computed):
                one.pop("released")
        if reading.withheld and reading.reviews:
            _take_as_stated(stated, computed)
        yield from differences(name, stated, computed)
        refused = {stage for finding in made.qa.findings for stage in finding.refuses}
        if made.stage in refused:
            rules = ", ".join(f.rule for f in made.qa.findings if made.stage in f.refuses)
            yield _of_file(LEADERBOARD, f"the gate refuses stage {made.stage}: {rules}", made.stage)


@contextlib.contextmanager
def _named_as_bundled(root: Path, bundle: Path) -> Iterator[None]:
    """Name the bundle in findings about a file of the unpacked benchmark, which is in a temporary folder."""
    try:
        yield
    except DataError as error:
        there = f"{label(root)}/"
        found = [
            replace(one, place=replace(one.place, file=one.file.replace(there, f"{bundle}: ")))
            for one in error.findings
        ]
        raise DataError(found) from error


def _joined(board: Leaderboard) -> JoinedFrom | None:
    """The scans that a release was joined from, and what was drawn from them, as it states them."""
    if not board.sources:
        return None
    return JoinedFrom(sources=board.sources, draws=() if board.reviews is None else board.reviews.earlier)


def _in(folder: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if _FORMS.fullmatch(name) and name.startswith(f"{folder}/"))


def _once(found: Iterable[Difference]) -> Iterator[Difference]:
    """The differences without repetitions."""
    seen: set[str] = set()
    for one in found:
        if one.words not in seen:
            seen.add(one.words)
            yield one


def _take_as_stated(stated: dict[str, Any], computed: dict[str, Any]) -> None:
    """Leave out the findings about reviews, and the stages that they refuse."""
    for one in (stated, computed):
        one["findings"] = [each for each in one["findings"] if each["rule"] not in ABOUT_PEOPLE]
        one.pop("granted")


def _unproven(reading: SourceReading) -> Iterator[str]:
    """What cannot be computed from the release, in sentences."""
    withheld = Counter((one.reason, one.model_id) for one in reading.withheld)
    for reason in WithheldReason:
        models = {model: count for (why, model), count in sorted(withheld.items()) if why is reason}
        if models:
            named = ", ".join(f"{model} {count}" for model, count in models.items())
            yield (
                f"{counted(sum(models.values()), 'conversation')} withheld, {REASONS[reason]} ({named}): the "
                "words and the judge's replies are not here. Their votes are as stated; verdicts, scores and "
                "figures were computed from these votes, and quotes were not looked up"
            )
    if reading.withheld:
        yield "the counts of questions in the plan, and hashes of the scan's files, are as stated"
        if reading.reviews:
            yield "whether reviews fit the rows and the draw of the scan is as stated"
    if reading.trimmed:
        yield (
            f"{counted(len(reading.trimmed), 'conversation')} without metadata, the log's id, or what the "
            "model read beside it: that these are the conversations that were scanned is as stated"
        )
    if reading.joined is not None:
        yield "which scans the release was joined from is as stated"
        if any(not one.whole for one in reading.joined.draws):
            yield "how many verdicts of models that are not here people were asked about is as stated"
    if reading.hides_an_address:
        yield (
            "the private address of a judge is withheld: the hash of the plan and the key of comparison are "
            "as stated"
        )
    yield from _always_as_stated(reading)


def _always_as_stated(reading: SourceReading) -> Iterator[str]:
    """What a release says beside what follows from its source, in sentences."""
    if reading.published.reason is not None:
        yield "the reason of the release is as stated"
    if reading.exams is not None:
        found = counted(len(reading.exams.sittings), "sitting")
        yield f"what judges answered in {found} of the exam is as stated; figures are counted from it"
    if reading.judging_usd is not None:
        yield "what the judge cost is as stated"
    about_sentinels = () if reading.plan.sentinels is None else (scans.SUMMARY,)
    hashes = [name for name in (*NOT_CARRIED, *about_sentinels) if name in reading.stated]
    if hashes:
        yield (
            "a release does not carry these files of the scan, so that their hashes are as stated: "
            f"{', '.join(hashes)}"
        )
