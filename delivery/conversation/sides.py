"""What two models said in the same turn, where one failed a check and the other passed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from delivery.conversation.cuts import around, first_sentences, last_sentences
from delivery.conversation.moments import Part, words_by_turn
from delivery.release.view import Release
from ib.models.common.base import Role
from ib.models.release.leaderboard import EvidenceItem, ModelEntry

ASKED, SAID = 240, 320
"""About how many characters of the caregiver and of a reply are shown; a page of a pair has many."""

Words = tuple[Part, ...]
"""A message, of which parts may be folded; empty if nothing was said."""


@dataclass(frozen=True)
class Side:
    """One turn of the conversation with a model."""

    asked: Words
    """The caregiver’s words."""
    reply: Words
    truncated: bool
    """True if the provider cut off the reply."""


@dataclass(frozen=True)
class Sides:
    """The turn of the first quote of a failure, in both conversations."""

    turn: int | None
    """None if no quote is published; then nothing is known of either side."""
    failed: Side | None
    passed: Side | None
    """None if the release does not carry the transcript, or the conversation has no such turn."""
    same: bool
    """True if the caregiver said the same to both models."""


def quoted_turn(item: EvidenceItem | None) -> int | None:
    """The first turn of the assistant that a verdict quotes. None if it quotes none."""
    quotes = () if item is None else item.quotes
    return min((quote.turn for quote in quotes if quote.role is Role.ASSISTANT), default=None)


def sides(
    release: Release,
    failed: ModelEntry,
    passed: ModelEntry,
    scenario_id: str,
    epoch: int | None,
    item: EvidenceItem | None,
) -> Sides:
    """Both sides of a failure: the reply that failed around its quote, and the other reply from its start."""
    turn = quoted_turn(item)
    if item is None or turn is None:
        return Sides(None, None, None, same=False)
    quotes = [quote for quote in item.quotes if (quote.turn, quote.role) == (turn, Role.ASSISTANT)]
    here, there = (release.transcript(model, scenario_id, epoch) for model in (failed, passed))
    if here is None:
        quote = quotes[0].quote
        return Sides(
            turn, Side((), around(quote, [(0, len(quote))], SAID), truncated=False), None, same=False
        )
    said = words_by_turn(here)
    spans = [(quote.start, quote.end) for quote in quotes]
    reply = around(said.get((turn, Role.ASSISTANT), ""), spans, SAID)
    one = Side(_asked(said, turn), reply, turn in here.truncated)
    answers = {} if there is None else words_by_turn(there)
    if there is None or (turn, Role.ASSISTANT) not in answers:
        return Sides(turn, one, None, same=False)
    answer = first_sentences(answers[turn, Role.ASSISTANT], SAID)
    other = Side(_asked(answers, turn), answer, turn in there.truncated)
    return Sides(turn, one, other, same=said.get((turn, Role.USER)) == answers.get((turn, Role.USER)))


def _asked(said: Mapping[tuple[int, Role], str], turn: int) -> Words:
    asked = said.get((turn, Role.USER))
    return () if asked is None else last_sentences(asked, ASKED)
