"""Applying what people answered: a new scan with their decisions. The old one stays as it is."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ib.board.review.deciding import by_row, decided_verdict
from ib.board.review.drawing import is_disputed
from ib.board.review.items import judged_turns
from ib.board.review.marks import span_of
from ib.board.review.standing import Reviewed, left_out
from ib.errors import DataError, Finding, OutputExists, UsageError
from ib.models.common.base import Verdict
from ib.models.common.canonical import compact, digest, pretty
from ib.models.conversation.transcript import Transcript
from ib.models.review.answers import Answer, Answers
from ib.models.review.batch import Draw, Purpose
from ib.models.review.dispute import Dispute
from ib.models.review.reviews import Review, RowKey
from ib.models.scan.artifacts import ContradictionLine
from ib.models.scan.decided import Claim
from ib.models.scan.result import VerdictResult
from ib.models.scan.supplement import Supplement
from ib.pipeline.review.draw import DrawnBatch, redraw
from ib.pipeline.scan.derived import DerivedFiles
from ib.pipeline.scan.find import pairs
from ib.store.benchmark.loading import load_benchmark
from ib.store.files.writing import replace, replacing, staging, swap_folder
from ib.store.folders import scans
from ib.store.folders.reviews import load_given, misfit, ordered

REWRITTEN = (scans.RESULTS, scans.BLINDSPOT, scans.SUMMARY, scans.ADJUDICATIONS, scans.MANIFEST)
"""The files of a scan that decisions change; all others are copied."""


@dataclass(frozen=True)
class Applied:
    """What was decided."""

    read: int
    """Verdicts that somebody read."""
    decided: int
    """Verdicts that people decided."""
    to_fail: int
    to_pass: int
    open: int
    """Verdicts that were read, and that people did not decide."""
    of_models: int
    """Answers of language models, which decide nothing."""


def apply_reviews(scan: Path, files: Sequence[Path], out: Path, benchmark: Path | None = None) -> Applied:
    """Check answers files against a scan, and write a new scan with what people decided.

    Raises DataError, with all findings, if a file is of another scan or batch, leaves items out, or marks
    words that the conversation does not have; OutputExists if `out` exists. Nothing is written then.
    """
    if out.exists():
        raise OutputExists(f"{out} exists; choose another folder with --out")
    folder = scans.ScanFolder(scan)
    folder.manifest()
    if (scan / scans.REVIEWS).exists():
        raise UsageError(f"{scan} has reviews already; apply all files to the scan that it was made from")
    reviews = _reviews(folder, files, benchmark)
    with staging(out) as staged:
        applied = _write(folder, reviews, staged, benchmark)
        swap_folder(staged, out)
    return applied


def _reviews(folder: scans.ScanFolder, files: Sequence[Path], benchmark: Path | None) -> tuple[Review, ...]:
    """The reviews of all files, in the order of `reviews.jsonl`."""
    results_hash = scans.file_hash(folder.path / scans.RESULTS)
    batches: dict[Draw, DrawnBatch] = {}
    given = [(path, load_given(path)) for path in files]
    read = [(path, one) for path, one in given if isinstance(one, Answers)]
    for path, answers in read:
        if answers.results_hash != results_hash:
            found = f"{answers.results_hash[:12]} is not the hash of the results of {folder.path}"
            raise misfit(path, "results_hash", found, "name the scan that the batch was drawn from")
        if answers.draw not in batches:
            batches[answers.draw] = redraw(folder, answers.draw, results_hash, benchmark)
        drawn = batches[answers.draw].batch.hash
        if answers.batch != drawn:
            found = f"{answers.batch[:12]}, and the same draw gives {drawn[:12]}"
            raise misfit(path, "batch", found, "answers to a batch as `ib review draw` wrote it")
    _complete(read, batches)
    disputes = [(path, one) for path, one in given if isinstance(one, Dispute)]
    claims = _claims(disputes, read, batches)
    made = [_with_claim(one, claims, results_hash) for one in _located(folder, read, batches)]
    try:
        by_row(made)
    except ValueError as error:
        raise misfit(files[0], "reader", str(error), "keep one of the answers files") from error
    return tuple(ordered(made))


def _claims(
    disputes: Sequence[tuple[Path, Dispute]],
    read: Sequence[tuple[Path, Answers]],
    batches: Mapping[Draw, DrawnBatch],
) -> dict[Draw, Claim]:
    """The claim of each draw for a dispute. Raises DataError if a dispute or its answers are missing."""
    found: dict[Draw, Claim] = {}
    for path, dispute in disputes:
        batch = batches.get(dispute.draw)
        if batch is None or batch.batch.hash != dispute.batch:
            given = f"no answers to batch {dispute.batch[:12]} were named"
            raise misfit(path, "batch", given, "name the answers files of the dispute, too")
        if found.setdefault(dispute.draw, dispute.claim) != dispute.claim:
            raise misfit(path, "claim", "another file disputes the same verdict", "keep one of them")
    for path, answers in read:
        if answers.draw.purpose is Purpose.DISPUTE and answers.draw not in found:
            given = "the answers are about a dispute, and its file was not named"
            raise misfit(path, "draw", given, "name the file that `ib review dispute` wrote beside the batch")
    return found


def _with_claim(review: Review, claims: Mapping[Draw, Claim], results_hash: str) -> Review:
    """The review of the disputed row, with the claim; any other review as it is."""
    claim = claims.get(review.draw)
    if claim is None or not is_disputed(review.key, review.draw, results_hash):
        return review
    return review.model_copy(update={"dispute": claim})


def _complete(read: Sequence[tuple[Path, Answers]], batches: Mapping[Draw, DrawnBatch]) -> None:
    """Raises DataError if a reader left items out, or answered an item that the batch does not have."""
    found = [one for path, answers in read for one in _unknown(path, answers, batches[answers.draw])]
    if found:
        raise DataError(found)
    for draw, batch in batches.items():
        mine = [(path, answers) for path, answers in read if answers.draw == draw]
        found += _missing(mine, batch)
    if found:
        raise DataError(found)


def _unknown(path: Path, answers: Answers, batch: DrawnBatch) -> Iterator[Finding]:
    for at, one in enumerate(answers.answers):
        if one.item not in batch.rows:
            where = ("answers", at, "item")
            yield Finding.at(
                path, None, where, f"{one.item} is no item of the batch", "the items of the batch"
            )


def _missing(read: Sequence[tuple[Path, Answers]], batch: DrawnBatch) -> Iterator[Finding]:
    said: defaultdict[str, dict[RowKey, Verdict]] = defaultdict(dict)
    for _, answers in read:
        given = {batch.rows[one.item]: one.answer.verdict for one in answers.answers}
        said[answers.reader.pseudonym].update(given)
    missing = left_out(set(batch.rows.values()), said)
    for path, answers in read:
        if left := missing.get(answers.reader.pseudonym):
            found = f"{len(left)} of {len(batch.rows)} items have no answer"
            yield Finding.at(path, None, "answers", found, "answer every item, and export again")


def _located(
    folder: scans.ScanFolder, read: Sequence[tuple[Path, Answers]], batches: Mapping[Draw, DrawnBatch]
) -> list[Review]:
    """The answers as reviews of rows, with the marked words found in the conversations."""
    wanted: defaultdict[RowKey, list[tuple[Path, Answers, Answer]]] = defaultdict(list)
    for path, answers in read:
        for one in answers.answers:
            wanted[batches[answers.draw].rows[one.item]].append((path, answers, one))
    made: list[Review] = []
    findings: list[Finding] = []
    for transcript, result in pairs(folder):
        for row in result.rows:
            key = (result.model_id, result.scenario_id, result.epoch, row.mode_id)
            for path, answers, one in wanted.get(key, ()):
                findings += _lost(path, answers, one, transcript, row)
                if not findings:
                    made.append(_review(key, answers, one, transcript, row))
    if findings:
        raise DataError(findings)
    return made


def _lost(
    path: Path, answers: Answers, one: Answer, transcript: Transcript, row: VerdictResult
) -> Iterator[Finding]:
    """The marked words that no judged reply of the conversation has."""
    turns = judged_turns(row, transcript)
    at = answers.answers.index(one)
    for number, marked in enumerate(one.marked):
        if span_of(marked, transcript, turns) is None:
            found = f"{marked.quote[:60]!r} is not in a judged reply of turn {marked.turn}"
            where = ("answers", at, "marked", number)
            yield Finding.at(path, None, where, found, "words as the reply has them")


def _review(key: RowKey, answers: Answers, one: Answer, transcript: Transcript, row: VerdictResult) -> Review:
    turns = judged_turns(row, transcript)
    spans = [span_of(marked, transcript, turns) for marked in one.marked]
    return Review(
        model_id=key[0],
        scenario_id=key[1],
        epoch=key[2],
        check_id=key[3],
        row_hash=digest(row),
        batch=answers.batch,
        draw=answers.draw,
        item=one.item,
        reader=answers.reader,
        date=answers.date,
        verdict=one.answer.verdict,
        evidence=tuple(dict.fromkeys(span for span in spans if span is not None)),
        note=one.note.strip(),
    )


def _write(
    folder: scans.ScanFolder, reviews: tuple[Review, ...], staged: Path, benchmark: Path | None
) -> Applied:
    """Write the new scan: its results with what was decided, and what follows from them."""
    for name in folder.file_hashes():
        if name not in REWRITTEN:
            shutil.copyfile(folder.path / name, staged / name)
    if (folder.path / scans.WITHHOLD).exists():
        shutil.copyfile(folder.path / scans.WITHHOLD, staged / scans.WITHHOLD)
    world = load_benchmark(benchmark)
    plan = folder.plan()
    reviewed = Reviewed(reviews, world.scoring, judged=not plan.judge.absent)
    contradicted = scans.load_lines(ContradictionLine, folder.path / scans.CONTRADICTIONS)
    derived = DerivedFiles(
        world, frozenset(line.record.key for line in contradicted), plan, folder.sentinels()
    )
    supplements = _beside(folder)
    with replacing(staged / scans.RESULTS) as results, replacing(staged / scans.ADJUDICATIONS) as requests:
        for transcript, machine in pairs(folder):
            result = reviewed.decide(machine, transcript)
            results.write(compact(result) + b"\n")
            requests.writelines(derived.add(result, next(supplements)))
    for name, data in derived.documents().items():
        replace(staged / name, data)
    replace(staged / scans.REVIEWS, b"".join(compact(review) + b"\n" for review in reviews))
    manifest = folder.manifest().model_copy(
        update={
            "files": scans.file_hashes(staged, scans.MANIFEST),
            "finished": datetime.now(UTC).isoformat(),
            "inputs_hash": None,
        }
    )
    replace(staged / scans.MANIFEST, pretty(manifest))
    return _applied(reviewed)


def _beside(folder: scans.ScanFolder) -> Iterator[Supplement | None]:
    """The supplementary measures of each result, in order; None for each if the scan has none."""
    yield from folder.supplements()
    while True:
        yield None


def _applied(reviewed: Reviewed) -> Applied:
    now = {key: decided_verdict(told) for key, told in reviewed.reviews.items()}
    changed = [now[key] for key, was in reviewed.was.items() if now[key] not in (None, was)]
    return Applied(
        read=len(now),
        decided=sum(verdict is not None for verdict in now.values()),
        to_fail=changed.count(Verdict.FAIL),
        to_pass=changed.count(Verdict.PASS),
        open=sum(verdict is None for verdict in now.values()),
        of_models=sum(not one.reader.role.is_person for one in reviewed.every),
    )
