"""Find the words that a reader marked in the conversation that the reader was shown."""

from __future__ import annotations

from ib.models.common.base import Role
from ib.models.conversation.transcript import Message, Transcript
from ib.models.review.answers import Marked
from ib.models.scan.ballot import EvidenceSpan
from ib.text.normalize import normalize
from ib.text.tokens import find, tokenize


def span_of(marked: Marked, transcript: Transcript, turns: frozenset[int]) -> EvidenceSpan | None:
    """The marked words as evidence: in a reply of a judged turn, as written, or by their letters and digits.

    None if no such reply has them.
    """
    if marked.turn not in turns:
        return None
    for message in transcript.messages:
        if message.turn == marked.turn and message.role is Role.ASSISTANT:
            place = _place(marked.quote, message)
            if place is not None:
                return _cut(message, *place)
    return None


def _place(quote: str, message: Message) -> tuple[int, int] | None:
    at = message.content.find(quote)
    if at >= 0 and quote.strip():
        return at, at + len(quote)
    return find(quote, tokenize(normalize(message.content)))


def _cut(message: Message, start: int, end: int) -> EvidenceSpan:
    return EvidenceSpan(
        role=message.role, turn=message.turn, quote=message.content[start:end], start=start, end=end
    )
