"""What the judge of a job has to be asked about a shard.

A worker asks nobody. It goes on with each conversation as far as the replies in the place of the job reach,
and returns the questions that come next. If there is none, it does the shard. So a worker that is killed
loses no reply, and a shard has the same questions whoever looks for them.
"""

from __future__ import annotations

import gzip
import io
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, ClassVar, Literal

from ib.batch.incoming import Broken
from ib.batch.job import Job
from ib.batch.scorer import Scorer, Worker, at_work
from ib.engine.questions.protocol import Asking, Requests
from ib.errors import DataError, Finding
from ib.models.common.canonical import compact
from ib.models.scan.judge import JudgeReply, JudgeRequest, JudgeSpec, NotRecorded
from ib.pipeline.scan.prepare import ScanOptions, check_profile
from ib.store.benchmark.loading import benchmark_folder, load_benchmark
from ib.store.folders.journal import VOTES, read_reply

REPLIES = "replies"
"""The folder of a job with the replies of its judge: files of lines as in the journal of a scan."""
NOT_HERE = NotRecorded()


@dataclass(frozen=True)
class AskedScorer(Scorer):
    """A scorer whose judge is elsewhere and is asked in rounds. It judges by the replies that are there."""

    spec: str = ""
    """The judge and its parameters, as JSON."""

    @property
    def asked(self) -> JudgeSpec:
        return JudgeSpec.model_validate_json(self.spec)

    def loaded(self) -> Worker:
        return _worker(self.profile, self.spec, self.benchmark)


def asked_scorer(profile: str, spec: JudgeSpec, benchmark: str | None, *, skip_broken: bool) -> AskedScorer:
    """The scorer of a job whose judge is elsewhere."""
    return AskedScorer(profile, spec.model, benchmark, skip_broken, compact(spec).decode())


@dataclass
class KnownReplies:
    """A judge in this process that repeats what a judge elsewhere has answered."""

    spec: JudgeSpec
    replies: Mapping[str, JudgeReply] = field(default_factory=dict)
    in_process: ClassVar[Literal[True]] = True

    def answer(self, request: JudgeRequest, /) -> JudgeReply:
        return self.replies.get(request.key, NOT_HERE)


@lru_cache(maxsize=4)
def _worker(profile: str, spec: str, benchmark: str | None) -> Worker:
    """The worker of this process for a judge elsewhere."""
    folder = None if benchmark is None else Path(benchmark)
    judge = KnownReplies(JudgeSpec.model_validate_json(spec))
    loaded = load_benchmark(folder)
    check_profile(loaded, ScanOptions(profile=profile, judge=judge.spec.model))
    return Worker(loaded, folder or benchmark_folder(), profile, judge)


@dataclass(frozen=True)
class Waiting:
    """What a worker says of a shard."""

    shard: int
    questions: bytes = b""
    """What its conversations wait for (see `unpacked`); empty if the shard is done, or has an error."""
    heard: bool = False
    """True if one of the replies that are there counts as a vote."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with its conversations."""


def go_on(job: Job, shard: int, *, writes: bool = True) -> Waiting:
    """Go on with a shard as far as the replies reach, and do it if no question is left.

    Without `writes`, nothing is written, whatever is left.
    """
    if job.done(shard) is not None:
        return Waiting(shard)
    job.check_worker()
    worker = job.scorer.loaded()
    judge = worker.judge
    assert isinstance(judge, KnownReplies), "the job has a judge that is asked in rounds"
    judge.replies = _replies(job, shard)
    try:
        with at_work():
            questions, heard = _questions(job, shard, worker, judge.replies)
        if writes and not questions:
            job.do(shard)
    except DataError as error:
        return Waiting(shard, findings=error.findings)
    finally:
        judge.replies = {}
    return Waiting(shard, questions, heard)


def _questions(job: Job, shard: int, worker: Worker, replies: Mapping[str, JudgeReply]) -> tuple[bytes, bool]:
    """The next questions on each conversation, packed, and if a reply counts."""
    heard = False
    packing = Packing()
    for numbered, name in job.conversations(shard):
        for one in worker.read(numbered, name, skip_broken=job.scorer.skip_broken):
            if isinstance(one, Broken):
                continue
            wanted, counts = _next(worker.engine.rows(one), replies, heard=heard)
            heard |= counts
            if wanted:
                packing.add(wanted)
    return packing.close(), heard


def _next(asking: Asking[object], replies: Mapping[str, JudgeReply], *, heard: bool) -> tuple[Requests, bool]:
    """The questions on a conversation that have no reply yet, and if one of the replies counts."""
    try:
        wanted = next(asking)
        while True:
            known = [(request, replies[request.key]) for request in wanted if request.key in replies]
            heard = heard or any(
                request.counts is not None and request.counts(reply) for request, reply in known
            )
            if len(known) < len(wanted):
                asking.close()
                return tuple(request for request in wanted if request.key not in replies), heard
            wanted = asking.send(tuple(reply for _, reply in known))
    except StopIteration:
        return (), heard


class Packing:
    """Packs the questions of a shard, conversation by conversation. Prompts repeat much, and so shrink."""

    def __init__(self) -> None:
        self._buffer, self._count = io.BytesIO(), 0
        self._file = gzip.GzipFile(fileobj=self._buffer, mode="wb", compresslevel=1, mtime=0)

    def add(self, requests: Requests) -> None:
        """Add what one conversation waits for, less what only the process of the verifier can use."""
        bare = tuple(replace(request, asked=None, counts=None, again=None) for request in requests)
        pickle.dump(bare, self._file)
        self._count += 1

    def close(self) -> bytes:
        """The packed questions; empty if there are none."""
        self._file.close()
        return self._buffer.getvalue() if self._count else b""


def unpacked(file: IO[bytes]) -> Iterator[Requests]:
    """The questions of a shard, conversation by conversation."""
    with gzip.GzipFile(fileobj=file) as packed:
        while packed.peek(1):
            yield pickle.load(packed)  # noqa: S301 - our own worker has made it


def reply_file(job: Job, shard: int, number: int) -> str:
    """The name of a file with replies about a shard. Files are numbered from 1."""
    return f"{REPLIES}/{job.name(shard)}.{number:06d}.jsonl.gz"


def lines_of(replies: Iterable[tuple[JudgeRequest, JudgeReply]]) -> bytes:
    """The content of such a file. Only answers and refusals are replies that last; others are left out."""
    rows = (VOTES.row(*one) for one in replies if VOTES.answers(one[1]))
    return gzip.compress(b"".join(compact(row) + b"\n" for row in rows if row is not None), 6, mtime=0)


def files_of(names: Iterable[str], job: Job, shard: int) -> list[str]:
    """The files about a shard among the names in REPLIES, in order."""
    return sorted(name for name in names if name.startswith(f"{job.name(shard)}."))


def _replies(job: Job, shard: int) -> dict[str, JudgeReply]:
    """All replies about a shard that are in the place of the job, by the key of their question."""
    found: dict[str, JudgeReply] = {}
    for name in files_of(job.place.names(REPLIES), job, shard):
        data = gzip.decompress(job.place.read(f"{REPLIES}/{name}") or b"")
        for number, raw in enumerate(data.split(b"\n")[:-1], start=1):
            line = read_reply(raw, Path(REPLIES, name), number)
            found[line.key] = line.reply
    return found
