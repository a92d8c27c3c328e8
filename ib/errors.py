"""The exceptions of this package, with their exit codes.

    IbError                     1   check failed
    ├── Refused                 1   a gate, a check or a comparison failed
    ├── UsageError              2   the command line names something that does not exist
    │   └── OutputExists        2   the folder to create already exists
    ├── DataError               3   invalid files; carries all findings
    └── WorldError              4   the environment failed: provider, disk, another process

    Terminated (a KeyboardInterrupt)  143   the process got SIGTERM

Any module may raise them. Only `ib.cli` turns them into a message and an exit code.
Any other exception is a bug: `ib.cli` prints the traceback and exits with 70.
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
    """The file can be used, but its author should know."""


Path = tuple[str | int, ...]
"""Keys and indexes from the top of a document down to one value."""


@dataclass(frozen=True)
class Place:
    """A location: a file, a line (from 1), and the keys that lead to the value."""

    file: str = ""
    line: int | None = None
    path: Path = ()

    @property
    def key(self) -> str:
        """The keys, joined by dots."""
        return ".".join(map(str, self.path))

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        key = f"{self.key}:" if self.path else ""
        return f"{place}: {key}".strip() if place else key


@dataclass(frozen=True)
class Finding:
    """One error or notice about data: where, what was found, and what is allowed or what to do.

    The whole package reports bad data in this form. A pure function that does not know the file
    leaves `place.file` empty, and the caller fills it in.
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
        """A finding at a key of a file. `key` is a tuple of keys, or a string with dots between them."""
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
"""The maximum number of findings that are kept per file. Further findings are only counted."""


@dataclass(frozen=True)
class Rest(Finding):
    """Stands for the findings of a file beyond MOST_FINDINGS."""

    count: int = 0


class Findings:
    """A collection of findings with at most MOST_FINDINGS per file, to limit memory and output."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._kept: dict[str, list[Finding]] = {}
        self._rest: Counter[str] = Counter()
        self.extend(findings)

    def add(self, finding: Finding) -> None:
        """Keep a finding, or only count it if its file has too many."""
        kept = self._kept.setdefault(finding.file, [])
        if isinstance(finding, Rest):
            self._rest[finding.file] += finding.count
        elif len(kept) < MOST_FINDINGS:
            kept.append(finding)
        else:
            self._rest[finding.file] += 1

    def extend(self, findings: Iterable[Finding]) -> None:
        """Add several findings."""
        for finding in findings:
            self.add(finding)

    def __bool__(self) -> bool:
        return bool(self._kept)

    def __iter__(self) -> Iterator[Finding]:
        """The kept findings, grouped by file, each group followed by its `Rest` if there is one."""
        for file, kept in self._kept.items():
            yield from kept
            rest = self._rest[file]
            if rest:
                said = f"{rest:,} more finding{'' if rest == 1 else 's'}"
                yield Rest(Place(file), said, f"the first {len(kept)} are listed", count=rest)


class IbError(Exception):
    """The base class. The message says what was found, what is allowed, and what to do."""

    exit_code = 1


class Refused(IbError):
    """A gate or a check failed. The message lists `reasons`, one per line."""

    def __init__(self, message: str, reasons: Sequence[str] = ()) -> None:
        super().__init__("\n".join([message, *(f"  - {reason}" for reason in reasons)]))
        self.reasons = tuple(reasons)


class UsageError(IbError):
    """The command line names something that does not exist. The message lists what exists."""

    exit_code = 2


class DataError(IbError):
    """Bad data, with the findings of all files (see `Findings` for the limit per file)."""

    exit_code = 3

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(Findings(findings))
        super().__init__("\n".join(str(finding) for finding in self.findings))

    @classmethod
    def one(cls, file: object, line: int | None, key: str | Path, found: str, hint: str) -> DataError:
        """A DataError with a single finding."""
        return cls([Finding.at(file, line, key, found, hint)])


class WorldError(IbError):
    """The environment failed. Finished work is kept, and the command can be run again."""

    exit_code = 4


class OutputExists(UsageError):
    """The folder to create already exists."""


class Terminated(KeyboardInterrupt):
    """The process got SIGTERM. Every handler of KeyboardInterrupt handles it too."""

    exit_code = 143
    """128 plus the number of the signal, as a shell reports it."""
