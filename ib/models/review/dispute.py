"""A dispute about a published verdict, and the batch that people read for it. It is not for readers."""

from __future__ import annotations

from typing import Literal

from ib.models.common.base import Record, Sha256
from ib.models.review.batch import BATCH_VERSION, Draw
from ib.models.scan.decided import Claim


class Dispute(Record):
    """What `ib review dispute` writes beside the batch, and `ib review apply` takes with the answers."""

    schema_version: Literal[1] = BATCH_VERSION
    kind: Literal["review_dispute"] = "review_dispute"
    batch: Sha256
    """The hash of the batch that readers get."""
    draw: Draw
    """How the batch was drawn."""
    claim: Claim
    """What is disputed, and why."""
