"""The time: of the environment, if SOURCE_DATE_EPOCH pins it, else of the clock."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from ib.errors import UsageError

EPOCH = "SOURCE_DATE_EPOCH"


def pinned() -> datetime | None:
    """The time that SOURCE_DATE_EPOCH states. Returns None if it is not set.

    Raises UsageError unless it is a number of seconds that gives a valid date.
    """
    named = os.environ.get(EPOCH)
    if not named:
        return None
    try:
        return datetime.fromtimestamp(int(named), UTC)
    except (ValueError, OverflowError, OSError) as error:
        found = f"{EPOCH} is {named[:80]!r}"
        raise UsageError(f"{found}; set it to a whole number of seconds since 1970, or unset it") from error


def today() -> date:
    """The day of the clock, in UTC."""
    return datetime.now(UTC).date()


def release_day() -> date:
    """The day of a release for which no day is stated: that of SOURCE_DATE_EPOCH, else today."""
    time = pinned()
    return today() if time is None else time.date()
