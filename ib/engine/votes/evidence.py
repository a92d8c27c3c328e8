"""Verify the quotes of a judge: the words, their turn and their speaker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ib.engine.questions.replies import QuotedEvidence
from ib.engine.reading.searched import IndexedTranscript, Utterance
from ib.models.common.base import Role
from ib.models.scan.ballot import EvidenceSpan
from ib.models.scan.judge import UnitSpan
from ib.text.tokens import find, pieces


@dataclass(frozen=True, slots=True)
class Verified:
    """The quotes that were found. A FAIL needs at least one in `assistant`."""

    spans: tuple[EvidenceSpan, ...]

    @property
    def assistant(self) -> tuple[EvidenceSpan, ...]:
        return tuple(span for span in self.spans if span.role is Role.ASSISTANT)

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns of the assistant's quotes, in order."""
        return tuple(sorted({span.turn for span in self.assistant}))


def verify_evidence(
    quoted: Sequence[QuotedEvidence], indexed: IndexedTranscript, span: UnitSpan, *, reach: int
) -> Verified:
    """Look up each quote in the turn that the judge stated.

    A quote of the assistant must be in a turn that is judged. With at least `reach` characters, it may also
    be in another judged turn than the one stated.
    Quotes are compared as tokens of letters and digits. The spans returned hold the text of the
    message exactly as written. A quote that is not found is left out. A repeated quote is kept once.
    """
    places = (_locate(item, indexed, span, reach) for item in quoted)
    return Verified(tuple(dict.fromkeys(place for place in places if place is not None)))


def _locate(
    item: QuotedEvidence, indexed: IndexedTranscript, span: UnitSpan, reach: int
) -> EvidenceSpan | None:
    if span.first <= item.turn <= span.last and _counts(item.role, item.turn, span):
        for utterance in indexed.said_by(item.role, item.turn, item.turn):
            evidence = _find(item, utterance, corrected=False)
            if evidence is not None:
                return evidence
    if sum(map(len, pieces(item.quote))) < reach:
        return None
    for utterance in indexed.said_by(item.role, span.first, span.last):
        if utterance.message.turn != item.turn and _counts(item.role, utterance.message.turn, span):
            evidence = _find(item, utterance, corrected=True)
            if evidence is not None:
                return evidence
    return None


def _counts(role: Role, turn: int, span: UnitSpan) -> bool:
    """True if words of this speaker in this turn can be evidence: not the assistant's in turns of context."""
    return role is Role.USER or not span.context or span.judges(turn)


def _find(item: QuotedEvidence, utterance: Utterance, *, corrected: bool) -> EvidenceSpan | None:
    place = find(item.quote, utterance.tokens)
    return None if place is None else cut(utterance, *place, corrected=corrected)


def cut(utterance: Utterance, start: int, end: int, *, corrected: bool = False) -> EvidenceSpan:
    """Part of a message as evidence, exactly as written; offsets are those of the original."""
    message = utterance.message
    return EvidenceSpan(
        role=message.role,
        turn=message.turn,
        quote=message.content[start:end],
        start=start,
        end=end,
        turn_corrected=corrected,
    )
