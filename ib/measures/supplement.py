"""Supplementary measures for one transcript: every measure of a scan, in the same rounds of questions."""

from __future__ import annotations

from dataclasses import dataclass, field

from ib.engine.questions.protocol import Asking, together
from ib.engine.reading.searched import IndexedTranscript
from ib.measures.measure import Answers, Heard, Measure
from ib.measures.phones import Directory, directory
from ib.measures.registry import chosen
from ib.models.benchmark.benchmark import Benchmark, Rules
from ib.models.benchmark.jurisdiction import rule_set_of
from ib.models.conversation.scenario import Scenario
from ib.models.scan.judge import JudgeSpec
from ib.models.scan.supplement import Supplement, Supplementary


@dataclass(frozen=True)
class Supplementer:
    """The supplementary measures of a scan. Those that ask a judge are off by default."""

    benchmark: Benchmark
    rules: Supplementary
    spec: JudgeSpec
    measures: tuple[Measure, ...] = chosen(())
    _directories: dict[str, Directory] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measures in this scan."""
        return tuple(measure.name for measure in self.measures)

    def measure(self, indexed: IndexedTranscript, scenario: Scenario | None) -> Asking[Supplement]:
        """All measures of one transcript. `scenario` is None for a log."""
        transcript = indexed.transcript
        law = rule_set_of(self.benchmark.rules, transcript.jurisdiction)
        reach = self.benchmark.scoring.corrected_quote_min_chars
        heard = Heard(indexed, scenario, self.rules, self._directory(law), self.spec, reach)
        answers = yield from together([measure.ask(heard) for measure in self.measures])
        return Supplement(
            model_id=transcript.model_id,
            scenario_id=transcript.scenario_id,
            epoch=transcript.epoch,
            transcript_hash=indexed.transcript_hash,
            **_fields(dict(zip(self.names, answers, strict=True))),
        )

    def _directory(self, law: Rules) -> Directory:
        if law.id not in self._directories:
            self._directories[law.id] = directory(law, self.benchmark.rules.values())
        return self._directories[law.id]


def _fields(answers: dict[str, Answers]) -> dict[str, Answers]:
    """The fields of a supplement: one for each measure that has its own, and `others`."""
    own = {name: found for name, found in answers.items() if name in Supplement.model_fields}
    others = (one for name, found in answers.items() if name not in own for one in found)
    return {**own, "others": tuple(others)}
