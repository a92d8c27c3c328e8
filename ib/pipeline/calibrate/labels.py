"""Labels from files in three forms: own lines, answers of the review page, and exports of Label Studio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from ib.errors import DataError, Finding, UsageError
from ib.models.benchmark.calibration import Annotator
from ib.models.common.base import TurnNumber, Verdict
from ib.models.common.reader import ReaderRole
from ib.models.review.answers import Answer, Answers
from ib.models.review.batch import Batch, Draw
from ib.models.review.label_studio import Export
from ib.models.review.labels import LabelRow
from ib.pipeline.review.draw import DrawnBatch, redraw
from ib.pipeline.review.label_studio import annotators_in, answers_by
from ib.store.files.reading import decode, raw_lines, read_bytes
from ib.store.files.validation import load_json, model_of_line
from ib.store.files.yaml_json import parse_json
from ib.store.folders import scans
from ib.store.folders.reviews import load_batch, misfit

BLIND = "blind"
FORM = "KEY=ROLE, KEY=ROLE:NAME, each with :blind at its end if the annotator labeled blind"


@dataclass(frozen=True)
class Given:
    """A label as a file gives it."""

    file: str
    line: int | None
    key: str
    """The keys of the label in its file, for messages."""
    by: str
    """The name of the annotator."""
    conversation: str
    check_id: str
    verdict: Verdict
    turns: tuple[TurnNumber, ...] = ()
    model: str | None = None
    epoch: int | None = None
    wording: str | None = None

    def finding(self, key: str, found: str, allowed: str) -> Finding:
        """A finding about a key of the label."""
        return Finding.at(self.file, self.line, f"{self.key}.{key}" if self.key else key, found, allowed)


@dataclass
class Desk:
    """Reads labels files. `who` has the annotators by what files call them; `batch` is that of exports."""

    folder: scans.ScanFolder
    benchmark: Path | None
    who: Mapping[str, Annotator]
    batch: Path | None = None
    annotators: dict[str, Annotator] = field(default_factory=dict)
    """Those who gave a label, by name."""
    _drawn: dict[Draw, DrawnBatch] = field(default_factory=dict)

    def read(self, paths: Sequence[Path]) -> list[Given]:
        """The labels of all files, in their order. Raises DataError with all findings about all files."""
        findings: list[Finding] = []
        given: list[Given] = []
        for path in paths:
            try:
                given += (
                    self._lines(path) if path.name.endswith((".jsonl", ".jsonl.gz")) else self._json(path)
                )
            except DataError as error:
                findings += error.findings
        if findings:
            raise DataError(findings)
        unknown = sorted(self.who.keys() - {key for key in self.who if self.who[key].name in self.annotators})
        if unknown:
            raise UsageError(f"--annotator {unknown[0]}: no file has a label of {unknown[0]!r}")
        return given

    def _lines(self, path: Path) -> list[Given]:
        given: list[Given] = []
        findings: list[Finding] = []
        unnamed: set[str] = set()
        for number, line in raw_lines(path, str(path)):
            row = model_of_line(LabelRow, line, str(path), number)
            if isinstance(row, list):
                findings += row
                continue
            key = row.annotator or path.name.removesuffix(".gz").removesuffix(".jsonl")
            if key not in self.who and key not in unnamed:
                findings.append(_without_role(str(path), number, "annotator", key))
                unnamed.add(key)
            if key in self.who:
                given.append(self._row(row, self.who[key], str(path), number))
        if not given and not findings:
            findings.append(Finding.at(path, None, "", "has no label", "at least one line"))
        if findings:
            raise DataError(findings)
        return given

    def _row(self, row: LabelRow, who: Annotator, file: str, line: int) -> Given:
        self.annotators[who.name] = who
        return Given(
            file=file,
            line=line,
            key="",
            by=who.name,
            conversation=row.id,
            check_id=row.check,
            verdict=row.label,
            turns=row.turns,
            model=row.model,
            epoch=row.epoch,
            wording=row.wording,
        )

    def _json(self, path: Path) -> list[Given]:
        """The labels of an answers file or of an export: an export is a list."""
        if isinstance(parse_json(decode(read_bytes(path), str(path)), str(path)), list):
            return list(self._export(path))
        answers = load_json(Answers, path)
        if answers.results_hash != scans.file_hash(self.folder.path / scans.RESULTS):
            found = f"{answers.results_hash[:12]} is not the hash of the results of {self.folder.path}"
            raise misfit(path, "results_hash", found, "name the scan that the batch was drawn from")
        drawn = self._batch_of(answers.draw)
        _same_batch(path, answers.batch, drawn.batch)
        reader = answers.reader
        who = Annotator(name=reader.pseudonym, role=reader.role, blind=True)
        return list(self._answers(path, answers.answers, who, drawn))

    def _export(self, path: Path) -> Iterator[Given]:
        if self.batch is None:
            raise UsageError(f"{path} is an export of Label Studio; name its batch with --batch")
        export, batch = load_json(Export, path).root, load_batch(self.batch)
        drawn = self._batch_of(batch.draw)
        _same_batch(self.batch, batch.hash, drawn.batch)
        for number, names in sorted(annotators_in(export).items()):
            known = [self.who[name] for name in sorted(names) if name in self.who]
            if not known:
                raise DataError([_without_role(str(path), None, "completed_by", str(number))])
            yield from self._answers(path, answers_by(path, export, batch, number), known[0], drawn)

    def _batch_of(self, draw: Draw) -> DrawnBatch:
        """The batch of a draw from the scan, drawn again once."""
        if draw not in self._drawn:
            results = scans.file_hash(self.folder.path / scans.RESULTS)
            self._drawn[draw] = redraw(self.folder, draw, results, self.benchmark)
        return self._drawn[draw]

    def _answers(
        self, path: Path, answers: Sequence[Answer], who: Annotator, drawn: DrawnBatch
    ) -> Iterator[Given]:
        self.annotators[who.name] = who
        for at, one in enumerate(answers):
            if one.item not in drawn.rows:
                found = f"{one.item} is no item of the batch"
                raise misfit(path, f"answers.{at}.item", found, "the items of the batch")
            model, scenario, epoch, check_id = drawn.rows[one.item]
            fails = one.answer.verdict is Verdict.FAIL
            yield Given(
                file=str(path),
                line=None,
                key=f"answers.{at}",
                by=who.name,
                conversation=scenario,
                check_id=check_id,
                verdict=one.answer.verdict,
                turns=tuple(sorted({marked.turn for marked in one.marked})) if fails else (),
                model=model,
                epoch=epoch,
            )


def _same_batch(path: Path, stated: str, drawn: Batch) -> None:
    if stated != drawn.hash:
        found = f"{stated[:12]}, and the same draw gives {drawn.hash[:12]}"
        raise misfit(path, "batch", found, "a batch as `ib review draw` wrote it for this scan")


def _without_role(file: str, line: int | None, key: str, who: str) -> Finding:
    found = f"nothing says who {who!r} is"
    return Finding.at(file, line, key, found, f"name the role with --annotator {who}=ROLE")


def annotators(specs: Sequence[str]) -> dict[str, Annotator]:
    """The annotators that a command line names, by what files call them: KEY=ROLE[:NAME][:blind].

    Raises UsageError for any other form, an unknown role, and a key or a name that is given twice.
    """
    found: dict[str, Annotator] = {}
    for spec in specs:
        key, _, told = spec.partition("=")
        role, *rest = told.split(":")
        blind = bool(rest) and rest[-1] == BLIND
        names = rest[:-1] if blind else rest
        if not key or len(names) > 1 or role not in tuple(ReaderRole):
            raise UsageError(f"--annotator {spec}: must be {FORM}; a role is one of {', '.join(ReaderRole)}")
        try:
            one = Annotator(name=names[0] if names else key, role=ReaderRole(role), blind=blind)
        except ValidationError as error:
            raise UsageError(f"--annotator {spec}: {error.errors()[0]['msg']}; add :NAME") from error
        if key in found or one.name in {other.name for other in found.values()}:
            raise UsageError(f"--annotator {spec}: {key!r} or {one.name!r} is given twice")
        found[key] = one
    return found
