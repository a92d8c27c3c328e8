"""What a failed response means: one table for all servers."""

from __future__ import annotations

import pytest

from ib.client.status import kind_of_status, retry_after
from ib.models.scan.judge import FaultKind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (408, FaultKind.TRANSIENT),
        (409, FaultKind.TRANSIENT),
        (429, FaultKind.RATE_LIMIT),
        (500, FaultKind.TRANSIENT),
        (529, FaultKind.TRANSIENT),
        (307, FaultKind.DETERMINISTIC),
        (400, FaultKind.DETERMINISTIC),
        (401, FaultKind.DETERMINISTIC),
        (404, FaultKind.DETERMINISTIC),
    ],
)
def test_only_some_statuses_are_temporary(status: int, kind: FaultKind) -> None:
    """A request that the server refuses for good is not asked again."""
    assert kind_of_status(status) is kind


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (None, None),
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
    ],
)
def test_only_a_number_of_seconds_is_a_time_to_wait(
    headers: dict[str, str] | None, seconds: float | None
) -> None:
    """A server cannot make the client wait forever."""
    assert retry_after(headers) == seconds
