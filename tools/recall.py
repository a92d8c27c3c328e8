"""Measures the recall of the lexicons: how much they find in sentences that they were not tuned on."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from ib.engine.reading.lexicons import Matcher
from ib.models.benchmark.benchmark import Benchmark
from ib.text.normalize import normalize
from tools.figures import interval, made_yaml, share

FOLDER = "recall"


class Found(StrEnum):
    """The result of a lexicon on a sentence."""

    DECIDED = "decided"
    PROPOSED = "proposed"
    NOTHING = "nothing"


Counts = Mapping[str, Counter[Found]]
"""Of `clear`, `arguable` and `near` sentences, how many were found; of the clear ones also by group."""
CLEAR = "clear"
ANYTHING = (Found.DECIDED, Found.PROPOSED)


def blind(root: Path) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """The items of every blind set: file, line and item."""
    for path in sorted((root / FOLDER).glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield path, number, json.loads(line)


def counted(benchmark: Benchmark, root: Path) -> Mapping[str, Counts]:
    """The results of each kind of sentence, by lexicon."""
    matchers = {n: Matcher([lexicon], lexicon.speaker) for n, lexicon in benchmark.lexicons.items()}
    counts: dict[str, dict[str, Counter[Found]]] = defaultdict(lambda: defaultdict(Counter))
    for _, _, item in blind(root):
        if item["lexicon"] not in matchers:  # of a draft
            continue
        kind = item["certainty"] if item["holds"] else "near"
        found = look(matchers[item["lexicon"]], item)
        counts[item["lexicon"]][kind][found] += 1
        if kind == CLEAR and "group" in item:
            counts[item["lexicon"]][f"{CLEAR} {item['group']}"][found] += 1
    return counts


def look(matcher: Matcher, item: Mapping[str, Any]) -> Found:
    """The result of one sentence. If the sentence is for a group, only that group counts."""
    wanted = item.get("group")
    hits = [hit for hit in matcher.match(normalize(item["text"])) if wanted in (None, hit.group)]
    if any(hit.decides for hit in hits):
        return Found.DECIDED
    return Found.PROPOSED if hits else Found.NOTHING


def recall(benchmark: Benchmark, counts: Mapping[str, Counts]) -> str:
    """The figures as a page."""
    deciding = [name for name, lexicon in benchmark.lexicons.items() if lexicon.decides]
    pointing = [name for name in benchmark.lexicons if name not in deciding]
    return "\n".join(
        [
            "# What the lexicons find of unseen wording\n",
            "How many passages in `recall/` each lexicon finds. Language models that had not seen the"
            " patterns wrote the passages from the purpose of each lexicon; no person wrote or "
            "checked any, and none was used to tune a pattern. *Clear* passages hold what the lexicon"
            " looks for, as their author was sure; *near misses* share its words and do not hold it. "
            "Passages that are written to be varied are harder than most of what is said, and easier "
            "than the rarest of it.\n",
            "## Lexicons that point\n",
            "They point a judge to cues and candidates and decide nothing. The judge is asked about "
            "the whole window, so it can still see what they miss.\n",
            "| lexicon | clear ones found | 95 % | arguable ones found | near misses hit |",
            "| --- | ---: | --- | ---: | ---: |",
            *_rows(counts, pointing, _cells_of_pointing),
            "",
            "## Lexicons with patterns that decide\n",
            "They decide with the lexical judge, whose scans are demonstrations: a failure that they "
            "miss is a PASS there, and a near miss that is decided is a FAIL of a reply that did not "
            "fail. A judge that reads takes both kinds of pattern as hints, and without a judge both "
            "are only found.\n",
            "| lexicon | clear ones decided | 95 % | decided or proposed | 95 % | near misses decided | 95 % "
            "| proposed |",
            "| --- | ---: | --- | ---: | --- | ---: | --- | ---: |",
            *_rows(counts, deciding, _cells_of_deciding),
            "",
        ]
    )


def summary(benchmark: Benchmark, counts: Mapping[str, Counts]) -> str:
    """The recall figures that the pages of the checks show."""
    lines = [
        made_yaml("recall/summary.yaml"),
        "written_by: language models that had not seen the patterns, and read by no person",
        "lexicons:",
    ]
    for name, lexicon in benchmark.lexicons.items():
        if name in counts:
            near = counts[name]["near"]
            apart = {group: counts[name].get(f"{CLEAR} {group}") for group in lexicon.groups}
            groups = ", ".join(f"{group}: {{{_held(found)}}}" for group, found in apart.items() if found)
            lines.append(
                f"  {name}: {{{_held(counts[name][CLEAR])}, near: {near.total()}, "
                f"near_decided: {near[Found.DECIDED]}, near_proposed: {near[Found.PROPOSED]}, "
                f"groups: {{{groups}}}}}"
            )
    return "\n".join([*lines, ""])


def _held(found: Counter[Found]) -> str:
    """What was made of sentences that clearly hold the thing."""
    return f"hold: {found.total()}, decided: {found[Found.DECIDED]}, proposed: {found[Found.PROPOSED]}"


def _rows(
    counts: Mapping[str, Counts], names: Iterable[str], cells: Callable[[Counts], str]
) -> Iterator[str]:
    """A line for each lexicon, and one for all of them."""
    total: dict[str, Counter[Found]] = defaultdict(Counter)
    for name in names:
        if name in counts:
            yield f"| `{name}` | {cells(counts[name])} |"
            for kind, found in counts[name].items():
                total[kind].update(found)
    yield f"| all | {cells(total)} |"


def _of(counts: Counts, kind: str, *outcomes: Found) -> Counter[bool]:
    """How many sentences of a kind came out as one of these, and how many did not."""
    found: Counter[bool] = Counter()
    for outcome, number in counts.get(kind, Counter()).items():
        found[outcome in outcomes] += number
    return found


def _cells_of_pointing(counts: Counts) -> str:
    clear, arguable, near = (_of(counts, kind, *ANYTHING) for kind in ("clear", "arguable", "near"))
    return f"{share(clear)} | {interval(clear)} | {share(arguable)} | {share(near)}"


def _cells_of_deciding(counts: Counts) -> str:
    decided, found = _of(counts, "clear", Found.DECIDED), _of(counts, "clear", *ANYTHING)
    wrong, proposed = _of(counts, "near", Found.DECIDED), _of(counts, "near", Found.PROPOSED)
    return (
        f"{share(decided)} | {interval(decided)} | {share(found)} | {interval(found)} | "
        f"{share(wrong)} | {interval(wrong)} | {share(proposed)}"
    )
