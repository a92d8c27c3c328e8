"""Rows that are the same for every transcript: created and serialized once."""

from __future__ import annotations

from collections.abc import Callable

from orjson import Fragment

from ib.models.common.canonical import compact
from ib.models.scan.result import VerdictResult


class SharedRows:
    """A cache of rows. Most rows of a scan are "not due" or "no phrase found", so few are distinct."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, ...], VerdictResult] = {}
        self._bytes: dict[int, Fragment] = {}

    def row(self, key: tuple[str, ...], make: Callable[[], VerdictResult]) -> VerdictResult:
        """The row of a key; `make` creates it on first use."""
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = make()
            self._bytes[id(row)] = Fragment(compact(row))
        return row

    def bytes_of(self, row: VerdictResult) -> Fragment:
        """The canonical bytes of any row; for a cached row, the cached bytes."""
        kept = self._bytes.get(id(row))
        return Fragment(compact(row)) if kept is None else kept
