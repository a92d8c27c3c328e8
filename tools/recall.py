"""What the lexicons that look for cues and candidates find of wording that nobody had tuned them on."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ib.models.benchmark import Benchmark
from ib.text.lexicons import Matcher
from ib.text.normalize import normalize
from tools.figures import interval, share

FOLDER = "recall"


def blind(root: Path) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """The items of every blind set: file, line and item."""
    for path in sorted((root / FOLDER).glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield path, number, json.loads(line)


def counted(benchmark: Benchmark, root: Path) -> Mapping[str, Mapping[str, Counter[bool]]]:
    """For each lexicon how many items were found: `clear`, `arguable`, and `near` misses."""
    matchers = {n: Matcher([lexicon], lexicon.speaker) for n, lexicon in benchmark.lexicons.items()}
    counts: dict[str, dict[str, Counter[bool]]] = defaultdict(lambda: defaultdict(Counter))
    for _, _, item in blind(root):
        kind = item["certainty"] if item["holds"] else "near"
        found = bool(matchers[item["lexicon"]].match(normalize(item["text"])))
        counts[item["lexicon"]][kind][found] += 1
    return counts


def recall(benchmark: Benchmark, root: Path) -> str:
    """The figures as a page."""
    counts = counted(benchmark, root)
    lines = [
        "# What the lexicons find of unseen wording\n",
        "Lexicons that only point a judge to cues and candidates decide nothing: what they miss the judge "
        "can still see, since it is asked about the whole window. These figures say how much of it they "
        "find. The sentences in `recall/` were written by language models that had not seen the patterns, "
        "from the purpose of each lexicon alone, and none of them was used to tune a pattern; no person "
        "wrote or checked any. `clear` are the sentences whose author was sure that they hold the thing; "
        "near misses share its words and do not hold it. Sentences that were written to be varied are "
        "harder than what people mostly say, and easier than the rarest of it.\n",
        "| lexicon | clear ones found | 95 % | arguable ones found | near misses hit |",
        "| --- | ---: | --- | ---: | ---: |",
    ]
    total: dict[str, Counter[bool]] = defaultdict(Counter)
    for name in benchmark.lexicons:
        if name in counts:
            lines.append(f"| `{name}` | {_cells(counts[name])} |")
            for kind, found in counts[name].items():
                total[kind].update(found)
    lines.append(f"| all | {_cells(total)} |")
    return "\n".join([*lines, ""])


def _cells(counts: Mapping[str, Counter[bool]]) -> str:
    clear, arguable, near = (counts.get(kind, Counter()) for kind in ("clear", "arguable", "near"))
    return f"{share(clear)} | {interval(clear)} | {share(arguable)} | {share(near)}"
