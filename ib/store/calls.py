"""The list of paid calls in the folder of a run or scan: one line a call, written when it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Self

from ib.errors import DataError
from ib.models.canonical import compact
from ib.models.cost import PaidCall, Spending
from ib.store.files import disk
from ib.store.validation import model_of_line

CALLS = "calls.jsonl"


@dataclass
class _Sum:
    """The sums over the calls to one model."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float = 0.0
    calls_of_unknown_cost: int = 0

    def add(self, call: PaidCall) -> None:
        self.calls += 1
        self.input_tokens += call.input_tokens or 0
        self.cached_tokens += call.cached_tokens or 0
        self.output_tokens += call.output_tokens or 0
        self.reasoning_tokens += call.reasoning_tokens or 0
        self.usd += call.usd or 0.0
        self.calls_of_unknown_cost += call.usd is None


class CallList:
    """Appends calls to `calls.jsonl` in a folder, and sums them up. Without a call, there is no file.

    As a context manager, it reads the calls of earlier sessions, and closes the file at the end. An
    incomplete last line is dropped. Raises DataError if another line is not a call, and WorldError if the
    file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / CALLS
        self.keys: set[str] = set()
        """The keys of the requests that were called for."""
        self._sums: dict[str, _Sum] = {}
        self._open = ExitStack()
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self.path.is_file():
            self._continue()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _continue(self) -> None:
        with disk(self.path):
            data = self.path.read_bytes()
            kept = data.rfind(b"\n") + 1
            for number, line in enumerate(data[:kept].splitlines(), start=1):
                call = model_of_line(PaidCall, line, str(self.path), number)
                if isinstance(call, list):
                    raise DataError(call)
                self._count(call)
            self._file = self._open.enter_context(self.path.open("r+b", buffering=0))
            self._file.truncate(kept)
            self._file.seek(kept)

    def write(self, call: PaidCall) -> None:
        """Append one call. Its line survives a kill of this process."""
        with disk(self.path):
            if self._file is None:
                self._file = self._open.enter_context(self.path.open("xb", buffering=0))
            left = memoryview(compact(call) + b"\n")
            while left:
                left = left[self._file.write(left) :]
        self._count(call)

    def _count(self, call: PaidCall) -> None:
        self.keys.add(call.key)
        self._sums.setdefault(call.model, _Sum()).add(call)

    @property
    def spending(self) -> tuple[Spending, ...]:
        """What the calls cost so far, by model."""
        sums: Mapping[str, _Sum] = dict(sorted(self._sums.items()))
        return tuple(Spending(model=model, **asdict(one)) for model, one in sums.items())
