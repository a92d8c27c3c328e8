"""What can go wrong, and with which exit code it ends.

    IbError                     1   the answer is no
    ├── Refused                 1   a gate, a check or a comparison says no
    ├── UsageError              2   the command line asks for something that is not there
    │   └── OutputExists        2   a folder that would have been created is already there
    ├── DataError               3   a file is not what it must be; carries every finding at once
    └── WorldError              4   the environment: provider, disk, another writer

Errors are raised anywhere and turned into a message and an exit code in one place, `ib.cli`.
Any other exception is a fault of the program: `ib.cli` shows its traceback and ends with 70.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """One thing wrong with one place in one file."""

    file: str
    line: int | None
    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        key = f" {self.key}:" if self.key else ""
        return f"{place}:{key} {self.found}; {self.allowed}"


class IbError(Exception):
    """The root: a message that names what was found, what is allowed, and what to do."""

    exit_code = 1


class Refused(IbError):
    """A gate or a check answered no. `reasons` are listed one a line."""

    def __init__(self, message: str, reasons: Sequence[str] = ()) -> None:
        super().__init__("\n".join([message, *(f"  - {reason}" for reason in reasons)]))
        self.reasons = tuple(reasons)


class UsageError(IbError):
    """The command line names something that does not exist; the message says what does."""

    exit_code = 2


class DataError(IbError):
    """Bad data, with every finding of every file."""

    exit_code = 3

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))

    @classmethod
    def one(cls, file: object, line: int | None, key: str, found: str, allowed: str) -> DataError:
        """A DataError of a single finding."""
        return cls([Finding(str(file), line, key, found, allowed)])


class WorldError(IbError):
    """The environment failed. What was done is kept; the same command may be run again."""

    exit_code = 4


class OutputExists(UsageError):
    """A folder to be created exclusively exists already."""
