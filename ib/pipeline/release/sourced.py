"""Reading a scan back from the source of a release, so that its replay computes the release again."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ib.errors import DataError
from ib.models.common.canonical import compact, pretty
from ib.models.conversation.transcript import Transcript, line_hash, transcript_line
from ib.models.release.exams import ExamSource
from ib.models.release.gap import GapSource
from ib.models.release.held import HeldReply
from ib.models.release.leaderboard import Evidence, EvidenceItem
from ib.models.release.ledger import JoinedFrom
from ib.models.release.pairs import AlarmItem
from ib.models.release.reviews import ReviewSummary
from ib.models.release.source import (
    CONTRADICTIONS,
    CONVERSATIONS,
    PLAN,
    REVIEWS,
    ConversationRow,
    WholeConversation,
    WithheldConversation,
)
from ib.models.release.transcripts import CarriedTranscript, LeftOut, Transcripts
from ib.models.review.reviews import Review
from ib.models.scan.artifacts import ContradictionLine
from ib.models.scan.plan import ScanPlan
from ib.pipeline.release.exams import stated_exams
from ib.pipeline.release.gap import stated_gap
from ib.pipeline.release.reading import Answers, Key, Lookup, Model, Stored
from ib.pipeline.release.replayed import WithheldWords
from ib.pipeline.release.source import PRIVATE, Ordered
from ib.store.files.reading import decode
from ib.store.files.validation import model_of_json
from ib.store.files.wording import counted
from ib.store.folders import scans, sources

Said = tuple[str, str, int | None]
"""The model, scenario and epoch of a conversation."""


@dataclass(frozen=True)
class Published:
    """What a release says of its conversations, for those of which its source has no word."""

    evidence: Mapping[str, Evidence]
    """By model."""
    transcripts: Mapping[str, Transcripts]
    """By model."""
    reviews: ReviewSummary | None = None
    """The reviews."""
    joined: JoinedFrom | None = None
    """The scans that the scan was joined from."""
    judging_usd: float | None = None
    """What the judge cost."""
    reason: str | None = None
    """Why the release was published."""

    def items(self, of: WithheldConversation) -> Sequence[EvidenceItem]:
        """The evidence about a conversation."""
        found = self.evidence.get(of.model_id)
        return [] if found is None else [one for one in found.items if _is_of(one, of)]

    def alarms(self, of: WithheldConversation) -> Sequence[AlarmItem]:
        """The evidence about a play of a twin."""
        found = self.evidence.get(of.model_id)
        return [] if found is None else [one for one in found.alarms if _is_of(one, of)]

    def withheld(self, model_id: str, of: Sequence[WithheldConversation]) -> WithheldWords:
        """The withheld words of some conversations of a model: in quotes, and in messages."""
        plays = {(one.scenario_id, one.epoch) for one in of if one.model_id == model_id}
        quotes, texts = self.evidence[model_id].withheld, self.transcripts[model_id].withheld
        return (
            [one for one in quotes if (one.scenario_id, one.epoch) in plays],
            [one for one in texts if (one.scenario_id, one.epoch) in plays],
        )

    def held(self, of: WithheldConversation) -> list[HeldReply]:
        """The replies of a conversation of which the release has no word."""
        found = self.transcripts.get(of.model_id)
        return [] if found is None else [one for one in found.held if _is_of(one, of)]

    def transcript(self, of: WithheldConversation) -> CarriedTranscript | LeftOut | None:
        """The conversation as carried, or why it is left out. Returns None if the release has neither."""
        found = self.transcripts.get(of.model_id)
        every: list[CarriedTranscript | LeftOut] = []
        if found is not None:
            every = [*found.transcripts, *found.left_out]
        return next((one for one in every if _is_of(one, of)), None)


def named(one: Transcript | WithheldConversation) -> str:
    """A conversation in words."""
    play = "" if one.epoch is None else f", play {one.epoch}"
    return f"{one.model_id} on {one.scenario_id}{play}"


def _is_of(one: Any, of: WithheldConversation) -> bool:
    return (one.scenario_id, one.epoch) == (of.scenario_id, of.epoch)


@dataclass
class SourceReading:
    """The source of a release as a scan. `stated` are the hashes of artifacts that the release states."""

    place: Path
    """The folder of the release."""
    root: Path
    """The folder of the unpacked benchmark."""
    stated: Mapping[str, str]
    published: Published
    packed: Mapping[str, bytes]
    """The files of the source, by name."""
    benchmark: Path | None = None
    misfits: list[str] = field(default_factory=list)
    """Replies that answer no question, and conversations that are not the ones that were scanned."""
    withheld: list[WithheldConversation] = field(default_factory=list)
    """The conversations of which the source has no word, as far as read."""
    trimmed: list[Key] = field(default_factory=list)
    """Whole conversations whose hash cannot be computed again, because some of their fields are left out."""
    _ahead: deque[Key | WithheldConversation] = field(default_factory=deque)
    whole: dict[Key, WholeConversation] = field(default_factory=dict)
    """The whole conversations that were read, until both judges' replies on them were."""
    _hashes: dict[str, _Hashed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.benchmark = self.root

    @cached_property
    def _plan_bytes(self) -> bytes:
        return sources.document(self.place / PLAN)

    @cached_property
    def plan(self) -> ScanPlan:
        name = str(self.place / PLAN)
        plan = model_of_json(ScanPlan, decode(self._plan_bytes, name), name)
        if pretty(plan) != self._plan_bytes:
            raise DataError.one(name, None, "", "is not in the form that a scan writes", "an unedited file")
        return plan

    @property
    def hides_an_address(self) -> bool:
        """True if the plan is shown without the private address of a judge, so that its hash is stated."""
        second = self.plan.second
        judges = (self.plan.judge, *(() if second is None else (second.judge,)))
        return any(judge.base == PRIVATE for judge in judges)

    @property
    def plan_hash(self) -> str:
        if self.hides_an_address:
            return self.stated.get(scans.PLAN, "0" * 64)
        return hashlib.sha256(self._plan_bytes).hexdigest()

    @property
    def decisions(self) -> None:
        """A release has no word of a withheld reply, so nothing is left to decide."""

    @property
    def judging_usd(self) -> float | None:
        """What the judge cost, as the release states it."""
        return self.published.judging_usd

    @cached_property
    def gap(self) -> GapSource | None:
        """The scan of a private draw, as the release states it."""
        return stated_gap(self.place)

    @cached_property
    def exams(self) -> ExamSource | None:
        """The sittings of the exam, as the release states them."""
        return stated_exams(self.place)

    @property
    def sentinels(self) -> None:
        """A release does not carry the answers to exam items."""

    @property
    def joined(self) -> JoinedFrom | None:
        """The scans that the scan was joined from, as the release states them."""
        return self.published.joined

    @property
    def written(self) -> Mapping[str, str]:
        return self.files()

    @cached_property
    def contradictions(self) -> tuple[ContradictionLine, ...]:
        return tuple(sources.rows(ContradictionLine, self.place / CONTRADICTIONS))

    @cached_property
    def reviews(self) -> tuple[Review, ...]:
        return tuple(sources.rows(Review, self.place / REVIEWS))

    def transcripts(self) -> Iterator[tuple[Transcript, str]]:
        """The whole conversations, each with its hash. Those that are withheld are kept for `before`."""
        written = hashlib.sha256()
        for row in sources.rows(ConversationRow, self.place / CONVERSATIONS):
            one = row.conversation
            if isinstance(one, WithheldConversation):
                self.withheld.append(one)
                self._ahead.append(one)
                continue
            self._ahead.append(one.transcript.key)
            self.whole[one.transcript.key] = one
            line = transcript_line(one.transcript)
            written.update(line + b"\n")
            self._see(one, line)
            yield one.transcript, one.transcript_hash
        if not self.withheld and not self.trimmed:
            self._hashes[scans.TRANSCRIPTS] = _Hashed(written)

    def _see(self, one: WholeConversation, line: bytes) -> None:
        """Note whether the conversation is the one that was scanned."""
        if one.trimmed:
            self.trimmed.append(one.transcript.key)
        elif line_hash(line) != one.transcript_hash:
            self.misfits.append(f"{named(one.transcript)}: the conversation is not the one that was scanned")

    def before(self, key: Key | None) -> Iterator[WithheldConversation]:
        """The withheld conversations before a whole one in the plan; with None, all that are left."""
        while self._ahead:
            one = self._ahead.popleft()
            if not isinstance(one, WithheldConversation):
                if one == key:
                    return
                continue
            yield one

    def replies(self) -> Answers:
        return _ByPlace(self, second=False)

    def second(self) -> Answers:
        return _ByPlace(self, second=True)

    def stored(self, model: type[Model], name: str) -> Stored[Model]:
        self._hashes[name] = hashed = _Hashed(hashlib.sha256())
        return hashed

    def files(self) -> Mapping[str, str]:
        """The hashes that the release states, with those that were computed again in their place."""
        computed = {name: hashed.hexdigest() for name, hashed in self._hashes.items()}
        if self.withheld:
            computed = {}
        if self.trimmed:  # a result has the metadata of its conversation
            computed.pop(scans.RESULTS, None)
        return {**self.stated, **computed, **self._of_plan(), **self._of_reviews()}

    def _of_reviews(self) -> Mapping[str, str]:
        """The hashes of the reviews and of the joined scans, as far as the release has them whole."""
        found = {}
        if self.reviews and not self.withheld:
            written = b"".join(compact(one) + b"\n" for one in self.reviews)
            found[scans.REVIEWS] = hashlib.sha256(written).hexdigest()
        if self.joined is not None and (not self.withheld or not self.joined.draws):
            found[scans.SOURCES] = hashlib.sha256(pretty(self.joined)).hexdigest()
        return found

    def _of_plan(self) -> Mapping[str, str]:
        return {} if self.hides_an_address else {scans.PLAN: self.plan_hash}


class _Hashed:
    """Lines that would be stored, of which only the hash is kept."""

    def __init__(self, sha: Any) -> None:
        self._sha = sha

    def beside(self, expected: Any, line: bytes) -> Any:
        self._sha.update(line + b"\n")
        return expected

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def hexdigest(self) -> str:
        digest: str = self._sha.hexdigest()
        return digest


class _ByPlace:
    """The replies of one judge, found by their places."""

    def __init__(self, reading: SourceReading, *, second: bool) -> None:
        self._reading, self._is_second = reading, second
        self._last: tuple[Key, Ordered] | None = None

    def of(self, key: Key) -> tuple[Lookup, Mapping[str, int]]:
        self._check()
        one = self._reading.whole[key]
        ordered = Ordered(one.second if self._is_second else one.replies)
        self._last = (key, ordered)
        return ordered, ordered.votes

    def _check(self) -> None:
        """Note replies on the conversation before that answered no question."""
        if self._last is None:
            return
        key, ordered = self._last
        if ordered.wrong:
            whose = "the second judge" if self._is_second else "the judge"
            where = named(self._reading.whole[key].transcript)
            wrong = counted(ordered.wrong, "reply", "replies")
            self._reading.misfits.append(f"{where}: {wrong} of {whose} fit no question that is asked")

    def close(self) -> None:
        self._check()
