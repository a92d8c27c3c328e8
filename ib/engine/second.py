"""A second judge answers some of the questions that the first judge answered: a sample, and gate FAILs.

The first judge alone decides. The sample follows from a hash of the question: of the transcript, the check,
the phase and the turns, and of nothing that a judge is or wrote. So every pair of judges has the same sample,
and a larger share has all questions of a smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.asker import Asker
from ib.engine.questions.prompts import Question
from ib.engine.questions.protocol import Asking, Requests, begin, together
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.verifiers.base import CheckContext, PutQuestion, WindowVotes, ask_window
from ib.engine.verifiers.corpus import CLAIMS_MOST
from ib.engine.verifiers.llm import plain_questions
from ib.engine.votes.granularity import Units, units_for
from ib.engine.votes.voting import combine
from ib.models.common.base import Route, Verdict
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.ballot import InvalidKind
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.result import TranscriptResult
from ib.models.scan.second import SecondOpinion

HEX = 13
"""How many hexadecimal digits of a question's id decide about the sample; a float holds that many exactly."""
LARGEST = float(16**HEX)


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """The verdict of a row, and what it would be with the second judge's answers where there are any."""

    check_id: str
    first: Verdict
    second: Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """The second judge's answers on one transcript beside the first's, and the rows that have any."""

    opinions: tuple[SecondOpinion, ...]
    rows: tuple[ChangedRow, ...]
    refused: int = 0
    """The questions that the second judge refused to answer at least once."""
    unreadable: int = 0
    """The questions that it at least once did not answer in the form asked for."""


@dataclass
class SecondJudge:
    """A second judge of the scan of an engine. `votes_known` is that of the engine, for the second judge."""

    engine: ModeEngine
    spec: JudgeSpec
    share: float
    votes_known: Callable[[Transcript, str], int] = field(default=lambda transcript, check_id: 0)
    _asker: Asker = field(init=False)
    _units: Units = field(init=False)

    def __post_init__(self) -> None:
        self._asker = Asker(self.spec, self.engine.benchmark.frame, self.engine.check_hashes)
        self._units = units_for(self.spec)

    @property
    def asks_again(self) -> bool:
        """True if the second judge is asked once more after an invalid answer; False for a recording."""
        return self._units.asks_again

    def compare(self, put: Sequence[PutQuestion], result: TranscriptResult) -> Asking[Compared]:
        """Ask the second judge about one transcript, with the same K and stop rule, all in one round.

        `put` are the questions that the first judge was asked, and `result` is what its answers gave.
        """
        chosen = [one for one in put if self._is_asked(one)]
        polls = yield from together([self._ask(one) for one in chosen])
        verdicts = {id(one): _verdict(polled) for one, polled in zip(chosen, polls, strict=True)}
        opinions = tuple(self._opinion(one, verdicts[id(one)]) for one in chosen)
        lost = [sum(p.lost_to(kind) for p in polls) for kind in (InvalidKind.REFUSED, InvalidKind.UNREADABLE)]
        return Compared(opinions, tuple(_rows(put, verdicts, result)), *lost)

    def first_round(self, put: Sequence[PutQuestion]) -> tuple[int, Requests]:
        """How many of these questions are in the sample, and the second judge's first requests for them."""
        sampled = [one for one in put if self._samples(question_id(one.context, one.question))]
        requests = [request for one in sampled for request in begin(self._ask(one))[0]]
        return len(sampled), tuple(requests)

    def most_votes(self, indexed: IndexedTranscript) -> int:
        """The most votes about one transcript, whatever the judges answer."""
        votes = 0
        for item in self.engine.due(indexed.transcript):
            if item.asked and item.check.routing.route is not Route.SCENARIO_RULE:
                context = self.engine.context(item.check, indexed)
                votes += self._most_questions(context) * self._context(context).quota.most
        return votes

    def _most_questions(self, context: CheckContext) -> int:
        """The most questions about a check on one transcript."""
        check, turns = context.check, context.indexed.transcript.turns
        gates = check.gate is not None
        if check.routing.route is Route.EXTRACT_THEN_CORPUS and context.units.whole(check, turns) is None:
            return CLAIMS_MOST if self.share or gates else 0  # their turns are not known yet
        questions, _ = plain_questions(context)
        return sum(gates or self._samples(question_id(context, question)) for question in questions)

    def _samples(self, question: str) -> bool:
        """True if the question of an id is in the sample."""
        return int(question[:HEX], 16) < self.share * LARGEST

    def _is_asked(self, one: PutQuestion) -> bool:
        """True if the first judge answered and the question is in the sample or a FAIL of a gate check."""
        first = _verdict_of(one)
        if first is None:
            return False
        return _is_gate_fail(one) or self._samples(question_id(one.context, one.question))

    def _ask(self, one: PutQuestion) -> Asking[WindowVotes]:
        return ask_window(self._context(one.context), one.question)

    def _context(self, first: CheckContext) -> CheckContext:
        """The context of a check for the second judge."""
        recorded = partial(self.votes_known, first.indexed.transcript, first.check.id)
        quota = self._units.votes(self.engine.planned_votes(first.check), recorded)
        return replace(first, asker=self._asker, units=self._units, quota=quota, put=None)

    def _opinion(self, one: PutQuestion, second: Verdict | None) -> SecondOpinion:
        first = _verdict_of(one)
        assert first is not None  # `_is_asked` was true
        question, transcript = one.question, one.context.indexed.transcript
        identified = question_id(one.context, question)
        return SecondOpinion(
            question=identified,
            model_id=transcript.model_id,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            check_id=question.check.id,
            phase=question.phase,
            unit=question.span.kind,
            turns=(question.span.first, question.span.last),
            ordinal=question.span.ordinal,
            sampled=self._samples(identified),
            gate_fail=_is_gate_fail(one),
            first=first,
            second=second,
        )


def question_id(context: CheckContext, question: Question) -> str:
    """The id of a question: a hash of the transcript, the check, the phase and the turns."""
    span = question.span
    return digest(
        {
            "transcript_hash": context.indexed.transcript_hash,
            "check_id": question.check.id,
            "phase": question.phase,
            "unit": [span.kind, span.first, span.last, span.ordinal, span.context],
        }
    )


def _verdict(polled: WindowVotes) -> Verdict | None:
    """The verdict of a poll; None if the judge did not answer, or if faults took the majority."""
    if polled.unanswered or (polled.undecided and polled.lost_to(InvalidKind.FAULT)):
        return None
    return polled.window.verdict


def _verdict_of(one: PutQuestion) -> Verdict | None:
    return None if one.polled is None else _verdict(one.polled)


def _is_gate_fail(one: PutQuestion) -> bool:
    return one.question.check.gate is not None and _verdict_of(one) is Verdict.FAIL


def _rows(
    put: Sequence[PutQuestion], second: Mapping[int, Verdict | None], result: TranscriptResult
) -> Iterator[ChangedRow]:
    """The rows with a question that both judges answered."""
    for row in result.rows:
        mine = [one for one in put if one.question.check.id == row.mode_id]
        if row.verdict is None or not any(second.get(id(one)) for one in mine):
            continue
        verdicts = [second.get(id(one)) or _verdict_of(one) for one in mine]
        yield ChangedRow(row.mode_id, row.verdict, combine([v for v in verdicts if v is not None]))
