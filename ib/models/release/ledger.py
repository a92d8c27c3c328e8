"""The ledger: what became of each row of the board, release by release. It is only ever added to."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ib.models.common.base import Identifier, Record, Sha256, Stage
from ib.models.common.canonical import compact
from ib.models.review.reviews import EarlierDraw

FORM = 1
"""The version of the form of a line. Files of another version are refused."""
FIRST = "0" * 64
"""What the first line has as the hash of the line before it."""

ReleaseId = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}-[0-9a-f]{8}$")]
"""The day of a release, and the first eight characters of the seal of its qa.json."""
ADOPTED = "Published before there was a ledger."
"""The reason of a release that was recorded when the next one replaced it."""
MOST_REASON = 2_000
"""The length of a reason, in characters."""
Reason = Annotated[str, StringConstraints(min_length=1, max_length=MOST_REASON, strip_whitespace=True)]
"""Why somebody decided something, in one or more sentences."""


class Action(StrEnum):
    """What a line of the ledger says."""

    RELEASED = "released"
    """A new release is the newest. The lines of its rows follow."""
    REINSTATED = "reinstated"
    """An older release is the newest again. The lines of its rows follow."""
    ADDED = "added"
    """The board has a row that it never had."""
    CHANGED = "changed"
    """A row is not as it was in the release before."""
    WITHDRAWN = "withdrawn"
    """The board no longer has the row."""
    RESTORED = "restored"
    """The board has a row again that was withdrawn."""
    DISPUTED = "disputed"
    """Somebody disputed a verdict, and the dispute was decided. A row that changes has a line of its own."""


OF_RELEASE = (Action.RELEASED, Action.REINSTATED)
"""The actions of a whole release. Their lines have no model."""
OF_ROW = (Action.ADDED, Action.CHANGED, Action.RESTORED)
"""The actions after which the board has the row."""
WITH_REASON = (Action.REINSTATED, Action.WITHDRAWN, Action.DISPUTED)
"""The actions that need a reason in words."""


class Cause(StrEnum):
    """Why a figure or a verdict is not the same in two releases."""

    MODELS = "models"
    """Other models are on the board."""
    TRANSCRIPTS = "transcripts"
    """The model was played again, or fewer or more conversations are in the release."""
    JUDGE = "judge"
    """Another judge, or other settings of it."""
    PROMPTS = "prompts"
    """The check changed, and with it its question."""
    CORPUS = "corpus"
    """Other scenarios, or the same scenarios with other content."""
    CONTRACT = "contract"
    """Another profile, or another version of scoring, rules, lexicons or other parts of the benchmark."""
    REVIEWS = "reviews"
    """People decided."""
    STAGE = "stage"
    """Another stage of release."""
    SCAN = "scan"
    """The same figures come from another scan."""
    VOTES = "votes"
    """Nothing else changed: the same judge answered the same question otherwise."""


class ScanSource(Record):
    """The scan of a row, by its hashes. A place on a disk is never written."""

    plan_hash: Sha256
    """The SHA-256 of `scan_plan.json`."""
    manifest_hash: Sha256 | None
    """The SHA-256 of `scan_manifest.json`, which has the hash of every other file of the scan; null for a row
    that was published before there was a ledger."""


class LedgerLine(Record):
    """One line of the ledger: a release, one row of its board, or a disputed verdict."""

    schema_version: int = FORM
    kind: Literal["ledger_line"] = "ledger_line"
    number: int = Field(ge=1)
    """The number of the line, from 1."""
    before: Sha256
    """The SHA-256 of the line before, without its newline; 64 zeros for the first line."""
    action: Action
    """What the line says."""
    release: ReleaseId
    """The release that the line belongs to."""
    day: date
    """The day on which the line was written, in UTC, as its publisher stated it."""
    reason: Reason | None = None
    """Why, in words. A withdrawal, a reinstated release and a dispute always have a reason."""
    seal: Sha256 | None = None
    """The seal of the release's qa.json; null for lines of rows."""
    stage: Stage | None = None
    """The stage of the release; null for lines of rows."""
    model_id: Identifier | None = None
    """The model of the row; null for a line about a release."""
    row: Sha256 | None = None
    """The hash of the row and of its files in the release; null if the board no longer has the row."""
    scan: ScanSource | None = None
    """The scan that the row comes from; null for a row that is withdrawn."""
    causes: tuple[Cause, ...] = ()
    """Why a changed row is not as it was."""
    permalink: str | None = Field(default=None, max_length=500)
    """The address of a disputed verdict on the site."""
    outcome: str | None = Field(default=None, max_length=200)
    """What was decided about a disputed verdict."""

    @model_validator(mode="after")
    def _has_what_its_action_needs(self) -> LedgerLine:
        of_release = self.action in OF_RELEASE
        needed: Mapping[str, bool] = {
            "seal": of_release,
            "stage": of_release,
            "model_id": not of_release,
            "row": self.action in OF_ROW,
            "scan": self.action in OF_ROW,
            "causes": self.action is Action.CHANGED,
            "permalink": self.action is Action.DISPUTED,
            "outcome": self.action is Action.DISPUTED,
        }
        for name, is_needed in needed.items():
            if bool(getattr(self, name)) is not is_needed:
                verb = "needs" if is_needed else "has no"
                raise ValueError(f"a line with the action {self.action} {verb} {name}")
        if self.action in WITH_REASON and self.reason is None:
            raise ValueError(f"a line with the action {self.action} needs reason")
        return self

    @property
    def hash(self) -> str:
        """The SHA-256 of the line, which the next line has as `before`."""
        return hashlib.sha256(compact(self)).hexdigest()


class JoinedFrom(Record):
    """The file `sources.json` of a scan that was joined from several: the scan of each model."""

    schema_version: int = FORM
    kind: Literal["joined_from"] = "joined_from"
    sources: dict[Identifier, ScanSource]
    """The scan of each model, by model id."""
    draws: tuple[EarlierDraw, ...] = Field(default=(), exclude_if=operator.not_)
    """The batches of these scans that people read; the key is left out if there are none."""


def release_id(day: date, seal: str) -> str:
    """The id of a release: its day, and the first eight characters of the seal of its qa.json."""
    return f"{day}-{seal[:8]}"
