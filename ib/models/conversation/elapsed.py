"""The time between two sessions, in words such as `2 months`."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import StringConstraints

Elapsed = Annotated[
    str, StringConstraints(pattern=r"^[1-9]\d{0,3} (?:minutes?|hours?|days?|weeks?|months?|years?)$")
]
"""A number and a unit, from minutes to years: `2 months`."""

_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 43_200, "year": 525_600}


def elapsed_minutes(elapsed: str) -> int:
    """Convert an `Elapsed` to minutes. A month counts as 30 days, a year as 365. Raises ValueError."""
    match = re.fullmatch(r"(\d+) ([a-z]+?)s?", elapsed)
    if match is None:
        raise ValueError(f"{elapsed!r} is not an elapsed time such as `2 months`")
    return int(match[1]) * _MINUTES[match[2]]
