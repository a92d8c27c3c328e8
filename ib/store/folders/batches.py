"""The list of batches in the folder of a scan: what was submitted, so that no batch is paid for twice."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ib.errors import DataError
from ib.models.common.canonical import compact
from ib.models.scan.batch import BatchLine, Submission
from ib.store.files.validation import model_of_line
from ib.store.files.writing import disk, sync_folder

BATCHES = "batches.jsonl"


class BatchList:
    """Appends to `batches.jsonl` in a folder. Without a batch, there is no file.

    Every line is on the disk before the method returns. An incomplete last line is dropped. Raises
    DataError if another line is not a batch, and WorldError if the file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / BATCHES
        self._known: dict[str, Submission] = {}
        if self.path.is_file():
            self._load()

    @property
    def submissions(self) -> tuple[Submission, ...]:
        """The batches so far, in the order of their submission."""
        return tuple(self._known.values())

    def intend(self, token: str, requests: Iterable[str]) -> None:
        """Write down a batch that is submitted next."""
        self._append(BatchLine(token=token, requests=tuple(requests)))

    def submitted(self, token: str, batch: str) -> None:
        """Write down the id of a submitted batch."""
        self._append(BatchLine(token=token, batch=batch))

    def ended(self, token: str) -> None:
        """Write down that nothing of a batch is waited for any more."""
        self._append(BatchLine(token=token, ended=True))

    @property
    def open(self) -> tuple[Submission, ...]:
        """The batches whose answers may still be fetched."""
        return tuple(one for one in self.submissions if not one.ended)

    def _load(self) -> None:
        with disk(self.path):
            data = self.path.read_bytes()
            kept = data.rfind(b"\n") + 1
            if kept < len(data):
                os.truncate(self.path, kept)
        for number, raw in enumerate(data[:kept].splitlines(), start=1):
            line = model_of_line(BatchLine, raw, str(self.path), number)
            if isinstance(line, list):
                raise DataError(line)
            if line.requests is None and line.token not in self._known:
                found = "a batch that was not announced"
                raise DataError.one(self.path, number, "token", found, "the token of an earlier line")
            self._note(line)

    def _note(self, line: BatchLine) -> None:
        if line.requests is not None:
            self._known[line.token] = Submission(line.token, frozenset(line.requests))
        else:
            known = self._known[line.token]
            batch = known.batch if line.batch is None else line.batch
            self._known[line.token] = replace(known, batch=batch, ended=known.ended or line.ended)

    def _append(self, line: BatchLine) -> None:
        with disk(self.path):
            new = not self.path.exists()
            with self.path.open("ab") as file:
                file.write(compact(line.model_dump(mode="json", exclude_defaults=True)) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            if new:
                sync_folder(self.path.parent)
        self._note(line)
