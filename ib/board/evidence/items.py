"""The evidence of a release: quotes of the assistant for each failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeVar

from ib.board.evidence.transcripts import Said
from ib.board.evidence.withheld import UNSAID
from ib.models.common.base import Role, Stage, State, Verdict
from ib.models.release.leaderboard import Evidence, EvidenceItem, EvidenceVote, WithheldQuote
from ib.models.release.pairs import AlarmItem
from ib.models.scan.ballot import EvidenceSpan, Vote, Window
from ib.models.scan.decided import Claim
from ib.models.scan.over_alarm import OVER_ALARM, AlarmQuote, OverAlarm
from ib.models.scan.result import TranscriptResult, VerdictResult

Item = TypeVar("Item", EvidenceItem, AlarmItem)


def evidence_items(result: TranscriptResult) -> Iterator[EvidenceItem]:
    """Every FAIL of a result, every gate verdict that is not settled, every found phrase, and every verdict
    that people changed or that was disputed, with quotes."""
    for row in result.rows:
        if row.verdict is Verdict.FAIL or row.unsettled or row.state is State.FOUND or _is_corrected(row):
            yield evidence_item(row, result)


def _is_corrected(row: VerdictResult) -> bool:
    """True for a verdict that people changed or that was disputed: what was published keeps its address."""
    decided = row.decided
    return decided is not None and (decided.was.verdict is not row.verdict or decided.dispute is not None)


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


def unquoted(item: Item) -> Item:
    """The item without its quotes and without what people wrote about it, as of a private draw."""
    update: dict[str, object] = {"quotes": ()}
    if isinstance(item, EvidenceItem) and item.decided is not None:
        claim = item.decided.dispute
        told = {"reason": "", "dispute": None if claim is None else unsaid(claim)}
        update["decided"] = item.decided.model_copy(update=told)
    return item.model_copy(update=update)


def unsaid(claim: Claim) -> Claim:
    """A dispute without its reason, which may quote."""
    return claim.model_copy(update={"reason": UNSAID})


def evidence(
    model_id: str,
    items: Iterable[EvidenceItem],
    alarms: Iterable[AlarmItem],
    canary: str,
    said: Said,
    stage: Stage = Stage.DEMO,
) -> Evidence:
    """The evidence file of a model. `said` is what the model said.

    If a word in a quote looks like a key, a mark replaces the word, and the quote is listed as withheld. A
    quote of a reply that is in `said` is a part of that reply as shown, with its place there.
    """
    quotes = _Quotes(said)
    return Evidence(
        canary=canary,
        stage=stage,
        model_id=model_id,
        items=tuple(quotes.of(item, item.check_id) for item in items),
        alarms=tuple(quotes.of(item, OVER_ALARM) for item in alarms),
        withheld=tuple(quotes.withheld),
    )


class _Quotes:
    """Replaces the quotes of items by quotes without keys, and lists those that changed."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self.withheld: list[WithheldQuote] = []

    def of(self, item: Item, about: str) -> Item:
        """The item with its quotes as a release shows them."""
        quotes = []
        for span in item.quotes:
            update, forms = self._shown(item, span)
            quotes.append(span.model_copy(update=update))
            if forms:
                where = {"scenario_id": item.scenario_id, "epoch": item.epoch, "turn": span.turn}
                self.withheld.append(WithheldQuote(check_id=about, forms=forms, **where))
        return item.model_copy(update={"quotes": tuple(quotes)})

    def _shown(
        self, item: Item, quote: EvidenceSpan | AlarmQuote
    ) -> tuple[dict[str, object], tuple[str, ...]]:
        """The fields of a quote that change, and the forms of its keys."""
        start = quote.start if isinstance(quote, EvidenceSpan) else None
        found = self._said.quote((item.scenario_id, item.epoch, quote.turn), quote.quote, start)
        if found is None:
            shown, forms = self._said.leaks.withhold(quote.quote)
            return {"quote": shown}, forms
        begin, cleaned = found
        place = {} if start is None else {"start": begin, "end": begin + len(cleaned.text)}
        return {"quote": cleaned.text, **place}, cleaned.forms


def evidence_item(row: VerdictResult, result: TranscriptResult) -> EvidenceItem:
    """A failure, a gate verdict that is not settled, or a found phrase, with votes and quotes."""
    quotes = [span for span in row.evidence if span.role is Role.ASSISTANT]
    if row.verdict is not Verdict.FAIL:
        # For a gate verdict that is not settled, show the quotes of the FAIL votes.
        voted = (s for v in row.votes if v.verdict is Verdict.FAIL for s in v.evidence)
        quotes = [*dict.fromkeys(s for s in (*voted, *quotes) if s.role is Role.ASSISTANT)]
    every = list(_polls(row))
    polls = [(window, votes) for window, votes in every if window.verdict is row.verdict]
    return EvidenceItem(
        check_id=row.mode_id,
        scenario_id=result.scenario_id,
        epoch=result.epoch,
        verdict=row.verdict,
        contested=row.contested,
        split=row.split,
        older_question=row.older_question,
        scorer=row.scorer,
        votes_for=sum(vote.verdict is row.verdict for _, votes in polls for vote in votes),
        votes_asked=sum(window.asked for window, _ in polls),
        votes=tuple(_vote(at, vote) for at, (_, votes) in enumerate(every) for vote in votes),
        windows=tuple((window.first, window.last) for window in row.windows),
        rationale_code=row.rationale_code,
        reason=row.reason,
        quotes=tuple(quotes),
        decided=row.decided,
        occurred=_occurred(row),
    )


def _occurred(row: VerdictResult) -> tuple[int, ...]:
    """The turns in which a failure occurred, as far as they were counted."""
    counted = row.occurrences if row.verdict is Verdict.FAIL else None
    return () if counted is None else counted.turns


def _vote(window: int, vote: Vote) -> EvidenceVote:
    """One vote as published: invalid replies are named by their kind, because their text is the judge's."""
    return EvidenceVote(
        window=window,
        verdict=vote.verdict,
        rationale_code=vote.rationale_code,
        invalid=None if vote.invalid is None else vote.invalid.kind,
    )


def _polls(row: VerdictResult) -> Iterator[tuple[Window, tuple[Vote, ...]]]:
    """Every window with its votes, in the order of the windows. Each window has at least one vote.

    A row without votes was decided by a rule, so it yields nothing.
    """
    votes = groupby(row.votes, key=lambda vote: (vote.phase, vote.window))
    windows = row.windows if row.votes else ()
    for window, (_, cast) in zip(windows, votes, strict=True):
        yield window, tuple(cast)
