"""Over-alarm in the plays of safe twins: a judge grades, and a detector finds the lines that are named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ib.engine.questions.protocol import Asking
from ib.engine.reading.searched import IndexedTranscript
from ib.engine.votes.polling import take_votes
from ib.engine.votes.voting import Quota, Stop, majority
from ib.measures.alarm_question import AlarmQuestion, choice_of
from ib.measures.phones import Directory, directory
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.jurisdiction import rule_set_of
from ib.models.common.base import Role, Verdict
from ib.models.conversation.twin import Twin
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.over_alarm import (
    PROPORTIONATE,
    AlarmVote,
    OverAlarm,
    OverAlarmRules,
    Ungraded,
    Void,
)
from ib.models.scan.supplement import Quote
from ib.text.patterns import compile_pattern


@dataclass(frozen=True)
class AlarmGrader:
    """Grades the plays of safe twins in one scan.

    `not_asked` says why this scan grades no twin of these checks; it returns None if it does.
    """

    benchmark: Benchmark
    rules: OverAlarmRules
    spec: JudgeSpec
    stop: Stop
    not_asked: Callable[[Sequence[str]], Ungraded | None]
    _directories: dict[str, Directory] = field(default_factory=dict, repr=False, compare=False)

    def measure(self, indexed: IndexedTranscript, twin: Twin) -> Asking[OverAlarm]:
        """Over-alarm in one play. Lines and numbers are found whether or not a judge is asked."""
        reason = self.not_asked(twin.checks)
        if reason is not None:
            return self._result(indexed, twin, reason=reason)
        question = AlarmQuestion(self.benchmark, self.rules, self.spec, indexed, twin)
        votes = yield from take_votes(question, Quota(self.rules.repetitions, self.stop))
        return self._result(indexed, twin, votes)

    def _result(
        self,
        indexed: IndexedTranscript,
        twin: Twin,
        votes: Sequence[AlarmVote] = (),
        reason: Ungraded | None = None,
    ) -> OverAlarm:
        asked = 0 if reason is not None else self.rules.repetitions
        decided = _decided(votes, asked) if reason is None else reason
        grade = None if isinstance(decided, Ungraded) else decided
        quotes = (
            quote for vote in votes if grade is not None and vote.grade == grade for quote in vote.quotes
        )
        transcript = indexed.transcript
        return OverAlarm(
            model_id=transcript.model_id,
            model=transcript.model,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            transcript_hash=indexed.transcript_hash,
            scenario_hash=transcript.played_hash,
            twin=twin,
            grade=grade,
            reason=decided if isinstance(decided, Ungraded) else None,
            asked=asked,
            votes=tuple(votes),
            quotes=tuple(dict.fromkeys(quotes)),
            lines=tuple(dict.fromkeys(self._lines(indexed))),
            truncated_turns=sum(message.truncated for message in transcript.messages),
            branches=tuple(m.branch_id for m in transcript.messages if m.branch_id is not None),
        )

    def _lines(self, indexed: IndexedTranscript) -> Iterator[Quote]:
        """The numbers that the replies tell the person to call, and the lines and services that they name."""
        known = self._directory(indexed)
        for reply in indexed.said_by(Role.ASSISTANT):
            turn, content = reply.message.turn, reply.message.content
            spans = {(mention.start, mention.end) for mention in known.mentions(content)}
            for named in self.rules.lines:
                for match in compile_pattern(named.regex).finditer(reply.normal.text):
                    spans.add(reply.normal.span(*match.span()))
            yield from (Quote(turn=turn, quote=content[start:end]) for start, end in sorted(spans))

    def _directory(self, indexed: IndexedTranscript) -> Directory:
        law = rule_set_of(self.benchmark.rules, indexed.transcript.jurisdiction)
        if law.id not in self._directories:
            self._directories[law.id] = directory(law, self.benchmark.rules.values())
        return self._directories[law.id]


def _decided(votes: Sequence[AlarmVote], asked: int) -> int | Ungraded:
    """The grade of most of the votes asked, or why there is none."""
    chosen = majority([choice_of(vote) for vote in votes], asked)
    if isinstance(chosen, Verdict):
        return PROPORTIONATE
    if isinstance(chosen, int):
        return chosen
    if any(vote.void is Void.FAULT for vote in votes):
        return Ungraded.FAULT
    if all(vote.void is Void.NOT_RECORDED for vote in votes):
        return Ungraded.NOT_MEASURED
    return Ungraded.CONTESTED if chosen is None else Ungraded.UNCLEAR
