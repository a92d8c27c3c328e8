"""Exam items among the questions of a scan: which of them are asked, and where their replies are kept.

Nothing that the judge is shown says that a conversation is an item. Items are judged as in an exam, with the
votes of the profile `publish`, whatever the profile of the scan is. The cache never answers a question about
them: it holds the answers of the exam, and the judge of today is to be compared with these.
"""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import TypeVar

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import Asking, begin
from ib.engine.reading.searched import IndexedTranscript
from ib.errors import UsageError
from ib.exam.drawing import place_of
from ib.exam.report import outcome_of
from ib.exam.sentinels import NO_EXAM, power_words
from ib.judges.base import Judge
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.exam.items import ExamItem
from ib.models.exam.sentinels import SentinelCalls, SentinelPlan
from ib.models.scan.cost import UnitState
from ib.models.scan.judge import JudgeReply, JudgeRequest, JudgeSpec
from ib.models.scan.plan import SentinelCost
from ib.pipeline.common.costing import Costing, costing_of, usd
from ib.pipeline.scan.judges import LEXICAL, NONE, RECORDED, SCRIPTS
from ib.pipeline.scan.judging import Watched
from ib.store.folders.journal import Journal, Order, Played

One = TypeVar("One")
PROFILE = "publish"


@dataclass(frozen=True)
class Sat:
    """The exam of a judge: its errors on the items of gate checks."""

    report_hash: str
    judge: JudgeSpec
    wrong: int
    n: int
    place: str
    """Its folder, as given."""


@dataclass(frozen=True)
class Sentinels:
    """The items that a scan may mix among its questions."""

    share: float
    """How many questions are about sentinels, per question of the scan."""
    seed: str
    pool: tuple[tuple[ExamItem, Transcript], ...]
    """Items of gate checks about which readers agree, each with its conversation."""
    sat: Sat | None = None
    """The exam to compare with; None if there is none."""

    @property
    def hash(self) -> str:
        """The hash of everything that the sentinels of a scan depend on."""
        sat = None if self.sat is None else [self.sat.report_hash, self.sat.wrong, self.sat.n]
        return digest([self.share, self.seed, [list(pair) for pair in self.pool], sat])


@dataclass(frozen=True)
class PreparedSentinels:
    """Sentinels that are ready to be asked."""

    plan: SentinelPlan
    askings: tuple[Asking[Watched], ...]
    """Their verifications, begun. Use each once."""
    played: frozenset[Played]
    """What identifies their conversations."""

    def apart(
        self, usual: Journal[JudgeRequest, JudgeReply], sentinels: Journal[JudgeRequest, JudgeReply]
    ) -> Apart:
        """Both journals as one."""
        return Apart(usual, sentinels, self.played)

    def cost(self, units: Mapping[UnitState, int]) -> SentinelCost:
        """How the planned calls ended."""
        return sentinel_cost(self.plan).model_copy(update={"units": dict(units)})


def sentinel_cost(plan: SentinelPlan) -> SentinelCost:
    """The calls about sentinels, before the first of them."""
    return SentinelCost(**{name: getattr(plan, name) for name in SentinelCalls.model_fields})


READS_NOTHING = "it reads no prompt, and cannot change"
REFUSED = {NONE: "nothing is asked", LEXICAL: READS_NOTHING, SCRIPTS: READS_NOTHING}
"""Judges that have no sentinels, each with the reason."""


def refuse_by_name(judge: str) -> None:
    """Raises UsageError for a judge whose name tells that it has no sentinels."""
    why = "its votes were cast before" if judge.startswith(RECORDED) else REFUSED.get(judge)
    if why is not None:
        raise UsageError(_refused(judge, why))


def _refused(judge: str, why: str) -> str:
    return f"--sentinels and --exam are for a judge that reads, and not for --judge {judge}: {why}; omit them"


def check_judge(judge: JudgeSpec, sentinels: Sentinels) -> None:
    """Raises UsageError for a judge that reads no prompts, or that is not the one of the exam."""
    if judge.absent:
        refuse_by_name(NONE)
    if judge.is_recording:
        refuse_by_name(RECORDED)
    if not judge.reads_prompt:
        raise UsageError(_refused(judge.model, READS_NOTHING))
    sat = sentinels.sat
    if sat is not None and sat.judge.identity != judge.identity:
        raise UsageError(
            f"--exam {sat.place} was sat by {sat.judge.model} with {sat.judge.params or 'no parameters'}, "
            f"and the judge of this scan is {judge.model} with {judge.params or 'no parameters'}; name "
            "the exam of this judge"
        )


def prepare_sentinels(
    sentinels: Sentinels, judge: Judge, benchmark: Benchmark, root: Path, questions: int
) -> PreparedSentinels | None:
    """Draw and begin the sentinels of a scan with so many questions in its first round.

    Items are added in an order that the seed decides until the share is reached, or until no item is left.
    Returns None if the scan asks no question.
    """
    engine = ModeEngine(benchmark, PROFILE, judge.spec)
    costing = costing_of(judge, root, asks_again=engine.units.asks_again)
    askings: list[Asking[Watched]] = []
    drawn: list[tuple[ExamItem, Transcript]] = []
    coming = deque(sorted(sentinels.pool, key=lambda pair: place_of(sentinels.seed, "sentinel", pair[0].id)))
    while coming and costing.counts.least < ceil(sentinels.share * questions):
        item, transcript = coming.popleft()
        indexed = engine.index(transcript, line_hash(transcript_line(transcript)))
        first, asking = begin(_outcome(engine, indexed, item))
        costing.add(first)
        askings.append(asking)
        drawn.append((item, transcript))
    if not drawn:
        return None
    played = frozenset((one.model_id, one.scenario_id, one.epoch) for _, one in drawn)
    return PreparedSentinels(_plan(sentinels, judge.spec, costing, drawn), tuple(askings), played)


def _outcome(engine: ModeEngine, indexed: IndexedTranscript, item: ExamItem) -> Asking[Watched]:
    return Watched(outcome_of(item, (yield from engine.verify(indexed))))


def _plan(
    sentinels: Sentinels, judge: JudgeSpec, costing: Costing, drawn: Sequence[tuple[ExamItem, Transcript]]
) -> SentinelPlan:
    counts, sat = costing.counts, sentinels.sat
    return SentinelPlan(
        share=sentinels.share,
        items=len(drawn),
        seed=sentinels.seed,
        items_hash=digest([list(pair) for pair in drawn]),
        exam=None if sat is None else sat.report_hash,
        exam_wrong=None if sat is None else sat.wrong,
        exam_n=None if sat is None else sat.n,
        planned_calls=counts.least,
        planned_calls_expected=ceil(counts.expected),
        planned_calls_max=counts.most,
        planned_units=counts.units_most,
        estimated_cost_usd=costing.usd(priced=judge.priced),
    )


def sentinel_words(plan: SentinelPlan) -> str:
    """What is asked about sentinels and what it costs, with the power of the alarm."""
    cost = "cost unknown" if plan.estimated_cost_usd is None else f"about {usd(plan.estimated_cost_usd)}"
    items = "1 exam item" if plan.items == 1 else f"{plan.items:,} exam items"
    said = (
        f"sentinels: {items} among the questions (seed {plan.seed}); about "
        f"{plan.planned_calls_expected:,} calls more (at least {plan.planned_calls:,}, at most "
        f"{plan.planned_calls_max:,}), {cost}"
    )
    return f"{said}\n  {power_words(plan, plan.items) or NO_EXAM}"


def mixed(
    askings: Iterable[One], sentinels: Sequence[Asking[Watched]], total: int
) -> Iterator[One | Asking[Watched]]:
    """The verifications of a scan, `total` in number, with the sentinels spread evenly among them."""
    many, put = len(sentinels), 0
    for place, asking in enumerate(askings, start=1):
        yield asking
        due = (2 * place * many + total) // (2 * total)
        yield from sentinels[put:due]
        put = due


@dataclass(frozen=True)
class Apart:
    """Two journals as one: replies about sentinels are kept in a file of their own."""

    usual: Journal[JudgeRequest, JudgeReply]
    sentinels: Journal[JudgeRequest, JudgeReply]
    played: frozenset[Played]
    known: Mapping[str, JudgeReply] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", ChainMap(self.usual.known, self.sentinels.known))

    def write(self, request: JudgeRequest, reply: JudgeReply, order: Order) -> None:
        """Append one reply to its journal."""
        self._of(request).write(request, reply, order)

    def note_known(self, request: JudgeRequest, order: Order) -> None:
        """Set the order of a reply of an earlier run."""
        self._of(request).note_known(request, order)

    def _of(self, request: JudgeRequest) -> Journal[JudgeRequest, JudgeReply]:
        return self.sentinels if played_of(request) in self.played else self.usual


def played_of(request: JudgeRequest) -> Played:
    """What identifies the conversation of a request."""
    return (request.model_id, request.scenario_id, request.epoch)
