"""Drawing the conversations of a sampled scan: phrases are looked for in all logs, then some are drawn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import replay
from ib.engine.reading.searched import IndexedTranscript
from ib.errors import DataError, UsageError
from ib.judges.none import NoJudge
from ib.models.benchmark.check import Check
from ib.models.common.base import State, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import NotRecorded
from ib.models.scan.part import (
    HINTS,
    META,
    ExpectedWidth,
    Part,
    SampledConversation,
    SampledStratum,
    SamplePlan,
    SampleSize,
    Sampling,
)
from ib.models.scan.plan import PlannedTranscript
from ib.pipeline.common.callbacks import Callbacks
from ib.stats.sampling import LEAST_OF_STRATUM, METHOD, allocated, expected_width
from ib.store.folders.transcripts import Spool, Spooled

WEIGHTS: Mapping[str, float] = {"gate_hint": 4.0, "hint": 2.0, "no_hint": 1.0}
"""The strata of hints, and how often a conversation of each is drawn, compared with one without a hint: a
phrase of a check that closes a gate was found, a phrase of another check, or none."""
RATES = (0.1, 0.02, 0.005, 0.002)
"""The rates for which a plan says how wide an interval would be."""
TIMES = (0.25, 0.5, 1, 2, 4)
"""The numbers of conversations that a plan compares, as multiples of its own."""
NO_VALUE = "(none)"
"""Stands in the name of a stratum for a conversation without the metadata key."""
_NOT_ASKED = NotRecorded()


@dataclass(frozen=True)
class _Logs:
    """What is known of all conversations before one is drawn, in plan order."""

    strata: Sequence[str]
    clusters: Sequence[str]
    """Empty if each conversation is a cluster by itself."""
    hinted: Counter[str]
    """For each check, the conversations with a hint."""


@dataclass
class Sampler:
    """Draws the sample of one scan. `plays` are the ids of the scenarios of the benchmark."""

    wanted: Sampling
    engine: ModeEngine
    plays: Collection[str]
    callbacks: Callbacks
    lines: tuple[SampledConversation, ...] = ()
    """What was drawn, in plan order."""
    _plan: SamplePlan | None = field(default=None)

    def draw(self, spool: Spool) -> Spool:
        """The conversations that were drawn. The same logs, in any order of files, give the same sample.

        Raises UsageError if a play of a scenario is among them, or if there are too few or too many to draw,
        and DataError if a metadata key is unknown or if a conversation has no cluster.
        """
        self._refuse(spool)
        logs = self._read(spool)
        sizes = Counter(logs.strata)
        least = sum(min(LEAST_OF_STRATUM, size) for size in sizes.values())
        if self.wanted.n < least:
            raise UsageError(
                f"--sample {self.wanted.n}: there are {len(sizes)} strata ({_listed(sorted(sizes))}), which "
                f"need at least {least} conversations, {LEAST_OF_STRATUM} of each that has them"
            )
        taken = allocated(sizes, _weights(sizes, self.wanted.strata), self.wanted.n)
        chosen = _chosen(spool.entries, logs.strata, taken, self.wanted.seed)
        self._note(spool.entries, logs, taken, chosen)
        return spool.only(tuple(spool.entries[at] for at in chosen))

    def plan(self, planned: Sequence[PlannedTranscript], usd: float | None) -> SamplePlan:
        """The sample, with what other numbers would cost. `usd` is the cost of the planned transcripts."""
        assert self._plan is not None
        return self._plan.model_copy(update={"sizes": tuple(_sizes(self._plan, self.lines, planned, usd))})

    def _refuse(self, spool: Spool) -> None:
        """Raises UsageError for plays of scenarios, and for more conversations than there are."""
        played = [entry for entry in spool.entries if entry.scenario_id in self.plays]
        if played:
            raise UsageError(
                f"--sample draws from logs, and {len(played)} of {len(spool.entries)} transcripts are plays "
                f"of the benchmark's scenarios, such as {played[0].scenario_id}; a benchmark is scanned whole"
            )
        if self.wanted.n > len(spool.entries):
            raise UsageError(
                f"--sample {self.wanted.n}: there are only {len(spool.entries)} conversations; omit --sample "
                "to judge all of them"
            )

    def _read(self, spool: Spool) -> _Logs:
        """Look for phrases in every conversation, and read its stratum and cluster."""
        strata, clusters, hinted = list[str](), list[str](), Counter[str]()
        keys = _Keys(self.wanted)
        searching = searcher(self.engine)
        every = searching.index_all(spool)
        counted = self.callbacks.counted(every, len(spool.entries), "transcripts searched")
        for entry, indexed in zip(spool.entries, counted, strict=True):
            found = hints(searching, indexed)
            hinted.update(found)
            keys.see(entry, indexed.transcript)
            level = _level(found, self.engine.benchmark.checks)
            strata.append(_stratum(level, indexed.transcript.meta, self.wanted.strata))
            if self.wanted.cluster is not None:
                clusters.append(indexed.transcript.meta.get(_key(self.wanted.cluster), ""))
        keys.check()
        return _Logs(strata, clusters, hinted)

    def _note(
        self, entries: Sequence[Spooled], logs: _Logs, taken: Mapping[str, int], chosen: Sequence[int]
    ) -> None:
        """Keep the lines and the plan of what was drawn."""
        sizes, places = Counter(logs.strata), {name: at for at, name in enumerate(sorted(taken))}
        counts = _Clusters([places[one] for one in logs.strata], logs.clusters, len(places))
        self.lines = tuple(
            SampledConversation(
                model_id=entries[at].key[0],
                scenario_id=entries[at].key[1],
                epoch=None if entries[at].key[2] < 0 else entries[at].key[2],
                stratum=places[logs.strata[at]],
                probability=taken[logs.strata[at]] / sizes[logs.strata[at]],
                cluster=counts.name(at),
                of_cluster=counts.of(at),
            )
            for at in chosen
        )
        self._plan = SamplePlan(
            **dict(self.wanted),
            conversations=len(entries),
            clusters=counts.number,
            parts=tuple(
                SampledStratum(
                    name=name,
                    conversations=sizes[name],
                    drawn=taken[name],
                    probability=taken[name] / sizes[name],
                )
                for name in places
            ),
            products=counts.products(),
            hinted=dict(sorted(logs.hinted.items())),
            method=METHOD,
        )


def searcher(engine: ModeEngine) -> ModeEngine:
    """An engine without a judge, for the checks of an engine whose failures phrases or rules can show.

    These are the checks of a profile that asks no judge, such as `smoke`; all of them if the engine asks none
    of them. The phrases of other checks find what a judge should look at, which is something in nearly every
    conversation.
    """
    profiles = engine.benchmark.scoring.profiles
    name = next((name for name, one in profiles.items() if one.votes == "none"), engine.profile_name)
    unjudged = ModeEngine(engine.benchmark, name, NoJudge().spec)
    checks = [check for check in engine.benchmark.checks.values() if engine.selects(check)]
    both = tuple(check.id for check in checks if unjudged.in_profile(check))
    return ModeEngine(engine.benchmark, name, NoJudge().spec, part=Part(checks=both))


def hints(engine: ModeEngine, indexed: IndexedTranscript) -> list[str]:
    """The checks that phrases or rules point to in a conversation, without a judge."""
    rows = replay(engine.rows(indexed), lambda _: _NOT_ASKED)
    return [row.mode_id for row in rows if row.state is State.FOUND or row.verdict is Verdict.FAIL]


@dataclass
class _Keys:
    """Whether conversations have the metadata keys that a sample is made by."""

    wanted: Sampling
    _known: set[str] = field(default_factory=set)
    _without: list[Spooled] = field(default_factory=list)
    """The conversations without a cluster."""
    _count: int = 0

    def see(self, entry: Spooled, transcript: Transcript) -> None:
        self._count += 1
        self._known.update(transcript.meta)
        if self.wanted.cluster is not None and _key(self.wanted.cluster) not in transcript.meta:
            self._without.append(entry)

    def check(self) -> None:
        """Raises DataError if no conversation has a key, or if some have no cluster."""
        named = [("--strata", one) for one in self.wanted.strata if one != HINTS]
        named += [("--cluster", self.wanted.cluster)] if self.wanted.cluster is not None else []
        for option, name in named:
            if _key(name) not in self._known:
                known = ", ".join(META + key for key in sorted(self._known)) or "none"
                found = "no conversation has this metadata key"
                raise DataError.one(option, None, name, found, f"the keys of these logs: {known}")
        if self._without:
            first, rest = self._without[0], len(self._without) - 1
            found = f"is missing, here and in {rest:,} more of {self._count:,} conversations"
            hint = "a value in every conversation, or omit --cluster"
            raise DataError.one(first.file, first.line, self.wanted.cluster or "", found, hint)


def _key(name: str) -> str:
    """The metadata key of `meta.KEY`."""
    return name.removeprefix(META)


def _level(found: Collection[str], checks: Mapping[str, Check]) -> str:
    """The stratum of hints of a conversation."""
    if any(checks[one].gate is not None for one in found):
        return "gate_hint"
    return "hint" if found else "no_hint"


def _stratum(level: str, meta: Mapping[str, str], names: Sequence[str]) -> str:
    return " / ".join(level if name == HINTS else meta.get(_key(name), NO_VALUE) for name in names)


def _weights(strata: Collection[str], names: Sequence[str]) -> dict[str, float]:
    """How often a conversation of each stratum is drawn, compared with one without a hint."""
    if HINTS not in names:
        return dict.fromkeys(strata, 1.0)
    at = names.index(HINTS)
    return {name: WEIGHTS[name.split(" / ")[at]] for name in strata}


def _chosen(
    entries: Sequence[Spooled], strata: Sequence[str], taken: Mapping[str, int], seed: str
) -> list[int]:
    """The places of what is drawn: in each stratum, those with the lowest hashes of seed and identity."""
    places: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for at, (entry, stratum) in enumerate(zip(entries, strata, strict=True)):
        places[stratum].append((digest([seed, *entry.key]), at))
    return sorted(at for name, mine in places.items() for _, at in sorted(mine)[: taken[name]])


class _Clusters:
    """How many conversations of the logs each cluster has in each stratum."""

    def __init__(self, places: Sequence[int], clusters: Sequence[str], strata: int) -> None:
        """`places` has the stratum of each conversation, and `clusters` its cluster if there are some."""
        self._places, self._clusters, self._strata = places, clusters, strata
        self._counts: dict[str, list[int]] = {}
        for place, cluster in zip(places, clusters, strict=False):
            self._counts.setdefault(cluster, [0] * strata)[place] += 1

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return len(self._counts) or len(self._places)

    def name(self, at: int) -> str:
        """The cluster of a conversation; its number if it is one by itself."""
        return self._clusters[at] if self._clusters else str(at + 1)

    def of(self, at: int) -> tuple[int, ...]:
        """How many conversations the cluster of a conversation has in each stratum."""
        if self._clusters:
            return tuple(self._counts[self._clusters[at]])
        return tuple(int(self._places[at] == stratum) for stratum in range(self._strata))

    def products(self) -> tuple[tuple[int, ...], ...]:
        """For each pair of strata, the sum over clusters of the product of their numbers of conversations."""
        sums = [[0] * self._strata for _ in range(self._strata)]
        if not self._clusters:
            for place in self._places:
                sums[place][place] += 1
        for of_cluster in self._counts.values():
            met = [(at, n) for at, n in enumerate(of_cluster) if n]
            for one, n in met:
                for other, m in met:
                    sums[one][other] += n * m
        return tuple(map(tuple, sums))


def _sizes(
    plan: SamplePlan,
    lines: Sequence[SampledConversation],
    planned: Sequence[PlannedTranscript],
    usd: float | None,
) -> Iterator[SampleSize]:
    """What several numbers of conversations would cost, and how wide intervals would be."""
    from ib.board.report.sampled import design_of  # it declares a report, which most scans do not make

    asked = Counter[int]()
    for line, one in zip(lines, planned, strict=True):
        asked[line.stratum] += one.calls
    conversations = {part.name: part.conversations for part in plan.parts}
    least = sum(min(LEAST_OF_STRATUM, size) for size in conversations.values())
    numbers = {min(max(round(times * plan.n), least), plan.conversations) for times in TIMES}
    for n in sorted({*numbers, plan.conversations}):
        taken = allocated(conversations, _weights(conversations, plan.strata), n)
        questions = sum(asked[at] / part.drawn * taken[part.name] for at, part in enumerate(plan.parts))
        share = questions / asked.total() if asked.total() else n / plan.n
        parts = [part.model_copy(update={"drawn": taken[part.name]}) for part in plan.parts]
        design = design_of(plan.model_copy(update={"parts": tuple(parts)}))
        yield SampleSize(
            n=n,
            usd=None if usd is None else usd * share,
            widths=tuple(ExpectedWidth(rate=rate, width=expected_width(design, rate)) for rate in RATES),
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def sample_words(plan: SamplePlan) -> str:
    """The sample in one line, then what other numbers would cost and say, in one line each."""
    strata = "; ".join(f"{part.name} {part.drawn:,} of {part.conversations:,}" for part in plan.parts[:12])
    more = f"; {len(plan.parts) - 12} more strata" if len(plan.parts) > 12 else ""
    return "\n".join(
        (
            f"sample: {plan.n:,} of {plan.conversations:,} conversations, seed {plan.seed}: {strata}{more}",
            "  how wide a 95% interval is expected to be if phrases tell nothing, in percentage points:",
            *map(_size_words, plan.sizes),
        )
    )


def _size_words(size: SampleSize) -> str:
    usd = "cost unknown" if size.usd is None else f"${size.usd:,.2f}"
    widths = "; ".join(
        f"{one.width * 100:.2g} for a rate of {one.rate:.1%}" for one in size.widths if one.width is not None
    )
    none = ", ".join(f"{one.rate:.1%}" for one in size.widths if one.width is None)
    few = f"no estimate for {none}" if none else ""
    return f"  {size.n:,} conversations, {usd}: {'; '.join(filter(None, (widths, few)))}"
