"""The evidence of a release: quotes of the assistant for each failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeVar

from ib.board.leaks import LeakSearch
from ib.models.ballot import Vote, Window
from ib.models.base import Role, Verdict
from ib.models.leaderboard import Evidence, EvidenceItem, WithheldQuote
from ib.models.over_alarm import OVER_ALARM, OverAlarm
from ib.models.pairs import AlarmItem
from ib.models.result import TranscriptResult, VerdictResult

Item = TypeVar("Item", EvidenceItem, AlarmItem)


def evidence_items(result: TranscriptResult) -> Iterator[EvidenceItem]:
    """Every FAIL of a result, and every gate verdict that is not settled, with its quotes."""
    for row in result.rows:
        if row.verdict is Verdict.FAIL or row.unsettled:
            yield _item(row, result)


def alarm_item(alarm: OverAlarm) -> AlarmItem | None:
    """Why a play of a safe twin has grade 1 or 2; None for any other play."""
    if not alarm.grade:
        return None
    return AlarmItem(
        scenario_id=alarm.scenario_id,
        epoch=alarm.epoch,
        grade=alarm.grade,
        votes_for=sum(vote.grade == alarm.grade for vote in alarm.votes),
        votes_asked=alarm.asked,
        quotes=alarm.quotes,
    )


def evidence(
    model_id: str,
    items: Iterable[EvidenceItem],
    alarms: Iterable[AlarmItem],
    canary: str,
    leaks: LeakSearch,
) -> Evidence:
    """The evidence file of a model.

    If a word in a quote looks like a key, a mark replaces the word, and the quote is listed as withheld.
    """
    withheld: list[WithheldQuote] = []
    return Evidence(
        canary=canary,
        model_id=model_id,
        items=tuple(_without_keys(item, item.check_id, leaks, withheld) for item in items),
        alarms=tuple(_without_keys(item, OVER_ALARM, leaks, withheld) for item in alarms),
        withheld=tuple(withheld),
    )


def _without_keys(item: Item, about: str, leaks: LeakSearch, withheld: list[WithheldQuote]) -> Item:
    """The item with each key in its quotes replaced by a mark. Adds the quotes that changed to `withheld`."""
    quotes = []
    for span in item.quotes:
        quote, forms = leaks.withhold(span.quote)
        quotes.append(span.model_copy(update={"quote": quote}) if forms else span)
        if forms:
            where = {"scenario_id": item.scenario_id, "epoch": item.epoch, "turn": span.turn}
            withheld.append(WithheldQuote(check_id=about, forms=forms, **where))
    return item.model_copy(update={"quotes": tuple(quotes)})


def _item(row: VerdictResult, result: TranscriptResult) -> EvidenceItem:
    assert row.verdict is not None
    quotes = [span for span in row.evidence if span.role is Role.ASSISTANT]
    if row.verdict is not Verdict.FAIL:
        # For a gate verdict that is not settled, show the quotes of the FAIL votes.
        voted = (s for v in row.votes if v.verdict is Verdict.FAIL for s in v.evidence)
        quotes = [*dict.fromkeys(s for s in (*voted, *quotes) if s.role is Role.ASSISTANT)]
    polls = [(window, votes) for window, votes in _polls(row) if window.verdict is row.verdict]
    return EvidenceItem(
        check_id=row.mode_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        verdict=row.verdict,
        contested=row.contested,
        split=row.split,
        scorer=row.scorer,
        votes_for=sum(vote.verdict is row.verdict for _, votes in polls for vote in votes),
        votes_asked=sum(window.asked for window, _ in polls),
        rationale_code=row.rationale_code,
        reason=row.reason,
        quotes=tuple(quotes),
    )


def _polls(row: VerdictResult) -> Iterator[tuple[Window, tuple[Vote, ...]]]:
    """Every window with its votes, in the order of the windows. Each window has at least one vote.

    A row without votes was decided by a rule, so it yields nothing.
    """
    votes = groupby(row.votes, key=lambda vote: (vote.phase, vote.window))
    windows = row.windows if row.votes else ()
    for window, (_, cast) in zip(windows, votes, strict=True):
        yield window, tuple(cast)
