"""The question about over-alarm in a pilot: rendered and read as in a scan, on plays of safe twins.

A play may be cut off after a few turns: the question is about the conversation that is shown, and the moments
of later turns are left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

from ib.engine.mode_engine import ModeEngine
from ib.errors import UsageError
from ib.measures.over_alarm import AlarmQuestion
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.pilot import OVER_ALARM, Reading, ReplySource, WrittenExchange
from ib.models.common.base import Role, Verdict
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.conversation.twin import Moment, Twin
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.scan.judge import Answer, JudgeSpec
from ib.models.scan.over_alarm import PROPORTIONATE, OverAlarm, OverAlarmRules, Void
from tools.pilot.asking import Rendered
from tools.pilot.candidates import Candidate
from tools.pilot.sources import WRITTEN_MODEL, lines

CUTS = (2, 3, 4)
"""After how many turns plays are cut off, one play after the other."""


class AlarmAsking:
    """Renders the question about over-alarm, and reads replies to it."""

    def __init__(self, benchmark: Benchmark, rules: OverAlarmRules) -> None:
        self.rules = rules
        self._benchmark = benchmark
        self._spec = JudgeSpec(model="reader", priced=False)
        self._engine = ModeEngine(benchmark, "publish", self._spec)

    @property
    def begins(self) -> str:
        """The words with which the part of the question begins that no conversation changes."""
        return self.rules.question.partition("\n")[0]

    def render(self, item: Candidate) -> Rendered:
        """The question about a play."""
        (request,) = self._question(item.transcript).requests((1,))
        return request.system, request.user

    def read(self, item: Candidate, reply: str, by: str) -> Reading:
        """A reader's reply to the question about a play, read and verified as in a scan."""
        vote = self._question(item.transcript).read(1, Answer(reply))
        if vote.grade is not None:
            return Reading(by=by, choice=str(vote.grade))
        if vote.void is Void.UNCLEAR:
            return Reading(by=by, choice=Verdict.UNCLEAR.value)
        return Reading(by=by, invalid=vote.problem or str(vote.void))

    def template(self) -> str:
        """The hash of the question as rendered for a fixed play."""
        said = (("user", "One."), ("assistant", "Two."))
        twin = Twin(of="x", checks=("IB-A1",), safe_because="Three.", moments=(Moment(turn=1, words="One"),))
        play = Transcript.from_messages("sample/sample", "sample", said, twin=twin)
        request = self._question(play).requests((1,))[0]
        return hashlib.sha256(f"{request.system}\0{request.user}".encode()).hexdigest()

    def _question(self, play: Transcript) -> AlarmQuestion:
        assert play.twin is not None
        indexed = self._engine.index(play, line_hash(transcript_line(play)))
        return AlarmQuestion(self._benchmark, self.rules, self._spec, indexed, play.twin)


def played_alarms(demo: Path, known: Path) -> Iterator[Candidate]:
    """The plays of a demonstration, cut off after a few turns, with grades that were known before its scan.

    A play is left out if the words of its known grade are not in the turns that are shown.
    """
    grades = yaml.safe_load(known.read_text(encoding="utf-8"))["twins"]
    measured = {(m.model_id, m.scenario_id): m for m in lines(OverAlarm, demo / "scan" / "over_alarm.jsonl")}
    plays = [p for p in lines(Transcript, demo / "run" / "transcripts.jsonl") if p.twin is not None]
    for number, play in enumerate(sorted(plays, key=lambda play: play.key)):
        shown = _cut(play, CUTS[number % len(CUTS)])
        grade = grades[play.scenario_id][play.model_id.removeprefix("reference/")]
        found = measured[play.model_id, play.scenario_id]
        in_sight = any(one.grade == grade and one.turn <= shown.turns for one in found.quotes)
        if found.grade == grade and (grade == PROPORTIONATE or in_sight):
            turns = tuple(range(1, shown.turns + 1))
            yield Candidate(ReplySource.REFERENCE, play.model_id, shown, turns, str(grade))


def _cut(play: Transcript, last: int) -> Transcript:
    """The first turns of a play: `last` of them, or more if no moment is in these."""
    assert play.twin is not None
    last = max(last, play.twin.moments[0].turn)
    moments = tuple(moment for moment in play.twin.moments if moment.turn <= last)
    twin = play.twin.model_copy(update={"moments": moments})
    context = tuple(one for one in play.context if one.turn <= last)
    return play.model_copy(update={"messages": play.between(1, last), "twin": twin, "context": context})


def written_alarms(
    exchanges: Iterable[WrittenExchange], twins: Mapping[str, TwinScenario]
) -> Iterator[Candidate]:
    """The written conversations about over-alarm. All replies are judged.

    Raises UsageError if a conversation has no words of a moment of its twin.
    """
    for exchange in exchanges:
        if exchange.check != OVER_ALARM:
            continue
        said = [(message.role.value, message.content) for message in exchange.messages]
        play = Transcript.from_messages(
            WRITTEN_MODEL, f"written-{exchange.id}", said, country=exchange.country
        )
        scenario = twins.get(exchange.twin or "")
        moments = () if scenario is None else tuple(_moments(scenario.twin, play))
        if scenario is None or not moments:
            found = f"has no words of a moment of the twin {exchange.twin!r}"
            raise UsageError(
                f"written.yaml: {exchange.id}: {found}; write its messages with words of the twin"
            )
        twin = scenario.twin.model_copy(update={"moments": moments})
        play = play.model_copy(update={"twin": twin})
        turns = tuple(range(1, play.turns + 1))
        yield Candidate(ReplySource.WRITTEN, "written.yaml", play, turns, exchange.meant)


def _moments(twin: Twin, play: Transcript) -> Iterator[Moment]:
    """The moments of a twin whose words the person says in a conversation."""
    for message in play.messages:
        for moment in twin.moments:
            if message.role is Role.USER and moment.words in message.content:
                yield Moment(turn=message.turn, words=moment.words)
