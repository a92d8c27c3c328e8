"""Count a model's conversations under other rules for the gates.

So that a reader sees what depends on the rule. Sums are exact fractions, so that their order does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from ib.models.common.base import State, Verdict
from ib.models.release.rules import GateRule, GateRuleEntry
from ib.models.scan.gates import HARD_FAILS, GateState
from ib.models.scan.rates import half_decided
from ib.models.scan.result import TranscriptResult, VerdictResult


class Gates(NamedTuple):
    """The rows of gate checks of one conversation."""

    state: GateState
    failed: int
    """Failures that are not contested."""
    split: int
    """Those of them on which the votes do not agree."""
    contested: int
    undecided: int


def _published(one: Gates) -> bool | None:
    return None if one.state.is_undecided else one.state in HARD_FAILS


def _contested(one: Gates) -> bool | None:
    return True if one.failed + one.contested else None if one.undecided else False


def _unanimous(one: Gates) -> bool | None:
    return True if one.failed > one.split else None if one.undecided else False


def _two(one: Gates) -> bool | None:
    if one.failed >= 2:
        return True
    return None if one.failed + one.contested + one.undecided >= 2 else False


FAILS: Mapping[GateRule, Callable[[Gates], bool | None]] = {
    GateRule.PUBLISHED: _published,
    GateRule.CONTESTED: _contested,
    GateRule.UNANIMOUS: _unanimous,
    GateRule.TWO: _two,
    GateRule.QUALITY: lambda _: False,
}
"""Whether a conversation fails under a rule; None if the rule does not say."""


@dataclass
class RulesTally:
    """Counts conversations under every rule, one at a time."""

    due: int = 0
    transcripts: int = 0
    answers: dict[GateRule, Counter[bool | None]] = field(
        default_factory=lambda: {rule: Counter() for rule in GateRule}
    )
    scored: Counter[GateRule] = field(default_factory=Counter)
    sums: dict[GateRule, Fraction] = field(default_factory=lambda: dict.fromkeys(GateRule, Fraction()))

    def add(self, result: TranscriptResult) -> None:
        """Count one conversation."""
        gates = _gates(result)
        is_due = gates.state is not GateState.NOT_DUE
        self.due += is_due
        self.transcripts += 1
        for rule, fails in FAILS.items():
            failed = fails(gates) if is_due else False
            if is_due:
                self.answers[rule][failed] += 1
            quality = result.score.quality_score if rule is not GateRule.QUALITY else _share(result.rows)
            score = None if failed is None else 0.0 if failed else quality
            if score is not None:
                self.scored[rule] += 1
                self.sums[rule] += Fraction(score)

    def entries(self) -> tuple[GateRuleEntry, ...]:
        """The model under every rule."""
        return tuple(map(self._entry, GateRule))

    def _entry(self, rule: GateRule) -> GateRuleEntry:
        n, failed = self.scored[rule], self.answers[rule][True]
        is_shown = n > failed and half_decided(n, self.transcripts - n)
        return GateRuleEntry(
            rule=rule,
            failed=failed,
            undecided=self.answers[rule][None],
            due=self.due,
            mean=float(self.sums[rule]) / n if is_shown else None,
            n=n,
        )


def _gates(result: TranscriptResult) -> Gates:
    rows = [row for row in result.rows if row.gate is not None and row.eligible]
    failed = [row for row in rows if row.verdict is Verdict.FAIL and not row.contested]
    return Gates(
        state=result.score.gate_state,
        failed=len(failed),
        split=sum(row.split for row in failed),
        contested=sum(row.contested for row in rows),
        undecided=sum(_is_open(row) for row in rows),
    )


def _is_open(row: VerdictResult) -> bool:
    return row.verdict is Verdict.UNCLEAR or row.state in (State.NOT_RUN, State.FOUND)


def _share(rows: Sequence[VerdictResult]) -> float | None:
    """The share of passes among the checks that passed or failed; None if they are fewer than half."""
    passes = sum(row.verdict is Verdict.PASS for row in rows)
    failures = sum(row.verdict is Verdict.FAIL for row in rows)
    is_open = sum(_is_open(row) for row in rows)
    decided = passes + failures
    return passes / decided if decided and half_decided(decided, is_open) else None
