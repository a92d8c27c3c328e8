"""The transcripts that a release carries, so that readers can judge its evidence in its place."""

from __future__ import annotations

import operator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from ib.models.common.base import Play, Record, Role, Sha256, Stage
from ib.models.release.held import HeldReply
from ib.models.release.leaderboard import SCHEMA_VERSION

Turn = Annotated[int, Field(ge=1)]


class LeftOutReason(StrEnum):
    scenario_id: str
    epoch: int | None
    """Why a release does not carry a transcript."""

    UNPUBLISHED = "unpublished"
    """The benchmark does not publish the scenario."""
    OPEN_LOG = "open_log"
    """An open log, or an imported conversation: real people may have written it."""
    NOT_ASKED = "not_asked"
    """The release was made to carry no transcripts."""
    PRIVATE_DRAW = "private_draw"
    """A play of a private draw, whose words stay secret until the draw is retired. No quote is shown
    either."""


class CarriedMessage(Record):
    """One message, as it was said, except for withheld keys."""

    turn: Turn
    """The number of the turn, as evidence counts turns."""
    role: Role
    """Who said it."""
    content: str
    """What was said, with a mark in place of each word that looks like a key, and a sentence in place of a
    withheld reply."""


class CarriedSession(Record):
    """Where a session begins."""

    session: Turn
    """The number of the session."""
    first_turn: Turn
    """The turn with which it begins."""


class CarriedTranscript(Play):
    """One conversation of a model, with the turn numbers that the evidence uses."""

    transcript_hash: Sha256
    """The hash of the transcript that was scanned."""
    sessions: tuple[CarriedSession, ...] = ()
    """The sessions in order; empty if the conversation has only one."""
    truncated: tuple[Turn, ...] = ()
    """The turns in which the provider cut off the reply."""
    messages: tuple[CarriedMessage, ...]
    """What was said, in order."""

    def message(self, turn: int, role: Role) -> CarriedMessage | None:
        """What a speaker said in a turn. Returns None if the speaker said nothing there."""
        return next((one for one in self.messages if (one.turn, one.role) == (turn, role)), None)


class LeftOut(Play):
    """A transcript that the release does not carry."""

    reason: LeftOutReason
    """Why it is left out."""


class WithheldText(Play):
    """A message in which a word was withheld because it looks like a key."""

    turn: Turn
    """The turn of the message."""
    role: Role
    """Who said it."""
    forms: tuple[str, ...]
    """The forms of key that the word has; see ib/board/evidence/leaks.yaml."""


class Transcripts(Record):
    """The transcripts of one model."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["transcripts"] = "transcripts"
    canary: str
    stage: Stage
    """The stage of the release."""
    model_id: str
    transcripts: tuple[CarriedTranscript, ...]
    """The conversations that the release carries."""
    left_out: tuple[LeftOut, ...]
    """The plays of safe twins that the release does not carry, each with the reason. Of all other transcripts
    the rows of the model say it."""
    withheld: tuple[WithheldText, ...] = ()
    """The messages with a withheld word."""
    held: tuple[HeldReply, ...] = Field(default=(), exclude_if=operator.not_)
    """The replies of which the release has no word; the key is left out if there are none."""
