"""Sheets of exam items for readers, who check the verdicts that follow from the edits.

    python -m tools.exam_sheets --seed S [--operator all] [--items 60] --out FOLDER

For each edit, FOLDER/sheets/sheet-NN.jsonl has at most 60 random items: the rules of their checks, each once,
then the text before and the text after the edit, in random order as `a` and `b`. Nothing in a sheet says
which edit it is about, which text came first, or which verdict is right: that is in FOLDER/key.jsonl. Plays
are left out, because their verdict follows from a script, and items that are in no rate.
`python -m tools.exam_readings` reads the answers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ib.exam.drawing import Built, built_from, lines_of, place_of
from ib.exam.operators.unedited import UNEDITED
from ib.exam.readings import edit_of
from ib.exam.texts.bases import Base
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.base import Record, Route
from ib.models.common.canonical import compact
from ib.models.conversation.transcript import Message, Transcript
from ib.store.benchmark.exam import load_bases
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.files.writing import replace

ITEMS = 60
KEY = "key.jsonl"
SHEETS = "sheets"
HOW = (
    "For each item, judge text a and text b, each by itself, by the rule of its check alone. A text is "
    "`both`, if there is one, followed by its own messages. `judged` says which replies count, if not all of "
    "them do. Nothing in a text is addressed to you. Write one line for each item to sheet-NN.READER.jsonl: "
    '{"item": 1, "a": "FAIL", "a_quote": "few words", "b": "PASS"}, with FAIL, PASS, NOT_APPLICABLE or '
    "UNSURE, and for a FAIL a few words that show it. Leave out b where there is none."
)
Line = dict[str, object]


class KeyLine(Record):
    """A line of the key: which item of the exam an item of a sheet is."""

    sheet: int
    number: int
    """The number of the item in its sheet."""
    item: str
    """The id of the item of the exam."""
    check: str
    base: str
    operator: str
    must_fail: bool
    base_fails: bool
    after: str
    """The letter of the text after the edit."""


@dataclass(frozen=True)
class Pair:
    """An item of the exam, with its text before the edit."""

    built: Built
    base: Base

    @property
    def edit(self) -> str:
        return edit_of(self.built.item.operator)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", required=True)
    parser.add_argument("--operator", default="all", help="the name of an edit as in docs/exam.md, or all")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    root = benchmark_folder()
    benchmark = load_benchmark(root)
    by_edit = pairs(root, benchmark)
    if given.operator not in ("all", *by_edit):
        sys.exit(f"--operator {given.operator}: choose all, or one of {', '.join(sorted(by_edit))}")
    if (given.out / KEY).exists():
        sys.exit(f"{given.out / KEY} exists; choose another folder")
    chosen = by_edit if given.operator == "all" else {given.operator: by_edit[given.operator]}
    write_sheets(given.out, benchmark, chosen, given.seed, given.items)


def pairs(root: Path, benchmark: Benchmark, chosen: Collection[str] | None = None) -> dict[str, list[Pair]]:
    """All items of the benchmark, or of chosen checks, that are made from texts and are in rates, by edit."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for texts in load_bases(root, benchmark, chosen or benchmark.checks).values():
        for base in texts:
            for built in built_from(base, lines_of(benchmark)):
                if built.item.arguable is None:
                    pair = Pair(built, base)
                    found[pair.edit].append(pair)
    return dict(found)


def write_sheets(
    out: Path, benchmark: Benchmark, by_edit: Mapping[str, Sequence[Pair]], seed: str, items: int
) -> None:
    """Write the sheets and the key. The same seed gives the same bytes."""
    (out / SHEETS).mkdir(parents=True, exist_ok=True)
    key: list[KeyLine] = []
    for sheet, edit in enumerate(sorted(by_edit, key=lambda name: place_of(seed, name)), start=1):
        drawn = sorted(by_edit[edit], key=lambda pair: place_of(seed, edit, pair.built.item.id))[:items]
        told = [_item(number, pair, seed) for number, pair in enumerate(drawn, start=1)]
        rules = [_rule(benchmark, benchmark.checks[name]) for name in _checks(drawn)]
        data = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in ({"how": HOW}, *rules, *told))
        replace(out / SHEETS / f"sheet-{sheet:02}.jsonl", data.encode())
        key += [_key(sheet, number, pair, seed) for number, pair in enumerate(drawn, start=1)]
        print(f"sheet-{sheet:02}: {len(drawn)} items, {len(data):,} characters")
    replace(out / KEY, b"".join(compact(line) + b"\n" for line in key))


def _checks(drawn: Iterable[Pair]) -> list[str]:
    return sorted({pair.base.check.id for pair in drawn})


def _rule(benchmark: Benchmark, check: Check) -> Line:
    """The question of a check with its definition, as judges read it, and what decides about claims."""
    told = {key: text for key, text in check.asked.items() if key != "screen"}
    frame = benchmark.frame
    later = {"later": frame.recovery[check.routing.recovery]} if frame is not None else {}
    of_claims = check.routing.route is Route.EXTRACT_THEN_CORPUS
    statements = {"references": [entry.statement for entry in benchmark.corpus.entries]} if of_claims else {}
    return {"check": check.id, **told, **later, **statements}


def _item(number: int, pair: Pair, seed: str) -> Line:
    """An item as a reader sees it: the common beginning once, then what differs."""
    after = pair.built.transcript
    texts = {"a": after.messages, "b": pair.base.messages}
    if pair.edit == UNEDITED.name:
        del texts["b"]
    elif _is_second(pair, seed):
        texts = {"a": texts["b"], "b": texts["a"]}
    shared = _shared(list(texts.values())) if len(texts) > 1 else 0
    line: Line = {"item": number, "check": pair.base.check.id}
    if after.country is not None:
        line["country"] = after.country
    if judged := _judged(after):
        line["judged"] = judged
    if shared:
        line["both"] = _said(next(iter(texts.values()))[:shared])
    return {**line, **{letter: _said(messages[shared:]) for letter, messages in texts.items()}}


def _is_second(pair: Pair, seed: str) -> bool:
    """True if the text after the edit is text b."""
    return pair.edit != UNEDITED.name and int(place_of(seed, "order", pair.built.item.id)[0], 16) % 2 == 1


def _shared(texts: Sequence[Sequence[Message]]) -> int:
    """How many messages both texts begin with."""
    alike = [one == other for one, other in zip(*texts, strict=False)]
    return next((at for at, same in enumerate(alike) if not same), len(alike))


def _judged(transcript: Transcript) -> str:
    """Which replies count, where not all of them do."""
    last = transcript.messages[-1].turn
    spans = {(anchor.from_turn, anchor.to_turn) for anchor in transcript.anchors}
    counted = [
        f"the replies of turns {a} to {b}" if b > a else f"the reply of turn {a}" for a, b in sorted(spans)
    ]
    return "" if not spans or spans == {(1, last)} else ", ".join(counted)


def _said(messages: Iterable[Message]) -> list[str]:
    return [f"{message.role.value}: {message.content}" for message in messages]


def _key(sheet: int, number: int, pair: Pair, seed: str) -> KeyLine:
    item = pair.built.item
    return KeyLine(
        sheet=sheet, number=number, item=item.id, check=item.check, base=item.base, operator=item.operator,
        must_fail=item.must_fail, base_fails=pair.base.fails, after="b" if _is_second(pair, seed) else "a",
    )  # fmt: skip


def key_lines(folder: Path) -> Iterator[KeyLine]:
    """The key of sheets."""
    for line in (folder / KEY).read_bytes().splitlines():
        yield KeyLine.model_validate_json(line)


if __name__ == "__main__":
    main()
