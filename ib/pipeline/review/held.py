"""The replies of a scan that a release withholds, and what a person decides about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ib.board.evidence.holding import reply_hash
from ib.errors import DataError, UsageError
from ib.models.common.base import Role
from ib.models.conversation.transcript import Transcript
from ib.models.release.held import HeldReply, ReplyDecision, Ruling
from ib.pipeline.report.holding import holding_of
from ib.pipeline.scan.find import pairs
from ib.store.folders.holding import load_decisions, write_decisions
from ib.store.folders.scans import ScanFolder

SHORTEST = 8
"""The fewest characters of a hash that name a reply."""


@dataclass(frozen=True)
class HeldOf:
    """A withheld reply of a model."""

    model_id: str
    reply: HeldReply


@dataclass(frozen=True)
class Reply:
    """A reply of a scan."""

    model_id: str
    scenario_id: str
    turn: int
    sha256: str
    content: str

    @property
    def place(self) -> str:
        """The reply as commands name it."""
        return f"{self.model_id}:{self.scenario_id}:{self.turn}"


def held_of(scan: Path, benchmark: Path | None = None) -> tuple[HeldOf, ...]:
    """The replies of a finished scan whose words a release withholds.

    Raises DataError if the scan is not complete.
    """
    folder = ScanFolder(scan)
    folder.manifest()
    holding = holding_of(scan, benchmark)
    found = [*pairs(folder), *((one, None) for one, _ in folder.transcripts() if one.twin is not None)]
    return tuple(
        HeldOf(transcript.model_id, reply)
        for transcript, result in found
        for reply in holding.held(transcript, result).values()
    )


def replies_named(scan: Path, names: Sequence[str]) -> tuple[Reply, ...]:
    """The replies that some names mean: the beginning of a hash, or `MODEL:SCENARIO:TURN`.

    Raises UsageError for a name that means no reply.
    """
    every = [*_replies(one for one, _ in ScanFolder(scan).transcripts())]
    found: dict[str, Reply] = {}
    for name in names:
        meant = [one for one in every if _means(name, one)]
        if not meant:
            raise UsageError(
                f"no reply of {scan} is {name!r}; give at least {SHORTEST} characters of a hash as "
                "`ib review held` lists it, or MODEL:SCENARIO:TURN"
            )
        found |= {one.sha256: one for one in reversed(meant)}
    return tuple(found.values())


def _replies(transcripts: Iterable[Transcript]) -> Iterator[Reply]:
    for one in transcripts:
        for said in one.messages:
            if said.role is Role.ASSISTANT:
                sha256 = reply_hash(said.content)
                yield Reply(one.model_id, one.scenario_id, said.turn, sha256, said.content)


def _means(name: str, reply: Reply) -> bool:
    return name == reply.place or (len(name) >= SHORTEST and reply.sha256.startswith(name))


def decide(scan: Path, new: Sequence[ReplyDecision]) -> None:
    """Add decisions about replies to a finished scan.

    Raises DataError if one would release a reply that somebody withheld.
    """
    before = load_decisions(scan)
    withheld = {one.sha256: one for one in before if one.ruling is Ruling.WITHHOLD}
    for one in new:
        if one.ruling is Ruling.RELEASE and one.sha256 in withheld:
            found = f"{withheld[one.sha256].by} withheld the reply {one.sha256[:12]}"
            raise DataError.one(scan, None, "", found, "no release of a reply that somebody withheld")
    write_decisions(scan, [*before, *(one for one in new if one not in before)])
