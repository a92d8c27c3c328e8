"""Linting the measurements of lexicons: judged hits (precision) and unseen sentences (recall)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ib.errors import Finding, Level
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.figures import BlindSentence, JudgedHit
from ib.models.benchmark.lexicon import Lexicon
from ib.store.benchmark.loading import label
from ib.store.files.lines import raw_lines
from ib.store.files.validation import model_of_line
from ib.text.normalize import normalize

PRECISION, RECALL = "precision", "recall"


def figure_problems(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """Errors in the measurements, and notices for active lexicons without measurements."""
    lexicons = benchmark.lexicons
    for path in sorted((root / PRECISION).glob("*.jsonl")):
        yield from _judged(path, lexicons)
    seen = {
        normalize(example.text).text.casefold(): f"an example of {lexicon.name}"
        for lexicon in lexicons.values()
        for example in (*lexicon.examples.hit, *lexicon.examples.miss)
    }
    for path in sorted((root / RECALL).glob("*.jsonl")):
        yield from _blind(path, lexicons, seen)
    active = benchmark.active().lexicons.keys()
    for folder, figures in ((PRECISION, benchmark.precision), (RECALL, benchmark.recall)):
        measured = active if figures is None else figures.lexicons.keys()
        for name in sorted(active - measured):
            path = root / "lexicons" / f"{name}.yaml"
            found = f"has no figures in {folder}/summary.yaml"
            yield Finding.at(label(path), 1, "", found, f"measure it in {folder}/", Level.NOTICE)


def _judged(path: Path, lexicons: Mapping[str, Lexicon]) -> Iterator[Finding]:
    """Judged hits whose pattern is missing or has changed, and hits that were judged twice."""
    file = label(path)
    seen: set[tuple[object, ...]] = set()
    lexicon = lexicons.get(path.stem)
    if lexicon is None:
        found = f"there is no lexicon {path.stem!r}"
        yield Finding.at(file, None, "", found, "name the file after a lexicon")
        return
    patterns = {pattern.id: pattern for pattern in lexicon.patterns}
    for number, line in raw_lines(path, file):
        row = model_of_line(JudgedHit, line, file, number)
        if isinstance(row, list):
            yield from row
            continue
        pattern = patterns.get(row.pattern)
        if row.lexicon != path.stem:
            yield Finding.at(
                file, number, "lexicon", f"found {row.lexicon!r}", f"{path.stem!r}, as the file name"
            )
        if pattern is None:
            found = f"unknown pattern {row.pattern!r}"
            yield Finding.at(file, number, "pattern", found, "judge the hits again")
        elif pattern.decides is not row.decides:
            yield Finding.at(
                file, number, "decides", f"found {row.decides}", f"{pattern.decides}, as in the lexicon"
            )
        if row.place in seen:
            yield Finding.at(file, number, "", "this hit is judged twice", "one line per hit")
        seen.add(row.place)


def _blind(path: Path, lexicons: Mapping[str, Lexicon], seen: dict[str, str]) -> Iterator[Finding]:
    """Sentences of an unknown lexicon or group, and sentences that occur elsewhere."""
    file = label(path)
    for number, line in raw_lines(path, file):
        item = model_of_line(BlindSentence, line, file, number)
        if isinstance(item, list):
            yield from item
            continue
        lexicon = lexicons.get(item.lexicon)
        if lexicon is None:
            found = f"unknown lexicon {item.lexicon!r}"
            yield Finding.at(file, number, "lexicon", found, "the name of a lexicon")
        elif item.group not in (None, *lexicon.groups):
            known = ", ".join(lexicon.groups) or "no group; the lexicon has none"
            yield Finding.at(file, number, "group", f"unknown group {item.group!r}", known)
        first = seen.setdefault(normalize(item.text).text.casefold(), f"{path.name}:{number}")
        if first != f"{path.name}:{number}":
            hint = "use each sentence once, and none that a lexicon was written from"
            yield Finding.at(file, number, "text", f"is the same as {first}", hint)
