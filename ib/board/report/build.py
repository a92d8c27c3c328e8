"""Build the report of a scan from its results, one conversation at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ib.board.evidence.holding import Holding
from ib.board.evidence.leaks import LeakSearch
from ib.board.figures.contrasts import Families
from ib.board.figures.rates import rate
from ib.board.figures.roots import RootTally, joined
from ib.board.figures.tally import CheckTally
from ib.board.gate.origin import stands_in
from ib.board.report.cases import cases_of, kind_of
from ib.board.report.sampled import SampledTally
from ib.board.report.sentences import asked_of, opening
from ib.errors import DataError
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.calibration import CalibrationStatus
from ib.models.benchmark.check import Check
from ib.models.common.base import GRAVEST_FIRST, State, Verdict
from ib.models.common.reason import Reason
from ib.models.conversation.transcript import Transcript
from ib.models.report.report import Case, CaseKind, Group, GroupedCheck, Grouping, Report, ReportedCheck
from ib.models.scan.plan import ScanPlan
from ib.models.scan.rates import Rate
from ib.models.scan.result import OCCURRING, NotRun, TranscriptResult, VerdictResult

_KINDS = tuple(CaseKind)


@dataclass
class _CheckCount:
    """The rows of one check."""

    tally: CheckTally = field(default_factory=CheckTally)
    older: int = 0
    voted: int = 0
    reasons: Counter[Reason] = field(default_factory=Counter)

    def add(self, row: VerdictResult, scenario_id: str) -> None:
        self.tally.add(row, scenario_id)
        self.older += row.older_question and kind_of(row) is CaseKind.FAILED
        self.voted += bool(row.votes)
        if isinstance(row, NotRun):
            self.reasons[row.reason] += 1

    @property
    def found(self) -> int:
        """Conversations in which a listed phrase was found."""
        return self.tally.states[State.FOUND]


@dataclass
class _GroupCount:
    """The conversations with one value of a metadata key."""

    conversations: int = 0
    failed: int = 0
    headline: int = 0
    """Those of `failed` with a failure whose votes answer the question as it is now."""
    decided: int = 0
    found: int = 0
    families: set[str] = field(default_factory=set)
    kinds: dict[str, Counter[CaseKind]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, result: TranscriptResult) -> None:
        kinds = {row.mode_id: kind for row in result.rows if (kind := kind_of(row)) is not None}
        self.conversations += 1
        self.failed += CaseKind.FAILED in kinds.values()
        self.headline += any(kind_of(r) is CaseKind.FAILED and not r.older_question for r in result.rows)
        self.found += CaseKind.FOUND in kinds.values()
        if any(row.verdict in OCCURRING for row in result.rows):
            self.decided += 1
            self.families.add(result.scenario_id)
        for check_id, kind in kinds.items():
            self.kinds[check_id][kind] += 1


class ReportTally:
    """Counts the conversations of a scan and keeps the cases of each.

    `leaks` knows the forms of keys, which no report shows, and `holding` the replies whose words it
    withholds. `by` is a metadata key to group the conversations
    by. `sampled` keeps what was said of each conversation of a sample of logs. `show_user` shows what persons
    said in logs, too.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        leaks: LeakSearch,
        holding: Holding,
        by: str | None = None,
        sampled: SampledTally | None = None,
        *,
        show_user: bool = False,
    ) -> None:
        self._benchmark = benchmark
        self._leaks = leaks
        self._holding = holding
        self._by = by
        self._sampled = sampled
        self._show_user = show_user
        self._checks = {check_id: _CheckCount() for check_id in benchmark.checks}
        self._groups: dict[str | None, _GroupCount] = defaultdict(_GroupCount)
        self._keys: set[str] = set()
        self._cases: list[Case] = []
        self._families = Families()
        self._whole = _GroupCount()
        self._roots = RootTally()
        self._asked: set[int] = set()

    def add(self, transcript: Transcript, result: TranscriptResult) -> None:
        """Count one conversation. Raises KeyError if a row is of a check that the benchmark lacks."""
        if self._sampled is not None:
            self._sampled.add(result, None if self._by is None else result.meta.get(self._by))
        self._families.add(result)
        self._keys.update(result.meta)
        for row in result.rows:
            self._checks[row.mode_id].add(row, result.scenario_id)
            self._asked.update(window.asked for window in row.windows if row.votes)
        sure = [row for row in result.rows if kind_of(row) is CaseKind.FAILED]
        self._roots.add(sure, joined(sure, self._benchmark))
        self._whole.add(result)
        if self._by is not None:
            self._groups[result.meta.get(self._by)].add(result)
        held = self._holding.held(transcript, result)
        self._cases += cases_of(
            transcript, result, self._benchmark, self._leaks, show_user=self._show_user, held=held
        )

    def report(self, plan: ScanPlan, plan_hash: str) -> Report:
        """The report of all conversations so far. Raises DataError if none has the metadata key."""
        family = self._families.names()
        checks = tuple(self._check(check, family) for check in self._ordered())
        asked = asked_of(checks)
        kinds = Counter(case.kind for case in self._cases)
        return Report(
            plan_hash=plan_hash,
            profile=plan.profile,
            judge=plan.judge.model,
            judges=0 if stands_in(plan.judge) else max(1, len(plan.judge.judges)),
            votes_per_question=(min(self._asked), max(self._asked)) if self._asked else None,
            voted_rows=sum(count.voted for count in self._checks.values()),
            older_questions=sum(count.tally.older for count in self._checks.values()),
            compared=sum(
                check.calibration.of(plan.judge.identity) is CalibrationStatus.VALIDATED
                for check in self._benchmark.checks.values()
            ),
            models=tuple(sorted({planned.model_id for planned in plan.transcripts})),
            conversations=self._whole.conversations,
            open_logs=plan.open_logs,
            sample=plan.sample,
            shows_user=self._show_user,
            opening=opening(plan, self._whole.conversations, self._whole.headline, checks, asked),
            failed_conversations=self._whole.failed,
            failures=kinds[CaseKind.FAILED],
            roots=sum(self._roots.roots),
            contested=kinds[CaseKind.CONTESTED],
            found=kinds[CaseKind.FOUND],
            cases=tuple(self._sorted_cases(checks)),
            grouping=self._grouping(family, checks),
            asked=asked,
            checks=checks,
        )

    def _ordered(self) -> list[Check]:
        """The checks of the benchmark: gravest first, then the most frequent."""
        return sorted(
            self._benchmark.checks.values(),
            key=lambda check: (
                GRAVEST_FIRST.index(check.severity),
                -self._checks[check.id].tally.verdicts[Verdict.FAIL],
                -self._checks[check.id].found,
                check.id,
            ),
        )

    def _check(self, check: Check, family: Mapping[str, str]) -> ReportedCheck:
        count = self._checks[check.id]
        states, verdicts = count.tally.states, count.tally.verdicts
        return ReportedCheck(
            check_id=check.id,
            name=check.name,
            summary=check.summary,
            bucket=check.bucket,
            severity=check.severity,
            gate=check.gate,
            due=states[State.JUDGED] + states[State.NOT_RUN] + states[State.FOUND],
            asked=states[State.JUDGED],
            searched=count.tally.searched,
            failed=verdicts[Verdict.FAIL] - count.tally.contested,
            older=count.older,
            contested=count.tally.contested,
            found=count.found,
            passed=verdicts[Verdict.PASS],
            unclear=verdicts[Verdict.UNCLEAR],
            not_applicable=verdicts[Verdict.NOT_APPLICABLE],
            not_run=states[State.NOT_RUN] + states[State.FOUND],
            reasons=tuple(reason.value for reason, _ in count.reasons.most_common()),
            failures=self._shown(count.tally.failures(check, self._benchmark, family)),
            whole=None if self._sampled is None else self._sampled.check(check.id),
        )

    def _shown(self, found: Rate) -> Rate:
        """A rate as the report shows it. Of a sample only the counts: their rate is not that of the logs."""
        if self._sampled is None:
            return found
        without = ("rate", "low", "high", "exact_low", "exact_high", "upper_if_zero", "bounds")
        return found.model_copy(update=dict.fromkeys(without))

    def _sorted_cases(self, checks: Iterable[ReportedCheck]) -> list[Case]:
        place = {check.check_id: at for at, check in enumerate(checks)}
        return sorted(
            self._cases,
            key=lambda case: (
                _KINDS.index(case.kind),
                place[case.check_id],
                *(case.log, case.model_id, -1 if case.epoch is None else case.epoch),
            ),
        )

    def _grouping(self, family: Mapping[str, str], checks: Iterable[ReportedCheck]) -> Grouping | None:
        if self._by is None:
            return None
        if self._by not in self._keys:
            known = ", ".join(sorted(self._keys)) or "none: the conversations have no metadata"
            raise DataError.one(
                "--by", None, self._by, "no conversation has this metadata key", f"keys are {known}"
            )
        order = [check.check_id for check in checks]
        groups = (self._group(value, family, order) for value in sorted(self._groups, key=_none_last))
        return Grouping(key=self._by, groups=tuple(groups))

    def _group(self, value: str | None, family: Mapping[str, str], order: Iterable[str]) -> Group:
        count = self._groups[value]
        families = len({family[name] for name in count.families})
        return Group(
            value=value,
            conversations=count.conversations,
            failed=self._shown(
                rate(count.failed, count.decided, 0, families, self._benchmark.scoring.support)
            ),
            whole=None if self._sampled is None else self._sampled.group(value),
            found=count.found,
            checks=tuple(_grouped(count, order)),
        )


def _none_last(value: str | None) -> tuple[bool, str]:
    return value is None, value or ""


def _grouped(count: _GroupCount, order: Iterable[str]) -> Iterator[GroupedCheck]:
    for check_id in order:
        kinds = count.kinds.get(check_id)
        if kinds:
            yield GroupedCheck(
                check_id=check_id,
                failed=kinds[CaseKind.FAILED],
                contested=kinds[CaseKind.CONTESTED],
                found=kinds[CaseKind.FOUND],
            )
