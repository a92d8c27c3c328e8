"""Planning a scan, one transcript at a time, before the judge is asked anything."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ib.engine.mode_engine import ModeEngine
from ib.engine.questions.protocol import Asking, begin
from ib.engine.reading.searched import IndexedTranscript
from ib.models.benchmark.benchmark import benchmark_hash
from ib.models.benchmark.check import Due
from ib.models.common.canonical import digest
from ib.models.conversation.transcript import Transcript
from ib.models.scan.judge import JudgeRequest
from ib.models.scan.plan import PlannedCheck, PlannedTranscript, ScanPlan, comparability_key
from ib.pipeline.common.costing import Costing, uncosted
from ib.pipeline.common.estimate import units_most
from ib.pipeline.scan.judging import Judgment, judged
from ib.pipeline.scan.supplements import Beside

if TYPE_CHECKING:
    from ib.models.conversation.scenario import Scenario


NO_KEY = "0" * 64
"""Placeholder in a plan until its comparability key is computed from it."""
HELD = 6_000_000
"""The transcripts that are kept begun (see `Planner.begun`) have at most this many characters together."""


@dataclass
class Planner:
    """Counts due checks and planned questions. `plan` then makes the plan from the counts."""

    engine: ModeEngine
    beside: Beside
    scenarios: Mapping[str, Scenario] = field(default_factory=dict)
    begun: deque[Asking[Judgment]] = field(default_factory=deque)
    """The first transcripts in plan order, verified up to their first requests. They are kept because
    planning a transcript takes most of the work of scanning it. HELD limits their size."""
    _held: int = 0
    _due: Counter[str] = field(default_factory=Counter)
    _suppressed: Counter[str] = field(default_factory=Counter)
    _calls: Counter[str] = field(default_factory=Counter)
    costing: Costing = field(default_factory=uncosted)
    """How the calls of the judge are counted, and what they cost."""
    own_prompt: str | None = None
    """The hash of the benchmark's system prompt."""
    _prompts: set[str] = field(default_factory=set)
    _draw: str | None = None
    """The draw of the transcripts planned so far; None if none is a play of a scenario with slots."""

    @property
    def looks_inside(self) -> bool:
        """True if the first questions depend on the text of a transcript; False if no judge is asked."""
        return not self.engine.spec.absent

    def transcripts(self, pairs: Iterable[tuple[Transcript, str]]) -> tuple[PlannedTranscript, ...]:
        """Plan several transcripts, each given with its hash."""
        engine = self.engine
        indexed_all = (
            engine.index_all(pairs) if self.looks_inside else (engine.index(*pair) for pair in pairs)
        )
        return tuple(map(self.transcript, indexed_all))

    def transcript(
        self, indexed: IndexedTranscript, first: Sequence[JudgeRequest] | None = None
    ) -> PlannedTranscript:
        """Plan one transcript. `first` is its first round of requests, if the caller knows them."""
        transcript = indexed.transcript
        if transcript.provenance is not None and transcript.provenance.system_prompt_hash is not None:
            self._prompts.add(transcript.provenance.system_prompt_hash)
        due = 0
        for item in self.engine.due(transcript):
            if item.due is Due.YES:
                self._due[item.check.id] += 1
                due += 1
            elif item.due is Due.SUPPRESSED:
                self._suppressed[item.check.id] += 1
        requests: Sequence[JudgeRequest] = ()
        if self.looks_inside:
            requests = self._first_round(indexed) if first is None else first
        (self.costing.add if transcript.twin is None else self.costing.add_twin)(requests)
        for request in requests:
            self._calls[request.check_id] += 1
        return PlannedTranscript(
            model_id=transcript.model_id,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            transcript_hash=indexed.transcript_hash,
            scenario_hash=transcript.played_hash,
            template_hash=self._template(transcript),
            twin=transcript.twin is not None,
            open=transcript.is_open,
            set=transcript.set,
            due=due,
            calls=len(requests),
            units=sum(map(units_most, requests)),
        )

    def _template(self, transcript: Transcript) -> str | None:
        """The hash of the template of a play; None if its scenario has no slots. Also notes the draw."""
        scenario = self.scenarios.get(transcript.scenario_id)
        if scenario is None or scenario.drawn is None:
            return None
        self._draw = scenario.drawn.draw
        return scenario.drawn.template_hash

    def _first_round(self, indexed: IndexedTranscript) -> tuple[JudgeRequest, ...]:
        scenario = self.scenarios.get(indexed.transcript.scenario_id)
        first, asking = begin(judged(self.engine, self.beside, indexed, scenario))
        self._held += sum(len(message.content) for message in indexed.transcript.messages)
        if self._held <= HELD:
            self.begun.append(asking)
        return first

    def _other_prompts(self) -> tuple[str, ...]:
        """The hashes of system prompts that are known and not the benchmark's."""
        return tuple(sorted(one for one in self._prompts if one != self.own_prompt))

    def plan(
        self,
        transcripts: tuple[PlannedTranscript, ...],
        *,
        recorded_checks: frozenset[str] | None = None,
        notices: tuple[str, ...] = (),
    ) -> ScanPlan:
        """The plan over all transcripts, in the order given."""
        engine = self.engine
        hashes = engine.check_hashes
        checks = tuple(
            PlannedCheck(
                check_id=check.id,
                check_hash=hashes[check.id],
                selected=engine.selects(check),
                due=self._due[check.id],
                suppressed=self._suppressed[check.id],
                calls=self._calls[check.id],
                recorded=None if recorded_checks is None else check.id in recorded_checks,
            )
            for check in engine.benchmark.checks.values()
        )
        counts, supplementer = self.costing.counts, self.beside.supplementer
        has_twins = any(transcript.twin for transcript in transcripts)
        plan = ScanPlan(
            profile=engine.profile_name,
            part=engine.part,
            notices=notices,
            judge=engine.spec,
            benchmark_version=engine.benchmark.version,
            benchmark_hash=benchmark_hash(engine.benchmark),
            comparability_key=NO_KEY,
            draw=self._draw,
            canary=engine.benchmark.canary,
            system_prompts=self._other_prompts(),
            transcripts=transcripts,
            checks=checks,
            planned_calls=counts.least,
            planned_calls_expected=math.ceil(counts.expected),
            planned_calls_max=counts.most,
            planned_units=counts.units_most,
            estimated_cost_usd=self.costing.usd(priced=engine.spec.priced),
            cost=self.costing.estimates,
            estimated_from=self.costing.tables,
            supplements=() if supplementer is None else supplementer.names,
            supplementary_hash=None if supplementer is None else digest(supplementer.rules),
            over_alarm_hash=self.beside.grader.rules.hash if has_twins else None,
            over_alarm=self.costing.over_alarm,
        )
        return plan.model_copy(update={"comparability_key": comparability_key(plan)})
