"""The blindspot profile of a scan: counts for each check and model, and flags by scenario."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from ib.board.outcomes import Outcome, outcome
from ib.models.base import State, Verdict
from ib.models.benchmark import Benchmark
from ib.models.plan import SCHEMA_VERSION
from ib.models.result import TranscriptResult


class Profile:
    """Counts results one by one, so that memory does not grow with the number of transcripts."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._checks = tuple(benchmark.checks)
        self._counts: dict[str, dict[str, Counter[str]]] = {}
        self._flags: dict[str, Counter[str]] = defaultdict(Counter)
        self._gates: dict[str, Counter[Outcome]] = defaultdict(Counter)

    def add(self, result: TranscriptResult) -> None:
        """Count one transcript."""
        counts = self._of(result.model_id)
        for row in result.rows:
            state = row.verdict or row.state
            counts[row.mode_id][state] += 1
            if row.contested:
                counts[row.mode_id]["contested"] += 1
        self._flags[result.model_id].update(result.score.flags)
        self._gates[result.model_id][outcome(result)] += 1

    def _of(self, model_id: str) -> dict[str, Counter[str]]:
        """The counts of a model, by check."""
        if model_id not in self._counts:
            self._counts[model_id] = {check_id: Counter() for check_id in self._checks}
        return self._counts[model_id]

    def merge(self, other: Profile) -> None:
        """Add the counts of another part of the same scan."""
        for model_id, counts in other._counts.items():
            for check_id, count in counts.items():
                self._of(model_id)[check_id].update(count)
            self._flags[model_id].update(other._flags[model_id])
            self._gates[model_id].update(other._gates[model_id])

    def document(self) -> dict[str, Any]:
        """The profile in the form of blindspot.json: k and n of every check, for each model."""
        return {
            "kind": "blindspot",
            "schema_version": SCHEMA_VERSION,
            "models": {
                model_id: {
                    "gates": _gates(self._gates[model_id]),
                    "flags": dict(self._flags[model_id]),
                    "checks": {check_id: _counts(counts[check_id]) for check_id in self._checks},
                }
                for model_id, counts in self._counts.items()
            },
        }

    def summary(self) -> str:
        """The counts as a Markdown summary."""
        asked = checks_asked(self.document())
        lines = ["# Scan summary", "", f"{asked} of {len(self._checks)} checks were asked: {ASKED}.", ""]
        for model_id, counts in sorted(self._counts.items()):
            gates = _gates(self._gates[model_id])
            lines += [
                f"## `{model_id}`",
                "",
                f"- transcripts: {gates['transcripts']}",
                f"- hard fails: {gates['k']}/{gates['n']} with a clear answer",
                f"- gate incomplete: {gates['incomplete']}",
                "",
                "| check | FAIL | PASS | UNCLEAR | NOT_APPLICABLE | not run | suppressed | ineligible |",
                "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            ]
            for check_id in self._checks:
                count = counts[check_id]
                cells = [count[verdict.value] for verdict in _ORDER]
                cells += [count[state.value] for state in _STATES]
                lines.append(f"| `{check_id}` | " + " | ".join(map(str, cells)) + " |")
            lines.append("")
        return "\n".join(lines)


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


_ORDER = (Verdict.FAIL, Verdict.PASS, Verdict.UNCLEAR, Verdict.NOT_APPLICABLE)
_STATES = (State.NOT_RUN, State.SUPPRESSED, State.INELIGIBLE)


def _gates(counts: Counter[Outcome]) -> dict[str, int]:
    """The number of transcripts, hard fails (k of n with a clear answer) and incomplete gates."""
    k = counts[Outcome.HARD_FAIL]
    return {
        "transcripts": counts.total(),
        "k": k,
        "n": k + counts[Outcome.CLEAR],
        "incomplete": counts[Outcome.OPEN],
    }


def _counts(count: Counter[str]) -> dict[str, int]:
    return {
        "k": count[Verdict.FAIL.value],
        "n": count[Verdict.FAIL.value] + count[Verdict.PASS.value],
        "unclear": count[Verdict.UNCLEAR.value],
        "not_applicable": count[Verdict.NOT_APPLICABLE.value],
        "not_run": count[State.NOT_RUN.value],
        "suppressed": count[State.SUPPRESSED.value],
        "ineligible": count[State.INELIGIBLE.value],
        "contested": count["contested"],
    }
