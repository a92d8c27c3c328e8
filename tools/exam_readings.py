"""Turns the answers of readers of `python -m tools.exam_sheets` into `benchmark/exam/readings.jsonl`.

    python -m tools.exam_readings FOLDER ANSWERS... [--person] [--out FILE]

FOLDER has the key of the sheets. An answers file is named `sheet-NN.READER.jsonl` and has one line an item.
Its lines take the place of earlier ones of the same reader and item; all others stay. It prints
disputed items by edit and dimension, edits that are out, and each disputed item with what its readers saw.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from ib.errors import DataError, Finding, IbError
from ib.exam.readings import Judged, judged
from ib.models.benchmark.check import Check
from ib.models.common.base import Record
from ib.models.common.canonical import compact
from ib.models.exam.readings import ExamReading, ReaderKind, Seen
from ib.store.benchmark.exam import READINGS, read_readings
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.reading import raw_lines
from ib.store.files.validation import model_of_line
from ib.store.files.writing import replace
from tools.exam_sheets import KeyLine, key_lines

NAME = re.compile(r"^sheet-(\d+)\.([a-z0-9]+(?:-[a-z0-9]+)*)\.jsonl$")
MOST = 80
"""So many characters of a quote are kept."""


class Answer(Record):
    """A line of answers: what a reader saw in the two texts of one item."""

    item: int = Field(ge=1)
    a: Seen
    a_quote: str = ""
    b: Seen | None = None
    b_quote: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the folder that `python -m tools.exam_sheets` wrote")
    parser.add_argument("answers", type=Path, nargs="+")
    parser.add_argument("--person", action="store_true", help="the readers are people, not language models")
    parser.add_argument("--out", type=Path, default=benchmark_folder() / READINGS)
    given = parser.parse_args()
    kind = ReaderKind.PERSON if given.person else ReaderKind.MODEL
    try:
        added = [one for path in given.answers for one in readings_of(given.folder, path, kind)]
        checks = load_benchmark().checks
        earlier = read_readings(given.out, checks) if given.out.is_file() else ()
        every = merged(earlier, added)
        replace(given.out, b"".join(compact(one) + b"\n" for one in every))
    except IbError as error:
        sys.exit(str(error))
    print(f"{len(added)} readings added, {len(every)} in {given.out}")
    print("\n".join(report(every, checks)))


def merged(earlier: Iterable[ExamReading], added: Iterable[ExamReading]) -> list[ExamReading]:
    """Earlier readings, with those that were added in the place of those of the same reader and item."""
    every = {(one.item, one.reader): one for one in (*earlier, *added)}
    return [every[key] for key in sorted(every)]


def readings_of(folder: Path, path: Path, kind: ReaderKind) -> list[ExamReading]:
    """The readings of one file of answers.

    Raises DataError for a file of another name, for lines that are no answer, answer an unknown item, answer
    one twice, or do not answer every text of an item, and if an item is not answered.
    """
    named = NAME.match(path.name)
    if named is None:
        raise DataError.one(path, None, "", "the name of the file", "sheet-NN.READER.jsonl")
    key = {one.number: one for one in key_lines(folder) if one.sheet == int(named[1])}
    found: dict[int, Answer] = {}
    findings: list[Finding] = []
    for number, raw in raw_lines(path, str(path)):
        answer = model_of_line(Answer, raw, str(path), number)
        flaws = answer if isinstance(answer, list) else list(_flaws(answer, key, found, path, number))
        findings += flaws
        if not flaws and isinstance(answer, Answer):
            found[answer.item] = answer
    missing = sorted(key.keys() - found.keys())
    if missing and not findings:
        told = f"no answer for item {', '.join(map(str, missing))}"
        findings.append(Finding.at(str(path), None, "item", told, "one line for each item of the sheet"))
    if findings:
        raise DataError(findings)
    return [_reading(key[item], answer, named[2], kind) for item, answer in sorted(found.items())]


def _flaws(
    answer: Answer, key: Mapping[int, KeyLine], found: Mapping[int, Answer], path: Path, number: int
) -> Iterator[Finding]:
    if answer.item not in key:
        told = f"the sheet has no item {answer.item}"
        yield Finding.at(str(path), number, "item", told, f"a number from 1 to {len(key)}")
    elif answer.item in found:
        yield Finding.at(str(path), number, "item", f"item {answer.item} is answered twice", "one line")
    elif (answer.b is None) is not (key[answer.item].operator == "unedited"):
        yield Finding.at(str(path), number, "b", "does not fit the item", "a verdict for each of its texts")


def _reading(key: KeyLine, answer: Answer, reader: str, kind: ReaderKind) -> ExamReading:
    texts = {"a": (answer.a, answer.a_quote), "b": (answer.b, answer.b_quote)}
    after, quote = texts[key.after]
    before, _ = texts["b" if key.after == "a" else "a"]
    assert after is not None, "the texts of an item were checked"
    told = key.model_dump(include={"item", "check", "base", "operator", "must_fail", "base_fails"})
    said = quote.strip()[:MOST] if after is Seen.FAIL else ""
    return ExamReading(**told, reader=reader, kind=kind, before=before, after=after, quote=said)


def report(readings: Sequence[ExamReading], checks: Mapping[str, Check]) -> Iterator[str]:
    """What the readings say, as lines."""
    found = judged(readings, checks)
    if found.summary is None:
        return
    yield f"Readers: {', '.join(found.summary.readers)}."
    yield "edit           dimension  read  disputed  of the text  "
    for one in found.summary.operators:
        out = "OUT" if one.out else ""
        yield f"{one.operator:14} {one.bucket:9} {one.read:5} {one.disputed:9} {one.of_text:12}  {out}"
    yield from _label_error(found)
    yield from _disputed(readings)


def _label_error(found: Judged) -> Iterator[str]:
    summary = found.summary
    if summary is None or summary.label_error is None:
        yield "Label error: unknown, because two readers have judged no item."
        return
    said = f"{summary.disputed} of {summary.read} read items of edits that are used are disputed"
    yield f"Label error: {said}; the upper bound is {summary.label_error:.1%}."


def _disputed(readings: Iterable[ExamReading]) -> Iterator[str]:
    by_item: dict[str, list[ExamReading]] = defaultdict(list)
    for one in readings:
        by_item[one.item].append(one)
    yield "Disputed items:"
    for found in sorted(by_item.values(), key=lambda items: (items[0].operator, items[0].base)):
        if any(one.disputes for one in found):
            right = "FAIL" if found[0].must_fail else "no FAIL"
            seen = "; ".join(_seen(one) for one in found)
            yield f"{found[0].operator} {found[0].base} {found[0].item}: built {right}; {seen}"


def _seen(one: ExamReading) -> str:
    before = "" if one.before is None else f"{one.before} before, "
    quote = f' "{one.quote}"' if one.quote else ""
    return f"{one.reader} saw {before}{one.after}{quote}"


if __name__ == "__main__":
    main()
