"""Files of judged hits of a lexicon, and the count of those that let a lexicon decide by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ib.errors import Finding
from ib.models.benchmark.figures import LEAST_HITS, LEAST_PRECISION, JudgedHit, MeasuredHits
from ib.models.benchmark.lexicon import Lexicon
from ib.stats.intervals import exact_lower
from ib.store.files.places import finding_at
from ib.store.files.reading import raw_lines
from ib.store.files.validation import model_of_line

TUNED = "precision"
"""The folder with hits on the text that lexicons were tuned on."""
Hits = list[JudgedHit]


def read_hits(path: Path, name: str, lexicon: Lexicon) -> tuple[Hits, list[Finding]]:
    """The judged hits of a file, and findings about lines that are not about this lexicon as it is.

    `name` is the name of the file in messages.
    """
    hits: Hits = []
    findings: list[Finding] = []
    seen: set[tuple[object, ...]] = set()
    for number, line in raw_lines(path, name):
        row = model_of_line(JudgedHit, line, name, number)
        if isinstance(row, list):
            findings += row
            continue
        findings += _out_of_step(row, lexicon, name, number)
        if row.place in seen:
            findings.append(Finding.at(name, number, "", "this hit is judged twice", "one line per hit"))
        seen.add(row.place)
        hits.append(row)
    return hits, findings


def _out_of_step(row: JudgedHit, lexicon: Lexicon, name: str, number: int) -> Iterator[Finding]:
    """A hit of another lexicon, or of a pattern that is missing or has changed."""
    pattern = next((one for one in lexicon.patterns if one.id == row.pattern), None)
    if row.lexicon != lexicon.name:
        yield Finding.at(name, number, "lexicon", f"found {row.lexicon!r}", f"{lexicon.name!r}")
    if pattern is None:
        yield Finding.at(name, number, "pattern", f"unknown pattern {row.pattern!r}", "judge the hits again")
    elif pattern.decides is not row.decides:
        allowed = f"{pattern.decides}, as in the lexicon"
        yield Finding.at(name, number, "decides", f"found {row.decides}", allowed)


def measured_problems(lexicon: Lexicon, root: Path, path: Path, name: str) -> Iterator[Finding]:
    """Findings about the hits that a lexicon names as the reason why it may decide.

    `path` is the file of the lexicon, and `name` its name in messages.
    """
    measured = lexicon.measured
    if measured is None:
        return
    flaw = _not_a_file(measured, root)
    if flaw is not None:
        yield finding_at(path, name, ("measured", "file"), *flaw)
        return
    hits, findings = read_hits(root / measured.file, measured.file, lexicon)
    yield from findings
    deciding = [hit for hit in hits if hit.decides]
    tuned_on = _places_tuned_on(root, lexicon)
    for key, found, allowed in (
        *_miscounted(measured, deciding),
        *_too_weak(deciding),
        *_tuned(deciding, tuned_on, lexicon),
    ):
        yield finding_at(path, name, ("measured", key), found, allowed)


def _not_a_file(measured: MeasuredHits, root: Path) -> tuple[str, str] | None:
    """Why the named file cannot be counted, and what is allowed; None if it can."""
    named = PurePosixPath(measured.file)
    if named.is_absolute() or ".." in named.parts:
        return (
            f"{measured.file!r} is not below the benchmark's folder",
            "a path such as precision/unseen/x.jsonl",
        )
    if named.parent == PurePosixPath(TUNED):
        return f"{measured.file!r} holds hits on text that lexicons were tuned on", "a file of other text"
    if not (root / measured.file).is_file():
        return (
            f"there is no file {measured.file!r}",
            "the judged hits; without `measured` the lexicon only points",
        )
    return None


def _miscounted(measured: MeasuredHits, hits: Hits) -> Iterator[tuple[str, str, str]]:
    right = sum(hit.correct for hit in hits)
    for key, stated, counted in (("hits", measured.hits, len(hits)), ("right", measured.right, right)):
        if stated != counted:
            yield key, f"says {stated}, and {measured.file} has {counted}", f"{counted}"


def _too_weak(hits: Hits) -> Iterator[tuple[str, str, str]]:
    """Too few hits, or too many wrong ones, for a precision of LEAST_PRECISION."""
    right, allowed = sum(hit.correct for hit in hits), "without `measured` the lexicon only points"
    if len(hits) < LEAST_HITS:
        found = f"{len(hits)} judged hits of deciding patterns are too few; it needs {LEAST_HITS}"
        yield "hits", found, allowed
        return
    low = exact_lower(right, len(hits))
    if low < LEAST_PRECISION:
        found = (
            f"{right} of {len(hits)} were right: the lower 95% bound is {low:.4f}, below {LEAST_PRECISION}"
        )
        yield "right", found, allowed


def _tuned(hits: Hits, tuned_on: set[tuple[object, ...]], lexicon: Lexicon) -> Iterator[tuple[str, str, str]]:
    again = sum(hit.place in tuned_on for hit in hits)
    if again:
        found = (
            f"{again} of the hits are in {TUNED}/{lexicon.name}.jsonl, whose text the lexicon was tuned on"
        )
        yield "file", found, "hits on other text"


def _places_tuned_on(root: Path, lexicon: Lexicon) -> set[tuple[object, ...]]:
    path = root / TUNED / f"{lexicon.name}.jsonl"
    return {hit.place for hit in read_hits(path, path.name, lexicon)[0]} if path.is_file() else set()
