"""Which replies a release withholds, because they may contain a method, a dose for harm or a way to hide it.

A rule holds a reply back, and only a person releases it. What cannot be decided is held.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import re2

from ib.board.evidence.items import unsaid
from ib.board.evidence.withheld import code
from ib.models.common.base import Role, State, Verdict
from ib.models.conversation.transcript import Message, Transcript
from ib.models.release.held import (
    DECIDED,
    SENTENCE,
    HeldReply,
    HoldingCheck,
    HoldingRules,
    ReplyDecision,
    Ruling,
    in_place_of,
)
from ib.models.release.leaderboard import EvidenceItem
from ib.models.release.pairs import AlarmItem
from ib.models.release.transcripts import CarriedTranscript, LeftOut
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.over_alarm import AlarmQuote
from ib.models.scan.result import TranscriptResult, VerdictResult
from ib.text.normalize import normalize
from ib.text.patterns import AS_WRITTEN

Item = TypeVar("Item", EvidenceItem, AlarmItem)
Held = Mapping[int, HeldReply]
"""The withheld replies of one conversation, by turn."""
NONE_HELD: Held = {}
Known = Callable[[Transcript, int], bool]
"""True if the message at a place of a transcript is what a reference assistant says there."""
CLEARED = (Verdict.PASS, Verdict.NOT_APPLICABLE)


def reply_hash(content: str) -> str:
    """The SHA-256 of a reply, by which decisions name it."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Holding:
    """The rules, with what people decided."""

    rules: HoldingRules
    decisions: Sequence[ReplyDecision] = ()
    known: Known = lambda transcript, at: False
    """Which replies are known. By default none is."""
    unasked: bool = True
    """True if a check also holds what is not settled: no answer, no majority, a lost vote. False if it holds
    only what a vote calls a failure, as in the report on somebody's own logs."""
    _words: tuple[tuple[str, object], ...] = field(init=False)
    _checks: Mapping[str, HoldingCheck] = field(init=False)

    def __post_init__(self) -> None:
        compiled = ((one.name, re2.compile(one.pattern, options=AS_WRITTEN)) for one in self.rules.words)
        object.__setattr__(self, "_words", tuple(compiled))
        object.__setattr__(self, "_checks", {one.check_id: one for one in self.rules.checks})

    def held(self, transcript: Transcript, result: TranscriptResult | None) -> Held:
        """The replies of a conversation whose words no release shows, by turn.

        `result` is None for a play of a safe twin, of which no check is asked.
        """
        rows = () if result is None else tuple(self._holding(transcript, result))
        found: dict[int, HeldReply] = {}
        for at, message in enumerate(transcript.messages):
            if message.role is not Role.ASSISTANT:
                continue
            because = self._because(transcript, at, rows)
            if because:
                found[message.turn] = HeldReply(
                    scenario_id=transcript.scenario_id,
                    epoch=transcript.epoch,
                    turn=message.turn,
                    sha256=reply_hash(message.content),
                    because=because,
                )
        return found

    def _because(self, transcript: Transcript, at: int, rows: Sequence[VerdictResult]) -> tuple[str, ...]:
        """Why a reply is held; empty if it is not."""
        message = transcript.messages[at]
        rulings = self._rulings(message) if self.decisions else set()
        if Ruling.WITHHOLD in rulings:
            return (DECIDED,)
        by_checks = [row.mode_id for row in rows if _judged(row, message.turn)]
        because = (*dict.fromkeys(by_checks), *self.words_in(message.content))
        if not because or Ruling.RELEASE in rulings or self.known(transcript, at):
            return ()
        return because

    def _rulings(self, message: Message) -> set[Ruling]:
        sha256 = reply_hash(message.content)
        return {one.ruling for one in self.decisions if one.sha256 == sha256}

    def words_in(self, reply: str) -> Iterator[str]:
        """The names of the words that hold a reply."""
        text = normalize(reply).text.lower()
        return (name for name, pattern in self._words if pattern.search(text))  # type: ignore[attr-defined]

    def _holding(self, transcript: Transcript, result: TranscriptResult) -> Iterator[VerdictResult]:
        """The rows that hold the replies which they judged."""
        tags = transcript.circumstances
        for row in result.rows:
            rule = self._checks.get(row.mode_id)
            if rule is not None and _applies(rule, tags) and self._holds(row):
                yield row

    def _holds(self, row: VerdictResult) -> bool:
        """True if a row holds the replies that it judged."""
        if self.unasked:
            return not _cleared(row)
        return row.verdict is Verdict.FAIL or any(vote.verdict is Verdict.FAIL for vote in row.votes)


def _applies(rule: HoldingCheck, tags: frozenset[str]) -> bool:
    return not rule.tags or not tags or not tags.isdisjoint(rule.tags)


def _cleared(row: VerdictResult) -> bool:
    """True if the check was not due, or if every vote that was asked counts and says that nothing failed."""
    if row.state in (State.INELIGIBLE, State.SUPPRESSED):
        return True
    return row.verdict in CLEARED and all(vote.verdict in CLEARED for vote in row.votes)


def _judged(row: VerdictResult, turn: int) -> bool:
    """True if the row is about a turn. A row without windows is about every turn."""
    return not row.windows or any(window.first <= turn <= window.last for window in row.windows)


def held_transcript(carried: CarriedTranscript, held: Held) -> CarriedTranscript:
    """A carried transcript with the neutral sentence in place of each withheld reply."""
    if not held:
        return carried
    messages = tuple(
        one.model_copy(update={"content": in_place_of(held[one.turn].sha256)})
        if one.role is Role.ASSISTANT and one.turn in held
        else one
        for one in carried.messages
    )
    return carried.model_copy(update={"messages": messages})


def held_item(item: Item, held: Held) -> Item:
    """An item of evidence of a conversation without the words of its withheld replies.

    What a judge and people wrote about the conversation is left out as well, because it may quote.
    """
    if not held:
        return item
    update: dict[str, object] = {"quotes": tuple(_quote(one, held) for one in item.quotes)}
    if isinstance(item, EvidenceItem):
        votes = (one.model_copy(update={"rationale_code": code(one.rationale_code)}) for one in item.votes)
        update |= {"rationale_code": code(item.rationale_code), "votes": tuple(votes)}
        update |= _unsaid_decision(item)
    return item.model_copy(update=update)


def _unsaid_decision(item: EvidenceItem) -> dict[str, object]:
    """What people decided about an item, without what they wrote."""
    if item.decided is None:
        return {}
    claim = item.decided.dispute
    told = {"reason": "", "dispute": None if claim is None else unsaid(claim)}
    return {"decided": item.decided.model_copy(update=told)}


def _quote(quote: EvidenceSpan | AlarmQuote, held: Held) -> EvidenceSpan | AlarmQuote:
    """A quote without the words of a withheld reply, and without what the judge said of it."""
    update: dict[str, object] = {}
    if quote.turn in held:
        update = {"quote": SENTENCE}
    if isinstance(quote, EvidenceSpan):
        place = {"start": 0, "end": len(SENTENCE)} if quote.turn in held else {}
        update |= {"rationale": None, **place}
    return quote.model_copy(update=update)


def held_problems(
    held: Sequence[HeldReply], carried: CarriedTranscript | LeftOut | None, *, expected: bool
) -> Iterator[str]:
    """What a release says of the withheld replies of a conversation and contradicts itself.

    `expected` is True if the source says that a reply is withheld.
    """
    if expected and not held:
        yield "a reply is withheld, and the release does not say which"
    if not isinstance(carried, CarriedTranscript):
        return
    for one in held:
        message = carried.message(one.turn, Role.ASSISTANT)
        if message is None or message.content != in_place_of(one.sha256):
            yield f"the reply of turn {one.turn} is withheld, and its words are there"


def unmatched(decisions: Iterable[ReplyDecision], transcripts: Iterable[Transcript]) -> list[ReplyDecision]:
    """The decisions about replies that no transcript has."""
    left = {one.sha256 for one in decisions}
    for transcript in transcripts if left else ():
        left -= {reply_hash(m.content) for m in transcript.messages if m.role is Role.ASSISTANT}
    return [one for one in decisions if one.sha256 in left]
