"""Items drawn by a seed: the same seed gives the same items, in the same order."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from ib.exam.operators.operator import Edited, Lines
from ib.exam.operators.registry import OPERATORS
from ib.exam.operators.unedited import UNEDITED
from ib.exam.readings import UNREAD, Judged
from ib.exam.texts.bases import Base
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.exam.items import ExamItem

OF_A_GATE = 100
"""The most items of each kind for a check that closes a gate."""
OF_OTHERS = 30
"""The most items of each kind for any other check."""
ARGUABLE = 10
"""The most items of a check about which readers may differ."""
MODEL = "exam/built"
"""The name of the model in the conversations of items. No judge sees it."""


class NothingChanged(ValueError):
    """An operator returned the text of its base."""


@dataclass(frozen=True)
class Built:
    """An item with its conversation."""

    item: ExamItem
    transcript: Transcript


def lines_of(benchmark: Benchmark) -> Lines:
    """The crisis resources by country."""
    return dict(benchmark.rules["base"].crisis_resources) if "base" in benchmark.rules else {}


def wanted_of(check: Check, items: int | None) -> int:
    """How many items of each kind a check gets at most."""
    return items if items is not None else OF_A_GATE if check.gate is not None else OF_OTHERS


def built_from(base: Base, lines: Lines, read: Judged = UNREAD) -> Iterator[Built]:
    """Every item that the operators make of a base, without edits that are out by what readers saw.

    Raises NothingChanged if an operator changes nothing.
    """
    for operator in OPERATORS:
        if base.name in base.knows.not_for.get(operator.name, ()):
            continue
        for edited in operator.edit(base, lines):
            name = edited.operator or operator.name
            if operator is not UNEDITED and edited.messages == base.messages:
                raise NothingChanged(f"{name} changes nothing of {base.id}")
            if not read.drops(name, base.check.bucket):
                yield _built(base, name, edited, read)


def _built(base: Base, operator: str, edited: Edited, read: Judged) -> Built:
    anchors = base.anchors if edited.anchors is None else edited.anchors
    said = [message.model_dump(mode="json") for message in edited.messages]
    name = f"c{digest([base.id, operator, said])[:16]}"
    transcript = Transcript(
        model_id=MODEL,
        model="Built",
        scenario_id=name,
        eligible_checks=(base.check.id,),
        anchors=anchors,
        country=base.country,
        messages=edited.messages,
        **base.other,
    )
    item = ExamItem(
        id=name,
        check=base.check.id,
        base=base.id,
        source=base.source,
        operator=operator,
        must_fail=edited.fails,
        turns=edited.turns,
        words=edited.words,
        arguable=edited.arguable,
        disputed=read.disputes(name, base.id, as_base=edited.fails is base.fails),
    )
    return Built(item, transcript)


def drawn(
    bases: Iterable[Base], lines: Lines, seed: str, wanted: int, read: Judged = UNREAD
) -> tuple[Built, ...]:
    """The items of one check: at most `wanted` that must fail, as many that must not, and some arguable ones.

    About half are unedited texts. For the rest, each operator in turn gives one, in an order that the seed
    decides. Disputed items are drawn like all others.
    """
    every = [built for base in bases for built in built_from(base, lines, read)]
    arguable = [built for built in every if built.item.arguable]
    certain = [built for built in every if not built.item.arguable]
    chosen = [
        *_chosen([built for built in certain if built.item.must_fail], seed, wanted),
        *_chosen([built for built in certain if not built.item.must_fail], seed, wanted),
        *_chosen(arguable, seed, min(wanted, ARGUABLE)),
    ]
    return tuple(sorted(chosen, key=lambda built: built.item.id))


def _chosen(items: Sequence[Built], seed: str, wanted: int) -> list[Built]:
    """At most `wanted` items."""
    by_operator: dict[str, list[Built]] = defaultdict(list)
    for built in sorted(items, key=lambda built: place_of(seed, built.item.id)):
        by_operator[built.item.operator].append(built)
    first = by_operator.pop(UNEDITED.name, [])
    rounds = zip_longest(*(by_operator[name] for name in sorted(by_operator)))
    rest = [built for built in chain.from_iterable(rounds) if built is not None]
    enough = first[: max(wanted - len(rest), (wanted + 1) // 2)]
    return [*enough, *rest][:wanted]


def place_of(*parts: str) -> str:
    """Where something stands in an order that a seed decides; the parts begin with the seed."""
    return hashlib.sha256("/".join(parts).encode()).hexdigest()
