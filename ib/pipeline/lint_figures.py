"""Linting the measurements of lexicons: judged hits, and sentences that they were not tuned on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ib.errors import Finding, Level
from ib.models.benchmark import Benchmark
from ib.models.figures import BlindSentence, JudgedHit
from ib.models.lexicon import Lexicon
from ib.store.benchmark import label
from ib.store.lines import raw_lines
from ib.store.validation import model_of_line
from ib.text.normalize import normalize

PRECISION, RECALL = "precision", "recall"


def figure_problems(root: Path, benchmark: Benchmark) -> Iterator[Finding]:
    """What is wrong with the measurements, and active lexicons that were not measured."""
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
            yield Finding.at(label(path), 1, "", found, f"sentences in {folder}/", Level.NOTICE)


def _judged(path: Path, lexicons: Mapping[str, Lexicon]) -> Iterator[Finding]:
    """Judged hits whose pattern is not there or decides otherwise, and hits that were judged twice."""
    file = label(path)
    seen: set[tuple[object, ...]] = set()
    lexicon = lexicons.get(path.stem)
    if lexicon is None:
        yield Finding.at(file, None, "", f"there is no lexicon {path.stem!r}", "the name of a lexicon")
        return
    patterns = {pattern.id: pattern for pattern in lexicon.patterns}
    for number, line in raw_lines(path, file):
        row = model_of_line(JudgedHit, line, file, number)
        if isinstance(row, list):
            yield from row
            continue
        pattern = patterns.get(row.pattern)
        if row.lexicon != path.stem:
            yield Finding.at(file, number, "lexicon", f"is {row.lexicon!r}", path.stem)
        if pattern is None:
            yield Finding.at(file, number, "pattern", f"no pattern {row.pattern!r}", "judge the hits again")
        elif pattern.decides is not row.decides:
            yield Finding.at(
                file, number, "decides", f"is {row.decides}", f"{pattern.decides} in the lexicon"
            )
        if row.place in seen:
            yield Finding.at(file, number, "", "is judged twice", "one line a hit")
        seen.add(row.place)


def _blind(path: Path, lexicons: Mapping[str, Lexicon], seen: dict[str, str]) -> Iterator[Finding]:
    """Sentences for no lexicon or group, and sentences that stand elsewhere already."""
    file = label(path)
    for number, line in raw_lines(path, file):
        item = model_of_line(BlindSentence, line, file, number)
        if isinstance(item, list):
            yield from item
            continue
        lexicon = lexicons.get(item.lexicon)
        if lexicon is None:
            yield Finding.at(file, number, "lexicon", f"no lexicon {item.lexicon!r}", "the name of a lexicon")
        elif item.group not in (None, *lexicon.groups):
            known = ", ".join(lexicon.groups) or "it has none"
            yield Finding.at(file, number, "group", f"unknown group {item.group!r}", known)
        first = seen.setdefault(normalize(item.text).text.casefold(), f"{path.name}:{number}")
        if first != f"{path.name}:{number}":
            hint = "a lexicon is not measured on what it was written from, nor twice on the same"
            yield Finding.at(file, number, "text", f"is {first} as well", hint)
