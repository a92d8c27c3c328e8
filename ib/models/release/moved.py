"""Two releases compared: which figures moved, which verdicts flipped, and why."""

from __future__ import annotations

from typing import Literal

from ib.models.common.base import Identifier, Played, Record
from ib.models.release.ledger import Cause

FORM = 1
"""The version of the form of a comparison of two releases."""


class FigureValue(Record):
    """A figure in one release: k of n, a mean over n, or a share."""

    k: int | None = None
    """Cases in which it occurred; null for a mean or a share."""
    n: int | None = None
    """Cases that were counted."""
    value: float | None
    """The rate, mean or share; null where the release shows none."""


class MovedFigure(Record):
    """A figure that is not the same in both releases."""

    model_id: Identifier | None
    """The model; null for a figure over all models."""
    figure: str
    """The place of the figure in the row, such as `gates A`, `overall` or `checks IB-A1-missed-explicit`."""
    before: FigureValue | None
    """Null if the earlier release does not have the figure."""
    after: FigureValue | None
    """Null if the later release does not have the figure."""
    causes: tuple[Cause, ...]
    """Why it moved."""


class VerdictFlip(Played):
    """A verdict that is not the same in both releases, with its words."""

    check_id: str
    before: str
    """The verdict in the earlier release, in words."""
    after: str
    """The verdict in the later release, in words."""
    causes: tuple[Cause, ...]
    """Why it is not the same."""
    quotes_before: tuple[str, ...]
    """The words that the earlier verdict rests on; empty if it rests on none."""
    quotes_after: tuple[str, ...]
    """The words that the later verdict rests on; empty if it rests on none."""


class ReleaseDiff(Record):
    """What two releases, or two scans, differ in."""

    schema_version: int = FORM
    kind: Literal["release_diff"] = "release_diff"
    before: str
    """The id of the earlier release, or the plan of the first scan."""
    after: str
    """The id of the later release, or the plan of the second scan."""
    causes: tuple[Cause, ...]
    """Everything that differs between the two, as far as a figure or a verdict shows it."""
    added: tuple[Identifier, ...]
    """Models that only the later release has."""
    lost: tuple[Identifier, ...]
    """Models that only the earlier release has."""
    changed_checks: tuple[str, ...]
    """Checks whose content differs."""
    figures: tuple[MovedFigure, ...]
    """What moved: figures over all models, then those of each model that both have."""
    flips: tuple[VerdictFlip, ...]
    """Every verdict that flipped on a conversation that both have, by model, check and conversation."""
