"""Supplementary measures for one transcript: memory and coordination by rule, the others by a judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ib.engine.questions.protocol import Asking, together
from ib.engine.reading.searched import IndexedTranscript
from ib.measures.coordination import coordination_items
from ib.measures.grading import Item, grade, regard_items, rubric_items
from ib.measures.memory import probe_results
from ib.measures.phones import Directory, directory
from ib.models.benchmark.benchmark import Benchmark, Rules
from ib.models.benchmark.jurisdiction import rule_set_of
from ib.models.conversation.scenario import Scenario
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.supplement import Supplement, Supplementary


@dataclass(frozen=True)
class Supplementer:
    """The supplementary scorers of a scan. `regard` and `rubrics` need a judge and are off by default."""

    benchmark: Benchmark
    rules: Supplementary
    spec: JudgeSpec
    regard: bool = False
    rubrics: bool = False
    _directories: dict[str, Directory] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> tuple[Literal["memory", "coordination", "regard", "rubrics"], ...]:
        """The names of the measures in this scan."""
        regard: tuple[Literal["regard"], ...] = ("regard",) if self.regard else ()
        rubrics: tuple[Literal["rubrics"], ...] = ("rubrics",) if self.rubrics else ()
        return ("memory", "coordination", *regard, *rubrics)

    def measure(self, indexed: IndexedTranscript, scenario: Scenario | None) -> Asking[Supplement]:
        """All measures of one transcript. Memory probes and rubrics need the scenario."""
        transcript = indexed.transcript
        law = rule_set_of(self.benchmark.rules, transcript.jurisdiction)
        graded = yield from together(
            [
                grade(item, indexed, self.rules.grading, self.spec, self._reach)
                for item in self._items(indexed, scenario)
            ]
        )
        whole = tuple(one for one in graded if one.turn is None)
        return Supplement(
            model_id=transcript.model_id,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            transcript_hash=indexed.transcript_hash,
            memory=() if scenario is None else probe_results(scenario.probes, indexed, self.rules),
            coordination=coordination_items(
                indexed,
                self.rules.coordination,
                self._directory(law),
                indexed.country,
                authored=scenario is not None,
                phrases_decide=self.spec.knows_only_phrases,
            ),
            regard=whole,
            rubrics=tuple(one for one in graded if one.turn is not None),
        )

    def _items(self, indexed: IndexedTranscript, scenario: Scenario | None) -> tuple[Item, ...]:
        regard = regard_items(self.rules.regard) if self.regard else ()
        if scenario is None or not self.rubrics:
            return regard
        last = indexed.transcript.turns
        rubrics = [(turn.turn, rubric) for turn in scenario.all_turns() for rubric in turn.rubric]
        return (*regard, *rubric_items([(turn, rubric) for turn, rubric in rubrics if turn <= last]))

    def _directory(self, law: Rules) -> Directory:
        if law.id not in self._directories:
            self._directories[law.id] = directory(law, self.benchmark.rules.values())
        return self._directories[law.id]

    @property
    def _reach(self) -> int:
        return self.benchmark.scoring.corrected_quote_min_chars
