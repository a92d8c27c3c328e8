"""The gate for builds: thresholds on counts and rates of a scan, such as `safety>0`.

What a threshold counts are conversations. A target is a check, a dimension with the checks that close its
gate, or `any`. Without a prefix, a conversation counts if a check of the target failed by most of the votes
asked, or by a rule. `contested:` counts FAILs with fewer votes, and `found:` phrases that nobody judged.

A threshold that did not trip and is about something that was not asked is no pass: see `Outcome.not_asked`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from ib.board.report.cases import kind_of
from ib.errors import UsageError
from ib.models.benchmark.check import Check
from ib.models.common.base import BUCKET_NAMES, State, Verdict
from ib.models.common.reason import Reason
from ib.models.report.report import CaseKind
from ib.models.report.threshold import Outcome
from ib.models.scan.rates import half_decided
from ib.models.scan.result import OCCURRING, NotRun, TranscriptResult, VerdictResult

ANY = "any"
DIMENSIONS = {name.split()[0].lower(): bucket for bucket, name in BUCKET_NAMES.items()}
"""The dimensions by the word that stands for them: safety, compliance, communication and so on."""
ALLOWED = (
    'allowed are TARGET>NUMBER, TARGET>=NUMBER and TARGET.rate>SHARE, such as "safety>0", "IB-A1>=1", '
    '"found:any>0" and "compliance.rate>0.02"; a target is the id of a check, '
    f"{', '.join(DIMENSIONS)} or {ANY}; found: and contested: may stand before it"
)
_FORM = re.compile(
    r"\s*(?:(found|contested):)?([A-Za-z][A-Za-z0-9-]*?)(\.rate)?\s*(>=|>)\s*(\d+(?:\.\d+)?)\s*", re.ASCII
)
_KINDS = {None: CaseKind.FAILED, "found": CaseKind.FOUND, "contested": CaseKind.CONTESTED}


@dataclass(frozen=True)
class Threshold:
    """One expression of `--fail-on`."""

    expression: str
    kind: CaseKind
    target: str
    checks: frozenset[str]
    """The checks of the target."""
    is_rate: bool
    or_equal: bool
    limit: float

    def is_over(self, k: int, n: int) -> bool:
        """True if k of n conversations are over the limit."""
        value = (k / n if n else 0.0) if self.is_rate else k
        return value > self.limit or (self.or_equal and value == self.limit)


def thresholds(expressions: Iterable[str], checks: Mapping[str, Check]) -> tuple[Threshold, ...]:
    """The thresholds of some expressions. Raises UsageError for one that is none, with what is allowed."""
    return tuple(_threshold(expression, checks) for expression in expressions)


def refuse_rates(listed: Iterable[Threshold]) -> None:
    """Raises UsageError for a threshold on a rate. In a sample of logs, k of n is no rate of the logs."""
    for one in listed:
        if one.is_rate:
            raise UsageError(
                f"--fail-on {one.expression!r}: a sampled scan has no such rate, because conversations are "
                "drawn with different probabilities; use a count, or read the rates in `ib report`"
            )


def _threshold(expression: str, checks: Mapping[str, Check]) -> Threshold:
    form = _FORM.fullmatch(expression)
    if form is None:
        raise UsageError(f"--fail-on {expression!r} is no threshold; {ALLOWED}")
    prefix, target, share, sign, number = form.groups()
    limit = float(number)
    wrong = _wrong_limit(limit, is_rate=share is not None, or_equal=sign == ">=")
    if wrong:
        raise UsageError(f"--fail-on {expression!r}: {wrong}")
    return Threshold(
        expression=expression.strip(),
        kind=_KINDS[prefix],
        target=target,
        checks=_checks(expression, target, checks),
        is_rate=share is not None,
        or_equal=sign == ">=",
        limit=limit,
    )


def _wrong_limit(limit: float, *, is_rate: bool, or_equal: bool) -> str | None:
    """Why a limit would always or never trip; None if it is a limit."""
    if or_equal and limit == 0:
        return "it would always fail the build; the least limit of >= is 1, or a share above 0"
    if is_rate and (limit > 1 or (limit == 1 and not or_equal)):
        return "it would never fail the build; a rate is a share from 0 to 1, such as 0.02 for 2%"
    if not is_rate and limit != int(limit):
        return "a count is a whole number; write TARGET.rate for a share"
    return None


def _checks(expression: str, target: str, checks: Mapping[str, Check]) -> frozenset[str]:
    if target == ANY:
        return frozenset(checks)
    if target in DIMENSIONS:
        dimension = DIMENSIONS[target]
        return frozenset(one.id for one in checks.values() if dimension in (one.bucket, one.gate))
    if target in checks:
        return frozenset((target,))
    near = get_close_matches(target, [*DIMENSIONS, ANY, *checks], 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"--fail-on {expression!r}: unknown target {target!r}; {hint}{ALLOWED}")


@dataclass
class _Count:
    """What the conversations so far say about one threshold."""

    threshold: Threshold
    k: int = 0
    n: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    """By check, the conversations with an answer, or searched ones for `found:`."""
    unanswered: Counter[str] = field(default_factory=Counter)
    """By check, the conversations on which it was due without one."""
    unclear: int = 0
    reasons: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, result: TranscriptResult) -> None:
        rows = [row for row in result.rows if row.mode_id in self.threshold.checks and row.eligible]
        rows = [row for row in rows if row.state is not State.SUPPRESSED]
        self.k += any(kind_of(row) is self.threshold.kind for row in rows)
        self.n += any(self._is_seen(row) for row in rows)
        for row in rows:
            self._count(row)

    def _is_seen(self, row: VerdictResult) -> bool:
        return _searched(row) if self.threshold.kind is CaseKind.FOUND else row.verdict in OCCURRING

    def _count(self, row: VerdictResult) -> None:
        has_answer = _searched(row) if self.threshold.kind is CaseKind.FOUND else row.verdict is not None
        if has_answer:
            self.answered[row.mode_id] += 1
            self.unclear += row.verdict is Verdict.UNCLEAR
            return
        self.unanswered[row.mode_id] += 1
        why = (
            _WHY.get(row.reason, row.reason.value)
            if isinstance(row, NotRun)
            else _OTHERWISE[self.threshold.kind]
        )
        self.reasons.setdefault(row.mode_id, Counter())[why] += 1

    def outcome(self) -> Outcome:
        tripped = self.threshold.is_over(self.k, self.n)
        missing = {} if tripped else dict(self._missing())
        made = Outcome(
            expression=self.threshold.expression,
            tripped=tripped,
            k=self.k,
            n=self.n,
            unanswered=self.unclear + sum(self.unanswered[one] for one in self.answered),
            not_asked=tuple(missing),
        )
        return made.model_copy(update={"said": _said(made, self.threshold, missing) + self._unsearched(made)})

    def _unsearched(self, made: Outcome) -> str:
        """Of how many checks no phrase was looked for, if a threshold on phrases held without them."""
        every = len(self.threshold.checks)
        rest = every - len(self.answered)
        if self.threshold.kind is not CaseKind.FOUND or made.tripped or made.not_asked or not rest:
            return ""
        return f"; no phrase was looked for of {rest} of {every} checks"

    def _missing(self) -> Iterable[tuple[str, str]]:
        """The checks that have an answer on fewer than half of the conversations on which they were due."""
        due = {*self.answered, *self.unanswered}
        if not due:
            yield from ((check_id, "due on no conversation") for check_id in sorted(self.threshold.checks))
        if self.threshold.kind is CaseKind.FOUND and self.answered:
            due = {*self.answered}  # most checks have no phrases that could be looked for
        for check_id in sorted(due):
            if not half_decided(self.answered[check_id], self.unanswered[check_id]) or (
                not self.answered[check_id]
            ):
                yield check_id, self.reasons[check_id].most_common(1)[0][0]


_WHY = {
    Reason.NO_JUDGE: "no judge was asked",
    Reason.PROFILE: "the profile does not ask it",
    Reason.SELECTION: "it was not selected",
    Reason.LANGUAGE: "it reads English only",
    Reason.NO_PHRASE_FOUND: "only listed phrases were looked for",
    Reason.NOT_RECORDED: "the recording has no votes on it",
    Reason.FAULT: "the judge could not be reached",
}
"""Why a check was not run, in words."""
NAMED = 4
"""How many checks a message names for one reason."""
_OTHERWISE = {
    CaseKind.FOUND: "a judge was asked, and phrases are only hints in its questions",
    CaseKind.FAILED: "a phrase was found and not judged",
    CaseKind.CONTESTED: "a phrase was found and not judged",
}
"""Why a row that is not `not_run` has no answer to a threshold."""


def _searched(row: VerdictResult) -> bool:
    """True if listed phrases were looked for, and nobody judged what was found."""
    if row.state is State.FOUND:
        return True
    return isinstance(row, NotRun) and row.reason is Reason.NO_PHRASE_FOUND


def _said(outcome: Outcome, threshold: Threshold, missing: Mapping[str, str]) -> str:
    """The outcome in one line. `missing` has the reason of each check that was not asked."""
    what = "searched" if threshold.kind is CaseKind.FOUND else "with a clear answer"
    counts = f"{outcome.k:,} of {outcome.n:,} conversations {what}"
    share = f", a rate of {outcome.k / outcome.n:.4f}" if threshold.is_rate and outcome.n else ""
    if outcome.tripped:
        return f"{outcome.expression}: {counts}{share}"
    if outcome.not_asked:
        return f"{outcome.expression}: not asked: {_listed(missing)}"
    open_ = f"; {outcome.unanswered:,} questions without a clear answer" if outcome.unanswered else ""
    return f"{outcome.expression}: does not hold: {counts}{share}{open_}"


def _listed(missing: Mapping[str, str]) -> str:
    """The checks by the reason why they were not asked."""
    by_reason: dict[str, list[str]] = {}
    for check_id, why in missing.items():
        by_reason.setdefault(why, []).append(check_id)
    return "; ".join(
        ", ".join(named[:NAMED])
        + (f" and {len(named) - NAMED} more" if len(named) > NAMED else "")
        + f" ({why})"
        for why, named in by_reason.items()
    )


class BuildGate:
    """Compares thresholds with the conversations of a scan, one at a time."""

    def __init__(self, listed: Sequence[Threshold]) -> None:
        self._counts = [_Count(threshold) for threshold in listed]

    def add(self, result: TranscriptResult) -> None:
        """Count one conversation."""
        for count in self._counts:
            count.add(result)

    def outcomes(self) -> tuple[Outcome, ...]:
        """What each threshold came to, in the order given."""
        return tuple(count.outcome() for count in self._counts)
