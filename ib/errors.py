"""What can go wrong, and with which exit code it ends.

    IbError                     1   the answer is no
    ├── Refused                 1   a gate, a check or a comparison says no
    ├── UsageError              2   the command line asks for something that is not there
    │   └── OutputExists        2   a folder that would have been created is already there
    ├── DataError               3   a file is not what it must be; carries every finding at once
    └── WorldError              4   the environment: provider, disk, another writer

    Terminated (a KeyboardInterrupt)  143   the process was told to end (SIGTERM)

Errors are raised anywhere and turned into a message and an exit code in one place, `ib.cli`.
Any other exception is a fault of the program: `ib.cli` shows its traceback and ends with 70.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """The file cannot be used as it is."""
    NOTICE = "notice"
    """The file is used; the reader should know."""


Path = tuple[str | int, ...]
"""Keys and indexes from the top of a document down to one value."""


@dataclass(frozen=True)
class Place:
    """Where something stands: a file, a line of it (from 1), and the keys that lead there."""

    file: str = ""
    line: int | None = None
    path: Path = ()

    @property
    def key(self) -> str:
        """The keys with dots between them."""
        return ".".join(map(str, self.path))

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        key = f"{self.key}:" if self.path else ""
        return f"{place}: {key}".strip() if place else key


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong at one place: what was found, and what is allowed or would cure it.

    Everything that is wrong with data anywhere in this package is told in this one form. A pure
    function that does not know the file leaves `place.file` empty; the caller fills it in.
    """

    place: Place
    found: str
    hint: str
    level: Level = Level.ERROR

    @classmethod
    def at(
        cls,
        file: object,
        line: int | None,
        key: str | Path,
        found: str,
        hint: str,
        level: Level = Level.ERROR,
    ) -> Finding:
        """A finding at a key of a file; `key` is a path of keys, or one that is written with dots."""
        path = key if isinstance(key, tuple) else tuple(key.split(".")) if key else ()
        return cls(Place(str(file), line, path), found, hint, level)

    @property
    def file(self) -> str:
        return self.place.file

    @property
    def line(self) -> int | None:
        return self.place.line

    @property
    def key(self) -> str:
        return self.place.key

    def __str__(self) -> str:
        return f"{self.place} {self.found}; {self.hint}"


MOST_FINDINGS = 100
"""How many findings of one file are kept; the rest is counted."""


@dataclass(frozen=True)
class Rest(Finding):
    """How many findings of a file were not kept."""

    count: int = 0


class Findings:
    """Findings as they come, at most MOST_FINDINGS of each file, so that memory and messages stay small."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._kept: dict[str, list[Finding]] = {}
        self._rest: Counter[str] = Counter()
        self.extend(findings)

    def add(self, finding: Finding) -> None:
        """Keep a finding, or count it."""
        kept = self._kept.setdefault(finding.file, [])
        if isinstance(finding, Rest):
            self._rest[finding.file] += finding.count
        elif len(kept) < MOST_FINDINGS:
            kept.append(finding)
        else:
            self._rest[finding.file] += 1

    def extend(self, findings: Iterable[Finding]) -> None:
        """Keep or count each of several findings."""
        for finding in findings:
            self.add(finding)

    def __bool__(self) -> bool:
        return bool(self._kept)

    def __iter__(self) -> Iterator[Finding]:
        """Those that were kept, by file in the order of their first, each file with its `Rest`."""
        for file, kept in self._kept.items():
            yield from kept
            rest = self._rest[file]
            if rest:
                said = f"{rest:,} more finding{'' if rest == 1 else 's'}"
                yield Rest(Place(file), said, f"the first {len(kept)} are listed", count=rest)


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
    """Bad data, with the findings of every file: each one, or the first MOST_FINDINGS and their number."""

    exit_code = 3

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(Findings(findings))
        super().__init__("\n".join(str(finding) for finding in self.findings))

    @classmethod
    def one(cls, file: object, line: int | None, key: str | Path, found: str, hint: str) -> DataError:
        """A DataError of a single finding."""
        return cls([Finding.at(file, line, key, found, hint)])


class WorldError(IbError):
    """The environment failed. What was done is kept; the same command may be run again."""

    exit_code = 4


class OutputExists(UsageError):
    """A folder to be created exclusively exists already."""


class Terminated(KeyboardInterrupt):
    """The process was told to end (SIGTERM). Handled wherever Ctrl-C is."""
