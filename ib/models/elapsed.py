"""The time between two sessions, as people say it."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import StringConstraints

Elapsed = Annotated[
    str, StringConstraints(pattern=r"^[1-9]\d{0,3} (?:minutes?|hours?|days?|weeks?|months?|years?)$")
]
"""Time between two sessions, as people say it: `2 months`."""

_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 43_200, "year": 525_600}


def elapsed_minutes(elapsed: str) -> int:
    """The minutes of an `Elapsed`; a month counts as 30 days, a year as 365."""
    match = re.fullmatch(r"(\d+) ([a-z]+?)s?", elapsed)
    if match is None:
        raise ValueError(f"{elapsed!r} is no elapsed time")
    return int(match[1]) * _MINUTES[match[2]]
