"""What the gate found about a release."""

from __future__ import annotations

from typing import Literal

from ib.models.common.base import Record, Sha256, Stage
from ib.models.common.canonical import digest
from ib.models.release.leaderboard import SCHEMA_VERSION


class QaFinding(Record):
    """A finding of the gate, and the first release stage that it blocks."""

    rule: str
    """The rule that found it."""
    refuses: tuple[Stage, ...]
    """The stages that the finding refuses."""
    count: int
    """How often it was found."""
    detail: tuple[str, ...]
    """Where it was found, the first of them."""


class Qa(Record):
    """What the gate checked, the hashes of the files, and the release stages that it grants."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["qa"] = "qa"
    granted: tuple[Stage, ...]
    """The stages that the scan qualifies for."""
    checked: dict[str, Sha256]
    """The artifacts of the scan that were checked, each with the SHA-256 of its bytes."""
    released: dict[str, Sha256]
    """The files of the release, each with the SHA-256 of its bytes."""
    rules: tuple[str, ...]
    """The rules that were checked."""
    findings: tuple[QaFinding, ...]
    """What was found."""
    seal: Sha256 = "0" * 64
    """The SHA-256 of the canonical bytes of all other fields, so that an edited field is found."""


def sealed(qa: Qa) -> Qa:
    """The same findings with the seal that belongs to them."""
    return qa.model_copy(update={"seal": digest(qa.model_dump(mode="json", exclude={"seal"}))})
