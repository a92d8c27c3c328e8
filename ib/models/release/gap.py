"""The gap between two draws: how much more often a model failed on words that it cannot have seen."""

from __future__ import annotations

from pydantic import Field

from ib.models.common.base import Played, Record, Sha256
from ib.models.draw.keyed_slot import DrawNamed
from ib.models.release.comparisons import PairedDifference
from ib.models.scan.gates import Count


class DrawGap(Record):
    """One model on the same scenarios in a private draw, and in the draw of the release."""

    shared: Count
    """Conversations that the model had in both draws: the same scenario and play."""
    all_checks: PairedDifference
    """A case is one check on one such conversation. The first of each pair is the private draw, the second
    that of the release, so that a model that does worse on words it cannot know has a difference above 0.
    Checks for which only phrases were looked for are left out. p values are adjusted over the models."""


class GapRow(Played):
    """A conversation of the private draw: its verdicts alone."""

    transcript_hash: Sha256
    verdicts: str = Field(pattern=r"^[FCPpUNfRS.]*$")
    """One letter for each check, as in the rows of a release."""


class GapSource(Record):
    """What the gap of a release was made from, beside its own rows: the scan of another draw."""

    draw: DrawNamed
    """The draw of that scan."""
    comparability_key: Sha256
    """The key of that scan, which is that of the release: two draws of one version are compared."""
    plan_hash: Sha256
    results_hash: Sha256
    """The SHA-256 of its `results.jsonl`."""
    rows: tuple[GapRow, ...]
    """Its conversations."""
