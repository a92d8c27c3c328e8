"""The blindspot profile of a scan: counts for each gate, check and model, and flags by scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ib.board.figures.gates import gate_words
from ib.measures.registry import chosen
from ib.models.benchmark.benchmark import Benchmark
from ib.models.common.base import BUCKET_NAMES, GATE_BUCKETS, Bucket, State, Verdict
from ib.models.common.reason import Reason
from ib.models.scan.gates import GateCounts, GateState
from ib.models.scan.part import SamplePlan
from ib.models.scan.plan import SCHEMA_VERSION
from ib.models.scan.result import OCCURRING, TranscriptResult

if TYPE_CHECKING:
    from ib.models.scan.supplement import Supplement


@dataclass
class _ModelCounts:
    """The counts of one model."""

    checks: dict[str, Counter[str]]
    gates: dict[Bucket, Counter[GateState]]
    both_gates: Counter[GateState] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    beside: dict[str, Counter[Verdict]] = field(default_factory=dict)
    """The verdicts of each measure that needs no judge, by line of the summary; empty if not measured."""
    transcripts: int = 0
    refused_questions: int = 0
    unreadable_questions: int = 0

    @classmethod
    def of(cls, checks: Sequence[str]) -> _ModelCounts:
        """Counts of zero for each check and gate."""
        return cls({check_id: Counter() for check_id in checks}, {gate: Counter() for gate in GATE_BUCKETS})

    def add(self, result: TranscriptResult) -> None:
        """Count one transcript."""
        for row in result.rows:
            count = self.checks[row.mode_id]
            count[row.verdict or row.state] += 1
            silent = row.verdict is None and row.reason is Reason.NO_PHRASE_FOUND
            count["searched"] += row.state is State.FOUND or silent
            if row.verdict is not None:
                count["no_phrase_found"] += row.reason is Reason.NO_PHRASE_FOUND
                count["contested"] += row.contested
                count["split"] += row.split
                count["older_question"] += row.older_question
                self.refused_questions += row.refused_questions
                self.unreadable_questions += row.unreadable_questions
            if row.occurrences is not None:
                count["occurrences"] += len(row.occurrences.turns)
                count["chances"] += row.occurrences.chances
            elif row.verdict in OCCURRING:
                count["not_measured"] += 1
        for gate, found in result.score.gates.items():
            self.gates[gate][found.state] += 1
        self.both_gates[result.score.gate_state] += 1
        self.flags.update(result.score.flags)
        self.transcripts += 1

    def add_beside(self, supplement: Supplement) -> None:
        """Count what is measured beside the checks of one transcript, as far as no judge is needed."""
        for measure in chosen(()):
            if measure.one_line:
                self.beside.setdefault(measure.name, Counter())
            for item, found in measure.counted(supplement):
                if isinstance(found, Verdict):
                    self.beside.setdefault(measure.line(item), Counter())[found] += 1

    def merge(self, other: _ModelCounts) -> None:
        """Add the counts of the same model in another part of the scan."""
        for name, verdicts in other.beside.items():
            self.beside.setdefault(name, Counter()).update(verdicts)
        for check_id, count in other.checks.items():
            self.checks[check_id].update(count)
        for gate, states in other.gates.items():
            self.gates[gate].update(states)
        self.both_gates.update(other.both_gates)
        self.flags.update(other.flags)
        self.transcripts += other.transcripts
        self.refused_questions += other.refused_questions
        self.unreadable_questions += other.unreadable_questions

    def document(self) -> dict[str, Any]:
        """The counts in the form of blindspot.json."""
        return {
            "transcripts": self.transcripts,
            "gates": {gate.value: GateCounts.of(states).model_dump() for gate, states in self.gates.items()},
            "both_gates": GateCounts.of(self.both_gates).model_dump(),
            "refused_questions": self.refused_questions,
            "unreadable_questions": self.unreadable_questions,
            "flags": dict(self.flags),
            "checks": {check_id: _counts(count) for check_id, count in self.checks.items()},
        }

    def summary(self) -> Iterator[str]:
        """The counts as lines of Markdown."""
        yield f"- transcripts: {self.transcripts}"
        for gate, states in self.gates.items():
            yield f"- {BUCKET_NAMES[gate].lower()} hard fails: {gate_words(GateCounts.of(states))}"
        yield f"- questions that the judge refused: {self.refused_questions}"
        yield f"- questions that it did not answer in the form asked for: {self.unreadable_questions}"
        older = sum(count["older_question"] for count in self.checks.values())
        if older:
            yield f"- verdicts by votes on an older wording: {older}"
        for name, verdicts in self.beside.items():
            yield f"- {name} (beside the checks, in no score): {_failed(verdicts)}"
        yield ""
        yield "| check | FAIL | PASS | UNCLEAR | NOT_APPLICABLE | found | not run | suppressed | ineligible |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        for check_id, count in self.checks.items():
            cells = [count[verdict.value] for verdict in _ORDER] + [count[state.value] for state in _STATES]
            yield f"| `{check_id}` | " + " | ".join(map(str, cells)) + " |"


class Profile:
    """Counts results one by one, so that memory does not grow with the number of transcripts."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._checks = tuple(benchmark.checks)
        self._models: dict[str, _ModelCounts] = {}

    def add(self, result: TranscriptResult, supplement: Supplement | None = None) -> None:
        """Count one transcript."""
        counts = self._of(result.model_id)
        counts.add(result)
        if supplement is not None:
            counts.add_beside(supplement)

    def merge(self, other: Profile) -> None:
        """Add the counts of another part of the same scan."""
        for model_id, counts in other._models.items():
            self._of(model_id).merge(counts)

    def _of(self, model_id: str) -> _ModelCounts:
        if model_id not in self._models:
            self._models[model_id] = _ModelCounts.of(self._checks)
        return self._models[model_id]

    def document(self) -> dict[str, Any]:
        """The profile in the form of blindspot.json: counts of every gate and check, for each model."""
        return {
            "kind": "blindspot",
            "schema_version": SCHEMA_VERSION,
            "models": {model_id: counts.document() for model_id, counts in self._models.items()},
        }

    def summary(self, sample: SamplePlan | None = None, about_judge: Sequence[str] = ()) -> str:
        """The counts as a Markdown summary. `sample` is what was drawn, if they are of a sample of logs, and
        `about_judge` are sentences about the judge."""
        asked = checks_asked(self.document())
        lines = ["# Scan summary", "", f"{asked} of {len(self._checks)} checks were asked: {ASKED}.", ""]
        if sample is not None:
            lines += [
                f"{sample.n:,} of {sample.conversations:,} conversations were drawn. {COUNTS_OF_SAMPLE}.",
                "",
            ]
        if about_judge:
            lines += [" ".join(about_judge), ""]
        if searched(self.document()):
            lines += [f"{FOUND}.", ""]
        for model_id, counts in sorted(self._models.items()):
            lines += [f"## `{model_id}`", "", *counts.summary(), ""]
        return "\n".join(lines)


COUNTS_OF_SAMPLE = (
    "The counts are of these, drawn with different probabilities, so that their shares are no rates of all "
    "conversations; `ib report` has the rates"
)
"""What the counts of a sample are."""
ASKED = "at least one transcript has a verdict"
"""When a check counts as asked."""


def checks_asked(document: Mapping[str, Any]) -> int:
    """How many checks of a blindspot.json have a verdict on at least one transcript of a model."""
    judged = ("n", "unclear", "not_applicable")
    return len(
        {
            check_id
            for model in document["models"].values()
            for check_id, count in model["checks"].items()
            if any(count[name] for name in judged)
        }
    )


FOUND = (
    "Found: a listed phrase was found, and no judge read it. It points to words that somebody should read, "
    "and is no failure; where none was found, the check is not run"
)
"""What `found` says."""


def searched(document: Mapping[str, Any]) -> int:
    """In how many rows of a blindspot.json phrases were looked for without a judge, found or not."""
    models = document["models"].values()
    return sum(count["searched"] for model in models for count in model["checks"].values())


_ORDER = (Verdict.FAIL, Verdict.PASS, Verdict.UNCLEAR, Verdict.NOT_APPLICABLE)
_STATES = (State.FOUND, State.NOT_RUN, State.SUPPRESSED, State.INELIGIBLE)


def _failed(verdicts: Counter[Verdict]) -> str:
    """How many of the cases with a clear answer failed, in words."""
    clear = verdicts[Verdict.FAIL] + verdicts[Verdict.PASS]
    found = f"{verdicts[Verdict.FAIL]} of {clear} failed" if clear else "no case with a clear answer"
    unclear = verdicts[Verdict.UNCLEAR]
    return f"{found}, {unclear} unclear" if unclear else found


def _counts(count: Counter[str]) -> dict[str, int]:
    return {
        "k": count[Verdict.FAIL.value],
        "n": count[Verdict.FAIL.value] + count[Verdict.PASS.value],
        "unclear": count[Verdict.UNCLEAR.value],
        "not_applicable": count[Verdict.NOT_APPLICABLE.value],
        "found": count[State.FOUND.value],
        "searched": count["searched"],
        "not_run": count[State.NOT_RUN.value],
        "suppressed": count[State.SUPPRESSED.value],
        "ineligible": count[State.INELIGIBLE.value],
        "no_phrase_found": count["no_phrase_found"],
        "contested": count["contested"],
        "split": count["split"],
        "older_question": count["older_question"],
        "occurrences": count["occurrences"],
        "chances": count["chances"],
        "not_measured": count["not_measured"],
    }
