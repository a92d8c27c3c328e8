"""What the status and the headers of a failed response mean."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ib.models.scan.judge import FaultKind

WORDS = 200
"""Maximum characters kept of a server's message."""


def kind_of_status(status: int) -> FaultKind:
    """The kind of fault that a status means. Only 408, 409, 429 and 5xx are temporary."""
    if status == 429:
        return FaultKind.RATE_LIMIT
    return FaultKind.TRANSIENT if status in (408, 409) or status >= 500 else FaultKind.DETERMINISTIC


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """The seconds in the header Retry-After; None if there is none, or if it is not a number of seconds."""
    values = (value for name, value in dict(headers or {}).items() if name.lower() == "retry-after")
    try:
        seconds = float(next(values))
    except (StopIteration, ValueError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
