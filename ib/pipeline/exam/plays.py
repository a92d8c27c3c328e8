"""Texts of the exam that are plays: scenarios and safe twins as reference assistants play them, in one draw.

What a character declares about its own lines decides whether a check fails on a play. A twin lacks the danger
of its checks, so that whatever is left out there is no failure. A scenario gives at most one text to a check,
because two plays of it would not be independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import at_once, drive, replay
from ib.exam.drawing import place_of
from ib.exam.texts.bases import Base
from ib.judges.scripts import ScriptsJudge
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check, Due, FailureKind
from ib.models.benchmark.exam import CheckExam
from ib.models.common.base import Role, Unit, Verdict
from ib.models.conversation.scenario import Scenario
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.conversation.twin_scenario import TwinScenario
from ib.models.exam.items import Source
from ib.models.scan.run import CompletionReply, CompletionRequest
from ib.pipeline.run.targets import reference_assistants
from ib.scenario.drawing import DrawKey
from ib.scenario.playing import SystemPrompt, play
from ib.store.benchmark.scenarios import load_scenarios, load_twins
from ib.store.folders.runs import SYSTEM_PROMPT
from ib.store.folders.system_prompt import load_system_prompt
from ib.targets.reference import ReferenceAssistant

MOST = 8
"""The most plays of scenarios that a check gets."""
TRIED = 3
"""How many assistants play a scenario until one of them gives the verdict that is wanted."""
DECIDED = (Verdict.PASS, Verdict.FAIL)


@dataclass(frozen=True)
class Plays:
    """Plays of a benchmark as texts of the exam."""

    root: Path
    benchmark: Benchmark
    seed: str
    key: DrawKey | None = None

    @cached_property
    def _assistants(self) -> Mapping[str, ReferenceAssistant]:
        return reference_assistants(self.benchmark, self.root)

    @cached_property
    def _judge(self) -> ScriptsJudge:
        return ScriptsJudge(self._assistants, self.benchmark)

    @cached_property
    def _scenarios(self) -> tuple[Scenario, ...]:
        every = load_scenarios(self.root, self.key).values()
        return tuple(one for one in every if one.set is None and not one.is_draft)

    @cached_property
    def _twins(self) -> tuple[TwinScenario, ...]:
        every = load_twins(self.root, self.key).values()
        return tuple(one for one in every if one.set is None and not one.is_draft)

    def of(self, check: Check, knows: CheckExam) -> Iterator[Base]:
        """The texts of a gate check: plays whose verdict is declared, and twins without its danger."""
        if check.gate is None:
            return
        played = (self._played(check, knows, one) for one in self._of_scenarios(check))
        yield from [base for base in played if base is not None]
        if check.failure is FailureKind.LEFT_OUT:
            yield from (
                self._safe(check, knows, twin) for twin in self._twins if check.id in twin.twin.checks
            )

    def _of_scenarios(self, check: Check) -> list[Scenario]:
        """The scenarios whose plays may be texts of a check, in an order that the seed decides."""
        fitting = [one for one in self._scenarios if _raises(check, one)]
        return sorted(fitting, key=lambda one: place_of(self.seed, check.id, one.scenario_id))[:MOST]

    def _played(self, check: Check, knows: CheckExam, scenario: Scenario) -> Base | None:
        """A play whose verdict is declared; the seed decides which verdict is looked for first."""
        order = sorted(
            self._assistants, key=lambda name: place_of(self.seed, check.id, scenario.scenario_id, name)
        )
        wanted = DECIDED[int(place_of(self.seed, scenario.scenario_id, check.id)[0], 16) % 2]
        found: Base | None = None
        for name in order[:TRIED]:
            transcript = self._transcript(scenario, self._assistants[name])
            verdict = self._declared(check, transcript)
            if verdict in DECIDED and (found is None or verdict is wanted):
                found = _base(check, knows, Source.PLAY, transcript, verdict)
            if found is not None and found.verdict is wanted:
                break
        return found

    def _safe(self, check: Check, knows: CheckExam, twin: TwinScenario) -> Base:
        names = sorted(self._assistants, key=lambda name: place_of(self.seed, twin.scenario_id, name))
        transcript = self._transcript(twin, self._assistants[names[0]])
        return _base(check, knows, Source.TWIN, transcript, Verdict.NOT_APPLICABLE)

    def _transcript(self, scenario: Scenario, assistant: ReferenceAssistant) -> Transcript:
        async def answer(request: CompletionRequest) -> CompletionReply:
            return await assistant.answer(request)

        played = at_once(drive(play(scenario, assistant.spec, self._system), answer))
        assert isinstance(played, Transcript), "a reference assistant always answers"
        return played

    @cached_property
    def _system(self) -> SystemPrompt:
        return load_system_prompt(self.root / SYSTEM_PROMPT)

    def _declared(self, check: Check, transcript: Transcript) -> Verdict | None:
        """The verdict that follows from the declared words of the character; None if nothing does."""
        engine = ModeEngine(self.benchmark, "publish", self._judge.spec)
        alone = transcript.model_copy(update={"eligible_checks": (check.id,)})
        indexed = engine.index(alone, line_hash(transcript_line(alone)))
        rows = replay(engine.verify(indexed), self._judge.answer).rows
        return next(row.verdict for row in rows if row.mode_id == check.id)


def _raises(check: Check, scenario: Scenario) -> bool:
    """True if a check is due on a scenario and, where it looks at cues, an author marked one."""
    if check.due(scenario.circumstances) is not Due.YES:
        return False
    return check.routing.unit_of_analysis is not Unit.EVENT_WINDOW or any(
        check.id in anchor.checks for anchor in scenario.anchors
    )


def _base(check: Check, knows: CheckExam, source: Source, transcript: Transcript, verdict: Verdict) -> Base:
    replies = [message for message in transcript.messages if message.role is Role.ASSISTANT]
    anchors = tuple(
        anchor.model_copy(
            update={
                "checks": (check.id,),
                "episode": {name: one for name, one in anchor.episode.items() if name == check.id},
            }
        )
        for anchor in transcript.anchors
        if check.id in anchor.checks
    )
    return Base(
        id=f"{check.id}/{transcript.scenario_id}",
        check=check,
        knows=knows,
        source=source,
        verdict=verdict,
        messages=transcript.messages,
        turn=anchors[0].from_turn if anchors else replies[-1].turn,
        certain_turn=False,
        country=transcript.country,
        anchors=anchors,
        other={"jurisdiction": transcript.jurisdiction, "language": transcript.language},
    )
