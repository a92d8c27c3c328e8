"""The transcripts of a release: which it carries, and that its evidence is found in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from ib.board.evidence.leaks import WITHHELD, Cleaned, LeakSearch
from ib.models.common.base import Carrying, Role, Stage
from ib.models.conversation.transcript import Transcript
from ib.models.release.held import HeldReply
from ib.models.release.leaderboard import Evidence, EvidenceItem, ModelEntry
from ib.models.release.pairs import AlarmItem, TwinEntry
from ib.models.release.rows import TranscriptRow
from ib.models.release.transcripts import (
    CarriedMessage,
    CarriedSession,
    CarriedTranscript,
    LeftOut,
    LeftOutReason,
    Transcripts,
    WithheldText,
)

Conversation = tuple[str, int | None]
"""The scenario and the epoch of a conversation of one model."""
Place = tuple[str, int | None, int]
"""A conversation of one model, and a turn."""


def reason_left_out(
    transcript: Transcript, published: bool | None, carrying: Carrying
) -> LeftOutReason | None:
    """Why a release does not carry a transcript; None if it does.

    `published` says whether the benchmark publishes the scenario; None if the benchmark does not have it.
    """
    if published is False:
        return LeftOutReason.UNPUBLISHED
    if carrying is Carrying.NONE:
        return LeftOutReason.NOT_ASKED
    imported = transcript.provenance is not None and transcript.provenance.source is not None
    if carrying is Carrying.PLAYS and published is None and (transcript.is_open or imported):
        return LeftOutReason.OPEN_LOG
    return None


def carried(transcript: Transcript, transcript_hash: str) -> CarriedTranscript:
    """A transcript as a release carries it, before keys are withheld."""
    sessions: dict[int, int] = {}
    for message in transcript.messages:
        if message.session is not None:
            sessions.setdefault(message.session, message.turn)
    starts = [CarriedSession(session=number, first_turn=turn) for number, turn in sessions.items()]
    return CarriedTranscript(
        scenario_id=transcript.scenario_id,
        epoch=transcript.epoch,
        transcript_hash=transcript_hash,
        sessions=tuple(starts) if len(starts) > 1 else (),
        truncated=tuple(message.turn for message in transcript.messages if message.truncated),
        messages=tuple(
            CarriedMessage(turn=m.turn, role=m.role, content=m.content) for m in transcript.messages
        ),
    )


class Said:
    """What one model and its caregivers said, as a release shows it: without keys.

    `items` and `alarms` are the evidence of the model. If a quote by itself shows a key that is not found
    in the whole reply, the whole reply is withheld.
    """

    def __init__(
        self,
        transcripts: Iterable[CarriedTranscript],
        items: Iterable[EvidenceItem],
        alarms: Iterable[AlarmItem],
        leaks: LeakSearch,
    ) -> None:
        self.leaks = leaks
        self._quotes: dict[Place, set[str]] = defaultdict(set)
        rows: Iterable[EvidenceItem | AlarmItem] = (*items, *alarms)
        for row in rows:
            for quote in row.quotes:
                self._quotes[row.scenario_id, row.epoch, quote.turn].add(quote.quote)
        self._replies: dict[Place, tuple[str, Cleaned]] = {}
        self.withheld: list[WithheldText] = []
        self.transcripts = tuple(self._shown(one) for one in transcripts)

    def quote(self, place: Place, quote: str, start: int | None) -> tuple[int, Cleaned] | None:
        """A quote of a reply as shown, with its place in the reply as shown.

        `start` is the place in the reply as written; None if it is not known. Returns None if the release
        does not carry the reply, or if the reply does not hold the quote.
        """
        written, reply = self._replies.get(place, ("", Cleaned("")))
        start = written.find(quote) if start is None else start
        if start < 0 or not written:
            return None
        begin, end = reply.moved(start, start + len(quote))
        shown = reply.text[begin:end]
        return begin, Cleaned(shown, reply.forms if shown != quote else ())

    def _shown(self, one: CarriedTranscript) -> CarriedTranscript:
        messages = tuple(self._message(one, message) for message in one.messages)
        return one.model_copy(update={"messages": messages})

    def _message(self, one: CarriedTranscript, message: CarriedMessage) -> CarriedMessage:
        cleaned = self.leaks.clean(message.content)
        if message.role is Role.ASSISTANT:
            place = (one.scenario_id, one.epoch, message.turn)
            cleaned = self._also_quoted(message.content, cleaned, self._quotes.get(place, ()))
            self._replies[place] = (message.content, cleaned)
        if not cleaned.forms:
            return message
        where = {"scenario_id": one.scenario_id, "epoch": one.epoch, "turn": message.turn}
        self.withheld.append(WithheldText(role=message.role, forms=cleaned.forms, **where))
        return message.model_copy(update={"content": cleaned.text})

    def _also_quoted(self, written: str, cleaned: Cleaned, quotes: Iterable[str]) -> Cleaned:
        """The reply, or only a mark if one of its quotes shows a key and the reply does not."""
        forms = {form for quote in quotes for form in self.leaks.clean(quote).forms} - {*cleaned.forms}
        if not forms:
            return cleaned
        return Cleaned(WITHHELD, tuple(sorted({*forms, *cleaned.forms})), ((0, len(written)),))


def transcripts_of(
    model_id: str,
    said: Said,
    left_out: Iterable[LeftOut],
    canary: str,
    stage: Stage,
    held: Iterable[HeldReply] = (),
) -> Transcripts:
    """The transcripts file of a model."""
    return Transcripts(
        canary=canary,
        stage=stage,
        model_id=model_id,
        transcripts=said.transcripts,
        left_out=tuple(left_out),
        withheld=tuple(said.withheld),
        held=tuple(held),
    )


def mismatches(
    model: ModelEntry,
    rows: Iterable[TranscriptRow],
    twins: Iterable[TwinEntry],
    evidence: Evidence,
    transcripts: Transcripts,
) -> Iterator[str]:
    """Problems between a model's rows, its evidence and its transcripts: one line per problem.

    Each transcript of the model is carried or left out, once; no other is; and each quote of a
    conversation that is carried is the part of the reply that its offsets name. Only one row at a time is in
    memory.
    """
    if transcripts.model_id != model.model_id:
        yield f"the transcripts are those of {transcripts.model_id!r}"
        return
    held = {(one.scenario_id, one.epoch): one for one in transcripts.transcripts}
    listed = Counter((one.scenario_id, one.epoch) for one in transcripts.transcripts)
    listed.update((one.scenario_id, one.epoch) for one in transcripts.left_out)
    unmet, left_out = set(listed), set[Conversation]()
    quoting: Sequence[EvidenceItem | AlarmItem] = (*evidence.items, *evidence.alarms)
    quoted = {(one.scenario_id, one.epoch) for one in quoting}
    for row in rows:
        place = (row.scenario_id, row.epoch)
        unmet.discard(place)
        if row.left_out is not None:
            listed.update([place] if place in listed else ())
            left_out.update([place] if place in quoted else ())
        yield from _unfit(row, held.get(place), is_listed=place in listed)
    twice = {place for place, times in listed.items() if times > 1}
    yield from (f"{_named(one)} is there twice" for one in sorted(twice, key=str))
    played = {twin.scenario_id for twin in twins if model.model_id in twin.models}
    for place in sorted((one for one in unmet if one[0] not in played), key=str):
        yield f"the leaderboard has no play of {_named(place)}"
    yield from _unquoted(quoting, held, listed.keys() | left_out)


def _unfit(row: TranscriptRow, carried: CarriedTranscript | None, *, is_listed: bool) -> Iterator[str]:
    """Problems of a row of a transcript: it is nowhere, or another one is carried in its place."""
    named = _named((row.scenario_id, row.epoch))
    if row.left_out is None and not is_listed:
        yield f"{named} is neither carried nor left out"
    if carried is not None and carried.transcript_hash != row.transcript_hash:
        yield f"{named} is not the transcript that was scanned"


def _unquoted(
    quoting: Iterable[EvidenceItem | AlarmItem],
    held: Mapping[Conversation, CarriedTranscript],
    known: Set[Conversation],
) -> Iterator[str]:
    """Quotes of conversations that are not there, or of other words."""
    for item in quoting:
        place = (item.scenario_id, item.epoch)
        if place not in known:
            yield f"there is no transcript of {_named(place)}, which the evidence quotes"
        elif place in held:
            for turn in _misquoted(item, held[place]):
                yield f"a quote of {_named(place)} is not in the reply of turn {turn}"


def _misquoted(item: EvidenceItem | AlarmItem, transcript: CarriedTranscript) -> Iterator[int]:
    """The turns of quotes that are not in their reply, or not where their offsets say."""
    said = {(one.turn, one.role): one.content for one in transcript.messages}
    if isinstance(item, AlarmItem):
        yield from (q.turn for q in item.quotes if q.quote not in said.get((q.turn, Role.ASSISTANT), ""))
        return
    for span in item.quotes:
        if said.get((span.turn, span.role), "")[span.start : span.end] != span.quote:
            yield span.turn


def _named(place: Conversation) -> str:
    return place[0] if place[1] is None else f"{place[0]}, run {place[1]}"
