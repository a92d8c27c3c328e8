"""What the replay of a scan reads: plan, conversations, replies and stored results, from a scan's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel

from ib.errors import DataError
from ib.models.conversation.transcript import Transcript
from ib.models.exam.report import Outcome
from ib.models.release.held import ReplyDecision
from ib.models.release.ledger import JoinedFrom
from ib.models.review.reviews import Review
from ib.models.scan.artifacts import ContradictionLine
from ib.models.scan.judge import JudgeReply, JudgeRequest, NotRecorded
from ib.models.scan.plan import ScanPlan
from ib.store.benchmark.loading import benchmark_folder
from ib.store.files.reading import raw_lines
from ib.store.files.validation import load_json, model_of_line
from ib.store.folders import scans
from ib.store.folders.holding import load_decisions
from ib.store.folders.replies import Replies, replies_of_plan
from ib.store.folders.reviews import load_reviews

Model = TypeVar("Model", bound=BaseModel)
Key = tuple[str, str, int]
Lookup = Callable[[JudgeRequest], JudgeReply]
NOT_ASKED = NotRecorded()


class Answers(Protocol):
    """The replies of one judge, conversation by conversation in the order of the plan."""

    def of(self, key: Key) -> tuple[Lookup, Mapping[str, int]]:
        """What answers the questions about a conversation, and the number of votes by check."""

    def close(self) -> None:
        """Raise DataError if a reply belongs to no conversation."""


class Stored(Protocol[Model]):
    """The stored lines of a file, in order."""

    def beside(self, expected: Model, line: bytes) -> Model | None:
        """The next value. Returns `expected` if its line is stored, None at the end of the file."""

    def __iter__(self) -> Iterator[Model]:
        """The values that are left."""


class Reading(Protocol):
    """Where the replay of a scan finds everything."""

    @property
    def place(self) -> Path:
        """What is read, for messages."""

    @property
    def plan(self) -> ScanPlan:
        """The plan of the scan."""

    @property
    def plan_hash(self) -> str:
        """The hash of the plan's file."""

    @property
    def root(self) -> Path:
        """The folder of the benchmark."""

    @property
    def benchmark(self) -> Path | None:
        """The same for the loader; None for the benchmark of the package."""

    @property
    def written(self) -> Mapping[str, str]:
        """The hash of each artifact as the scan wrote it, by file name."""

    @property
    def contradictions(self) -> tuple[ContradictionLine, ...]:
        """Recorded verdicts that their own votes do not give."""

    @property
    def reviews(self) -> tuple[Review, ...]:
        """What people said about verdicts."""

    @property
    def decisions(self) -> Sequence[ReplyDecision] | None:
        """What people decided about replies that a release withholds; None if they are withheld already."""

    @property
    def judging_usd(self) -> float | None:
        """What the judge cost; None if that is not known."""

    @property
    def joined(self) -> JoinedFrom | None:
        """The scans that the scan was joined from; None for a scan of its own."""

    @property
    def sentinels(self) -> Sequence[Outcome] | None:
        """What the judge said of exam items among the questions; None if that is not here."""

    def transcripts(self) -> Iterator[tuple[Transcript, str]]:
        """The transcripts, each with its hash."""

    def replies(self) -> Answers:
        """The replies of the judge."""

    def second(self) -> Answers:
        """The replies of the second judge."""

    def stored(self, model: type[Model], name: str) -> Stored[Model]:
        """The lines of an artifact."""

    def files(self) -> Mapping[str, str]:
        """The hash of each artifact as it is, by file name. Called last."""


class FolderReading:
    """The folder of a finished scan."""

    def __init__(self, path: Path, benchmark: Path | None) -> None:
        self.place, self.benchmark = path, benchmark
        self._folder = scans.ScanFolder(path)
        self.written: Mapping[str, str] = self._folder.manifest().files
        self.plan = self._folder.plan()
        self.root = benchmark or benchmark_folder()

    @cached_property
    def plan_hash(self) -> str:
        return self._folder.plan_hash()

    @cached_property
    def contradictions(self) -> tuple[ContradictionLine, ...]:
        path = self.place / scans.CONTRADICTIONS
        return tuple(scans.load_lines(ContradictionLine, path)) if path.exists() else ()

    @cached_property
    def reviews(self) -> tuple[Review, ...]:
        return load_reviews(self.place)

    @cached_property
    def decisions(self) -> Sequence[ReplyDecision]:
        return load_decisions(self.place)

    @property
    def judging_usd(self) -> float | None:
        return self._folder.judging_usd()

    @property
    def joined(self) -> JoinedFrom | None:
        path = self.place / scans.SOURCES
        return load_json(JoinedFrom, path) if path.exists() else None

    @cached_property
    def sentinels(self) -> Sequence[Outcome]:
        return self._folder.sentinels()

    def transcripts(self) -> Iterator[tuple[Transcript, str]]:
        return self._folder.transcripts()

    def replies(self) -> Answers:
        return ByKey(replies_of_plan(self.place / scans.REPLIES, self.plan_hash))

    def second(self) -> Answers:
        return ByKey(replies_of_plan(self.place / scans.SECOND_REPLIES, self.plan_hash))

    def stored(self, model: type[Model], name: str) -> Stored[Model]:
        return StoredLines(model, self.place / name)

    def files(self) -> Mapping[str, str]:
        return self._folder.file_hashes()


class ByKey:
    """The replies of a journal, found by the key of the request."""

    def __init__(self, replies: Replies) -> None:
        self._replies = replies

    def of(self, key: Key) -> tuple[Lookup, Mapping[str, int]]:
        replies, votes = self._replies.of(key)
        return (lambda request: replies.get(request.key, NOT_ASKED)), votes

    def close(self) -> None:
        self._replies.close()


class StoredLines(Iterator[Model]):
    """The lines of a stored file, as models. A line is parsed only if it differs from the expected one."""

    def __init__(self, model: type[Model], path: Path) -> None:
        self._model, self._path = model, path
        self._lines = raw_lines(path, str(path))

    def beside(self, expected: Model, line: bytes) -> Model | None:
        """The next value. Returns `expected` if its line is stored, None at the end of the file."""
        number, stored = next(self._lines, (0, b""))
        if not stored:
            return None
        return expected if stored.rstrip(b"\n") == line else self._parsed(number, stored)

    def _parsed(self, number: int, line: bytes) -> Model:
        parsed = model_of_line(self._model, line, str(self._path), number)
        if isinstance(parsed, list):
            raise DataError(parsed)
        return parsed

    def __next__(self) -> Model:
        return self._parsed(*next(self._lines))
