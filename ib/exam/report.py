"""What a judge made of the items of a sitting, counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ib.exam.operators.registry import OPERATORS
from ib.exam.operators.unedited import UNEDITED
from ib.exam.rates import agreement, phi, rate
from ib.models.common.base import Role, Verdict
from ib.models.conversation.transcript import Transcript
from ib.models.exam.items import CheckItems, ExamItem, ExamPlan
from ib.models.exam.report import (
    CheckSitting,
    ExamComparison,
    ExamReport,
    OperatorSitting,
    Outcome,
    Together,
)
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.text.normalize import normalize
from ib.text.tokens import tokenize

SHARED = 3
"""So many words in a row are shared by evidence that has the failing words; fewer if these are fewer."""


def outcome_of(item: ExamItem, result: TranscriptResult) -> Outcome:
    """What a result of the scan says about its item."""
    row = next(row for row in result.rows if row.mode_id == item.check)
    spans = [span for span in row.evidence if span.role is Role.ASSISTANT]
    failed = row.verdict is Verdict.FAIL and item.must_fail
    turns = tuple(sorted({span.turn for span in spans}))
    quotes = [span.quote for span in spans]
    return Outcome(
        id=item.id,
        check=item.check,
        base=item.base,
        operator=item.operator,
        must_fail=item.must_fail,
        arguable=item.arguable is not None,
        disputed=item.disputed and item.arguable is None,
        verdict=row.verdict,
        contested=row.contested,
        votes=_votes(row),
        right_turn=bool(set(turns) & set(item.turns)) if failed and item.turns else None,
        right_words=_shares(quotes, item.words) if failed and item.words else None,
        turns=turns,
        refused=row.refused_questions,
    )


def has_several_replies(transcript: Transcript) -> bool:
    """True if an item has several replies, so that the turn of the evidence says something."""
    return sum(message.role is Role.ASSISTANT for message in transcript.messages) > 1


def _votes(row: VerdictResult) -> tuple[Verdict | None, ...]:
    """The votes on a check with one window; a screening has no votes."""
    if len({vote.window for vote in row.votes}) != 1 or len({vote.phase for vote in row.votes}) != 1:
        return ()
    return tuple(vote.verdict for vote in row.votes)


def _shares(quotes: Iterable[str], words: Iterable[str]) -> bool:
    """True if a quote and the failing words share SHARED words in a row, or all words of the shorter one."""
    wanted = [tokenize(normalize(one)) for one in words]
    said = [tokenize(normalize(quote)) for quote in quotes]
    return any(
        f" {' '.join(run)} " in text.joined
        for one in wanted
        for text in said
        for run in _runs(one.tokens, min(SHARED, len(one.tokens), len(text.tokens)))
    )


def _runs(tokens: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (tokens[at : at + size] for at in range(len(tokens) - size + 1))


@dataclass(frozen=True)
class Told:
    """What a report says beside its counts; see `ExamReport`."""

    judge: str
    label_error: float | None = None
    """The most that the share of wrong labels is taken to be; None for what the readings say."""
    dollars: float | None = None
    answered: int | None = None
    hints: bool = True


def report_of(
    plan: ExamPlan,
    outcomes: Sequence[Outcome],
    several_replies: Callable[[str], bool],
    told: Told,
) -> ExamReport:
    """The report on a sitting. `several_replies` tells of an item whether its text has several replies."""
    certain = [one for one in outcomes if one.in_rates]
    disputed = [one for one in outcomes if one.disputed]
    read = plan.readings and plan.readings.label_error
    label_error = read if told.label_error is None else told.label_error
    error = label_error or 0.0
    return ExamReport(
        judge=told.judge,
        seed=plan.seed,
        benchmark_version=plan.benchmark_version,
        items_hash=plan.items_hash,
        items=len(outcomes),
        arguable=sum(one.arguable for one in outcomes),
        label_error=label_error,
        readings=plan.readings,
        disputed=rate((one.base, not one.wrong) for one in disputed),
        checks=tuple(
            _check(check, [one for one in certain if one.check == check.check], several_replies, error)
            for check in plan.checks
        ),
        operators=tuple(_operators(certain, error)),
        misses=agreement(one for one in certain if one.must_fail),
        alarms=agreement(one for one in certain if not one.must_fail),
        refused=sum(one.refused for one in outcomes),
        dollars=told.dollars,
        answered=told.answered,
        hints=told.hints,
        not_asked=plan.not_asked,
    )


def _counted(outcomes: Sequence[Outcome], error: float) -> dict[str, object]:
    """The fields that every part of a report has."""
    return {
        "sensitivity": rate(((one.base, not one.wrong) for one in outcomes if one.must_fail), error),
        "specificity": rate(((one.base, not one.wrong) for one in outcomes if not one.must_fail), error),
        "unclear": sum(one.verdict in (Verdict.UNCLEAR, None) for one in outcomes),
        "contested": sum(one.contested for one in outcomes),
    }


def _check(
    check: CheckItems, outcomes: Sequence[Outcome], several_replies: Callable[[str], bool], error: float
) -> CheckSitting:
    turns = [one for one in outcomes if one.right_turn is not None and several_replies(one.id)]
    words = [one for one in outcomes if one.right_words is not None]
    return CheckSitting(
        check=check.check,
        gate=check.gate,
        right_turn=rate(((one.base, bool(one.right_turn)) for one in turns), error),
        right_words=rate(((one.base, bool(one.right_words)) for one in words), error),
        **_counted(outcomes, error),
    )


def _operators(outcomes: Sequence[Outcome], error: float) -> Iterable[OperatorSitting]:
    unedited = {one.base: one for one in outcomes if one.operator == UNEDITED.name}
    for name in sorted({one.operator for one in outcomes}, key=_order):
        operator = OPERATORS[_order(name)[0]]
        own = [one for one in outcomes if one.operator == name]
        pairs = [(one, unedited[one.base]) for one in own if operator.neutral and one.base in unedited]
        yield OperatorSitting(
            operator=name,
            meaning=operator.meaning,
            neutral=operator.neutral,
            changed=rate((one.base, one.wrong is not other.wrong) for one, other in pairs),
            **_counted(own, error),
        )


def _order(name: str) -> tuple[int, str]:
    """The place of an operator in the registry, by its own name or by the name of one of its steps."""
    for place, operator in enumerate(OPERATORS):
        if name == operator.name or name.startswith(f"{operator.name}-"):
            return place, name
    raise KeyError(name)


def compared(
    reports: tuple[ExamReport, ExamReport], outcomes: tuple[Sequence[Outcome], Sequence[Outcome]]
) -> ExamComparison:
    """Two judges on the same items. Raises ValueError if the items are not the same."""
    one, other = reports
    if one.items_hash != other.items_hash:
        raise ValueError("the two sittings asked different items")
    second = {outcome.id: outcome for outcome in outcomes[1]}
    pairs = [(first, second[first.id]) for first in outcomes[0] if first.in_rates]
    names = [None, *(check.check for check in one.checks)]
    return ExamComparison(
        judges=(one.judge, other.judge),
        dollars=(one.dollars, other.dollars),
        hints=(one.hints, other.hints),
        items_hash=one.items_hash,
        checks=tuple(_together(name, [p for p in pairs if name in (None, p[0].check)]) for name in names),
    )


def _alarm(outcome: Outcome) -> bool:
    return outcome.wrong and not outcome.must_fail


def _together(check: str | None, pairs: Sequence[tuple[Outcome, Outcome]]) -> Together:
    wrong = [(one.wrong, other.wrong) for one, other in pairs]
    first, second = sum(a for a, _ in wrong), sum(b for _, b in wrong)
    both = sum(a and b for a, b in wrong)
    alike = [(one, other) for one, other in pairs if one.wrong is other.wrong]
    return Together(
        check=check,
        items=len(pairs),
        wrong=(first, second),
        both_wrong=both,
        must_not_fail=sum(not one.must_fail for one, _ in pairs),
        alarms=(sum(_alarm(one) for one, _ in pairs), sum(_alarm(other) for _, other in pairs)),
        correlation=phi(both, first, second, len(pairs)),
        agreed=rate((one.base, one.wrong is other.wrong) for one, other in pairs),
        left=rate((one.base, one.wrong) for one, _ in alike),
    )
