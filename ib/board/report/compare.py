"""Compare two scans of two versions of one bot.

Only gate checks are tested, on the conversations of both scans, so that few questions are asked of the data:
exactly, after McNemar, with Holm over all of them. Everything else is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ib.board.evidence.holding import Held, Holding
from ib.board.evidence.leaks import LeakSearch
from ib.board.figures.comparisons import PairedTable
from ib.board.figures.contrasts import Families
from ib.board.figures.tally import CheckTally
from ib.board.report.cases import cases_of, kind_of, log_name
from ib.board.report.compared_sentences import opening
from ib.models.benchmark.benchmark import Benchmark
from ib.models.benchmark.check import Check
from ib.models.common.base import GRAVEST_FIRST, Role, State, Verdict
from ib.models.conversation.transcript import Message, Transcript
from ib.models.release.held import in_place_of
from ib.models.report.compared import Compared, ComparedCheck, Flip, Side
from ib.models.report.report import Case, CaseKind
from ib.models.scan.result import OCCURRING, TranscriptResult, VerdictResult
from ib.stats.paired import holm

SIGNIFICANT = 0.05
Key = tuple[str, int | None]
"""The id of the log or the scenario, and which play of it."""


@dataclass
class Version:
    """The conversations of one scan, added one at a time."""

    benchmark: Benchmark
    leaks: LeakSearch
    holding: Holding
    show_user: bool = False
    tallies: dict[str, CheckTally] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    failed: dict[Key, dict[str, bool | None]] = field(default_factory=dict)
    """For each conversation and each check that was due: whether it failed; None for no clear answer."""
    scenarios: dict[Key, str] = field(default_factory=dict)
    cases: dict[tuple[Key, str], Case] = field(default_factory=dict)
    replies: dict[Key, dict[int, str]] = field(default_factory=dict)

    def add(self, transcript: Transcript, result: TranscriptResult, families: Families) -> None:
        """Count one conversation."""
        key = key_of(result)
        families.add(result)
        self.scenarios[key] = result.scenario_id
        self.failed[key] = {row.mode_id: _failed(row) for row in result.rows if _is_due(row)}
        for row in result.rows:
            self.tallies.setdefault(row.mode_id, CheckTally()).add(row, result.scenario_id)
            self.found[row.mode_id] = self.found.get(row.mode_id, 0) + (row.state is State.FOUND)
        held = self.holding.held(transcript, result)
        said = (message for message in transcript.messages if message.role is Role.ASSISTANT)
        self.replies[key] = {one.turn: self._shown(one, held) for one in said}
        cases = cases_of(transcript, result, self.benchmark, self.leaks, show_user=self.show_user, held=held)
        for case in cases:
            if case.kind is CaseKind.FAILED:
                self.cases[key, case.check_id] = case

    def _shown(self, message: Message, held: Held) -> str:
        if message.turn in held:
            return in_place_of(held[message.turn].sha256)
        return self.leaks.clean(message.content).text


def key_of(result: TranscriptResult) -> Key:
    """What a conversation is paired by."""
    return log_name(result), result.epoch


def _is_due(row: VerdictResult) -> bool:
    """True if a row is an answer, or should be one. NOT_APPLICABLE is none: the question did not arise."""
    if row.verdict is None:
        return row.state in (State.NOT_RUN, State.FOUND)
    return row.verdict is not Verdict.NOT_APPLICABLE


def _failed(row: VerdictResult) -> bool | None:
    """Whether a row is a failure by most votes or by a rule. None for no clear answer."""
    if row.verdict not in OCCURRING or kind_of(row) is CaseKind.CONTESTED:
        return None
    return row.verdict is Verdict.FAIL


def compared(
    first: tuple[Side, Version], second: tuple[Side, Version], benchmark: Benchmark, families: Families
) -> Compared:
    """Two scans of the same checks, compared."""
    (one, here), (other, there) = first, second
    family = families.names()
    shared = sorted(here.failed.keys() & there.failed.keys(), key=str)
    order = sorted(benchmark.checks.values(), key=lambda c: (GRAVEST_FIRST.index(c.severity), c.id))
    tables = {check.id: _table(check.id, shared, here, there, family) for check in order}
    tested = [check.id for check in order if check.gate is not None and tables[check.id].families]
    adjusted = dict(zip(tested, holm([tables[name].p for name in tested]), strict=True))
    against = dict(zip(tested, holm([tables[name].p_against for name in tested]), strict=True))
    checks = tuple(
        _check(check, tables[check.id], (here, there), family, (adjusted, against))
        for check in order
        if _is_told(check.id, here) or _is_told(check.id, there)
    )
    untested = tuple(check.id for check in order if check.gate is not None and check.id not in adjusted)
    return Compared(
        first=one,
        second=other,
        shared=len(shared),
        opening=opening(one, other, len(shared), checks, untested),
        checks=checks,
        untested=untested,
        flips=tuple(_flips(shared, order, here, there)),
    )


def _table(
    check_id: str, shared: Iterable[Key], here: Version, there: Version, family: Mapping[str, str]
) -> PairedTable:
    """What became of one check in each conversation of both scans."""
    table = PairedTable()
    for key in shared:
        if check_id in here.failed[key] or check_id in there.failed[key]:
            of = family[here.scenarios[key]]
            table.add(of, here.failed[key].get(check_id), there.failed[key].get(check_id))
    return table


def _is_told(check_id: str, version: Version) -> bool:
    """True if a check has a verdict other than NOT_APPLICABLE, or a hint, in a scan."""
    tally = version.tallies.get(check_id, CheckTally())
    answers = tally.states[State.JUDGED] - tally.verdicts[Verdict.NOT_APPLICABLE]
    return bool(answers or tally.states[State.FOUND])


def _check(
    check: Check,
    table: PairedTable,
    versions: tuple[Version, Version],
    family: Mapping[str, str],
    p_values: tuple[Mapping[str, float], Mapping[str, float]],
) -> ComparedCheck:
    here, there = versions
    adjusted, against = (values.get(check.id) for values in p_values)
    paired = None
    if table.families:
        paired = table.difference(
            table.p if adjusted is None else adjusted, table.p_against if against is None else against
        )
    better, worse = table.leaning
    rates = [
        version.tallies.get(check.id, CheckTally()).failures(check, version.benchmark, family)
        for version in versions
    ]
    return ComparedCheck(
        check_id=check.id,
        name=check.name,
        severity=check.severity,
        gate=check.gate,
        first=rates[0],
        second=rates[1],
        found_first=here.found.get(check.id, 0),
        found_second=there.found.get(check.id, 0),
        paired=paired,
        tested=adjusted is not None,
        is_worse=adjusted is not None and worse > better and adjusted < SIGNIFICANT,
    )


def _flips(shared: Sequence[Key], order: Sequence[Check], here: Version, there: Version) -> Iterator[Flip]:
    """What got worse, then what got better."""
    for worse, failing, passing in ((True, there, here), (False, here, there)):
        for check in order:
            for key in shared:
                case = failing.cases.get((key, check.id))
                if case is not None and passing.failed[key].get(check.id) is False:
                    turn = case.turns[0].turn if case.turns else 0
                    other = passing.replies[key].get(turn)
                    yield Flip(check_id=check.id, worse=worse, case=case, other=other)
